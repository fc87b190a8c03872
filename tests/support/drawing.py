"""The workbench in this process, drawing on a terminal in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any

import pyte
from rich.console import COLOR_SYSTEMS
from rich.style import Style
from textual.driver import Driver
from textual.drivers.headless_driver import HeadlessDriver
from textual.events import Resize
from textual.geometry import Size
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip

from medreview.config import Config
from medreview.review.queue import Queue
from medreview.screens import app
from medreview.screens.app import Workbench
from medreview.screens.environment import Look
from medreview.screens.widgets.document import DocumentView
from medreview.screens.widgets.painted import Painted
from medreview.study import Study

Cells = list[list[pyte.screens.Char]]


class DrawingDriver(HeadlessDriver):
    """A terminal; ``on``: whether it is drawn on. What was ``written`` is on its ``screen``."""

    on = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.written: list[str] = []
        self.spoil(80, 24)

    @property
    def is_headless(self) -> bool:
        return not self.on

    def spoil(self, width: int, height: int) -> None:
        """A terminal of this size, full of what nobody wanted on it."""
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.Stream(self.screen)
        self._stream.feed("\x1b[?7l\x1b[31;42m" + "\r\n".join(["#" * width] * height) + "\x1b[m")

    def write(self, data: str) -> None:
        if self.on:
            self.written.append(data)
            self._stream.feed(data)


class DrawingWorkbench(Workbench):
    """The workbench on a :class:`DrawingDriver`."""

    CSS_PATH = str(Path(app.__file__).with_name("app.tcss"))

    def get_driver_class(self) -> type[Driver]:
        return DrawingDriver

    @property
    def terminal(self) -> DrawingDriver:
        assert isinstance(self._driver, DrawingDriver)
        return self._driver

    def shown(self) -> Cells:
        """What stands on the terminal."""
        return cells_of(self.terminal.screen)

    def anew(self) -> Cells:
        """What would stand on it were the whole screen drawn and written by Textual now; what is kept stays kept."""
        width, height = self.size
        screen = pyte.Screen(width, height)
        with drawn_anew(self.screen):
            rows = [self._written(strip) for strip in self.screen._compositor.render_strips()]
        pyte.Stream(screen).feed("\x1b[?7l" + "".join(f"\x1b[{y}H{row}" for y, row in enumerate(rows, 1)))
        return cells_of(screen)

    def _written(self, strip: Strip) -> str:
        """What Textual writes; a style remembers its codes, which may be those of another test's number of colours."""
        colours = COLOR_SYSTEMS[self.console.color_system or "truecolor"]
        return "".join(
            f"\x1b[{Strip.render_ansi(copy(style or Style()), colours)}m{text}\x1b[m" for text, style, _ in strip
        )


@contextmanager
def drawn_anew(screen: Screen[Any]) -> Iterator[None]:
    """Nothing is kept of what was drawn before; afterwards it is again."""
    kept = [widget._lines._cache for widget in screen.query() if isinstance(widget, Painted)]
    kept += [view._page.strips for view in screen.query(DocumentView)]
    lines = [dict(each) for each in kept]
    for each in kept:
        each.clear()
    try:
        yield
    finally:
        for each, before in zip(kept, lines, strict=True):
            each.clear()
            each.update(before)


def drawing(study: Study, look: Look, queue: Queue | None = None, **config: Any) -> DrawingWorkbench:
    return DrawingWorkbench(study, Config(reviewer="kb", **config), look, queue=queue)


async def lay_out(it: DrawingWorkbench, pilot: Pilot[None], width: int, height: int) -> None:
    """The terminal gets another size, and shows anything until it is drawn on."""
    it.terminal.spoil(width, height)
    it.terminal._size = (width, height)
    if not it.terminal.on:  # from now on it is drawn on
        it.terminal.on = True
        it.screen.refresh()
    it.post_message(Resize(Size(width, height), Size(width, height)))
    await pilot.pause()


async def difference(it: DrawingWorkbench, pilot: Pilot[None]) -> list[tuple[int, int, str, str]]:
    """Where the terminal differs from the whole screen written anew, when all that is wanted was drawn."""
    await pilot.pause()
    return apart(it.shown(), it.anew())


def cells_of(screen: pyte.Screen) -> Cells:
    return [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]


def apart(one: Cells, other: Cells) -> list[tuple[int, int, str, str]]:
    """Where two screens differ, and in what."""
    return [
        (y, x, str(a), str(b))
        for y, (left, right) in enumerate(zip(one, other, strict=True))
        if left != right
        for x, (a, b) in enumerate(zip(left, right, strict=True))
        if a != b
    ]
