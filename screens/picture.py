"""The workbench without a terminal, drawn as a picture: what a reviewer would see after some keys.

It works on a copy of the study, so that no decision, no look and no place in a queue is kept.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from textual.pilot import Pilot
from textual.strip import Strip

from medreview.config import Config
from medreview.errors import UserError
from medreview.review.actions import KeyRepeat, named_key, shown_key
from medreview.review.queue import Queue
from medreview.review.session import ReviewSession
from medreview.screens.app import Workbench
from medreview.screens.environment import DARK, LIGHT, look
from medreview.screens.svg import Screenshot, svg
from medreview.study import Study
from medreview.study.backup import backup_to

Theme = Literal["dark", "light", "mono"]
THEMES: Final[tuple[Theme, ...]] = ("dark", "light", "mono")
LEAST: Final = (40, 10)
MOST: Final = (400, 150)
"""Columns and rows of a picture."""
_STILL: Final = 0.1
"""Seconds in which nothing may move any more: figures of large studies are counted beside the first frame."""
_WAITS: Final = 50
"""So often that is waited for."""


class _Workbench(Workbench):
    """Nothing leaves it: no other program is started, nothing is copied."""

    CSS_PATH = str(Path(__file__).with_name("app.tcss"))

    def edit_note(self, session: ReviewSession) -> str:
        """Refuse."""
        raise UserError("No editor is opened for a picture.")

    def copy_text(self, text: str) -> str:
        """Refuse."""
        raise UserError("Nothing is copied for a picture.")


def size_of(told: str) -> tuple[int, int]:
    """``160x50`` as columns and rows; raises :class:`UserError` for anything else."""
    columns, _, rows = told.lower().partition("x")
    if not (columns.isdecimal() and rows.isdecimal()):
        raise UserError(f"The size {told!r} is not columns x rows, such as 160x50.")
    size = int(columns), int(rows)
    if not all(low <= given <= high for low, given, high in zip(LEAST, size, MOST, strict=True)):
        raise UserError(
            f"A picture has {LEAST[0]}x{LEAST[1]} to {MOST[0]}x{MOST[1]} columns and rows; {told} is outside of that."
        )
    return size


def as_theme(told: str) -> Theme:
    """A theme by its name; raises :class:`UserError` for another word."""
    for theme in THEMES:
        if theme == told:
            return theme
    raise UserError(f"There is no theme {told!r}; there are {', '.join(THEMES)}.")


def keys_of(told: str) -> list[str]:
    """Keys separated by blanks, as ``?`` shows them (``j``, ``Enter``, ``Space``), by Textual's names."""
    keys = []
    for name in told.split():
        key = named_key(name)
        if key is None:
            raise UserError(f"No terminal sends the key {name!r}; give a character, or a name such as Enter or Space.")
        keys.append(key)
    return keys


@contextmanager
def copied(study: Path, folder: Path) -> Iterator[Study]:
    """A copy of a study in a folder to be deleted, open under the same name: what is done in it is kept nowhere.

    The folder of the process is that of the copy meanwhile, so that commands on the screen name it as a user would.
    """
    Study.open(study, read_only=True).close()  # says what is wrong with it
    source, place = study.absolute(), folder.absolute() / "copy"
    place.mkdir(mode=0o700)
    backup_to(source, place / source.name)
    with chdir(place), Study.open(Path(source.name)) as opened:
        yield opened


def picture(
    study: Study, config: Config, queue: Queue | None, *, size: tuple[int, int], theme: Theme, keys: Sequence[str]
) -> str:
    """The screen of a queue (the first screen without one) after some keys, as SVG.

    Raises :class:`UserError` for keys that leave the workbench.
    """

    async def last() -> Screenshot:
        shots = [shot async for shot in screenshots(study, config, queue, size=size, theme=theme, keys=keys)]
        return shots[-1]

    return svg([asyncio.run(last())])


async def screenshots(
    study: Study, config: Config, queue: Queue | None, *, size: tuple[int, int], theme: Theme, keys: Sequence[str]
) -> AsyncIterator[Screenshot]:
    """The screen at first, then after each key; as :func:`picture`."""
    app = _workbench(study, config, queue, theme)
    async with app.run_test(size=size) as pilot:
        yield await _at_rest(app, pilot)
        for key in keys:
            app.held = KeyRepeat()  # each is pressed by itself
            await pilot.press(key)
            if app._exit:
                raise UserError(f"The key {shown_key(key)!r} leaves the workbench, so there is nothing to draw.")
            yield await _at_rest(app, pilot)


def _workbench(study: Study, config: Config, queue: Queue | None, theme: Theme) -> _Workbench:
    """The workbench in a theme, whatever the environment says of colours."""
    before = os.environ.pop("NO_COLOR", None)
    if theme == "mono":
        os.environ["NO_COLOR"] = "1"
    try:
        chosen = replace(config, theme="light" if theme == "light" else "dark")
        return _Workbench(study, chosen, look(chosen, encoding="utf-8"), queue=queue)
    finally:
        os.environ.pop("NO_COLOR", None)
        if before is not None:
            os.environ["NO_COLOR"] = before


async def _at_rest(app: Workbench, pilot: Pilot[None]) -> Screenshot:
    """The screen, once nothing moves any more."""
    await pilot.pause()
    rows = _rows(app)
    for _ in range(_WAITS):
        await pilot.pause(_STILL)
        before, rows = rows, _rows(app)
        if before == rows and not list(app.workers):
            break
    return Screenshot(rows, LIGHT if app.theme == "textual-light" else DARK)


def _rows(app: Workbench) -> list[Strip]:
    return app.screen._compositor.render_strips()
