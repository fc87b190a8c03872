"""Blind to the end of the block: what is hidden until then, what is offered then, and what the record says of it."""

import io
import json

import pytest

from medreview.cli.plain import review_plain
from medreview.errors import UserError
from medreview.judges.verdicts import refresh
from medreview.review.audit import begin_audit
from medreview.review.blind_block import BLOCK_SIZE, blind_block_open
from medreview.review.decision import FollowUp
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.stats.reports.reviewer_labels import reviewer_labels
from medreview.study import Study
from medreview.study.check import check
from tests.support.study_builder import StudyBuilder, build

WHO = "kb"
SIZE = 2 * BLOCK_SIZE + 5


@pytest.fixture
def study(empty_study: Study) -> Study:
    """More than two blocks of statements, of which the judge says that they are not addressed."""

    def fill(rows: StudyBuilder) -> None:
        rows.page("u", "Words of a page.", snapshot_id="p")
        for number in range(SIZE // 5):
            rows.response(f"r{number}", statements=["text"] * 5, cites=["u"])
            for ordinal in range(1, 6):
                rows.judgement("one", f"r{number}.{ordinal}", "p", "not_addressed")

    build(empty_study, fill)
    refresh(empty_study)
    return empty_study


def sit(study: Study, queue: str = "audit", *, blind: bool | None = None) -> ReviewSession:
    return ReviewSession(study, WHO, open_queue(study, queue, WHO, blind=blind))


def decide_block(session: ReviewSession, label: str = "not_addressed", but: dict[int, str] | None = None) -> FollowUp:
    """Decide from here to the end of the block, as a typist does; what follows the last."""
    while True:
        step = session.decide((but or {}).get(session.position, label))
        if step is not FollowUp.ADVANCE or (session.position + 1) % BLOCK_SIZE == 0 or not session.next():
            return step


def kinds(study: Study) -> list[str]:
    rows = study.reader.execute("SELECT kind FROM event WHERE kind NOT IN ('shown', 'audit_rate') ORDER BY event_id")
    return [row[0] for row in rows]


def test_nothing_is_shown_before_the_block_ends_then_all_of_it_and_only_what_differs_is_asked_about(
    study: Study,
) -> None:
    session = sit(study)
    assert session.hidden_until == "until the block ends, 20 of 20 to go"
    assert session.decide("contradicted") is FollowUp.ADVANCE
    assert "you and the judges" not in session.receipt
    assert not session.shows_judges
    with pytest.raises(UserError, match="hidden until the block ends, 19 of 20 to go"):
        session.look_again()
    with pytest.raises(UserError, match="hidden until the block ends"):
        session.show_judges()
    with pytest.raises(UserError, match="hidden"):
        session.accept()
    session.next()
    session.defer()
    session.next()
    assert decide_block(session, but={7: "partial"}) is FollowUp.BLOCK_END
    assert set(kinds(study)) == {"decide", "defer"}
    assert blind_block_open(study.reader, WHO)
    assert not blind_block_open(study.reader, "anna")

    assert session.show_judges() is FollowUp.KEEP_OR_CHANGE
    assert session.position == 0
    assert session.shows_judges
    assert session.keep_or_change(None) is FollowUp.REASON
    assert session.reason("number") is FollowUp.KEEP_OR_CHANGE
    assert session.position == 7
    assert session.keep_or_change("not_addressed") is FollowUp.BLOCK_DONE
    session.next()
    assert (session.position, session.shows_judges) == (BLOCK_SIZE, False)

    assert kinds(study).count("reveal") == BLOCK_SIZE - 1  # not of the one that was put off
    assert kinds(study)[-2:] == ["reason", "revise"]
    assert not blind_block_open(study.reader, WHO)
    labels = reviewer_labels(study.reader, WHO)
    assert {label.group.mode for label in labels.values()} == {"blind"}
    changed = labels[session.queue.units[7]]
    assert (changed.label, changed.current, changed.changed_after_reveal) == ("partial", "not_addressed", True)
    assert sum(label.changed_after_reveal for label in labels.values()) == 1
    assert check(study.reader) == []


def test_every_decision_says_how_the_judges_were_to_be_shown(study: Study) -> None:
    session = sit(study)
    session.decide("partial")
    each = ReviewSession(study, WHO, open_queue(study, "audit", WHO), reveal="each")
    each.next()
    assert each.decide("partial") is FollowUp.KEEP_OR_CHANGE

    told = [row[0] for row in study.reader.execute("SELECT payload FROM event WHERE kind = 'decide' ORDER BY event_id")]
    assert [json.loads(payload)["reveal"] for payload in told] == ["block", "each"]
    assert kinds(study) == ["decide", "decide", "reveal"]


def test_one_may_go_on_blind_and_come_back_in_another_sitting(study: Study) -> None:
    session = sit(study)
    assert decide_block(session) is FollowUp.BLOCK_END
    session.next()  # on, blind
    session.decide("partial")
    session.leave()

    again = sit(study)
    assert again.position == BLOCK_SIZE
    assert again.hidden_until == "until the block ends, 19 of 20 to go"
    again.go(3)
    assert again.hidden_until == "until you press r: the block is done"
    assert again.look_again() is FollowUp.BLOCK_END
    assert again.show_judges() is FollowUp.BLOCK_DONE  # none differs
    assert again.position == BLOCK_SIZE - 1
    assert blind_block_open(study.reader, WHO)  # of the second block
    with pytest.raises(UserError, match="judges are shown"):
        again.look_again()


def test_a_restart_in_the_middle_of_a_block_and_the_last_short_block(study: Study) -> None:
    session = sit(study)
    session.go(2 * BLOCK_SIZE)
    session.decide("partial")
    session.leave()

    again = sit(study)
    again.next()
    assert again.hidden_until == "until the block ends, 4 of 5 to go"
    assert decide_block(again) is FollowUp.BLOCK_END
    assert again.show_judges() is FollowUp.KEEP_OR_CHANGE
    assert again.position == 2 * BLOCK_SIZE


def test_what_is_corrected_before_the_judges_are_shown_counts_as_corrected(study: Study) -> None:
    session = sit(study)
    session.decide("partial")
    session.decide("contradicted")
    session.next()
    decide_block(session)
    session.show_judges()
    session.keep_or_change("not_addressed")

    (first,) = [label for label in reviewer_labels(study.reader, WHO).values() if label.changed_after_reveal]
    assert (first.label, first.current) == ("contradicted", "not_addressed")
    (told,) = study.reader.execute(
        "SELECT label FROM decision_first WHERE unit = ? AND axis = 'evidence'", (session.queue.units[0],)
    ).fetchall()
    session.go(0)
    assert told["label"] == session.own.first == "contradicted"


def test_undo_opens_the_block_again_and_hides_what_was_shown(study: Study) -> None:
    session = sit(study)
    decide_block(session)
    session.undo()
    assert session.hidden_until == "until the block ends, 1 of 20 to go"
    session.redo()
    assert session.look_again() is FollowUp.BLOCK_END
    session.show_judges()
    session.undo()

    assert not session.shows_judges
    assert session.knows_judges  # it cannot be unseen
    assert session.decide("partial") is FollowUp.BLOCK_END
    session.show_judges()
    assert session.shows_judges
    labels = reviewer_labels(study.reader, WHO)
    assert [label.group.mode for label in labels.values()].count("assisted") == 1


def test_deferring_the_last_one_ends_the_block_unless_nothing_was_decided(study: Study) -> None:
    session = sit(study)
    for _ in range(BLOCK_SIZE):
        assert session.defer() is FollowUp.ADVANCE
        session.next()
    session.go(0)
    assert session.decide("partial") is FollowUp.BLOCK_END
    session.go(1)
    assert session.defer() is FollowUp.BLOCK_END


def test_what_was_put_off_blind_stays_blind_wherever_it_comes_up(study: Study) -> None:
    session = sit(study, "responses", blind=True)
    deferred = session.queue.units[:2]
    session.defer()
    session.next()
    session.defer()
    session.next()
    session.decide("partial")
    decided = session.queue.units[2]
    looked_at = session.queue.units[3]
    session.next()
    session.leave()

    everything = sit(study, "responses")
    units = list(everything.queue.units)
    for unit, mode in [*((unit, "blind") for unit in (*deferred, decided)), (looked_at, "open")]:
        everything.go(units.index(unit))
        assert (everything.mode, everything.shows_judges) == (mode, mode == "open")
        assert everything.hides(unit) == (mode == "blind")
    everything.go(units.index(decided))
    assert everything.hidden_until == "until its block ends, in “by response”"
    with pytest.raises(UserError, match="until its block ends"):
        everything.look_again()
    everything.undo()
    assert everything.item is not None
    assert (everything.item.statement_id, everything.shows_judges) == (decided, False)
    everything.redo()

    put_off = sit(study, "deferred")
    assert put_off.hidden_until == "until the block ends, 2 of 2 to go"
    assert put_off.decide("partial") is FollowUp.ADVANCE
    put_off.next_open()
    assert put_off.decide("partial") is FollowUp.BLOCK_END
    assert put_off.show_judges() is FollowUp.KEEP_OR_CHANGE
    assert put_off.mode == "open"
    assert put_off.keep_or_change("contradicted") is FollowUp.REASON
    assert put_off.reason(None) is FollowUp.KEEP_OR_CHANGE
    rows = study.reader.execute("SELECT unit, kind, mode FROM event WHERE kind IN ('decide', 'reveal', 'revise')")
    assert {tuple(row)[1:] for row in rows if row["unit"] in deferred} == {
        ("decide", "blind"), ("reveal", "blind"), ("revise", "open"),
    }  # fmt: skip
    labels = reviewer_labels(study.reader, WHO)
    assert [labels[unit].group.mode for unit in (*deferred, decided)] == ["blind"] * 3


def test_what_was_seen_before_and_then_put_off_blind_is_open_in_an_open_queue(study: Study) -> None:
    sit(study, "responses").leave()
    session = sit(study, "responses", blind=True)
    session.go(list(session.queue.units).index("r0.1"))
    session.defer()

    everything = sit(study, "deferred")
    assert everything.shows_judges


def test_reading_only_offers_nothing_and_hides_the_same(study: Study) -> None:
    session = sit(study)
    decide_block(session)
    session.leave()
    study.close()
    with Study.open(study.path, read_only=True) as reading:
        again = sit(reading)
        assert not again.shows_judges
        assert again.look_again() is FollowUp.BLOCK_END
        with pytest.raises(UserError, match="reading only"):
            again.show_judges()
        assert not again.shows_judges


def test_line_prompts_offer_the_same(
    study: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [*["4"] * (BLOCK_SIZE - 2), "s", "3", "r", "", "", "q"]  # one put off, one differs: kept, no reason
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    session = sit(study)
    review_plain(session)
    said = capsys.readouterr().out

    before, after = said.split("End of the block. 19 decided.\n")
    assert "one: " not in before
    assert "The judges are hidden until the block ends, 20 of 20 to go." in before
    assert "one by one-model: " in after
    assert after.count("Enter keeps your verdict") == 1
    assert "19 decided, 1 put off" in after
    assert "as the judges: 18 of 19" in after.split("The block, with its judges:")[1]
    assert session.position == BLOCK_SIZE


def test_a_member_of_the_audit_is_blind_also_where_it_is_met_by_accident(study: Study) -> None:
    everything = sit(study, "responses")
    begin_audit(study, WHO)  # of all: what is open in the queue is reserved by now

    everything = ReviewSession(study, WHO, everything.queue)
    everything.next()
    unit = everything.queue.units[everything.position]
    assert (everything.mode, everything.shows_judges, everything.hides(unit)) == ("blind", False, True)
    assert everything.hidden_until == "until its block ends, in “audit: random”"
    assert everything.decide("partial") is FollowUp.ADVANCE
    assert not everything.shows_judges
    assert reviewer_labels(study.reader, WHO)[unit].group.mode == "blind"

    audit = sit(study)
    audit.go(list(audit.queue.units).index(unit))
    waiting = audit.block.waiting if audit.block else 0
    assert waiting in (BLOCK_SIZE - 1, 4)


def test_no_queue_tells_of_what_waits_for_its_judges(study: Study) -> None:
    session = sit(study, "responses", blind=True)
    decide_block(session, "contradicted")
    assert not sit(study, "differing").queue.units
    assert len(sit(study, "responses").queue.units) == SIZE
    for name in ("differing", "flagged", "unchecked"):
        with pytest.raises(UserError, match="cannot be blind"):
            sit(study, name, blind=True)

    session.show_judges()
    assert len(sit(study, "differing").queue.units) == BLOCK_SIZE


def test_the_deferred_queue_has_the_members_of_the_audit_that_were_put_off(study: Study) -> None:
    session = sit(study)
    session.defer()
    put_off = sit(study, "deferred")

    assert list(put_off.queue.units) == [session.queue.units[0]]
    assert not put_off.shows_judges
    assert put_off.decide("partial") is FollowUp.BLOCK_END


def test_a_list_tells_of_a_member_of_the_audit_again_once_its_judges_were_shown(study: Study) -> None:
    session = sit(study)
    unit = session.queue.units[0]
    session.defer()
    later = ReviewSession(study, WHO, open_queue(study, "deferred", WHO))
    assert later.hides(unit)
    assert later.decide("partial") is FollowUp.BLOCK_END
    assert later.hides(unit)
    later.show_judges()
    assert not later.hides(unit)
