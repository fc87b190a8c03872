"""The workbench in this process: open it on a study, press keys, read what stands on its screen."""

import sqlite3
from asyncio import sleep
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.events import Key, Paste
from textual.pilot import Pilot

from medreview.config import Config
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.screens.app import Workbench
from medreview.screens.environment import Look
from medreview.screens.review import ReviewScreen
from medreview.screens.widgets.lines import LinesView, LiveLines
from medreview.study import Study
from tests.support.settled import until

PLAIN = Look("ansi-dark", True, False)
TYPED = {
    "space": " ", "slash": "/", "colon": ":", "comma": ",", "full_stop": ".", "question_mark": "?",
    "left_square_bracket": "[", "right_square_bracket": "]",
}  # fmt: skip


def workbench(study: Study, queue: str = "responses", *, filter: str = "", **config: Any) -> Workbench:
    return Workbench(study, Config(reviewer="kb", **config), PLAIN, queue=open_queue(study, queue, "kb", filter=filter))


def blind_workbench(study: Study, queue: str, *, filter: str = "", **config: Any) -> Workbench:
    """A queue that shows the judges, with them hidden."""
    blind = open_queue(study, queue, "kb", blind=True, filter=filter)
    return Workbench(study, Config(reviewer="kb", **config), PLAIN, queue=blind)


@asynccontextmanager
async def on_screen(app: Workbench, *size: int) -> AsyncIterator[tuple[Workbench, Pilot[None]]]:
    """Run it on a screen of so many columns and rows, of 80 x 24 unless said otherwise."""
    async with app.run_test(size=size or (80, 24)) as pilot:  # type: ignore[arg-type]
        yield app, pilot


def screen_text(app: Workbench) -> str:
    """What is on the screen, row by row."""
    width, height = app.size
    rows = [[" "] * width for _ in range(height)]
    for widget in app.screen.children:
        region = widget.region
        if not region or not widget.display or widget not in app.screen._compositor.visible_widgets:
            continue
        for y in range(region.height):
            text = widget.render_line(y).text
            rows[region.y + y][region.x : region.x + len(text)] = text
    return "\n".join("".join(row).rstrip() for row in rows)


async def resize(app: Workbench, pilot: Pilot[None], width: int, height: int) -> None:
    """Give the terminal another size, and wait until everything on the screen lies within it."""
    await pilot.resize_terminal(width, height)
    await until(
        pilot, lambda: all(it.region.bottom <= height and it.region.right <= width for it in app.screen.children)
    )


async def screens_of(app: Workbench) -> list[str]:
    """What stands on the screen of a queue while its texts and units are turned, at 80x24 and at 160x50."""
    shown = []
    async with app.run_test(size=(80, 24)) as pilot:
        for size in ((80, 24), (160, 50)):
            await pilot.resize_terminal(*size)
            for key in ("v", "v", "right_square_bracket", "j", "k"):
                await press(pilot, key)
                shown.append(screen_text(app))
    return shown


def pane_text(app: Workbench, name: str) -> str:
    view = app.screen.query_one(f"#{name}")
    assert isinstance(view, LinesView | LiveLines)
    return "\n".join(view.render_line(y).text.rstrip() for y in range(view.size.height))


def review_screen(app: Workbench) -> ReviewScreen:
    assert isinstance(app.screen, ReviewScreen)
    return app.screen


def statements(app: Workbench) -> ReviewSession:
    """The session over statements that is on the screen."""
    return review_screen(app).session


def events(study: Study, *kinds: str) -> list[sqlite3.Row]:
    """The record in its order, without what was only seen, and without the drawing of the audit."""
    query = "SELECT * FROM event WHERE kind NOT IN ('shown', 'listed', 'audit_rate') ORDER BY seq"
    rows = study.reader.execute(query).fetchall()
    return [row for row in rows if not kinds or row["kind"] in kinds]


async def press(pilot: Pilot[None], *keys: str, settled: bool = True) -> None:
    """Press keys as a quick typist does, and wait until everything is drawn; not with ``settled=False``."""
    for key in keys:
        pilot.app.screen.post_message(Key(key, key if len(key) == 1 else TYPED.get(key)))
    await (pilot.pause() if settled else sleep(0))


async def press_at(pilot: Pilot[None], key: str, time: float) -> None:
    """Press a key at a time of a clock of the test's own, and wait until everything is drawn."""
    event = Key(key, key if len(key) == 1 else TYPED.get(key))
    event.time = time
    pilot.app.screen.post_message(event)
    await pilot.pause()


async def paste(pilot: Pilot[None], text: str) -> None:
    """Type a text into the open line, quicker than key by key."""
    pilot.app.screen.post_message(Paste(text))
    await pilot.pause()


async def put_in(pilot: Pilot[None], *keys: str, text: str) -> None:
    """Open a line by its key, type a text into it, and end it by Enter."""
    await press(pilot, *keys)
    await paste(pilot, text)
    await press(pilot, "enter")
