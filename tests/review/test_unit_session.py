"""A sitting over other units than statements: what is decided, hidden, shown, undone, and where it counts."""

import pytest

from medreview.errors import UserError
from medreview.review.decision import FollowUp
from medreview.review.open_session import open_session
from medreview.review.overview import overview
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.counts import load_counts


def sitting(study: Study, filter: str = "") -> ReviewSession:
    return open_session(study, "kb", open_queue(study, "whole_responses", "kb", filter=filter))


def test_a_whole_response_is_decided_blind_then_shown_beside_the_roll_up_and_undone(study: Study) -> None:
    session = sitting(study)
    assert set(session.queue.units) == {"response:r1", "response:r2"}
    assert (session.mode, session.machines.words, session.judges_say) == ("blind", "", None)
    session.go(session.queue.units.index("response:r1"))
    assert session.decide("yes") is FollowUp.ADVANCE
    assert session.next() or session.previous()
    assert session.decide("no") is FollowUp.BLOCK_END
    step = session.show_judges()
    assert step is FollowUp.KEEP_OR_CHANGE
    assert (session.unit, session.judges_say, session.own.label) == ("response:r1", "no", "yes")
    session.keep_or_change("no")
    labels = study.reader.execute(
        "SELECT unit, axis, mode, label, current FROM reviewer_label ORDER BY unit"
    ).fetchall()
    assert [tuple(row) for row in labels] == [
        ("response:r1", "all_supported", "blind", "yes", "no"),
        ("response:r2", "all_supported", "blind", "no", "no"),
    ]
    session.undo()
    assert "undone: not all" in session.receipt
    assert session.own.label == "yes"
    session.redo()
    assert session.own.label == "no"


def test_labels_on_other_units_count_as_no_decided_statement_and_the_other_way_round(study: Study) -> None:
    session = sitting(study)
    session.decide("no")
    assert (session.counts.total, session.counts.decided) == (2, 1)
    assert load_counts(study.reader, "kb").decided == 0
    lines = overview(study, "kb").units
    assert [(line.kind.name, line.size, line.open) for line in lines] == [("whole_responses", 2, 1)]
    statements = open_session(study, "kb", open_queue(study, "responses", "kb"))
    statements.decide("supported")
    assert load_counts(study.reader, "kb").decided == 1
    assert sitting(study).counts.decided == 1
    statements.undo()
    statements.undo()  # the whole response's: it is not in this queue
    assert "R0" in statements.receipt
    assert "not in this queue" in statements.receipt


def test_notes_flags_deferral_and_filters_are_as_for_statements(study: Study) -> None:
    session = sitting(study, filter="state=open")
    session.note("read twice")
    session.flag("dispute")
    session.defer()
    assert (session.own.note, session.own.flags, session.own.deferred) == ("read twice", {"dispute"}, True)
    session.set_filter("state=deferred")
    assert len(session.queue.units) == 1
    with pytest.raises(UserError, match="blind queue cannot be filtered by model"):
        session.set_filter("model=x")
    with pytest.raises(UserError, match="cannot use 'badge'"):
        session.set_filter("badge=x")


def test_what_was_seen_before_makes_a_label_assisted(study: Study) -> None:
    queue = open_queue(study, "whole_responses", "kb", blind=False)
    session = open_session(study, "kb", queue)
    session.decide("no")
    row = study.reader.execute("SELECT mode, label FROM reviewer_label").fetchone()
    assert tuple(row) == ("assisted", "no")
