"""The line of ``:``: what few letters find, what a typing error does not do, themes seen before they are taken."""

from pathlib import Path

import pytest

from medreview.config import Config, load_config
from medreview.review.queue import open_queue
from medreview.screens.app import Workbench
from medreview.screens.environment import look
from medreview.screens.home import HomeScreen
from medreview.screens.review import ReviewScreen
from medreview.screens.widgets.painted import Painted
from medreview.study import Study
from tests.support.workbench import (
    PLAIN,
    events,
    on_screen,
    paste,
    press,
    put_in,
    review_screen,
    screen_text,
    statements,
    workbench,
)


def first(text: str) -> str:
    """The name of the entry that the pointer is on."""
    return next((row.split("▸")[1].strip() for row in reversed(text.splitlines()) if row.startswith(" ▸")), "")


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("figures", "figures"), ("fgrs", "figures"), ("nxt op", "next open"), ("glossary", "glossary"),
        ("light", "theme: light"), ("thm", "theme: dark"), ("audit", "queue: audit: random"), ("quit", "quit"),
        ("exit", "quit"), ("hal", "hallucination"), ("defer", "defer"),
    ],
)  # fmt: skip
async def test_few_letters_find_what_is_meant(study: Study, typed: str, found: str) -> None:
    async with on_screen(workbench(study), 100, 30) as (app, pilot):
        await press(pilot, "colon")
        await paste(pilot, typed)
        assert found in first(screen_text(app))


@pytest.mark.parametrize("typed", ["figuers", "nxet", "mL/kg", "xqz", "udno"])
async def test_a_typing_error_does_nothing_and_what_is_near_is_named(study: Study, typed: str) -> None:
    async with on_screen(workbench(study), 100, 30) as (app, pilot):
        every = statements(app).queue.units
        await put_in(pilot, "colon", text=typed)
        assert f"Nothing is called “{typed}”" in screen_text(app)
        assert ("did you mean figures" in screen_text(app)) == (typed == "figuers")
        assert statements(app).queue.units == every
        assert not statements(app).queue.filter
        assert not events(study)


async def test_what_is_refused_here_stands_last_with_the_reason(study: Study) -> None:
    async with on_screen(workbench(study), 160, 50) as (app, pilot):
        await press(pilot, "colon")
        await paste(pilot, "delete span")
        assert "Not now: You have marked no span on this statement." in screen_text(app)


async def test_quit_ends_the_workbench(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await put_in(pilot, "colon", text="quit")
    assert app.return_code == 0


def colours(app: Workbench) -> set[str]:
    """The foreground colours of everything on the screen."""
    views = [view for view in app.screen.children if isinstance(view, Painted) and view.region]
    strips = [view.render_line(y) for view in views for y in range(view.size.height)]
    return {str(piece.style.color.name) for strip in strips for piece in strip if piece.style and piece.style.color}


@pytest.mark.parametrize("at_home", [False, True])
async def test_a_theme_is_seen_before_it_is_taken_and_esc_brings_the_old_one_back(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_home: bool
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    config = Config(reviewer="kb", theme="dark")
    queue = None if at_home else open_queue(study, "responses", "kb")
    app = Workbench(study, config, look(config, {"TERM": "xterm"}, "utf-8"), queue=queue)
    async with app.run_test(size=(100, 30)) as pilot:
        assert isinstance(app.screen, HomeScreen if at_home else ReviewScreen)
        before = colours(app)
        await press(pilot, "colon")
        await paste(pilot, "theme: ")
        for name in ("mono", "light"):  # the shortest names first
            await press(pilot, "down")
            assert f"theme: {name}" in first(screen_text(app))
        await pilot.pause()
        assert app.theme == "textual-light"
        assert colours(app).isdisjoint(before)
        await press(pilot, "escape")
        await pilot.pause()
        assert app.theme == "textual-dark"
        assert colours(app) == before
        for name in ("ansi-light", "mono"):
            await put_in(pilot, "colon", text=f"theme: {name}")
            await pilot.pause()
            assert f"“{name}” is kept in" in " ".join(screen_text(app).split())
            assert load_config().theme == name
        assert colours(app) <= {"default"}


async def test_every_screen_follows_a_theme(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    config = Config(reviewer="kb")
    async with on_screen(Workbench(study, config, PLAIN), 100, 30) as (app, pilot):
        app.wear("light")
        await pilot.pause()
        await press(pilot, "enter")
        light = colours(app)
        assert review_screen(app)
        app.wear("dark")
        await pilot.pause()
        assert colours(app).isdisjoint(light)
        await press(pilot, "question_mark")
        dark = colours(app)
        assert dark.isdisjoint(light)
        app.wear("light")
        await pilot.pause()
        await press(pilot, "q")
        assert colours(app) == light
