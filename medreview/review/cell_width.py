"""Display width of text in terminal cells. Expects text that went through ``medreview.visible``."""

import unicodedata
from typing import Final

from medreview.visible import NOT_PLAIN, combines

NOT_SINGLE_CELL: Final = NOT_PLAIN
"""Matches a character that may not be exactly one cell wide."""

_TABLE_LIMIT: Final = 20_000


class _Widths(dict[str, int]):
    """A cache of the cells of each character, by ``unicodedata``."""

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
    """The display width of a text on one row, in cells."""
    if text.isascii() or NOT_SINGLE_CELL.search(text) is None:
        return len(text)
    return sum(map(char_width, text))


def fitting(text: str, cells: int) -> int:
    """The maximum number of leading code points that fit into so many cells; never separates a base character from its
    combining characters."""
    if text.isascii():
        return min(len(text), max(0, cells))
    used = 0
    for index, char in enumerate(text):
        used += char_width(char)
        if used > cells:
            return index
    return len(text)


def fit(text: str, cells: int, ellipsis: str = "…") -> str:
    """The text truncated or padded with spaces to exactly so many cells; truncated, it ends in the ellipsis if that
    fits."""
    room = max(0, cells)
    if width(text) > room:
        tail = ellipsis if width(ellipsis) <= room else ""
        text = text[: fitting(text, room - width(tail))] + tail
    return text + " " * (room - width(text))


def fit_words(text: str, cells: int) -> str:
    """The text in at most so many cells, cut between words and with an ellipsis; within the first word only where that
    alone is longer."""
    if width(text) <= cells:
        return text
    if cells <= 0:
        return ""
    head = text[: fitting(text, cells - 1)]
    follows = text[len(head) : len(head) + 2]
    ends = follows[0].isspace() or (follows[0] == "," and not follows[1:].isdigit())
    if not ends and " " in head:
        head = head[: head.rindex(" ")]
    head = head.rstrip(" ·,;:")
    return f"{head}…"
