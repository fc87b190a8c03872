"""Findings in a sitting: hidden while it is blind, walked through, taken over, rejected, found by a filter."""

from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.units.stored import show_correct_answers
from tests.support.answer_study import CONTEXT, CORRECT, answer_units, bring_answers, find


@pytest.fixture
def study(tmp_path: Path, empty_study: Study) -> Study:
    bring_answers(empty_study, tmp_path)
    pipeline.parse(empty_study)
    unit = answer_units(empty_study)[1]
    find(empty_study, "one", unit, "context", "after week 28", "in week 35")
    find(empty_study, "two", unit, "fact", "Paracetamol")
    pipeline.roll_up(empty_study)
    return empty_study


def sitting(study: Study, queue: str, *, filter: str = "", blind: bool | None = None) -> ReviewSession:
    return open_session(study, "kb", open_queue(study, queue, "kb", filter=filter, blind=blind))


def on(session: ReviewSession, unit: str) -> ReviewSession:
    session.go(list(session.queue.units).index(unit))
    return session


def marked(session: ReviewSession) -> list[str]:
    return [CONTEXT[mark.start : mark.end] for mark in session.finding_marks()]


def test_findings_of_an_answer_are_hidden_until_its_block_is_shown_then_taken_over_rejected_and_undone(
    study: Study,
) -> None:
    first, second, third = answer_units(study)
    session = on(sitting(study, "answers"), second)
    assert (session.findings, marked(session), session.open_findings()) == ((), [], 0)
    with pytest.raises(UserError, match="The judges' findings are hidden until the block ends"):
        session.open_finding()
    for unit in (first, third, second):
        on(session, unit).decide("none")
    session.show_judges()
    on(session, second)
    assert marked(session) == ["after week 28", "Paracetamol", "in week 35"]
    conflict = session.open_finding()
    wrong = session.open_finding(conflict)
    assert (conflict.quote, wrong.quote, session.open_finding(conflict, -1).quote) == (
        "after week 28", "Paracetamol", "in week 35",
    )  # fmt: skip
    session.reject_finding(wrong)
    assert "rejected “Paracetamol”" in session.receipt
    assert marked(session) == ["after week 28", "in week 35"]
    session.take_finding(conflict)
    session.take_finding(session.open_finding())
    one, two = session.own.spans
    assert (one.label, one.exact, two.exact, two.with_span) == ("context", "after week 28", "in week 35", one.event_id)
    with pytest.raises(UserError, match="No finding is open here any more"):
        session.open_finding()
    for _ in range(3):
        session.undo()
    assert session.open_findings() == 3


def test_the_correct_answer_comes_after_the_decision_and_goes_with_it(study: Study) -> None:
    unit = answer_units(study)[0]
    session = on(sitting(study, "answers", blind=False), unit)

    def texts() -> list[str]:
        return [document.text for document in session.view.documents]  # type: ignore[attr-defined]

    assert CORRECT not in texts()
    session.decide("fact")
    assert texts()[-1] == CORRECT
    session.undo()
    assert CORRECT not in texts()
    show_correct_answers(study, "shown")
    assert texts() == texts()[:1]
    on(session, unit)
    assert texts()[1] == CORRECT
    session.decide("fact")
    rows = study.reader.execute("SELECT json_extract(payload, '$.correct_answer') FROM event WHERE kind = 'decide'")
    assert [row[0] for row in rows if row][-1:] == ["before"]


def test_of_a_statement_only_what_stands_in_it_can_be_taken_over_and_all_of_the_response_is_marked(
    study: Study,
) -> None:
    session = sitting(study, "responses", filter="response=R02")
    assert [session.open_findings() for place in range(3) if session.go(place)] == [1, 1, 1]
    session.go(0)
    assert session.judges_say is None
    assert marked(session) == ["after week 28", "Paracetamol", "in week 35"]
    session.take_finding(session.open_finding())
    assert [(mine.exact, mine.label, mine.target) for mine in session.own.spans] == [
        ("after week 28", "context", "response")
    ]
    with pytest.raises(UserError, match="No finding is open here any more"):
        session.open_finding()
    blind = sitting(study, "responses", filter="response=R02", blind=True)
    assert blind.findings == ()


@pytest.mark.parametrize(
    ("queue", "filter", "found"),
    [
        ("responses", "finding=context", 2),
        ("responses", "finding=fact", 1),
        ("responses", "finding=open", 3),
        ("responses", "badge='finding: fact'", 1),
        ("answers", "finding=open", 1),
        ("answers", "finding=fact", 1),
    ],
)
def test_statements_and_answers_are_found_by_their_findings(study: Study, queue: str, filter: str, found: int) -> None:
    assert len(open_queue(study, queue, "kb", filter=filter, blind=False).units) == found


def test_what_was_handled_is_open_no_more_and_a_blind_queue_cannot_be_filtered_by_findings(study: Study) -> None:
    session = sitting(study, "responses", filter="response=R02")
    for place in range(3):
        session.go(place)
        session.reject_finding(session.open_finding())
    assert [len(open_queue(study, queue, "kb", filter="finding=open", blind=False).units)
            for queue in ("responses", "answers")] == [0, 0]  # fmt: skip
    assert len(open_queue(study, "responses", "anna", filter="finding=open").units) == 3
    for queue in ("answers", "audit"):
        with pytest.raises(UserError, match="blind queue cannot be filtered by finding"):
            open_queue(study, queue, "kb", filter="finding=open")
