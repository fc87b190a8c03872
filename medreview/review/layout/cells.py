"""Width of shown text in terminal cells. Expects text that went through ``medreview.visible``."""

import re
import unicodedata
from typing import Final

from medreview.visible import PLAIN, combines

ODD: Final = re.compile(f"[^\n\t{PLAIN}]")
"""Finds a character that may not be exactly one cell wide."""

_TABLE_LIMIT: Final = 20_000


class _Widths(dict[str, int]):
    """Cells of each character, learnt once from ``unicodedata``."""

    def __missing__(self, char: str) -> int:
        wide = unicodedata.east_asian_width(char) in "WF"
        cells = 0 if combines(char) else 2 if wide else 1
        if len(self) < _TABLE_LIMIT:
            self[char] = cells
        return cells


_WIDTHS: Final = _Widths()
char_width: Final = _WIDTHS.__getitem__
"""Cells of one character: 2 for wide ones (Chinese, emoji), 0 for combining ones, else 1 (tab and newline too)."""


def width(text: str) -> int:
    """Cells that the text takes on one row."""
    if text.isascii() or ODD.search(text) is None:
        return len(text)
    return sum(map(char_width, text))


def fitting(text: str, cells: int) -> int:
    """The most code points of the text's beginning that fit into so many cells; never parts a base and its marks."""
    if text.isascii():
        return min(len(text), max(0, cells))
    used = 0
    for index, char in enumerate(text):
        used += char_width(char)
        if used > cells:
            return index
    return len(text)


def fit(text: str, cells: int, ellipsis: str = "…") -> str:
    """The text cut or padded with spaces to exactly so many cells; a cut text ends in the ellipsis if there is room."""
    room = max(0, cells)
    if width(text) > room:
        tail = ellipsis if width(ellipsis) <= room else ""
        text = text[: fitting(text, room - width(tail))] + tail
    return text + " " * (room - width(text))
