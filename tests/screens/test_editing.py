"""E: a statement is cut, joined and excluded; R and f: a span gets other ends."""

import json

import pytest

from medreview.screens.dialogs import SpanDialog
from medreview.study import Study
from medreview.study.check import check
from tests.screens.test_delete_span import live, marked
from tests.support.workbench import events, pane_text, press, review_screen, screen_text, statements, workbench

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@SIZES
async def test_a_statement_is_cut_where_the_bar_stands_and_undo_makes_it_whole(
    study: Study, size: tuple[int, int]
) -> None:
    app = workbench(study)
    async with app.run_test(size=size) as pilot:
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
    app = workbench(study)
    async with app.run_test(size=size) as pilot:
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
    app = workbench(study)
    async with app.run_test(size=size) as pilot:
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
    app = workbench(study)
    async with app.run_test(size=size) as pilot:
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
