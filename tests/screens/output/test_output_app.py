"""On every screen the terminal shows what it would show were everything written anew."""

import random
import shutil
from pathlib import Path

import pytest
from textual.messages import TerminalSupportsSynchronizedOutput

from medreview.review.actions import REVIEW
from medreview.review.queue import open_queue
from medreview.screens.environment import Look
from medreview.screens.home import HomeScreen
from medreview.screens.key_screen import KeyScreen
from medreview.study import Study
from tests.support.drawing import difference, drawing, lay_out
from tests.support.workbench import press

DARK, ANSI = Look("textual-dark", False, False, True), Look("ansi-dark", True, False, False)
KEYS = sorted({action.keys[0] for action in REVIEW} - {"home", "q"})
"""Of what has two keys, one."""

LEAVE = ("q", "escape")
TOUR = ("H", "escape", "1", "question_mark", "escape", "colon", "escape", "q", "i", "escape", "enter")
MOUSE_POINTER = "\x1b]22;"
"""Textual says how that is to look when the screen is another one."""

TURNS = 40


@pytest.mark.parametrize(
    ("look", "size", "colours"), [(DARK, (80, 24), "truecolor"), (ANSI, (160, 50), "256")], ids=["dark", "ansi"]
)
async def test_after_any_key_no_cell_differs_from_a_full_repaint(
    demo_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    look: Look,
    size: tuple[int, int],
    colours: str,
) -> None:
    monkeypatch.setenv("COLORTERM", colours)
    luck = random.Random(4)
    visited = set()
    with Study.open(Path(shutil.copy(demo_file, tmp_path / "demo.medreview"))) as study:
        app = drawing(study, look, open_queue(study, "responses", "kb"))
        async with app.run_test(headless=False, size=size) as pilot:
            await lay_out(app, pilot, *size)
            assert await difference(app, pilot) == []
            for turn, key in enumerate((*TOUR, *luck.choices(KEYS, k=TURNS))):
                if key in LEAVE and isinstance(app.screen, HomeScreen):
                    key = "enter"
                if luck.random() < 0.1:
                    await lay_out(app, pilot, luck.choice((80, 97, 121, 160)), size[1])
                if luck.random() < 0.5 and isinstance(app.screen, KeyScreen):
                    app.screen.prepare()
                await press(pilot, key)
                visited.add(type(app.screen).__name__)
                assert await difference(app, pilot) == [], f"{turn}: {key} on {app.screen}"
    assert visited >= {"ReviewScreen", "HomeScreen", "PageScreen", "FiguresScreen", "HistoryScreen"}


async def test_what_stands_on_the_terminal_is_not_trusted_after_a_resize_nor_sent_twice(study: Study) -> None:
    app = drawing(study, DARK, open_queue(study, "responses", "kb"))
    async with app.run_test(headless=False, size=(80, 24)) as pilot:
        await lay_out(app, pilot, 80, 24)
        assert await difference(app, pilot) == []
        app.screen.refresh()
        await pilot.pause()
        written = len(app.terminal.written)
        app.screen.refresh()
        await pilot.pause()
        assert len(app.terminal.written) == written  # a whole screen was wanted, and all of it stood there
        await lay_out(app, pilot, 80, 24)  # as after a suspension: the same size, and nothing of ours on it
        assert await difference(app, pilot) == []


@pytest.mark.parametrize("output", ["changes", "plain"])
async def test_what_another_program_wrote_goes_away_at_a_key(study: Study, output: str) -> None:
    app = drawing(study, DARK, open_queue(study, "responses", "kb"), output=output)
    async with app.run_test(headless=False, size=(80, 24)) as pilot:
        await lay_out(app, pilot, 80, 24)
        for place in ("", "q"):
            await press(pilot, *place)
            assert await difference(app, pilot) == []
            app.terminal.spoil(80, 24)
            await press(pilot, "f5")
            assert await difference(app, pilot) == []


async def test_a_frame_is_one_write_and_synchronized_only_where_the_terminal_said_so(study: Study) -> None:
    app = drawing(study, DARK, open_queue(study, "responses", "kb"))
    async with app.run_test(headless=False, size=(160, 50)) as pilot:
        await lay_out(app, pilot, 160, 50)
        await difference(app, pilot)
        assert not any("?2026" in frame for frame in app.terminal.written)
        app.post_message(TerminalSupportsSynchronizedOutput())
        await pilot.pause()
        before = len(app.terminal.written)
        await press(pilot, "question_mark")
        await difference(app, pilot)
        (frame,) = (it for it in app.terminal.written[before:] if not it.startswith(MOUSE_POINTER))
        assert frame.startswith("\x1b[?2026h")
        assert frame.endswith("\x1b[?2026l")
        assert frame.count("?2026") == 2


async def test_plain_output_is_what_textual_writes(study: Study) -> None:
    sizes = []
    for output in ("changes", "plain"):
        app = drawing(study, DARK, open_queue(study, "responses", "kb"), output=output)
        async with app.run_test(headless=False, size=(80, 24)) as pilot:
            await lay_out(app, pilot, 80, 24)
            before = len(app.terminal.written)
            for key in "jjvkvj":
                await press(pilot, key)
                assert await difference(app, pilot) == []
            sizes.append(sum(map(len, app.terminal.written[before:])))
    assert sizes[0] < 0.6 * sizes[1]
