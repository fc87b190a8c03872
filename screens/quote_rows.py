"""Quotes on the screen: what was changed in one stands in brackets, and a long one is cut around that."""

from collections.abc import Sequence
from typing import Final

from medreview.review.cell_width import fit_words, width
from medreview.review.verdict_card import Words
from medreview.review.wrapping import prose_rows
from medreview.screens.widgets.painted import Row, StyledText
from medreview.visible import visible

_BEFORE: Final = 3
"""The part of a row, as 1 / so much, that stands before a change where what is before it must be cut."""


def quote_rows(words: Words, columns: int, style: str, most: int, lead: str) -> list[Row]:
    """A quote in at most so many rows: the first behind ``lead``, the others behind as many spaces.

    What was changed is in brackets, in the style of a clash. Without changes the quote has quotation marks.
    """
    marked, places = words.marked()
    text, changed = visible(marked), [(start, end) for start, end in places]
    room = max(8, columns - width(lead) - 1)
    if changed and width(text) > room * most:
        text, changed = _cut(text, changed, room)
    lines = list(prose_rows(text, 0, len(text), room)) or [(0, 0)]
    rows: list[Row] = []
    for number, (start, end) in enumerate(lines[:most]):
        line = text[start:end].rstrip()
        if number == most - 1 and len(lines) > most:
            line = fit_words(f"{line} …", room)
        head: StyledText = (lead if number == 0 else " " * width(lead), "dim")
        rows.append([head, *_pieces(line, start, changed, style)])
    return rows


def _cut(text: str, changed: list[tuple[int, int]], room: int) -> tuple[str, list[tuple[int, int]]]:
    """The text from a word before the first change on."""
    start = text.find(" ", max(0, changed[0][0] - room // _BEFORE)) + 1
    if changed[0][0] < room // 2 or not 0 < start <= changed[0][0]:
        return text, changed
    shift = start - 2
    return f"… {text[start:]}", [(here - shift, there - shift) for here, there in changed]


def _pieces(line: str, start: int, changed: Sequence[tuple[int, int]], style: str) -> list[StyledText]:
    pieces: list[StyledText] = []
    at = 0
    for here, there in ((max(0, first - start), last - start) for first, last in changed):
        if here < len(line) and there > at:
            pieces += [(line[at:here], style), (line[here:there], "clash")]
            at = there
    return [piece for piece in (*pieces, (line[at:], style)) if piece[0]]
