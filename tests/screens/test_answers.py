"""Answers and findings on the screen: spans with reasons, both places of a context-conflict, what judges found."""

from pathlib import Path

import pytest

from medreview import pipeline
from medreview.review.reviewer_state import load_reviewer_state
from medreview.study import Study
from tests.support.answer_study import CONTEXT, CORRECT, answer_units, bring_answers, find
from tests.support.workbench import blind_workbench, events, on_screen, press, screen_text, workbench

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@pytest.fixture
def study(tmp_path: Path, empty_study: Study) -> Study:
    bring_answers(empty_study, tmp_path)
    pipeline.parse(empty_study)
    unit = answer_units(empty_study)[1]
    find(empty_study, "one", unit, "context", "after week 28", "in week 35")
    find(empty_study, "two", unit, "fact", "Paracetamol")
    find(empty_study, "two", unit, "none", assisted_by=("e1",))
    pipeline.roll_up(empty_study)
    return empty_study


@SIZES
async def test_a_context_conflict_asks_for_both_places_and_a_reason_goes_with_the_span(
    study: Study, size: tuple[int, int]
) -> None:
    unit = answer_units(study)[1]
    async with on_screen(workbench(study, "answers", filter="id=a2"), *size) as (app, pilot):
        assert "0 none" in screen_text(app)
        assert "CONTEXT" not in screen_text(app)
        await press(pilot, "3")
        assert "hallucination · R02: CONTEXT." in screen_text(app)
        await press(pilot, "h")
        assert "the other place" in screen_text(app)
        await press(pilot, "n", *"take back", "enter")
        assert "hallucination · R02:   1 fact" in screen_text(app)
        await press(pilot, "1")
        assert "FACT" in screen_text(app)
        await press(pilot, "w", "enter")
        assert "End of the block" in screen_text(app)
    own = load_reviewer_state(study.reader, unit, "kb")
    assert (own.label, [mine.exact for mine in own.spans]) == (
        "context",
        ["Do not take ibuprofen after week 28.", "Paracetamol can be used.", "You may take ibuprofen in week 35."],
    )  # fmt: skip
    assert (own.spans[1].reason, own.spans[1].with_span) == ("take back", own.spans[0].event_id)


@SIZES
async def test_none_asks_for_no_span_and_a_wrong_key_for_a_further_one_says_why(
    study: Study, size: tuple[int, int]
) -> None:
    async with on_screen(workbench(study, "answers"), *size) as (app, pilot):
        await press(pilot, "h")
        assert "Say first what is wrong with the answer: 1-4." in screen_text(app)
        await press(pilot, "0")
        assert [event["kind"] for event in events(study) if event["reviewer"] == "kb"] == ["decide"]
        await press(pilot, "F")
        assert "The judges' findings are hidden until the block ends" in screen_text(app)


@SIZES
async def test_after_the_block_the_judges_findings_are_walked_taken_over_and_rejected(
    study: Study, size: tuple[int, int]
) -> None:
    unit = answer_units(study)[1]
    async with on_screen(workbench(study, "answers", filter="id=a2"), *size) as (app, pilot):
        before = screen_text(app)
        assert "Paracetamol" in before
        assert "two" not in before
        for key in ("0", "r", "enter", "F"):
            await press(pilot, key)
        shown = screen_text(app)
        assert "CONTEXT, 3 open: “after week 28”" in shown
        assert "Because." in shown
        await press(pilot, "w", "x")
        assert "“in week 35”" in screen_text(app)
        await press(pilot, "enter")
        assert "“after week 28”" in screen_text(app)
        await press(pilot, "m")
        await press(pilot, "enter")
        await press(pilot, "F")
        assert "No finding is open here any more." in screen_text(app)
        await press(pilot, "right_square_bracket")
        assert CORRECT.split(":")[0][:30] in screen_text(app)
        assert "correct answer" in screen_text(app)
    own = load_reviewer_state(study.reader, unit, "kb")
    assert [mine.exact for mine in own.spans] == ["in week 35", "after week 28"]
    assert [event["kind"] for event in events(study, "finding", "span_add") if event["reviewer"] == "kb"] == [
        "finding",
        "span_add",
        "span_add",
    ]
    assert CONTEXT[own.spans[1].span.start :].startswith("after week 28")


@SIZES
async def test_a_statement_takes_over_what_was_found_in_it_and_blind_nothing_is_told(
    study: Study, size: tuple[int, int]
) -> None:
    async with on_screen(workbench(study, "responses", filter="response=R02"), *size) as (app, pilot):
        await press(pilot, "j", "F")
        assert "FACT, 1 open: “Paracetamol”" in screen_text(app)
        await press(pilot, "enter")
        assert "took over “Paracetamol”" in screen_text(app)
    async with on_screen(blind_workbench(study, "responses"), *size) as (app, pilot):
        await press(pilot, "F")
        assert "The judges' findings are hidden" in screen_text(app)
