"""The bytes that make the screen that was sent into the one that is wanted."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from operator import ne, or_
from typing import Final

from medreview.screens.output.cells import Row

_TO_ERASE: Final = 4
"""Blanks at the end of a row from which on it is shorter to erase them."""

_TO_ERASE_WITHIN: Final = 11
"""Blanks before other signs from which on it is: what comes after them needs a place of its own."""

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
        self._sent: list[Row | None] = []
        self._out: list[str] = []
        self._y = self._x = -1
        self._pen = "||"

    def forget(self) -> None:
        """Nothing is known of what stands on the screen."""
        self._sent = []

    def sent(self, rows: Sequence[Row]) -> None:
        """These rows stand on the screen now."""
        self._sent = list(rows)

    def difference(self, rows: Sequence[Row]) -> str:
        """What is to be written that these rows stand on the screen; ``""`` if they do.

        It begins and ends with no style set, and takes the cursor for being anywhere.
        """
        sent = self._sent if len(self._sent) == len(rows) else [None] * len(rows)
        self._out, self._y, self._x, self._pen = [], -1, -1, "||"
        for y, (old, new) in enumerate(zip(sent, rows, strict=True)):
            if old is not new:
                self._row(y, old, new)
        self._set("||")
        return "".join(self._out)

    def _row(self, y: int, old: Row | None, new: Row) -> None:
        width = len(new.signs)
        changed = bytearray(b"\x01" * width) if old is None else _changed(old, new)
        last = changed.rfind(1)
        if last < 0:
            return
        doubtful, end = min(new.doubtful, width if old is None else old.doubtful), width
        if last >= doubtful:  # what a terminal counts otherwise must not be left behind, or moved within
            changed[doubtful:] = b"\x01" * (width - doubtful)
        elif last - (blank := self._blank_from(new, last)) >= _TO_ERASE:
            end = changed.find(1, blank)
        for near in _NEAR_RUNS.finditer(changed, 0, end):
            stop = near.start()
            for pen, group in groupby(new.pens[stop : near.end()]):
                start, stop = stop, stop + len(list(group))
                if (first := changed.find(1, start, stop)) >= 0:
                    self._write(y, first, changed.rfind(1, start, stop) + 1, pen, new)
        if end < width:
            self._go(y, end)
            self._set(new.pens[end])
            self._out.append("\x1b[K")

    def _blank_from(self, row: Row, last: int) -> int:
        """The column from which on a row is blanks of one style that can be erased; its width if nowhere."""
        pen, width = row.pens[-1], len(row.signs)
        if not self._may_erase(pen):
            return width
        while width and row.signs[width - 1] == " " and row.pens[width - 1] == pen:
            width -= 1
        return width

    def _may_erase(self, pen: str) -> bool:
        attributes, _, ground = pen.split("|")
        return _SEEN_ON_BLANKS.isdisjoint(attributes.split(";")) and (not ground or self._erases_in_colour)

    def _write(self, y: int, start: int, end: int, pen: str, row: Row) -> None:
        """Write cells of one style."""
        self._go(y, start)
        self._set(pen)
        text = "".join(row.signs[start:end])
        left = text.rstrip(" ")
        blanks = len(text) - len(left)
        if blanks >= _TO_ERASE_WITHIN and end <= row.doubtful and self._may_erase(pen):
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


def _changed(old: Row, new: Row) -> bytearray:
    """A byte for each column: 1 where the cells differ."""
    signs = map(ne, old.signs, new.signs)
    if old.pens == new.pens:  # mostly, and told in a tenth of the time that finding where takes
        return bytearray(signs)
    return bytearray(map(or_, signs, map(ne, old.pens, new.pens)))


@lru_cache(4096)
def _change(before: str, after: str) -> str:
    """The bytes that take a terminal from one pen to another."""
    if before == after:
        return ""
    (had, *old), (has, *new) = before.split("|"), after.split("|")
    was, wanted = [code for code in had.split(";") if code], [code for code in has.split(";") if code]
    gone = sorted({_OFF[code] for code in was if code not in wanted})
    added = [code for code in wanted if code not in was or _OFF[code] in gone]
    colours = [there or none for one, there, none in zip(old, new, ("39", "49"), strict=True) if one != there]
    from_none = ["", *wanted, *filter(None, new)]
    return f"\x1b[{min(';'.join(from_none), ';'.join((*gone, *added, *colours)), key=len)}m"
