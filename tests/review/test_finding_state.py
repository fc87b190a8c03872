"""What a reviewer makes of the judges' findings: taken over as spans, rejected, open again after an undo."""

from pathlib import Path

import pytest

from medreview import pipeline
from medreview.review.decision import last_act
from medreview.review.reviewer_state import load_reviewer_state
from medreview.review.spans_and_findings import FindingSpan, load_finding_spans, next_open, rejecting, taking
from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent, Recorder
from tests.support.answer_study import CONTEXT, answer_units, bring_answers, find
from tests.support.study_builder import StudyBuilder, build, rows_of


@pytest.fixture
def study(tmp_path: Path, empty_study: Study) -> Study:
    bring_answers(empty_study, tmp_path)
    pipeline.parse(empty_study)
    unit = answer_units(empty_study)[1]
    find(empty_study, "one", unit, "context", "after week 28", "in week 35", "week 99")
    find(empty_study, "two", unit, "fact", "ibuprofen")
    find(empty_study, "two", unit, "fact", "Paracetamol", assisted_by=("e1",))
    return empty_study


def write(study: Study, *events: NewEvent) -> None:
    recorder = Recorder("kb")
    study.write(lambda c: [recorder.append(c, event, block="answers", mode="open") for event in events])


def spans(study: Study, unit: str) -> list[tuple[str, int, str]]:
    found = load_finding_spans(study.reader, unit, "kb")
    return [(span.finding.judge, span.number, span.standing) for span in found]


def first_open(study: Study, unit: str, after: FindingSpan | None = None) -> FindingSpan:
    found = next_open(load_finding_spans(study.reader, unit, "kb"), after)
    assert found is not None
    return found


def take(study: Study, unit: str, span: FindingSpan) -> None:
    write(study, *taking(unit, CONTEXT, span, load_reviewer_state(study.reader, unit, "kb").spans))


def test_findings_are_open_in_reading_order_without_those_that_are_not_there_or_were_helped(study: Study) -> None:
    unit = answer_units(study)[1]
    assert spans(study, unit) == [("two", 1, "open"), ("one", 1, "open"), ("one", 2, "open")]
    first = first_open(study, unit)
    assert (first.label, first.quote) == ("fact", "ibuprofen")
    second = first_open(study, unit, first)
    assert first_open(study, unit, first_open(study, unit, second)) == first


def test_a_context_conflict_is_taken_over_as_two_spans_that_belong_together_and_undo_opens_it_again(
    study: Study,
) -> None:
    unit = answer_units(study)[1]
    first = first_open(study, unit)
    write(study, rejecting(unit, first))
    for _ in range(2):
        take(study, unit, first_open(study, unit))
    assert spans(study, unit) == [("two", 1, "rejected"), ("one", 1, "taken"), ("one", 2, "taken")]
    assert next_open(load_finding_spans(study.reader, unit, "kb"), None) is None
    one, two = load_reviewer_state(study.reader, unit, "kb").spans
    assert [(mine.exact, mine.label) for mine in (one, two)] == [
        ("after week 28", "context"), ("in week 35", "context"),
    ]  # fmt: skip
    assert (one.with_span, two.with_span) == (None, one.event_id)
    act = last_act(study.reader, "kb", 1)
    assert act is not None
    write(study, NewEvent("retract", unit, undoes_event=act.target))
    write(study, NewEvent("span_del", unit, {"span": one.event_id, "exact": one.exact}))
    assert spans(study, unit)[1:] == [("one", 1, "open"), ("one", 2, "open")]
    rejected = rows_of(study, "SELECT event_id FROM event WHERE kind = 'finding'")[0]["event_id"]
    write(study, NewEvent("retract", unit, undoes_event=rejected))
    assert spans(study, unit)[0] == ("two", 1, "open")
    assert check(study.reader) == []


def test_what_was_made_of_a_finding_at_a_statement_holds_in_the_whole_response_and_for_this_reviewer_only(
    study: Study,
) -> None:
    unit = answer_units(study)[1]
    ids = [row["statement_id"] for row in rows_of(
        study, "SELECT statement_id FROM statement WHERE response_id = ? ORDER BY ordinal", unit.partition(":")[2]
    )]  # fmt: skip
    assert [len([s for s in load_finding_spans(study.reader, one, "kb") if s.here]) for one in ids] == [2, 0, 1]
    first = first_open(study, ids[0])
    write(study, rejecting(ids[0], first))
    take(study, ids[2], first_open(study, ids[2]))
    told = [("two", 1, "rejected"), ("one", 1, "open"), ("one", 2, "taken")]
    assert spans(study, ids[1]) == spans(study, unit) == told
    assert {span.standing for span in load_finding_spans(study.reader, unit, "anna")} == {"open"}
    assert load_finding_spans(study.reader, f"pair:{ids[0]}:u1", "kb") == ()


def test_of_repeated_words_the_place_in_the_statement_is_taken(study: Study) -> None:
    unit = answer_units(study)[1]

    def twice(rows: StudyBuilder) -> None:
        response = unit.partition(":")[2]
        spans = '[{"quote": "ibuprofen", "status": "exact", "spans": [[12, 21], [75, 84]]}]'
        run = rows.judge_run("three", "llm")
        rows.add(
            "hallucination_finding", finding_id="twice", judge_run_id=run, response_id=response, assisted=0,
            assisted_by="[]", found=1, type="fact", spans=spans, reason="", raw_output="", error="",
        )  # fmt: skip

    build(study, twice)
    last = rows_of(study, "SELECT max(ordinal), statement_id FROM statement WHERE response_id = ?", unit[7:])[0]
    (span,) = (
        s for s in load_finding_spans(study.reader, last["statement_id"], "kb")
        if s.finding.finding_id == "twice"
    )  # fmt: skip
    (event,) = taking(last["statement_id"], CONTEXT, span, ())
    assert (event.payload["start"], event.payload["exact"]) == (75, "ibuprofen")
    assert (event.payload["from_finding"], event.payload["from_span"]) == ("twice", 1)
