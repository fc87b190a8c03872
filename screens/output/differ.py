"""The bytes that make the screen that was sent into the one that is wanted."""

import re
from collections.abc import Sequence
from itertools import groupby
from operator import ne, or_
from typing import Final

from medreview.screens.output.cells import Row
from medreview.screens.output.cursor import move
from medreview.screens.output.pens import change, has_ground, is_erasing
from medreview.screens.output.scrolling import scrolled

_NEAR: Final = 6
"""Cells that did not change and may be cheaper to write again than to pass over, if they need no other style."""

_TO_ERASE: Final = 4
"""Blanks at the end of a row from which on it is shorter to erase them."""

_MANY_BLANKS: Final = " " * 11
"""Blanks within a row from which on it is shorter to erase them and to move on."""

_BLANKS: Final = re.compile(f"({_MANY_BLANKS}+)")

_RUNS: Final = re.compile(rb"\x01+")
"""In a row of bytes that are 1 where a cell changed: cells that did."""

_NEAR_RUNS: Final = re.compile(rb"\x01+(?:\x00{1,3}\x01+)*")
"""The same, with what is no dearer to write again than to pass over if all of it has one style."""


class Differ:
    """Knows what was sent. ``erases_in_colour``: erased cells have the background of the style that is set."""

    def __init__(self, erases_in_colour: bool) -> None:
        self._erases_in_colour = erases_in_colour
        self._sent: list[Row | None] = []
        self._out: list[str] = []
        self._y = self._x = -1
        self._pen = ""

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
        written = self._from(sent, rows)
        if scroll := scrolled(sent, rows):
            by_scrolling = scroll.sequence() + self._from(scroll.moved(sent, len(rows[0].signs)), rows)
            written = min(written, by_scrolling, key=_size)
        return written

    def _from(self, sent: Sequence[Row | None], rows: Sequence[Row]) -> str:
        self._out, self._y, self._x, self._pen = [], -1, -1, ""
        for y, (old, new) in enumerate(zip(sent, rows, strict=True)):
            if old is not new:
                self._row(y, old, new)
        self._set("")
        return "".join(self._out)

    def _row(self, y: int, old: Row | None, new: Row) -> None:
        width = len(new.signs)
        changed = bytearray(b"\x01" * width) if old is None else _changed(old, new)
        last = changed.rfind(1)
        if last < 0:
            return
        doubtful = min(new.doubtful, width if old is None else old.doubtful)
        erased = -1
        if last >= doubtful:  # what a terminal counts otherwise must not be left behind, or moved within
            changed[doubtful:] = b"\x01" * (width - doubtful)
        elif last - (blank := self._blank_from(new, last)) >= _TO_ERASE:
            erased = changed.find(1, blank)
        for near in _NEAR_RUNS.finditer(changed, 0, width if erased < 0 else erased):
            runs = (near,) if _of_one_style(new, *near.span()) else _RUNS.finditer(changed, *near.span())
            for run in runs:
                start, end = run.span()
                if start < doubtful < end:
                    self._write(y, start, doubtful, new, erase=True)
                    start = doubtful
                self._write(y, start, end, new, erase=end <= doubtful)
        if erased >= 0:
            self._go(y, erased, new)
            self._set(new.styles[erased])
            self._out.append("\x1b[K")

    def _blank_from(self, row: Row, last: int) -> int:
        """The column from which on a row is blanks of one style that can be erased, if that is before the ``last``
        that changed; its width if nowhere."""
        style, width = row.styles[-1], len(row.signs)
        if row.signs[last] != " " or not self._erasing(style):
            return width
        x = width
        while x and row.signs[x - 1] == " " and row.styles[x - 1] == style:
            x -= 1
        return x

    def _erasing(self, style: str) -> bool:
        return is_erasing(style) and (self._erases_in_colour or not has_ground(style))

    def _write(self, y: int, start: int, end: int, row: Row, *, erase: bool) -> None:
        """Write some cells of a row; ``erase``: blanks among them may be erased instead."""
        x, out = start, self._out
        for style, group in groupby(row.styles[start:end]):
            stop = x + len(list(group))
            text = "".join(row.signs[x:stop])
            if not (erase and self._erases_in_colour and _MANY_BLANKS in text and is_erasing(style)):
                self._go(y, x, row)
                self._set(style)
                out.append(text)
                x = self._x = stop
                continue
            for piece in filter(None, _BLANKS.split(text)):
                self._go(y, x, row)
                self._set(style)
                x += len(piece)
                if piece.startswith(_MANY_BLANKS):
                    out.append(f"\x1b[{len(piece)}X")
                else:
                    out.append(piece)
                    self._x = x
        if self._x == len(row.signs):  # where the cursor is then, terminals differ in
            self._x = -1

    def _go(self, y: int, x: int, row: Row) -> None:
        """Bring the cursor to a cell, over cells that are written again where that is shorter."""
        if (y, x) == (self._y, self._x):
            return
        way = move(y, x, self._y, self._x)
        if y == self._y and 0 <= self._x < x <= self._x + _NEAR and x <= row.doubtful:
            styles, gap = row.styles[self._x : x], x - self._x
            if gap in (styles.count(self._pen), styles.count(row.styles[x])):
                between = "".join(row.signs[self._x : x])
                if _size(between) <= len(way):
                    self._set(styles[0])
                    way = between
        self._out.append(way)
        self._y, self._x = y, x

    def _set(self, style: str) -> None:
        if style != self._pen:
            self._out.append(change(self._pen, style))
            self._pen = style


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _changed(old: Row, new: Row) -> bytearray:
    """A byte for each column: 1 where the cells differ."""
    signs = map(ne, old.signs, new.signs)
    if old.styles == new.styles:  # mostly, and told in a tenth of the time that finding where takes
        return bytearray(signs)
    return bytearray(map(or_, signs, map(ne, old.styles, new.styles)))


def _of_one_style(row: Row, start: int, end: int) -> bool:
    return row.styles[start:end].count(row.styles[start]) == end - start
