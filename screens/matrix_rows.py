"""The confusion matrix in text: what I said down, what the judges said across, counts and shares of a row.

A cell is filled with a glyph on both sides of its count, so that it reads without colour, and the cell at the cursor
stands in brackets.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from medreview.review.layout.cells import fit, width
from medreview.screens.widgets.painted import Row, StyledText
from medreview.stats.formulas.estimate import percent
from medreview.visible import visible
from medreview.words import in_words

_SHADES: Final = " ░▒▓█"
_NARROWEST: Final = 12
_WIDEST: Final = 22
_TALL_FROM: Final = 22
"""Rows from which a cell has three of them, the outer ones filled all over."""
_SHARE: Final = 5
"""Cells for the share behind a count."""
_MARGIN: Final = 4
"""Filled cells of a row from which the count stands a cell away from them."""


class Cell(NamedTuple):
    """A place in the matrix: my label, the judges'."""

    row: int
    column: int


def matrix_rows(
    labels: Sequence[str], table: Sequence[Sequence[int]], cursor: Cell, judge: str, columns: int, most: int
) -> list[Row]:
    """The matrix with its sums, in at most so many rows; ``judge``: whose labels stand across.

    A share is that of my row: of what I called so, how much the judge called so, too. It needs ``len(labels) + 3``
    rows.
    """
    names = [in_words(label) for label in labels]
    sums = [sum(column) for column in zip(*table, strict=True)]
    digits = len(str(max(sums)))
    head = max(map(width, (*names, "you said"))) + 2
    wide = max(_NARROWEST, digits + _SHARE + 3, min(_WIDEST, (columns - head - 7) // len(labels)))
    tall = most >= max(_TALL_FROM, 3 * len(labels) + 4)
    across = sum(wide for _ in labels)
    told = fit(f"{visible(judge)} said", across)
    rows: list[Row] = [
        [(" " * head, ""), (told, "dim")],
        [
            (fit(" you said", head), "dim"),
            *((fit(name, min(width(name), wide - 1)).center(wide), "title") for name in names),
            (f"{'all':>7}", "dim"),
        ],
    ]
    for place, (name, counts) in enumerate(zip(names, table, strict=True)):
        rows += _label_rows(place, name, counts, cursor, head, wide, digits, tall)
    rows.append(
        [
            (fit(" all", head), "dim"),
            *((f" {''.join(_filled(str(count), '', ' ', wide - 2, digits))} ", "dim") for count in sums),
            (f"{sum(sums):>7}", "dim"),
        ]
    )
    return rows[:most]


def _label_rows(
    place: int, name: str, counts: Sequence[int], cursor: Cell, head: int, wide: int, digits: int, tall: bool
) -> list[Row]:
    whole = sum(counts)
    middle: list[StyledText] = [(fit(f" {name}", head), "title")]
    edge: list[StyledText] = [(" " * head, "")]
    for column, count in enumerate(counts):
        share = count / whole if whole else 0.0
        here = cursor == (place, column)
        left, right = ("[", "]") if here else (" ", " ")
        shade = _shade(share)
        style = _style(count, place == column, here)
        before, told, behind = _filled(str(count), _share(share), shade, wide - 2, digits)
        middle += [(left, "key"), (before, ""), (told, style), (behind, ""), (right, "key")]
        edge += [(left, "key"), (shade * (wide - 2), ""), (right, "key")]
    middle.append((f"{whole:>7}", "dim"))
    return [edge, middle, edge] if tall else [middle]


def _filled(count: str, share: str, shade: str, room: int, digits: int) -> tuple[str, str, str]:
    """A count and its share in a row of so many cells, and what fills it on both sides of them."""
    told = f"{count:>{digits}}{share:>{_SHARE}}"
    rest = room - len(told)
    if rest >= _MARGIN:
        told, rest = f" {told} ", rest - 2
    return shade * (rest // 2), told, shade * (rest - rest // 2)


def _style(count: int, agrees: bool, here: bool) -> str:
    shown = "good" if agrees and count else "badge" if count else "dim"
    return f"{shown} caret" if here else shown


def _share(share: float) -> str:
    """In whole percent; none and all are said of these alone."""
    if not share:
        return ""
    return "<1%" if share < 0.005 else ">99%" if 0.995 <= share < 1 else percent(share, 0)


def _shade(share: float) -> str:
    """Of what I called so: none, up to a quarter, a half, three quarters, more."""
    return _SHADES[math.ceil(share * 4)]
