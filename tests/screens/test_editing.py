"""E: a statement is cut, joined and excluded; R and f: a span gets other ends."""

import json
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.config import Config
from medreview.review.queue import open_queue
from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.span_editing import SpanEdit
from medreview.screens.app import Workbench
from medreview.screens.dialogs import ChooseSpanDialog, SpanDialog
from medreview.study import Study
from medreview.study.check import check
from medreview.text import Span
from medreview.units.cited_source import Source
from medreview.units.statement_view import StatementView
from tests.support.workbench import (
    PLAIN,
    events,
    on_screen,
    pane_text,
    press,
    review_screen,
    screen_text,
    statements,
    workbench,
)

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@SIZES
async def test_a_statement_is_cut_where_the_bar_stands_and_undo_makes_it_whole(
    study: Study, size: tuple[int, int]
) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        session, view = statements(app), review_screen(app)
        whole, unit, total = session.item.text, session.unit, session.counts.total
        await press(pilot, "E")
        assert "edit S1:  s cut in two  j join with the next" in pane_text(app, "foot")
        await press(pilot, "1", "s")  # a digit is no verdict here
        assert not events(study, "decide")
        assert " | " in pane_text(app, "foot")
        assert all(row.rstrip() == row[: size[0]].rstrip() for row in pane_text(app, "foot").split("\n"))
        before = pane_text(app, "foot")
        await press(pilot, "w", "b", "b", "w")
        assert pane_text(app, "foot") == before
        behind = [session.item.response[mark.start : mark.end] for mark in view.response.marks.of_kind("chosen")]
        assert whole.endswith(behind[-1])
        await press(pilot, "enter")
        assert "S1 cut in two   saved #" in pane_text(app, "foot")
        assert f"1a of {session.item.siblings}" in screen_text(app)
        first = session.item.text
        assert whole.startswith(first)
        assert not view.response.marks.of_kind("chosen")
        assert session.counts.total == total + 1
        await press(pilot, "1")
        assert session.item.short_name == "S1b"
        assert f"{first} {session.item.text}" == whole
        await press(pilot, "u", "u")
        assert session.unit == unit
        assert "undone: cut before" in pane_text(app, "foot")
        assert session.counts.total == total
        await press(pilot, "U")
        assert session.item.short_name == "S1a"
    assert check(study.reader) == []


@SIZES
async def test_joining_and_excluding_take_two_keys_and_one_to_take_back(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        session = statements(app)
        total, second = session.counts.total, session.queue.units[1]
        await press(pilot, "E", "j")
        assert "S1 joined with the next   saved #" in pane_text(app, "foot")
        assert session.item.short_name == "S1+2"
        assert session.counts.total == total - 1
        await press(pilot, "u")
        assert session.item.short_name == "S1"
        await press(pilot, "E", "x")
        assert "S1 excluded as not medical   saved #" in pane_text(app, "foot")
        assert session.unit == second
        assert session.counts.total == total - 1
        await press(pilot, "E", "escape", "E", "s", "escape")
        assert len([event for kind in ("split", "join", "exclude") for event in events(study, kind)]) == 2
        await press(pilot, "u")
        assert session.item.short_name == "S1"
    assert check(study.reader) == []


@SIZES
async def test_a_span_gets_other_ends_and_undo_brings_the_ones_before(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "j", "R")
        assert "You have marked no span on this statement." in pane_text(app, "foot")
        marked(app, "response", "crystalloid")
        await press(pilot, "R")
        assert "“crystalloid”" in pane_text(app, "foot")
        assert "S source" not in pane_text(app, "foot")
        await press(pilot, "w", "w", "enter")
        (longer,) = live(study)
        assert longer.startswith("crystalloid ")
        assert "instead" in pane_text(app, "foot")
        (mark,) = review_screen(app).response.marks.of_kind("span")
        assert statements(app).item.response[mark.start : mark.end] == longer
        await press(pilot, "R", "enter")  # the same ends are no act
        assert len(events(study, "span_move")) == 1
        await press(pilot, "u")
        assert live(study) == ["crystalloid"]
        marked(app, "source", "capillary refill")
        await press(pilot, "R")
        assert "Resize span 1 of 2, in the response: “crystalloid”" in pane_text(app, "foot")
        await press(pilot, "w", "enter", "b", "enter")
        assert live(study) == ["crystalloid", "capillary"]
        await press(pilot, "D", "w", "r", "w", "enter")
        assert live(study) == ["crystalloid", "capillary refill"]
    assert check(study.reader) == []


@SIZES
async def test_two_hints_set_a_span(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "j", "h", "1")
        await press(pilot, "f")
        view = review_screen(app)
        assert "Press the letters at the first word of the span." in pane_text(app, "foot")
        step = view._step
        assert isinstance(step, SpanDialog)
        assert step.naming is not None
        text = view.response.text
        hints = {text[hint.start : hint.end]: hint.letters for hint in step.naming.hints}
        drawn = view.response.marks.of_kind("hint")
        assert len(drawn) == len(step.naming.hints)
        await press(pilot, *hints["crystalloid"])
        assert "letters at the last word" in pane_text(app, "foot")
        await press(pilot, *hints["50"])  # in whatever order
        assert "crystalloid”" in pane_text(app, "foot")
        assert not view.response.marks.of_kind("hint")
        await press(pilot, "f", "5", "f", "escape", "enter")
        (exact,) = live(study)
        assert exact.startswith("50 ")
        assert exact.endswith("crystalloid")
        assert json.loads(events(study, "span_add")[0]["payload"])["label"] == "fact"


MARK = {"response": "crystalloid", "source": "capillary refill"}


def shown(app: Workbench) -> tuple[StatementView, Source]:
    """The statement and the source on the screen."""
    session = statements(app)
    assert session.item is not None
    assert session.source is not None
    return session.item, session.source


def marked(app: Workbench, target: str, words: str) -> None:
    """Mark words as the span step does, where they are."""
    session = statements(app)
    text = session.source_text() if target == "source" else shown(app)[0].response
    session.add_span(target, SpanEdit(text, text.index(words), text.index(words) + len(words)))


def live(study: Study) -> list[str]:
    rows = study.reader.execute("SELECT payload FROM span_live ORDER BY event_id").fetchall()
    return [json.loads(row["payload"])["exact"] for row in rows]


@SIZES
async def test_the_only_span_is_deleted_at_once(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "j", "D")
        assert "You have marked no span on this statement." in pane_text(app, "foot")
        await press(pilot, "h", "1", "enter", "D", "D")  # held down: its receipt stays
        assert live(study) == []
        assert "deleted “50”" in pane_text(app, "foot")
        assert not review_screen(app).response.marks.of_kind("span")
        await press(pilot, "u")
        assert len(live(study)) == 1
        assert review_screen(app).response.marks.of_kind("span")


@SIZES
async def test_of_several_one_is_chosen(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "j", "h", "1", "escape")
        marked(app, "source", MARK["source"])
        marked(app, "response", MARK["response"])
        view = review_screen(app)
        await press(pilot, "D")
        assert "Delete span 1 of 2, in the response: “crystalloid”" in pane_text(app, "foot")
        assert [view.response.marks.of_kind("span")[0].start] == [shown(app)[0].response.index("crystalloid")]
        assert "crystalloid" in screen_text(app)
        await press(pilot, "w")
        assert "Delete span 2 of 2, in the source: “capillary refill”" in pane_text(app, "foot")
        (drawn,) = view.source.marks.of_kind("span")
        assert view.session.source_text()[drawn.start : drawn.end] == "capillary refill"
        assert "capillary refill" in screen_text(app)
        await press(pilot, "b", "b", "enter")  # round and round
        assert live(study) == ["crystalloid"]
        assert "deleted “capillary refill”" in pane_text(app, "foot")
        assert view.response.marks.of_kind("span")
        assert not view.source.marks.of_kind("span")
        await press(pilot, "u")
        assert live(study) == ["capillary refill", "crystalloid"]


@SIZES
async def test_esc_and_moving_delete_nothing(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "j")
        for target, words in MARK.items():
            marked(app, target, words)
        view = review_screen(app)
        await press(pilot, "D", "w", "escape")
        assert len(live(study)) == 2
        assert [len(pane.marks.of_kind("span")) for pane in (view.response, view.source)] == [1, 1]
        assert not view.reading.shows_response
        await press(pilot, "D", "k")
        assert "1 of 8" in pane_text(app, "header")
        assert len(live(study)) == 2


async def test_a_digit_is_a_verdict_while_one_chooses(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "j")
        for target, words in MARK.items():
            marked(app, target, words)
        await press(pilot, "D", "5")
        assert [row["label"] for row in events(study, "decide")] == ["cannot_judge"]
        assert len(live(study)) == 2


async def test_a_span_on_another_source_is_shown_there(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "j")
        for target, words in MARK.items():
            marked(app, target, words)
        await press(pilot, "right_square_bracket")
        assert shown(app)[1].place == 2
        await press(pilot, "D", "w")
        assert shown(app)[1].place == 1
        assert "capillary refill" in screen_text(app)


def test_the_strip_fits_into_80_columns() -> None:
    mine = ReviewerSpan("e", "response", Span(0, 200), "two words " * 20, "fact", None)
    step = ChooseSpanDialog(mine, "response", 11, 12, lambda: None, lambda by: None, lambda: None)
    assert all(len("".join(text for text, _ in row)) <= 79 for row in step.rows(80))


RESPONSE = "Hello! Metformin is safe in pregnancy. Is it safe for you? Rest helps as well."
BESIDE = "Aspirin is not safe in pregnancy."


@pytest.fixture
def with_rest(tmp_path: Path, empty_study: Study) -> Study:
    answers = tmp_path / "answers.jsonl"
    lines = [{"question": "Q?", "response": text} for text in (RESPONSE, BESIDE)]
    answers.write_text("\n".join(json.dumps(line) for line in lines))
    pipeline.bring_in(empty_study, answers, {})
    pipeline.parse(empty_study)
    pipeline.judge(empty_study)
    return empty_study


@SIZES
async def test_a_key_makes_a_statement_of_what_was_left_out(with_rest: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(with_rest, queue="responses"), *size) as (app, pilot):
        view = review_screen(app)
        marks = [(mark.start, mark.end) for mark in view.response.marks.of_kind("left_out")]
        assert [RESPONSE[start:end] for start, end in marks] == ["Hello!", "Is it safe for you?"]
        await press(pilot, "l")
        assert "Left out 1 of 2: “Hello!”" in pane_text(app, "foot")
        assert "a courtesy" in pane_text(app, "foot")
        assert "Metformin is safe in pregnancy." in screen_text(app)
        await press(pilot, "w")
        assert "Left out 2 of 2: “Is it safe for you?”" in pane_text(app, "foot")
        assert RESPONSE[slice(*view.response.marks.of_kind("chosen")[0][:2])] == "Is it safe for you?"
        await press(pilot, "enter")
        assert "“Is it safe for you?” is a statement now   saved #" in pane_text(app, "foot")
        assert not view.response.marks.of_kind("chosen")
        assert len(view.response.marks.of_kind("left_out")) == 1
        assert view.session.counts.open == 4
        (event,) = events(with_rest, "promote")
        assert view.session.queue.units[2] == event["unit"]
        await press(pilot, "u")
        assert "undone: made a statement of" in " ".join(pane_text(app, "foot").split())
        assert len(view.response.marks.of_kind("left_out")) == 2
        assert view.session.counts.open == 3
        await press(pilot, "U")
        assert view.session.unit == event["unit"]
        assert "Is it safe for you?" in screen_text(app)
    row = with_rest.reader.execute("SELECT badges FROM verdict WHERE statement_id = ?", (event["unit"],)).fetchone()
    assert row is not None
    assert check(with_rest.reader) == []


@SIZES
async def test_where_nothing_is_left_out_the_key_says_so(with_rest: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(with_rest, queue="responses"), *size) as (app, pilot):
        await press(pilot, "j", "j", "l")
        assert "Everything in this response is a statement." in pane_text(app, "foot")


async def test_left_out_text_is_dim_and_has_a_sign_beside_it_without_colours(with_rest: Study) -> None:
    queue = open_queue(with_rest, "responses", "kb")
    app = Workbench(with_rest, Config(reviewer="kb"), PLAIN._replace(ascii_only=True), queue=queue)
    async with app.run_test(size=(160, 50)):
        view = review_screen(app).response
        strip = view.render_line(0)
        text = strip.text.rstrip()
        assert text.startswith(":Hello!")
        dim = [segment.text for segment in strip if segment.style and segment.style.dim]
        assert "".join(dim).startswith("Hello!")
        assert "Metformin" not in "".join(dim)
