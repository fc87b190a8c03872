"""The rows above a page: a quote that is not on it, and two sources in conflict, each with its passage."""

from collections.abc import Sequence
from typing import Final

from medreview.review.above_page import AbovePage, AbsentQuote, ConflictSide
from medreview.review.cell_width import fit, width
from medreview.screens.source_rows import host_of
from medreview.screens.widgets.painted import Row, StyledText, cells, wrapped
from medreview.visible import visible

_BESIDE_FROM: Final = 90
"""Columns from which two sources stand side by side where the page has a pane of its own."""
_QUOTE_ROWS: Final = 3
"""Of a quote, or of a passage, in a pane of its own."""
_FEW_QUOTES: Final = 2
_SAYS: Final = {"supported": ("✓ supports", "says"), "contradicted": ("✗ contradicts", "against")}


def strip_rows(above: AbovePage, shown: str | None, columns: int, *, one: bool, tall: bool) -> list[Row]:
    """All of it; in one column one quote, or the two sources side by side, in few rows where it is not ``tall``.
    ``shown``: the source on the screen."""
    rows: list[Row] = []
    margin: list[StyledText] = [] if one else [(" ", "")]
    room = columns - len(margin)
    for quote in above.absent[: 1 if one else _FEW_QUOTES]:
        rows += _absent(quote, above.nearest, room, _QUOTE_ROWS if tall or not one else 1)
    if above.conflict and not (one and rows):
        beside = one or columns >= _BESIDE_FROM
        rows += (_beside if beside else _stacked)(above.conflict, shown, room, _QUOTE_ROWS if tall or not one else 2)
    return [[*margin, *row] for row in rows]


def _absent(said: AbsentQuote, nearest: bool, columns: int, most: int) -> list[Row]:
    """A box: whose quote is not here, its words, and how often the telling ones are."""
    first, *others = said.hits or (None,)
    facts = [f"{first.words}: {_times(first.times)}"] if first else []
    facts += [f"{one.words}: {one.times}" for one in others if one]
    last: list[StyledText] = [("nearest: ", ""), ("m", "key")] if nearest else [("nothing is like it", "")]
    while facts and cells([(" · ".join((*facts, "")), ""), *last]) > columns - 4:
        facts.pop()
    rows = _text(f"“{said.quote}”", columns - 4, most)
    return [
        _edge("┌", [(f" {visible(said.whose)} is NOT on this page ", "badge")], "┐", columns),
        *([("│ ", "rule"), (row, ""), ("", "fill"), (" │", "rule")] for row in rows),
        _edge("└", [(f" {visible(' · '.join((*facts, '')))}", ""), *last, (" ", "")], "┘", columns),
    ]


def _times(count: int) -> str:
    return f"{count} hit" if count == 1 else f"{count} hits"


def _edge(first: str, told: Sequence[StyledText], last: str, columns: int) -> Row:
    room = columns - 2
    kept = [(fit(text, min(width(text), room)), style) for text, style in told]
    return [(first, "rule"), *kept, ("─", "rule fill"), (last, "rule")]


def _stacked(sides: Sequence[ConflictSide], shown: str | None, columns: int, most: int) -> list[Row]:
    """One below the other."""
    rows: list[Row] = []
    for place, side in enumerate(sides):
        corners = "┌┐" if place == 0 else "├┤"
        rows.append([(corners[0], "rule"), *_heading(side, shown, columns - 2), (corners[1], "rule")])
        style = _SAYS[side.verdict][1]
        passage = _text(side.passage, columns - 4, most)
        rows += ([("│ ", "rule"), (row, style), ("", "fill"), (" │", "rule")] for row in passage)
    return [*rows, [("└", "rule"), ("─", "rule fill"), ("┘", "rule")]]


def _beside(sides: Sequence[ConflictSide], shown: str | None, columns: int, most: int) -> list[Row]:
    """Side by side: as many rows as the longer passage has."""
    left = (columns - 3) // 2
    rooms = left, columns - 3 - left
    passages = [_text(side.passage, room - 2, most) for side, room in zip(sides, rooms, strict=True)]
    first, second = (_heading(side, shown, room) for side, room in zip(sides, rooms, strict=True))
    rows: list[Row] = [[("┌", "rule"), *first, ("┬", "rule"), *second, ("┐", "rule")]]
    for number in range(max(map(len, passages))):
        row: list[StyledText] = [("│", "rule")]
        for side, passage, room in zip(sides, passages, rooms, strict=True):
            text = passage[number] if number < len(passage) else ""
            row += [(" ", ""), (text, _SAYS[side.verdict][1]), (" " * (room - 1 - width(text)), ""), ("│", "rule")]
        rows.append(row)
    return [*rows, [("└", "rule"), ("─" * left, "rule"), ("┴", "rule"), ("─", "rule fill"), ("┘", "rule")]]


def _heading(side: ConflictSide, shown: str | None, room: int) -> list[StyledText]:
    """The source and what it does, in exactly so many cells."""
    words, style = _SAYS[side.verdict]
    name = f" {side.source.bracketed} {visible(side.source.title) or host_of(side.source)} "
    left = room - width(words) - 4
    name = fit(name, min(width(name), max(1, left)))
    named = "title" if side.source.source_id == shown else ""
    rule = "─" * (room - width(name) - width(words) - 3)
    return [(name, named), (rule, "rule"), (f" {words} ", style), ("─", "rule")]


def _text(text: str, columns: int, most: int) -> list[str]:
    """A text in at least one and at most so many rows."""
    return [words for _, (words, _) in wrapped(text, columns + 1, "", most, lead="")] or [""]
