"""Half of the audit is shown with the judges, by a coin: what each reviewer sees, what is stored, what it estimates."""

import io
import json
import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta

from medreview import pipeline
from medreview.cli.plain import review_plain
from medreview.errors import UserError
from medreview.judges.verdicts import refresh
from medreview.review.audit import draw, reserved
from medreview.review.looks import note_look
from medreview.review.overview import overview
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.stats.formulas.audit_sampling import Sampled
from medreview.stats.formulas.intervals import share_difference, student
from medreview.stats.reports.audit_differences import arm_share
from medreview.stats.reports.audit_headline import leading_estimate
from medreview.stats.reports.audit_report import AuditFigures, audit_report
from medreview.stats.reports.audit_verdicts import every_judge
from medreview.stats.reports.reviewer_labels import reviewer_labels
from medreview.study import Study
from medreview.study.check import check
from medreview.study.merge import merge
from medreview.study.study_acts import Coin, coin_of, set_assistance, shown_by_coin
from tests.support.answer_study import answer_units, bring_answers, find
from tests.support.study_builder import StudyBuilder, build
from tests.support.workbench import press, review_screen, screen_text, workbench

WHO = "kb"
RESPONSES = 40


@pytest.fixture
def study(empty_study: Study) -> Study:
    """160 statements, all in the audit, on which a judge says by turns supported and not addressed."""

    def fill(rows: StudyBuilder) -> None:
        rows.page("u", "Words of a page.", snapshot_id="p")
        for number in range(RESPONSES):
            rows.response(f"r{number}", statements=["text"] * 4, cites=["u"], model="atlas-9")
            for ordinal in range(1, 5):
                said = "not_addressed" if (number + ordinal) % 3 == 0 else "supported"
                rows.judgement("juror-one", f"r{number}.{ordinal}", "p", said)

    build(empty_study, fill)
    refresh(empty_study)
    draw(empty_study, WHO, rate=1)
    set_assistance(empty_study, WHO, half=True)
    return empty_study


def sit(study: Study, who: str = WHO, queue: str = "audit", *, blind: bool | None = None) -> ReviewSession:
    return ReviewSession(study, who, open_queue(study, queue, who, blind=blind))


def said_by_judge(study: Study, unit: str) -> str:
    row = study.reader.execute("SELECT verdict FROM verdict WHERE statement_id = ?", (unit,)).fetchone()
    return str(row[0])


def review_all(study: Study, who: str = WHO) -> None:
    """Blind every fifth label is another than the judge's, assisted every tenth."""
    session = sit(study, who)
    counts = {True: 0, False: 0}
    for place in range(len(session.queue.units)):
        session.go(place)
        assisted = session.shows_judges
        counts[assisted] += 1
        judge = said_by_judge(study, session.unit)
        other = "supported" if judge != "supported" else "not_addressed"
        session.decide(other if counts[assisted] % (10 if assisted else 5) == 0 else judge)


def figures(study: Study, *names: str) -> list[AuditFigures]:
    labels = {name: reviewer_labels(study.reader, name) for name in names}
    return list(audit_report(study.reader, labels, every_judge(study.reader)).figures)


def test_the_coin_is_fair_each_reviewers_own_and_the_same_in_every_copy(study: Study) -> None:
    coin = Coin("study_1")
    heads = sum(coin.assists(WHO, place / 4_000) for place in range(4_000))
    assert abs(heads - 2_000) < 4 * math.sqrt(1_000)
    both = sum(coin.assists("anna", place / 4_000) == coin.assists(WHO, place / 4_000) for place in range(4_000))
    assert abs(both - 2_000) < 4 * math.sqrt(1_000)
    assert shown_by_coin(study.reader, WHO) != shown_by_coin(study.reader, "anna")
    assert 50 < len(shown_by_coin(study.reader, WHO)) < 110
    assert coin_of(study.reader) == coin_of(study.reader)


def test_the_judges_stand_beside_the_assisted_members_alone_and_only_in_the_audit(study: Study) -> None:
    assisted = shown_by_coin(study.reader, WHO)
    for session in (sit(study, blind=None), sit(study, queue="responses", blind=True)):
        for place, unit in enumerate(session.queue.units):
            session.go(place)
            in_audit = session.queue.kind.name == "audit"
            assert session.shows_judges == (in_audit and unit in assisted)
            assert bool(session.judge_words) == session.shows_judges
            assert session.mode == ("open" if session.shows_judges else "blind")
            assert session.hides(unit)  # in a list nobody's judges are told
            assert session.hides_totals
        session.leave()
    blind = [unit for unit in session.queue.units if unit not in assisted]
    assert set(blind) == reserved(study.reader, WHO)
    shown = {row[0] for row in study.reader.execute("SELECT unit FROM judges_shown WHERE reviewer = ?", (WHO,))}
    assert shown == assisted
    assert not set(open_queue(study, "flagged", WHO).units) & set(blind)
    other = sit(study, "anna")
    hers = shown_by_coin(study.reader, "anna")
    other.go(next(place for place, unit in enumerate(other.queue.units) if unit in assisted - hers))
    assert not other.shows_judges


def test_a_label_beside_the_judges_is_stored_as_one_and_a_block_ends_with_its_blind_statements(
    study: Study,
) -> None:
    assisted = shown_by_coin(study.reader, WHO)
    session = sit(study)
    block = session.queue.units[:20]
    blind = [unit for unit in block if unit not in assisted]
    assert session.block is not None
    assert (session.block.blind, session.block.waiting) == (len(blind), len(blind))
    for place, unit in enumerate(block):
        session.go(place)
        session.decide("supported")
        mode, payload = study.reader.execute(
            "SELECT mode, payload FROM event WHERE kind = 'decide' AND unit = ?", (unit,)
        ).fetchone()
        exposure = json.loads(payload)["exposure"]
        assert (mode, exposure["judge_verdict"]) == (("open", "before") if unit in assisted else ("blind", "no"))
        assert session.shows_judges == (unit in assisted)
    assert session.block.hidden == tuple(blind)
    assert session.block.ended
    session.show_judges()
    assert {row[0] for row in study.reader.execute("SELECT unit FROM event WHERE kind = 'reveal'")} == set(blind)
    assert check(study.reader) == []


def test_findings_in_other_statements_of_the_response_are_not_told(tmp_path: Path, empty_study: Study) -> None:
    bring_answers(empty_study, tmp_path)
    pipeline.parse(empty_study)
    answer = answer_units(empty_study)[1]
    find(empty_study, "one", answer, "context", "after week 28", "in week 35")
    draw(empty_study, WHO, rate=1)
    set_assistance(empty_study, WHO, half=True)
    query = "SELECT statement_id FROM statement WHERE response_id = ? ORDER BY ordinal"
    first, _, last = (row[0] for row in empty_study.reader.execute(query, (answer.partition(":")[2],)))
    who = next(name for name in map(str, range(99)) if first in (shown := shown_by_coin(empty_study.reader, name))
               and last not in shown)  # fmt: skip
    session = sit(empty_study, who)
    session.go(list(session.queue.units).index(first))
    assert [span.quote for span in session.findings] == ["after week 28"]
    assert len(session.finding_marks()) == 1
    session.go(list(session.queue.units).index(last))
    assert session.findings == ()


def test_what_was_decided_blind_stays_blind_whatever_the_coin_says(study: Study) -> None:
    assisted = shown_by_coin(study.reader, WHO)
    apart = sit(study, queue="responses", blind=True)
    place = next(place for place, unit in enumerate(apart.queue.units) if unit in assisted)
    apart.go(place)
    apart.decide("partial")
    session = sit(study)
    session.go(list(session.queue.units).index(apart.unit))
    assert not session.shows_judges


def test_the_first_screen_says_that_half_is_hidden(study: Study) -> None:
    seen = overview(study, WHO)
    audit = next(line for line in seen.queues if line.kind.name == "audit")
    assert audit.remark == "judges hidden on half"
    assert any("160 statements drawn at random, with the judges hidden on half of them" in each for each in seen.card)


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
async def test_the_workbench_says_which_it_is_and_shows_nothing_of_the_blind_ones(
    study: Study, size: tuple[int, int]
) -> None:
    assisted = shown_by_coin(study.reader, WHO)
    app = workbench(study, "audit")
    async with app.run_test(size=size) as pilot:
        for _ in range(12):
            unit, shown = review_screen(app).session.unit, screen_text(app)
            assert ("BLIND" in shown) == (unit not in assisted)
            assert ("juror-one" in shown) == (unit in assisted)
            assert ("atlas-9" in shown) <= (unit in assisted)
            await press(pilot, "j")


def test_line_mode_follows_the_same_rule_and_a_look_from_python_is_counted(
    study: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    coins = [unit in shown_by_coin(study.reader, WHO) for unit in open_queue(study, "audit", WHO).units]
    monkeypatch.setattr("sys.stdin", io.StringIO("j\n" * 11 + "q\n"))
    review_plain(sit(study))
    shown = re.split(r"audit: random, \d+ of ", capsys.readouterr().out)[1:]
    assert len(shown) == 12
    for assisted, told in zip(coins, shown, strict=False):
        assert ("juror-one" in told) == assisted
        assert ("The judges are hidden" in told) != assisted

    assert note_look(study, WHO, "statements", "verdicts") == ""  # as ``study.statements()`` does
    review_all(study)
    (found,) = figures(study, WHO)
    assert found.assistance is not None
    assert found.assistance.otherwise == found.supported.flow.used  # all of the blind half was seen


def test_half_of_the_labels_counts_twice_and_the_halves_are_compared(study: Study) -> None:
    assisted = shown_by_coin(study.reader, WHO)
    review_all(study)
    (found,) = figures(study, WHO)
    flow = found.supported.flow
    assert (flow.by_coin, flow.used, flow.assisted) == (len(assisted), 160 - len(assisted), 0)
    assert flow.in_study == flow.not_drawn + sum(
        (flow.by_coin, flow.used, flow.waiting, flow.deferred, flow.cannot_judge, flow.stale)
    )
    labels = reviewer_labels(study.reader, WHO)
    blind = [label.label == "supported" for unit, label in labels.items() if unit not in assisted]
    assert found.supported.study.value == pytest.approx(sum(blind) / len(blind))
    n, size = len(blind), 160
    share = sum(blind) / n
    over = (1 - n / size) / (n - 1)  # a half of the study, drawn by the coin
    part = student(0.95, n - 1) ** 2 * over
    half = math.sqrt(share * (1 - share) * part + part**2 / 4) / (1 + part)
    assert found.supported.study.low is not None
    assert found.supported.study.high is not None
    assert (found.supported.study.high - found.supported.study.low) / 2 == pytest.approx(half)
    assert found.with_verdicts[0].supported.value is not None  # blind labels only: no verdict is refused

    assert found.assistance is not None
    a, b = 1 - (len(assisted) // 10) / len(assisted), 1 - (n // 5) / n
    assert found.assistance.assisted.value == pytest.approx(a)
    assert found.assistance.blind.value == pytest.approx(b)
    assert found.assistance.difference.value == pytest.approx(a - b)
    assert found.assistance.otherwise == 0
    home = leading_estimate(study.reader, WHO)
    assert home is not None
    assert home.estimate == found.leading


def test_of_two_reviewers_a_statement_counts_by_whom_it_was_blind_to(study: Study) -> None:
    for who in (WHO, "anna"):
        review_all(study, who)
    *each, together = figures(study, WHO, "anna")
    coins = {who: shown_by_coin(study.reader, who) for who in (WHO, "anna")}
    both = coins[WHO] & coins["anna"]
    assert together.supported.flow.by_coin == len(both)
    assert together.supported.flow.used == 160 - len(both)
    assert together.assistance is None
    assert all(one.assistance is not None for one in each)


def test_it_comes_before_the_first_label_and_reaches_copies(study: Study) -> None:
    copy = study.path.with_name("copy.medreview")
    study.write(lambda connection: None)
    study.reader.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(study.path, copy)
    with Study.open(copy) as other:
        assert shown_by_coin(other.reader, "anna") == shown_by_coin(study.reader, "anna")
        review_all(other, "anna")
        with pytest.raises(UserError, match="160 statements of the audit have a label already"):
            set_assistance(other, "anna", half=False)
    set_assistance(study, WHO, half=False)
    assert shown_by_coin(study.reader, WHO) == frozenset()
    set_assistance(study, WHO, half=True)
    merge(study, copy)
    assert figures(study, "anna")[0].assistance is not None


def test_the_interval_of_a_difference_is_of_both_jeffreys_intervals() -> None:
    """56 of 70 and 48 of 80; by Wilson's intervals Newcombe 1998 prints 0.0524 to 0.3339."""

    def arm(yes: int, n: int) -> list[Sampled]:
        return [Sampled(float(place < yes), place, 0.3) for place in range(n)]

    found = share_difference("d", arm_share("a", arm(56, 70)), arm_share("b", arm(48, 80)))
    assert found.value == pytest.approx(0.2)
    first, second = (beta(yes + 0.5, no + 0.5).ppf([0.025, 0.975]) for yes, no in ((56, 14), (48, 32)))
    assert found.low == pytest.approx(0.2 - np.hypot(0.8 - first[0], second[1] - 0.6))
    assert found.high == pytest.approx(0.2 + np.hypot(first[1] - 0.8, 0.6 - second[0]))
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=0.003)
    certain = arm_share("a", arm(20, 20))
    assert (certain.low, certain.high) == (pytest.approx(beta(20.5, 0.5).ppf(0.025)), 1.0)
    few = share_difference("d", arm_share("a", arm(5, 9)), arm_share("b", arm(48, 80)))
    assert few.value is None
    assert "9 so far" in str(few.reason)
