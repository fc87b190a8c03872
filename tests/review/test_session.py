"""A review sitting on a real study file, without a screen."""

import pytest

from medreview.errors import NotSaved, UserError
from medreview.review.decision import FollowUp
from medreview.review.queue import open_queue
from medreview.review.reviewer_state import load_reviewer_state
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent, Recorder
from tests.review.sittings import labels, payloads, sit
from tests.support.full_disk import full_disk
from tests.support.study_builder import new_version


def test_flagged_statements_come_with_their_reasons_gravest_first(study):
    queue = open_queue(study, "flagged", "kb")
    session = ReviewSession(study, "kb", queue)

    assert queue.units[0] == "s1"
    assert "s2" not in queue.units
    assert session.item.verdict.badges == "quote altered · numbers differ · jury 1-1 · page: timeout"


def test_a_verdict_is_committed_and_its_receipt_names_it(study):
    session = sit(study)
    session.next()

    assert session.decide("supported") is FollowUp.ADVANCE
    assert labels(study) == {"s2": "supported"}
    assert session.receipt.startswith("last  S2 → supported · you and the judges   saved #")
    assert session.counts == (4, 1, 0, 3)


def test_differing_from_the_judges_asks_for_a_reason(study):
    session = sit(study)
    session.next()

    assert session.decide("contradicted") is FollowUp.REASON
    assert session.reason("number") is FollowUp.ADVANCE

    assert payloads(study, "reason")[0]["code"] == "number"
    assert session.own.reason == "number"


def test_a_slip_that_is_corrected_when_asked_about_is_nobodys_first_label(study):
    session = sit(study)
    session.next()
    session.decide("contradicted")

    assert session.decide("contradicted", instead=True) is FollowUp.REASON  # the same again changes nothing
    assert session.decide("partial", instead=True) is FollowUp.REASON
    assert session.receipt.startswith("last  S2 → partial, not contradicted   saved #")
    assert session.decide("supported", instead=True) is FollowUp.ADVANCE

    rows = study.reader.execute("SELECT seq, kind, undoes_event, event_id FROM event WHERE kind <> 'shown'").fetchall()
    assert [row["kind"] for row in rows] == ["decide", "retract", "decide", "retract", "decide"]
    assert [row["undoes_event"] for row in rows[1::2]] == [row["event_id"] for row in rows[0:4:2]]
    assert f"saved #{rows[-1]['seq']} " in session.receipt
    assert labels(study, "decision_first") == labels(study) == {"s2": "supported"}
    assert [said["exposure"]["own_previous"] for said in payloads(study, "decide")] == ["no"] * 3
    assert session.counts == (4, 1, 0, 3)
    with pytest.raises(UserError, match="nothing to redo"):
        session.redo()
    session.undo()
    assert session.counts == (4, 0, 0, 4)
    assert check(study.reader) == []


def test_a_corrected_slip_leaves_what_was_decided_before_it(study):
    session = sit(study)
    session.next()
    session.decide("supported")
    session.decide("contradicted")
    session.accept(instead=True)
    session.decide("contradicted")
    session.decide("partial", instead=True)

    assert labels(study, "decision_first") == {"s2": "supported"}
    assert labels(study) == {"s2": "partial"}
    assert payloads(study, "decide")[-1]["exposure"]["own_previous"] == "before"


def test_in_a_blind_queue_another_verdict_is_a_revision_also_when_asked_why(study):
    session = sit(study, blind=True, reveal="each")
    session.go(list(session.queue.units).index("s2"))
    session.decide("contradicted")
    assert session.keep_or_change(None) is FollowUp.REASON

    assert session.decide("partial", instead=True) is FollowUp.REASON
    assert labels(study, "decision_first") == {"s2": "contradicted"}
    assert labels(study) == {"s2": "partial"}


def test_of_a_tied_jury_there_is_no_verdict_to_differ_from_but_where_none_says_the_same_it_is_asked_why(study):
    session = sit(study)

    assert session.judges_say is None
    assert session.judges_words == ""
    assert session.decide("cannot_judge") is FollowUp.REASON
    assert session.decide("supported") is FollowUp.ADVANCE
    assert "you and the judges" not in session.receipt
    with pytest.raises(UserError, match="no common verdict"):
        session.accept()


def test_no_reason_is_asked_where_nobody_judged(study):
    session = sit(study)
    session.go(3)

    assert session.decide("contradicted") is FollowUp.ADVANCE


def test_accept_takes_the_judges_verdict(study):
    session = sit(study)
    session.next()
    session.accept()

    assert labels(study) == {"s2": "supported"}
    assert payloads(study, "decide")[0]["via"] == "accept"


def test_moving_never_decides(study):
    session = sit(study)
    while session.next():
        pass
    session.leave()

    assert labels(study) == {}


def test_what_was_seen_in_open_mode_is_stored(study):
    session = sit(study)
    session.decide("partial")

    seen = payloads(study, "decide")[0]["exposure"]
    assert seen["judge_verdict"] == seen["jury"] == seen["queue_reason"] == "before"
    assert seen["own_previous"] == "no"


def test_a_blind_decision_hides_then_reveals_and_keeps_both_labels(study):
    session = sit(study, blind=True, reveal="each")
    session.go(list(session.queue.units).index("s2"))
    before = session.shows_judges, session.source_highlights().marks
    session.decide("contradicted")

    assert before[0] is False
    assert all(mark.kind == "lexical" for mark in before[1])
    assert session.shows_judges is True
    session.decide("supported")
    assert labels(study, "decision_first") == {"s2": "contradicted"}
    assert labels(study) == {"s2": "supported"}
    assert payloads(study, "decide")[0]["exposure"]["judge_verdict"] == "no"
    assert payloads(study, "revise")[0]["exposure"]["judge_verdict"] == "before"


def test_a_statement_once_seen_with_its_judges_is_no_longer_blind(study):
    sit(study).leave()
    session = sit(study, blind=True)
    session.go(list(session.queue.units).index("s1"))
    session.decide("partial")

    assert payloads(study, "decide")[0]["exposure"]["judge_verdict"] == "before"


def test_a_blind_order_is_neither_that_of_flags_nor_shown_in_the_flagged_queue(study):
    with pytest.raises(UserError, match="cannot be blind"):
        open_queue(study, "flagged", "kb", blind=True)
    for filter in ("badge=quote", "verdict=supported", "model=atlas-2"):
        with pytest.raises(UserError, match="would show what is hidden"):
            open_queue(study, "audit", "kb", filter=filter)


def test_the_audit_is_drawn_once_with_its_probability(study):
    first = open_queue(study, "audit", "kb").units
    again = open_queue(study, "audit", "anna").units

    assert first == again
    assert len(first) == 4
    assert {row[0] for row in study.reader.execute("SELECT inclusion_prob FROM audit_item")} == {1.0}


def test_a_span_holds_its_text_and_survives_check(study):
    session = sit(study)
    session.decide_also("hallucination", "fact")
    session.add_span("response", session.default_span("response"))
    session.add_span("source", session.default_span("source"))

    spans = {span.target: span for span in session.own.spans}
    assert spans["response"].exact == "50"  # what clashes with the page
    assert spans["source"].exact == "give 30 mL/kg or more of a crystalloid by vein"
    assert check(study.reader) == []


def test_defer_and_decide_keep_the_counts_adding_up(study):
    session = sit(study)
    session.defer()
    deferred = session.counts
    session.decide("partial")

    assert deferred == (4, 0, 1, 3)
    assert session.counts == (4, 1, 0, 3)


def test_a_flag_is_set_and_taken_back(study):
    session = sit(study)
    session.flag("dispute")
    assert session.own.flags == {"dispute"}
    session.flag("dispute")
    assert session.own.flags == frozenset()


def test_the_next_sitting_starts_at_the_same_place(study):
    session = sit(study)
    session.go(2)
    session.leave()

    assert sit(study).position == 2


def test_next_open_goes_round(study):
    session = sit(study)
    session.decide("partial")
    session.go(3)
    session.decide("partial")

    assert session.next_open()
    assert session.item.statement_id == "s2"


def test_filters(study):
    session = sit(study)
    session.set_filter("response=r02")
    assert list(session.queue.units) == ["s4"]
    session.set_filter("norepinephrine")
    assert list(session.queue.units) == ["s2"]
    with pytest.raises(UserError, match="Nothing in this queue"):
        session.set_filter("aspirin")
    with pytest.raises(UserError, match="cannot use 'colour'"):
        session.set_filter("colour=red")
    assert list(session.queue.units) == ["s2"]
    session.set_filter("")
    assert len(session.queue.units) == 4


def test_sources_are_turned_round_and_opened_where_the_judges_looked(study):
    session = sit(study)
    highlights = session.source_highlights()

    assert session.source.snapshot_id == "p1"
    assert highlights.remarks == {session.source_text().index("30"): "50 in the statement"}
    assert {mark.kind for mark in highlights.marks} == {"against", "clash"}
    session.turn_source(1)
    assert session.source.place == 2
    session.turn_source(-1)
    session.turn_source(-1)
    assert (session.source.place, session.source_text()) == (3, "")


def test_when_nothing_can_be_saved_the_state_is_as_before(study):
    session = sit(study)
    with full_disk(study), pytest.raises(NotSaved, match=r"is full.*: this was not saved"):
        session.decide("partial")
    assert (session.own.label, session.counts.decided, session.receipt) == (None, 0, "")
    study.write(lambda c: c.execute("CREATE TRIGGER no BEFORE INSERT ON event BEGIN SELECT raise(ABORT, 'full'); END"))
    with pytest.raises(NotSaved, match=r"could not be read or written \(full\)"):
        session.decide("partial")
    assert (session.own.label, session.counts.decided, session.receipt) == (None, 0, "")
    study.write(lambda c: c.execute("DROP TRIGGER no"))
    session.decide("partial")
    assert labels(study) == {"s1": "partial"}
    assert check(study.reader) == []


def test_a_read_only_sitting_can_look_but_not_decide(study):
    study.close()
    with Study.open(study.path, read_only=True) as reading:
        session = sit(reading)
        session.next()
        with pytest.raises(UserError, match="reading only"):
            session.decide("partial")
        session.leave()


def test_an_empty_queue_is_no_crash(study):
    session = sit(study, "deferred")

    assert session.item is None
    with pytest.raises(UserError, match="no statement"):
        session.decide("partial")


def test_stale_labels_await_a_decision_in_their_own_queue_only(study):
    session = sit(study)
    for place, label in enumerate(["contradicted", "supported", "not_addressed"]):
        session.go(place)
        session.decide(label)
    assert not session.stale("s1")
    new_version(study, "u1", "Another text altogether, about norepinephrine and the rest of it.")

    session = sit(study, "stale")
    assert session.queue.units == ["s1", "s2", "s3"]
    assert [session.stale(unit) for unit in ("s1", "s2", "s3", "s4")] == [True, True, True, False]
    session.go(1)
    session.decide("supported")
    assert not session.stale("s2")
    assert session.next_open()
    assert session.item.statement_id == "s3"
    assert session.next_open()
    assert session.item.statement_id == "s1"
    session.undo()
    assert session.stale("s2")

    everything = sit(study)
    assert [everything.awaits(unit) for unit in ("s1", "s2", "s3", "s4")] == [False, False, False, True]
    assert everything.counts == (4, 3, 0, 1)


def test_judgements_on_a_text_that_is_gone_are_not_shown(study):
    assert {said.snapshot_id for said in sit(study).item.judgements} == {"p1"}
    new_version(study, "u1", "Another text.")
    assert sit(study).item.judgements == ()


def test_reading_a_label_costs_less_than_the_cube_of_its_corrections(study):
    """The steps that SQLite takes for one statement: twice the corrections, four times the steps."""
    recorder, payload = Recorder("kb"), {"axis": "evidence", "exposure": {"judge_verdict": "no"}}

    def steps_after_forty_more():
        def change(connection):
            for label in ("supported", "partial") * 20:
                decision = NewEvent("decide", "s1", payload | {"label": label})
                recorder.append(connection, decision, block="audit", mode="blind")

        study.write(change)
        steps = []
        study.reader.set_progress_handler(lambda: steps.append(1), 100)
        own = load_reviewer_state(study.reader, "s1", "kb")
        study.reader.set_progress_handler(None, 0)
        assert (own.blind, own.first, own.label) == (True, "partial", "partial")
        return len(steps)

    few = steps_after_forty_more()
    assert steps_after_forty_more() < 6 * few


@pytest.mark.parametrize("blind", [False, True], ids=["open", "blind"])
def test_looking_ahead_shows_nothing_and_is_where_the_next_key_leads(study, blind):
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb", blind=blind))
    here = (session.unit, session.position, session.item, session.source_text())

    ahead = session.ahead()
    assert ahead is not None
    seen = (ahead.unit, ahead.text_key, ahead.source_text(), ahead.source_highlights(), ahead.beside_marks())
    assert (session.unit, session.position, session.item, session.source_text()) == here
    assert session.leave() == ""  # writes what was seen
    assert [row[0] for row in study.reader.execute("SELECT unit FROM event WHERE kind IN ('shown', 'listed')")] == [
        session.unit
    ]

    session.next()
    now = (session.unit, session.text_key, session.source_text(), session.source_highlights(), session.beside_marks())
    assert now == seen
    while session.next():
        pass
    assert session.ahead() is None
