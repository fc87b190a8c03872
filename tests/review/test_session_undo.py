"""Undo and redo in a sitting on a real study file."""

import pytest

from medreview.errors import UserError
from tests.review.sittings import labels, payloads, sit


def test_undoing_a_blind_decision_hides_the_judges_but_remembers_the_look(study):
    session = sit(study, blind=True, reveal="each")
    session.go(list(session.queue.units).index("s2"))
    session.decide("partial")
    session.undo()

    assert session.shows_judges is False
    session.decide("supported")
    assert [p["exposure"]["judge_verdict"] for p in payloads(study, "decide")] == ["no", "before"]


def test_undo_and_redo_one_act_a_press_also_in_another_session(study):
    session = sit(study)
    session.decide("partial")
    session.decide_also("hallucination", "fact")
    session.add_span("response", session.default_span("response"))
    session.note("check the dose")
    again = sit(study)
    for _ in range(4):
        again.undo()

    assert labels(study) == {}
    assert again.item.statement_id == "s1"
    with pytest.raises(UserError, match="nothing of yours"):
        again.undo()
    for _ in range(4):
        again.redo()
    assert labels(study) == {"s1": "partial"}
    assert (again.own.hallucination, again.own.note, len(again.own.spans)) == ("fact", "check the dose", 1)
    with pytest.raises(UserError, match="nothing to redo"):
        again.redo()


def test_undo_redo_undo(study):
    session = sit(study)
    session.decide("partial")
    session.undo()
    session.redo()
    session.undo()

    assert labels(study) == {}
    session.redo()
    assert labels(study) == {"s1": "partial"}


def test_a_new_act_ends_what_could_be_redone(study):
    session = sit(study)
    session.decide("partial")
    session.undo()
    session.defer()

    with pytest.raises(UserError, match="nothing to redo"):
        session.redo()


def test_undoing_what_is_not_in_the_queue_names_the_statement(study):
    session = sit(study)
    session.next()
    session.decide("contradicted")
    session.set_filter("children")
    session.undo()

    assert "R01 S2 undone: contradicted, not in this queue   saved #" in session.receipt
    assert session.item.statement_id == "s4"
    session.redo()
    assert "R01 S2 done again: contradicted, not in this queue" in session.receipt
