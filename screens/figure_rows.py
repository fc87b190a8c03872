"""Figures of agreement in rows: value and interval, with a bar where there is room; what was left out, what to mind."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from medreview.review.layout.cells import fit, width
from medreview.review.layout.wrap import WrapTable
from medreview.screens.widgets.painted import Row
from medreview.stats.formulas.estimate import brief
from medreview.visible import visible
from medreview.words import counted

if TYPE_CHECKING:
    from medreview.review.live_agreement import GroupView

_NAME: Final = 11
_WORDS: Final = 20
_MOST_BAR: Final = 61
_LEAST_BAR: Final = 21


def estimate_rows(view: "GroupView", columns: int) -> list[Row]:
    """Agreement, kappa and AC1, each with its interval as a bar from 0 to 1; why where there is none."""
    bar = min(_MOST_BAR, columns - _NAME - _WORDS - 3)
    named = (("agreement", view.agreement), ("kappa", view.kappa), ("AC1", view.ac1))
    rows: list[Row] = []
    if bar >= _LEAST_BAR and any(figure.low is not None for _, figure in named):
        rows.append([(" " * (_NAME + _WORDS), ""), (_axis(bar), "dim")])
    for name, figure in named:
        told = brief(figure)
        said = fit(told, _WORDS) if figure.low is not None else f"{told}  " if figure.value is not None else ""
        row: Row = [(fit(f" {name}", _NAME), "title"), (said, "key")]
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
    """What is to be read with the figures, the gravest first, in at most so many rows."""
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
