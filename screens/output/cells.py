"""The screen as it is wanted, cell by cell."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import is_
from typing import Final, NamedTuple

from rich.cells import split_graphemes
from rich.color import Color, ColorSystem
from rich.style import Style
from textual.strip import Strip

from medreview.review.layout.cells import NOT_SINGLE_CELL

_ATTRIBUTES: Final = {"bold": "1", "dim": "2", "italic": "3", "underline": "4", "blink": "5", "reverse": "7",
                      "conceal": "8", "strike": "9", "underline2": "21", "overline": "53"}  # fmt: skip
"""SGR codes of the attributes of a style."""


class Row(NamedTuple):
    """One row of the screen.

    ``signs`` has the character of each cell with what combines with it, and ``""`` for the second half of a wide one.
    ``pens`` has the style of each cell: SGR codes of attributes, foreground and background, separated by ``|``.
    From the column ``doubtful`` on, a terminal may count cells otherwise than Textual does; the row's width if nowhere.
    """

    signs: list[str]
    pens: list[str]
    doubtful: int


class Cells:
    """The rows that Textual wants to be on the screen. A row that does not change stays the same object."""

    def __init__(self, width: int, height: int, colours: ColorSystem) -> None:
        self.width, self.height = width, height
        self.rows: list[Row] = [Row([" "] * width, ["||"] * width, width)] * height
        self._colours = colours
        self._made_of: list[tuple[Strip, ...]] = [()] * height

    def show(self, lines: Iterable[Iterable[Strip]]) -> None:
        """Take over the whole screen, each of its rows as strips from left to right."""
        for y, line in enumerate(lines):
            strips, before = tuple(line), self._made_of[y]
            if len(before) != len(strips) or not all(map(is_, before, strips)):
                self.rows[y] = self._row(strips)
                self._made_of[y] = strips

    def _row(self, strips: Iterable[Strip]) -> Row:
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
        return Row(signs, pens, self.width if doubtful < 0 else doubtful)


def _signs(text: str) -> Iterator[tuple[str, int]]:
    """The signs of a text as Textual measures it, with their cells; control characters are left out."""
    for start, end, cells in split_graphemes(text)[0]:
        sign = "".join(char for char in text[start:end] if char >= " " and not "\x7f" <= char < "\xa0")
        if sign:
            yield sign, cells


@lru_cache(4096)
def _pen(style: Style, colours: ColorSystem) -> str:
    attributes = ";".join(code for name, code in _ATTRIBUTES.items() if getattr(style, name))
    return "|".join((attributes, _colour(style.color, colours, True), _colour(style.bgcolor, colours, False)))


def _colour(colour: Color | None, colours: ColorSystem, foreground: bool) -> str:
    """Nothing for the terminal's own colour, which is what there is without."""
    if colour is None or colour.is_default:
        return ""
    return ";".join(colour.downgrade(colours).get_ansi_codes(foreground))
