"""The screen as it is wanted, cell by cell: Textual's updates are applied to it."""

from collections.abc import Iterable, Iterator
from operator import is_
from typing import Final, NamedTuple

from rich.cells import split_graphemes
from rich.color import ColorSystem
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.strip import Strip

from medreview.review.layout.cells import NOT_SINGLE_CELL
from medreview.screens.output.rows_compositor import RowsUpdate

LINK: Final = "\x1b]8;"
"""Begins, within a style, the sequence that opens its link."""


class Row(NamedTuple):
    """One row of the screen.

    ``signs`` has the character of each cell with what combines with it, and ``""`` for the second half of a wide one.
    ``styles`` has the SGR codes of each cell, ``""`` where there are none, and behind them a link, if there is one.
    From the column ``doubtful`` on, a terminal may count cells otherwise than Textual does; the row's width if nowhere.
    """

    signs: list[str]
    styles: list[str]
    doubtful: int


def blank(width: int) -> Row:
    """A row of nothing, as a terminal clears it."""
    return Row([" "] * width, [""] * width, width)


class Cells:
    """The rows that Textual wants to be on the screen. A row that does not change stays the same object."""

    def __init__(self, width: int, height: int, colours: ColorSystem) -> None:
        self.width, self.height = width, height
        self.rows = [blank(width)] * height
        self._colours = colours
        self._made_of: list[tuple[Strip, ...]] = [()] * height

    def apply_layout(self, update: LayoutUpdate) -> None:
        """Take over an update of whole rows."""
        for y, line in enumerate(update.strips, update.region.y):
            strips = tuple(line)
            before = self._made_of[y]
            if len(before) != len(strips) or not all(map(is_, before, strips)):
                self._put(y, [(update.region.x, strips)])
                self._made_of[y] = strips

    def apply_chops(self, update: ChopsUpdate) -> None:
        """Take over an update of parts of rows; which parts those are, Textual says in ``ChopsUpdate``."""
        for y, left, right in update.spans:
            ends = update.chop_ends[y]
            parts: list[tuple[int, tuple[Strip, ...]]] = []
            for end, (x, strip) in zip(ends, update.chops[y].items(), strict=False):
                if strip is None or x > right or end <= left:
                    continue
                whole = right > x >= left and end <= right
                parts.append((x, (strip if whole else strip.crop(0, min(end, right) - x),)))
            self._put(y, parts)
            self._made_of[y] = ()

    def apply_rows(self, update: RowsUpdate) -> None:
        """Take over rows of widgets."""
        for y, x, strip in update.rows:
            self._put(y, [(x, (strip,))])
            self._made_of[y] = ()

    def _put(self, y: int, parts: Iterable[tuple[int, tuple[Strip, ...]]]) -> None:
        before = self.rows[y]
        signs, styles, certain = before.signs.copy(), before.styles.copy(), before.doubtful == self.width
        for x, strips in parts:
            new_signs: list[str] = []
            new_styles: list[str] = []
            for strip in strips:
                certain &= self._expand(strip, new_signs, new_styles)
            end = min(x + len(new_signs), self.width)
            if not certain:
                _part_wide(signs, x, end)
            signs[x:end] = new_signs[: end - x]
            styles[x:end] = new_styles[: end - x]
        if signs != before.signs or styles != before.styles:
            self.rows[y] = Row(signs, styles, self.width if certain else _doubtful_from(signs))

    def _expand(self, strip: Strip, signs: list[str], styles: list[str]) -> bool:
        """Append the cells of a strip; whether every terminal counts them as Textual does."""
        certain = True
        for text, style, _control in strip:
            codes = self._codes(style) if style is not None else ""
            if text.isprintable() and (text.isascii() or NOT_SINGLE_CELL.search(text) is None):
                signs += text
                styles += [codes] * len(text)
                continue
            certain = False
            for sign, cells in _signs(text):
                if cells:
                    signs += [sign, *[""] * (cells - 1)]
                    styles += [codes] * cells
                elif signs:  # what combines belongs to the sign before it
                    lead = -2 if signs[-1] == "" else -1
                    signs[lead] += sign
        return certain

    def _codes(self, style: Style) -> str:
        codes = style._ansi if style._ansi is not None else Strip.render_ansi(style, self._colours)
        return f"{codes}{LINK}id={style._link_id};{style._link}\x1b\\" if style._link else codes


def _signs(text: str) -> Iterator[tuple[str, int]]:
    """The signs of a text as Textual measures it, with their cells; control characters are left out."""
    for start, end, cells in split_graphemes(text)[0]:
        sign = "".join(char for char in text[start:end] if char >= " " and not "\x7f" <= char < "\xa0")
        if sign:
            yield sign, cells


def _part_wide(signs: list[str], start: int, end: int) -> None:
    """A wide sign of which one half is about to be covered is none any more."""
    if start < end:
        if signs[start] == "" and start:
            signs[start - 1] = " "
        if end < len(signs) and signs[end] == "":
            signs[end] = " "


def _doubtful_from(signs: list[str]) -> int:
    for x, sign in enumerate(signs):
        if len(sign) != 1 or NOT_SINGLE_CELL.match(sign):
            return x
    return len(signs)
