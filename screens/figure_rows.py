"""Figures of agreement in rows: value and interval, with a bar where there is room; and the confusion matrix."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from medreview.review.cell_width import fit, width
from medreview.review.wrapping import WrapTable
from medreview.screens.widgets.painted import Row, StyledText
from medreview.stats.formulas.estimate import brief, percent
from medreview.text import counted, in_words
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.review.live_agreement import GroupView


_NAME: Final = 11
_WORDS: Final = 20
_MOST_BAR: Final = 61
_LEAST_BAR: Final = 21


def estimate_rows(view: "GroupView", columns: int) -> list[Row]:
    """Agreement, kappa and AC1, each with its interval as a bar from 0 to 1, or why it is missing."""
    bar = min(_MOST_BAR, columns - _NAME - _WORDS - 3)
    named = (("agreement", view.agreement), ("kappa", view.kappa), ("AC1", view.ac1))
    rows: list[Row] = []
    if bar >= _LEAST_BAR and any(figure.low is not None for _, figure in named):
        rows.append([(" " * (_NAME + _WORDS), ""), (_axis(bar), "dim")])
    for name, figure in named:
        told = brief(figure)
        said = fit(told, _WORDS) if figure.low is not None else f"{told}  " if figure.value is not None else ""
        row: Row = [(fit(f" {name}", _NAME), "title"), (said, "title")]
        if figure.low is not None and figure.high is not None:
            line = interval_bar(figure.low, figure.value or 0.0, figure.high, bar) if bar >= _LEAST_BAR else ""
            rows.append([*row, (line, "")])
            continue
        head = "" if "no interval" in (figure.reason or "").lower() else "no interval: " if said else "no figure: "
        why = f"{head}{figure.reason}"
        room = columns - _NAME - width(said) - 1
        rows.append([*row, (fit(why, min(width(why), max(1, room))), "dim")])
    return rows


def interval_bar(low: float, value: float, high: float, cells: int) -> str:
    """An interval between 0 and 1 drawn in so many cells; what lies below 0 begins with ``<``."""
    ends = [min(cells - 1, max(0, round(end * (cells - 1)))) for end in (low, value, high)]
    drawn = ["·"] * cells
    drawn[ends[0] : ends[2] + 1] = "─" * (ends[2] + 1 - ends[0])
    drawn[ends[0]], drawn[ends[2]] = "├", "┤"
    drawn[ends[1]] = "●"
    if low < 0:
        drawn[0] = "<"
    return "".join(drawn)


def left_out_words(view: "GroupView") -> str:
    """How many labels are in no figure and why, in one sentence; ``""`` when all are."""
    number = sum(count for _, count in view.left_out)
    several = len(view.left_out) > 1
    why = ", ".join(f"{count:,} {reason}" if several else reason for reason, count in view.left_out)
    return f"left out {number:,}: {why}" if number else ""


def wrapped(text: str, columns: int, style: str, most: int = 99) -> list[Row]:
    """A sentence in rows with a margin; what has no room ends in dots."""
    shown = visible(" ".join(text.split()))
    lines = [shown[start:end].rstrip() for start, end in WrapTable(shown, max(1, columns - 2)).rows]
    if len(lines) > most:
        lines = [*lines[: most - 1], fit(lines[most - 1] + "…", columns - 2)] if most else []
    return [[(f" {line}", style)] for line in lines]


def caution_rows(cautions: Sequence[str], columns: int, most: int) -> list[Row]:
    """The cautions on the figures, the gravest first, in at most so many rows."""
    rows: list[Row] = []
    for number, words in enumerate(cautions):
        more = wrapped(f"! {words}", columns, "badge")
        if len(rows) + len(more) > most:
            rest = len(cautions) - number
            note: Row = [(f" ! and {counted(rest, 'caution')} more: there is room in a taller terminal", "badge")]
            return [*rows[: most - 1], note] if most else []
        rows += more
    return rows


def _axis(cells: int) -> str:
    marks = [" "] * cells
    for place, word in ((0.0, "0"), (0.5, ".5"), (1.0, "1")):
        at = min(cells - len(word), max(0, round(place * (cells - 1)) - len(word) // 2))
        marks[at : at + len(word)] = word
    return "".join(marks)


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
        middle += [(left, "title"), (before, ""), (told, style), (behind, ""), (right, "title")]
        edge += [(left, "title"), (shade * (wide - 2), ""), (right, "title")]
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
    shown = "title" if agrees and count else "" if count else "dim"
    return f"{shown} caret" if here else shown


def _share(share: float) -> str:
    """In whole percent; none and all are said of these alone."""
    if not share:
        return ""
    return "<1%" if share < 0.005 else ">99%" if 0.995 <= share < 1 else percent(share, 0)


def _shade(share: float) -> str:
    """Of what I called so: none, up to a quarter, a half, three quarters, more."""
    return _SHADES[math.ceil(share * 4)]
