"""A Textual application that sends the terminal only the cells that changed, as fast as the terminal shows them.

``Cells`` has the screen as it is wanted, ``Differ`` makes the bytes, ``Pace`` says when the terminal is far enough for
them, ``OutputApp`` puts them between Textual and the terminal.
"""

import asyncio
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import is_, ne, or_
from time import monotonic
from typing import Any, Final, NamedTuple

from rich.cells import split_graphemes
from rich.color import Color, ColorSystem
from rich.console import COLOR_SYSTEMS, RenderableType
from rich.style import Style
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.app import App
from textual.message import Message
from textual.screen import Screen
from textual.strip import Strip
from textual.timer import Timer, TimerCallback

from medreview.review.cell_width import NOT_SINGLE_CELL

_ATTRIBUTES: Final = {"bold": "1", "dim": "2", "italic": "3", "underline": "4", "blink": "5", "reverse": "7",
                      "conceal": "8", "strike": "9", "underline2": "21", "overline": "53"}  # fmt: skip
"""SGR codes of the attributes of a style."""


class ScreenRow(NamedTuple):
    """One row of the screen.

    ``signs`` has the character of each cell with what combines with it, and ``""`` for the second half of a wide one.
    ``pens`` has the style of each cell: SGR codes of attributes, foreground and background, separated by ``|``, and
    behind one more the address that it links to, if any.
    From the column ``doubtful`` on, a terminal may count cells otherwise than Textual does; the row's width if nowhere.
    """

    signs: list[str]
    pens: list[str]
    doubtful: int


class Cells:
    """The rows that Textual wants to be on the screen. A row that does not change stays the same object."""

    def __init__(self, width: int, height: int, colours: ColorSystem) -> None:
        self.width, self.height = width, height
        self.rows: list[ScreenRow] = [ScreenRow([" "] * width, ["||"] * width, width)] * height
        self._colours = colours
        self._made_of: list[tuple[Strip, ...]] = [()] * height

    def show(self, lines: Iterable[Iterable[Strip]]) -> None:
        """Take over the whole screen, each of its rows as strips from left to right."""
        for y, line in enumerate(lines):
            strips, before = tuple(line), self._made_of[y]
            if len(before) != len(strips) or not all(map(is_, before, strips)):
                self.rows[y] = self._row(strips)
                self._made_of[y] = strips

    def _row(self, strips: Iterable[Strip]) -> ScreenRow:
        signs: list[str] = []
        pens: list[str] = []
        doubtful = -1
        for text, style, _control in (segment for strip in strips for segment in strip):
            pen = _pen(style, self._colours) if style is not None else "||"
            if text.isprintable() and (text.isascii() or NOT_SINGLE_CELL.search(text) is None):
                signs += text
                pens += [pen] * len(text)
                continue
            doubtful = len(signs) if doubtful < 0 else doubtful
            for sign, cells in _signs(text):
                if cells:
                    signs += [sign, *[""] * (cells - 1)]
                    pens += [pen] * cells
                elif signs:  # what combines belongs to the sign before it
                    lead = -2 if signs[-1] == "" else -1
                    signs[lead] += sign
                    doubtful = min(doubtful, len(signs) + lead)
        short = max(0, self.width - len(signs))
        signs, pens = [*signs[: self.width], *[" "] * short], [*pens[: self.width], *["||"] * short]
        return ScreenRow(signs, pens, self.width if doubtful < 0 else doubtful)


def _signs(text: str) -> Iterator[tuple[str, int]]:
    """The signs of a text as Textual measures it, with their cells; control characters are left out."""
    for start, end, cells in split_graphemes(text)[0]:
        sign = "".join(char for char in text[start:end] if char >= " " and not "\x7f" <= char < "\xa0")
        if sign:
            yield sign, cells


@lru_cache(4096)
def _pen(style: Style, colours: ColorSystem) -> str:
    attributes = ";".join(code for name, code in _ATTRIBUTES.items() if getattr(style, name))
    pen = "|".join((attributes, _colour(style.color, colours, True), _colour(style.bgcolor, colours, False)))
    return f"{pen}|{style.link}" if style.link else pen


def _colour(colour: Color | None, colours: ColorSystem, foreground: bool) -> str:
    """Nothing for the terminal's own colour, which is what there is without."""
    if colour is None or colour.is_default:
        return ""
    return ";".join(colour.downgrade(colours).get_ansi_codes(foreground))


_TO_ERASE: Final = 11
"""Blanks from which on it is shorter to erase them: what comes after them needs a place of its own."""

_SEEN_ON_BLANKS: Final = frozenset(("4", "5", "7", "9", "21", "53"))
"""Attributes that are seen where there is no sign."""

_OFF: Final = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "8": "28", "9": "29", "21": "24",
               "53": "55"}  # fmt: skip
"""Attributes, and what takes them away; two of them take another one away as well."""

_NEAR_RUNS: Final = re.compile(rb"\x01+(?:\x00{1,4}\x01+)*")
"""In a row of bytes that are 1 where a cell changed: cells that did, with what is no dearer to write again than to pass
over where it has their style."""


class Differ:
    """Knows what was sent. ``erases_in_colour``: erased cells have the background of the style that is set."""

    def __init__(self, erases_in_colour: bool) -> None:
        self._erases_in_colour = erases_in_colour
        self._sent: list[ScreenRow | None] = []
        self._out: list[str] = []
        self._y = self._x = -1
        self._pen = "||"

    def forget(self) -> None:
        """Nothing is known of what stands on the screen."""
        self._sent = []

    def sent(self, rows: Sequence[ScreenRow]) -> None:
        """These rows stand on the screen now."""
        self._sent = list(rows)

    def difference(self, rows: Sequence[ScreenRow]) -> str:
        """The bytes to write so that these rows stand on the screen; ``""`` if they do.

        It begins and ends with no style set, and takes the cursor for being anywhere.
        """
        sent = self._sent if len(self._sent) == len(rows) else [None] * len(rows)
        self._out, self._y, self._x, self._pen = [], -1, -1, "||"
        for y, (old, new) in enumerate(zip(sent, rows, strict=True)):
            if old is not new:
                self._row(y, old, new)
        self._set("||")
        return "".join(self._out)

    def _row(self, y: int, old: ScreenRow | None, new: ScreenRow) -> None:
        width = len(new.signs)
        changed = bytearray(b"\x01" * width) if old is None else _changed(old, new)
        doubtful = min(new.doubtful, width if old is None else old.doubtful)
        if changed.rfind(1) >= doubtful:  # what a terminal counts otherwise must not be left behind, or moved within
            changed[doubtful:] = b"\x01" * (width - doubtful)
        for near in _NEAR_RUNS.finditer(changed):
            stop = near.start()
            for pen, group in groupby(new.pens[stop : near.end()]):
                start, stop = stop, stop + len(list(group))
                if (first := changed.find(1, start, stop)) >= 0:
                    self._write(y, first, changed.rfind(1, start, stop) + 1, pen, new)

    def _may_erase(self, pen: str) -> bool:
        attributes, _, ground, *link = pen.split("|", 3)
        return not link and _SEEN_ON_BLANKS.isdisjoint(attributes.split(";")) and (not ground or self._erases_in_colour)

    def _write(self, y: int, start: int, end: int, pen: str, row: ScreenRow) -> None:
        """Write cells of one style."""
        self._go(y, start)
        self._set(pen)
        text = "".join(row.signs[start:end])
        left = text.rstrip(" ")
        blanks = len(text) - len(left)
        if blanks >= _TO_ERASE and end <= row.doubtful and self._may_erase(pen):
            self._out.append(f"{left}\x1b[{blanks}X")
            self._x = end - blanks
        else:
            self._out.append(text)
            self._x = end if end < len(row.signs) else -1  # where the cursor is then, terminals differ in

    def _go(self, y: int, x: int) -> None:
        if y != self._y:
            self._out.append(place(y, x))
        elif x != self._x:
            self._out.append(f"\x1b[{x + 1}G")
        self._y, self._x = y, x

    def _set(self, pen: str) -> None:
        self._out.append(_change(self._pen, pen))
        self._pen = pen


def place(y: int, x: int) -> str:
    """The sequence to a cell; both are counted from 0."""
    return f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H"


def _changed(old: ScreenRow, new: ScreenRow) -> bytearray:
    """A byte for each column: 1 where the cells differ."""
    signs = map(ne, old.signs, new.signs)
    if old.pens == new.pens:  # mostly, and seen in a tenth of the time that finding where takes
        return bytearray(signs)
    return bytearray(map(or_, signs, map(ne, old.pens, new.pens)))


@lru_cache(4096)
def _change(before: str, after: str) -> str:
    """The bytes that take a terminal from one pen to another."""
    if before == after:
        return ""
    (had, *old), (has, *new) = before.split("|", 3), after.split("|", 3)
    link = "" if old[2:] == new[2:] else f"\x1b]8;;{''.join(new[2:])}\x1b\\"
    old, new = old[:2], new[:2]
    if (had, old) == (has, new):
        return link
    was, wanted = [code for code in had.split(";") if code], [code for code in has.split(";") if code]
    gone = sorted({_OFF[code] for code in was if code not in wanted})
    added = [code for code in wanted if code not in was or _OFF[code] in gone]
    colours = [there or none for one, there, none in zip(old, new, ("39", "49"), strict=True) if one != there]
    from_none = ["", *wanted, *filter(None, new)]
    return f"{link}\x1b[{min(';'.join(from_none), ';'.join((*gone, *added, *colours)), key=len)}m"


QUESTION: Final = "\x1b[2H\x1b[6n"
"""Asks where the cursor is, from the second row: from the first, an answer could be read as F3 with Shift or Ctrl."""

_ASK_AFTER: Final = 1024
"""Bytes since the last question from which on the next one is put."""

AHEAD: Final = 2048
"""Bytes that may be sent behind a question before its answer has come: a slow link is kept busy, and no more."""

PATIENCE_S: Final = 5.0
"""Seconds after which an answer is taken never to come."""

_LEAVING_S: Final = 2.0
"""The same for a workbench that leaves; less than the grace that a signal gives it."""


class Answered(Message, bubble=False):
    """The terminal has said where the cursor is: everything sent before the question is on the screen."""


class FramePace:
    """Decides whether a frame is sent now, or held until the terminal has shown the one before.

    A frame of some size ends with a question, one at a time. Nobody waits for a terminal that has not answered before,
    and after :data:`PATIENCE_S` it counts as one that has not: it is asked again when the old answer comes after all,
    or when :meth:`look_again` says that another terminal may be there.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._nothing_asked = threading.Event()
        self._nothing_asked.set()
        self._answers = False
        self._asked_at = 0.0
        self._since_question = 0

    @property
    def patience(self) -> float:
        """Seconds until the open question counts as not answered; 0 if nobody waits for an answer."""
        return self._to_come() if self._answers else 0.0

    def may_send(self, size: int) -> bool:
        """Whether so many bytes are sent now; if not, ask again on :class:`Answered` or after :attr:`patience`."""
        if self.patience:
            return self._since_question + size <= AHEAD
        if not self._nothing_asked.is_set():
            self._answers = False
        return True

    def sending(self, size: int) -> str:
        """So many bytes are sent: the question to put behind them, or ``""``. It moves the cursor."""
        self._since_question += size
        if self._since_question < _ASK_AFTER or not self._nothing_asked.is_set():
            return ""
        self._since_question = 0
        self._asked_at = self._clock()
        self._nothing_asked.clear()
        return QUESTION

    def answered(self) -> None:
        """The terminal answered. Called by the thread that reads from it."""
        if not self._nothing_asked.is_set():
            self._answers = True
            self._nothing_asked.set()

    def look_again(self) -> None:
        """Another terminal may be there: one that did not answer is asked again."""
        if not self._answers:
            self._nothing_asked.set()

    def part(self) -> None:
        """Wait a moment for an answer that is still to come, and forget the terminal. What came later would be typed
        into the shell."""
        self._nothing_asked.wait(min(self._to_come(), _LEAVING_S))
        self._answers = False
        self._nothing_asked.set()

    def _to_come(self) -> float:
        return 0.0 if self._nothing_asked.is_set() else max(0.0, self._asked_at + PATIENCE_S - self._clock())


_AT_ONCE: Final = 1200
"""Bytes that arrive together on any link, in one packet: with so few, nothing is seen between."""


class OutputApp(App[None], inherit_bindings=False):
    """Textual writes whole rows where anything on them changed, two to three times the bytes of what did.

    ``App._display``, which this overrides, is where Textual turns an update of the screen into bytes. What Textual
    takes for changed does not count: the whole screen is compared with what was sent. A terminal of Textual's own, and
    ``only_changes=False``, are left to it.
    """

    links = False
    """Whether addresses are links of the terminal."""
    ascii_only = False
    """Whether only ASCII is drawn."""

    def __init__(self, *, only_changes: bool, erases_in_colour: bool, **options: Any) -> None:
        super().__init__(**options)
        self._only_changes = only_changes
        self._differ = Differ(erases_in_colour)
        self._cells: Cells | None = None
        self._cursor = self.cursor_position
        self._held: asyncio.TimerHandle | None = None
        self.pace = FramePace()
        """Known to the driver as well, whose thread reads what the terminal answers."""

    def forget_screen(self) -> None:
        """The terminal's content is not known any more: all of it is sent next time."""
        self._differ.forget()
        self.pace.look_again()

    def redraw(self) -> None:
        """Send everything, as something else may stand on the terminal: what another program wrote."""
        self.forget_screen()
        self.screen.refresh()

    def send_pending(self) -> None:
        """Send what is wanted and does not stand on the terminal yet, in one write; nothing if all of it does.

        Held while the terminal is behind: what is wanted by then is sent when it has answered.
        """
        driver, cells = self._driver, self._cells
        if driver is None or cells is None or not self.is_running or self._closed or self._batch_count:
            return
        if self.size != (cells.width, cells.height):  # the next frame is one of another size
            return
        changes = self._differ.difference(cells.rows)
        if not changes and self.cursor_position == self._cursor:
            return
        size = len(changes.encode())
        if not self.pace.may_send(size):
            self._held = self._held or asyncio.get_running_loop().call_later(self.pace.patience, self._send_held)
            return
        changes += self.pace.sending(size)
        if self.cursor_position:  # where what is typed goes, for input methods and screen readers
            x, y = self.cursor_position
            changes += place(min(y, cells.height - 1), min(x, cells.width - 1))
        if self._sync_available and len(changes) > _AT_ONCE:
            changes = f"{SYNC_START}{changes}{SYNC_END}"
        driver.write(changes)
        driver.flush()
        self._differ.sent(cells.rows)
        self._cursor = self.cursor_position

    def on_answered(self, _message: Answered) -> None:
        """Send the frame held behind the last one."""
        if self._held is not None:
            self._held.cancel()
            self._send_held()

    def set_timer(self, delay: float, callback: TimerCallback | None = None, **options: Any) -> Timer:
        """A timer that fires also where the machine is busy.

        Textual's own never does once the process got no time while the timer started. Of a timer that waits for a
        terminal to have its last size, all later sizes are lost as well.
        """
        timer = super().set_timer(delay, callback, **options)
        timer._skip = False
        return timer

    def on_resize(self) -> None:
        """A terminal may lay out again what it shows. Also comes when the workbench goes on after it was stopped."""
        self.forget_screen()
        self.send_pending()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if not self._only_changes or self.is_headless or self._driver is None or self._driver.is_inline:
            super()._display(screen, renderable)
            return
        try:
            size, cells = screen._compositor.size, self._cells
            if cells is None or (cells.width, cells.height) != size:
                cells = self._cells = Cells(*size, COLOR_SYSTEMS[self.console.color_system or "truecolor"])
                self.forget_screen()
            cells.show(screen._compositor.render_full_update().strips)
            self.send_pending()
        except Exception as error:
            self._handle_exception(error)
        finally:
            self.post_display_hook()

    def _send_held(self) -> None:
        self._held = None
        self.send_pending()
