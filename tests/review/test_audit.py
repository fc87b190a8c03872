"""Who is in the audit, at which rate, and what is kept from whom."""

import json
import shutil
from pathlib import Path

import pytest

from medreview.judges.verdicts import refresh
from medreview.review.audit import (
    AUDIT_SIZE,
    begin,
    begin_audit,
    complete,
    draw,
    members,
    release,
    reserved,
)
from medreview.review.decision import last_act
from medreview.review.overview import Overview, overview
from medreview.review.queue import open_queue
from medreview.review.queue_kinds import QueueLine
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.audit_frame import WITHHELD, join_frame, strata
from medreview.study.check import check
from medreview.study.merge import merge
from tests.support.study_builder import StudyBuilder, build

QUOTE = "words of the page"


def grow(study: Study, first: int, count: int, *, flagged: bool = True) -> None:
    """Responses of ten statements each, of two models in turn; a judge contradicts every third statement."""

    def add(rows) -> None:  # type: ignore[no-untyped-def]
        for number in range(first, first + count):
            name = f"r{number}"
            rows.page(f"u{number}", QUOTE, snapshot_id=f"p{number}")
            model = "atlas" if number % 2 else "boreal"
            rows.response(name, statements=["text"] * 10, cites=[f"u{number}"], model=model, origin="forum")
            for place in range(1, 11):
                label = "supported" if place % 3 or not flagged else "contradicted"
                rows.judgement("one", f"{name}.{place}", f"p{number}", label, QUOTE)

    build(study, add)
    refresh(study)


def drawn(study: Study) -> set[str]:
    return {row[0] for row in study.reader.execute("SELECT statement_id FROM audit_item")}


def rate_events(study: Study) -> list[dict[str, object]]:
    rows = study.reader.execute("SELECT unit, payload FROM event WHERE kind = 'audit_rate' ORDER BY event_id")
    assert all(row["unit"] == study.meta("study_id") for row in rows.fetchall())
    rows = study.reader.execute("SELECT payload FROM event WHERE kind = 'audit_rate' ORDER BY event_id")
    return [json.loads(row[0]) for row in rows]


def line(found: Overview, name: str) -> QueueLine:
    return next(line for line in found.queues if line.kind.name == name)


@pytest.fixture
def study(empty_study: Study):  # type: ignore[no-untyped-def]
    # Membership is by chance of the study's id: a fixed one makes the same members each time.
    empty_study.write(lambda c: c.execute("UPDATE study SET value = 'study_1' WHERE key = 'study_id'"))
    grow(empty_study, 1, 30)
    return empty_study


def test_the_first_opening_of_a_large_enough_study_reserves_a_tenth_and_later_ones_change_nothing(
    study: Study, tmp_path: Path
) -> None:
    begin(study, "kb")

    assert rate_events(study) == [{"by": "all", "rates": {"all": 0.1}, "rest": 0.1, "why": "default"}]
    assert 0 < members(study.reader) < AUDIT_SIZE
    before = drawn(study)
    begin(study, "anna")
    assert len(rate_events(study)) == 1
    assert drawn(study) == before

    with Study.create(tmp_path / "small.medreview") as small:
        grow(small, 1, 4)
        begin(small, "kb")
        assert rate_events(small) == []
        assert begin_audit(small, "kb") == 40  # who asks for the audit of a small study gets all of it


def test_an_audit_in_which_chance_left_nobody_gets_members_when_it_is_opened_as_many_as_the_home_screen_says(
    study: Study,
) -> None:
    draw(study, "kb", rate=1e-9)
    assert members(study.reader) == 0
    found = overview(study, "kb")
    told = line(found, "audit")
    assert (told.size, told.remark) == (30, "not drawn yet")
    assert found.lost_to_triage == 0  # nobody is drawn of whom triage could show the judges

    assert len(open_queue(study, "audit", "kb").units) >= told.size


def test_a_larger_audit_holds_the_smaller_one_and_a_smaller_one_changes_nothing(study: Study) -> None:
    first = draw(study, "kb", size=20)
    before = drawn(study)
    assert first.members == first.new == len(before) >= 20

    larger = draw(study, "kb", rate=0.5)
    assert before < drawn(study)
    assert larger.new == larger.members - first.members
    assert draw(study, "kb", size=10).event_id is None
    assert draw(study, "kb", rate=0.1).new == 0
    assert len(rate_events(study)) == 2
    assert draw(study, "kb", size=1000).members == 300
    assert check(study.reader) == []


def test_new_statements_enter_with_the_rate_in_force(study: Study) -> None:
    draw(study, "kb", rate=0.2)
    before = drawn(study)
    grow(study, 31, 30)
    study.write(complete)

    assert drawn(study) > before
    assert [(stratum.name, stratum.statements, stratum.rate) for stratum in strata(study.reader)] == [("all", 600, 0.2)]
    assert 80 < members(study.reader) < 160
    assert len(rate_events(study)) == 1


def test_strata_have_rates_of_their_own_and_statements_keep_them(study: Study) -> None:
    draw(study, "kb", size=40, by="model")
    assert {stratum.name: stratum.members >= 40 for stratum in strata(study.reader)} == {
        "model atlas": True,
        "model boreal": True,
    }
    draw(study, "kb", rate=0.9, by="flagged")
    flagged = {row[0] for row in study.reader.execute("SELECT statement_id FROM verdict WHERE priority > 0")}

    def stratum_of() -> dict[str, str]:
        return dict(study.reader.execute("SELECT statement_id, stratum FROM audit_frame").fetchall())

    assert {unit for unit, stratum in stratum_of().items() if stratum == "flagged"} == flagged
    before = stratum_of()
    study.write(lambda connection: connection.execute("UPDATE verdict SET priority = 0"))
    study.write(complete)
    assert stratum_of() == before


def test_copies_agree_without_talking_and_a_merge_drops_no_member(study: Study, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.medreview"
    study.write(lambda connection: None)
    study.reader.execute("PRAGMA wal_checkpoint")
    shutil.copy(study.path, theirs)
    draw(study, "kb", rate=0.2)
    with Study.open(theirs) as copy:
        draw(copy, "anna", rate=0.2)
        assert drawn(copy) == drawn(study)
        draw(copy, "anna", rate=0.4, by="model")
        grow(copy, 31, 5)
        copy.write(complete)
        more = drawn(copy)
        session = ReviewSession(copy, "anna", open_queue(copy, "audit", "anna"))
        session.decide("supported")
        session.leave()
    grow(study, 31, 5)
    merge(study, theirs)
    study.write(complete)

    assert drawn(study) == more
    assert len(rate_events(study)) == 3
    assert check(study.reader) == []
    assert merge(study, theirs).added == 0


@pytest.mark.parametrize(
    ("theirs", "held"),
    [(("a", 0.5), ("a", 0.5)), (("c", 0.5), ("b", 0.5)), (("z", 0.6), ("z", 0.6)), (("a", 0.4), ("b", 0.5)),
     ((WITHHELD, 0.9), ("b", 0.5))],
)  # fmt: skip
def test_of_two_copies_the_higher_rate_holds_and_of_equal_ones_the_first_stratum(
    empty_study: Study, theirs: tuple[str, float], held: tuple[str, float]
) -> None:
    row = {"statement_id": "r1.1", "number": 0.2, "flagged": None}

    def fill(rows: StudyBuilder) -> None:
        rows.response("r1", statements=["One."])
        rows.add("audit_frame", **row, stratum="b", rate=0.5)
        join_frame(rows.connection, [row | {"stratum": theirs[0], "rate": theirs[1]}])

    build(empty_study, fill)
    assert tuple(empty_study.reader.execute("SELECT stratum, rate FROM audit_frame").fetchone()) == held


def test_members_are_kept_from_queues_that_show_the_judges_until_they_are_met_or_released(study: Study) -> None:
    draw(study, "kb", rate=0.3)
    all_members = drawn(study)
    flagged = {row[0] for row in study.reader.execute("SELECT statement_id FROM verdict WHERE priority > 0")}

    def triage(who: str = "kb") -> set[str]:
        return set(open_queue(study, "flagged", who).units)

    assert triage() == flagged - all_members
    assert set(open_queue(study, "responses", "kb").units).isdisjoint(all_members)
    assert set(open_queue(study, "responses", "kb", blind=True).units) > all_members
    found = overview(study, "kb")
    kept = len(flagged & all_members)
    assert line(found, "flagged").size == len(flagged) - kept
    assert line(found, "flagged").reserved == kept
    assert line(found, "responses").size == 300 - len(all_members)
    assert line(found, "audit").reserved == 0
    assert found.reserved == len(all_members)

    audit = ReviewSession(study, "kb", open_queue(study, "audit", "kb"), reveal="each")
    decided, put_off = {audit.queue.units[0], audit.queue.units[1]}, audit.queue.units[2]
    audit.decide("supported")
    audit.next()
    audit.decide("contradicted")
    audit.next()
    audit.decide_also("hallucination", "other")
    audit.defer()
    assert reserved(study.reader, "kb") == all_members - decided  # put off is not decided, nor is another axis
    assert open_queue(study, "deferred", "kb").units == [put_off]  # where it is blind
    assert reserved(study.reader, "anna") == all_members

    assert release(study, "kb") == len(all_members) - 2
    assert release(study, "kb") == 0
    assert triage() == flagged - {put_off}  # blind until it is decided
    assert triage("anna") == flagged - all_members
    act = last_act(study.reader, "kb", 1)
    assert act is not None
    assert act.words == "deferred"  # undo does not take back what concerns the study as a whole

    draw(study, "kb", rate=0.6)  # what is drawn after the release is reserved again
    assert triage() == flagged - (drawn(study) - decided) - {put_off}
    assert check(study.reader) == []


def test_the_draw_of_an_earlier_version_which_left_no_event_holds_for_new_statements(study: Study) -> None:
    study.write(
        lambda c: (
            c.execute("INSERT INTO audit_frame SELECT statement_id, 0.01, 'all', 0.4, NULL FROM statement") and None
        )
    )
    grow(study, 31, 2)
    begin(study, "kb")
    rows = study.reader.execute("SELECT DISTINCT stratum, rate FROM audit_frame").fetchall()
    assert [tuple(row) for row in rows] == [("all", 0.4)]
    assert study.reader.execute("SELECT count(*) FROM audit_frame").fetchone()[0] == 320


def test_a_statement_keeps_its_stratum_when_flags_come_and_go(study: Study) -> None:
    def frame() -> list[tuple[object, ...]]:
        return [tuple(row) for row in study.reader.execute("SELECT * FROM audit_frame ORDER BY statement_id")]

    draw(study, "kb", size=20, by="flagged")
    before = frame()
    few = "priority = 0 AND statement_id LIKE 'r1.%'"
    study.write(lambda c: c.execute(f"UPDATE verdict SET priority = iif({few}, 100, 0)"))
    study.write(complete)
    assert frame() == before
    assert draw(study, "kb", size=20, by="flagged").new == 0


def test_a_member_that_was_seen_with_its_judges_is_kept_from_nothing_and_stays_a_member(study: Study) -> None:
    session = ReviewSession(study, "kb", open_queue(study, "flagged", "kb"))
    seen = session.queue.units[0]
    session.next()
    session.leave()
    draw(study, "kb", rate=1.0)

    assert seen in drawn(study)
    assert seen in open_queue(study, "flagged", "kb").units
    assert len(open_queue(study, "flagged", "kb").units) == 2  # what was on the screen


def test_the_audit_is_taken_in_an_order_whose_every_beginning_is_a_random_draw(study: Study) -> None:
    draw(study, "kb", rate=0.1)
    draw(study, "kb", rate=1.0, by="model")
    study.write(lambda c: c.execute("UPDATE audit_frame SET rate = 0.1 WHERE stratum = 'model atlas'"))
    half = open_queue(study, "audit", "kb").units[:80]

    rows = study.reader.execute("SELECT statement_id, stratum FROM audit_item").fetchall()
    of = {row[0]: row[1] for row in rows}
    total = sum(stratum == "model atlas" for stratum in of.values())
    early = sum(of[unit] == "model atlas" for unit in half)
    assert 0 < early < total  # not all of the stratum with few members first


def test_studies_of_one_seed_have_the_same_audit_and_one_order_for_everybody(tmp_path: Path) -> None:
    met = []
    for name, reviewer in (("a", "anna"), ("b", "ben")):
        with Study.create(tmp_path / f"{name}.medreview", seed="of the sample") as study:
            grow(study, 1, 12)
            begin(study, reviewer)
            queues = [("flagged", None), ("audit", None), ("responses", True)]
            met.append([open_queue(study, queue, reviewer, blind=blind).units for queue, blind in queues])
            ids = study.meta("study_id")
        assert ids != "of the sample"
    assert met[0] == met[1]
    assert all(met[0])
