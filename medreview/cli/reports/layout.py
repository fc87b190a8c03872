"""What reports are made of: sentences, headings, tables and bars, without a word on how these are drawn.

The module of a command describes its report in these parts, once; ``terminal`` draws them as text, ``page`` as HTML.
Strings in them are shown as they stand, so that what came from outside has gone through
:func:`medreview.cli.output.one_line`.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from medreview.cli.output import one_line
from medreview.stats.formulas.estimate import Estimate, number

Breaks = Literal["never", "words", "anywhere"]
"""Where a cell that is too long for its column goes on in a new line. Where it may not, it is cut."""

_RANGES: Final = ("95% interval", "90% interval", "copies from")
_WORDS: Final = ("", "method", "of", *_RANGES)
"""Headings of left-aligned columns, as the first one is; below any other heading are numbers."""


@dataclass(frozen=True, slots=True)
class Title:
    """The heading of a section."""

    text: str


@dataclass(frozen=True, slots=True)
class TableHeading:
    """The heading of a table, or of a few lines, within a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Check:
    """A sentence on a criterion; the word before its first colon says whether it is met."""

    sentence: str
    met: bool


@dataclass(frozen=True, slots=True)
class NextStep:
    """A command to give next (``medreview.next_step``), on a line of its own that is never broken."""

    command: str


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table; ``right``: it holds numbers."""

    name: str
    right: bool
    breaks: Breaks


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows of cells below headings; ``header`` is false when the headings are not shown. See :func:`table`."""

    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    header: bool


class Bar(NamedTuple):
    """What one response cites, in sources, and the same in words."""

    name: str
    allowed: int
    other: int
    words: str


@dataclass(frozen=True, slots=True)
class Bars:
    """One stacked bar for each response, allowed and not allowed."""

    rows: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Inset:
    """Parts that belong below a title; see :func:`inset`."""

    parts: tuple["Part", ...]


Part = str | Title | TableHeading | Check | NextStep | ReportTable | Bars | Inset
"""An empty string is an empty line where lines are drawn, and nothing elsewhere."""


def inset(*parts: Part) -> Inset:
    """Parts below a title, indented a little where nothing else shows it."""
    return Inset(parts)


Cell = str | int | Estimate | None
"""A cell as the row of a table has it: words, a count, or a figure, which takes two columns: its value and interval.

Rows are typed as of ``object``: that is what a tuple of several kinds with ``*`` in it is to a type checker.
"""


def table(
    names: Sequence[str],
    rows: Iterable[Iterable[object]],
    *,
    first: Breaks = "words",
    others: Breaks = "never",
    long: Collection[str] = (),
    if_any: Collection[str] = (),
    header: bool = True,
) -> ReportTable:
    """A table with these headings: numbers to the right, words to the left, ranges never broken.

    ``first``, ``others``: how the first column, and how the others, break. ``long``: headings of more columns that hold
    words, and break anywhere; ``if_any``: of columns that are left out where no row has anything in them. Cells left
    out at the end of a row are empty, as is a count that does not apply (``None``).
    """

    def column(place: int, name: str) -> TableColumn:
        breaks = "anywhere" if name in long else "never" if name in _RANGES else others if place else first
        return TableColumn(name, place > 0 and name not in (*_WORDS, *long), breaks)

    written = [tuple(_written(row)) for row in rows]
    filled = [(*row, *[""] * (len(names) - len(row))) for row in written]
    kept = [place for place, name in enumerate(names) if name not in if_any or any(row[place] for row in filled)]
    columns = tuple(column(place, names[place]) for place in kept)
    return ReportTable(columns, tuple(tuple(row[place] for place in kept) for row in filled), header)


def _written(row: Iterable[object]) -> Iterator[str]:
    for cell in row:
        if isinstance(cell, Estimate):
            yield from cells(cell)
        else:
            yield "" if cell is None else cell if isinstance(cell, str) else f"{cell:,}"


NO_INTERVAL: Final = "not given"
"""Stands for an interval that a figure does not have; why is said below its table."""


def cells(
    figure: Estimate, digits: int | None = None, *, missing: str = NO_INTERVAL, signed: bool = False
) -> tuple[str, str]:
    """The value of a figure and its interval, on its scale; ``signed``: each with its sign, as of a difference.

    ``missing`` stands for a missing interval; the interval of a missing value is empty.
    """
    if figure.value is None:
        return "undefined", ""
    value = number(figure.value, figure.scale, digits, signed=signed)
    if figure.low is None or figure.high is None:
        return value, missing
    low, high = (number(end, figure.scale, digits, signed=signed) for end in (figure.low, figure.high))
    return value, f"{low} to {high}"


def value_cell(figure: Estimate, missing: str = "-", digits: int | None = None) -> str:
    """The value alone; ``missing``: what stands for one that is undefined."""
    return missing if figure.value is None else number(figure.value, figure.scale, digits)


def reasons(figures: Iterable[tuple[str, Estimate]]) -> list[str]:
    """Why a value or an interval is missing: each reason once, after the names of all that it holds for."""
    found: dict[str, dict[str, None]] = {}
    for name, figure in figures:
        if figure.reason:
            found.setdefault(figure.reason, {})[name] = None
    return [one_line(f"{'; '.join(names)}: {reason}") for reason, names in found.items()]


_BAR: Final = 15
"""Columns of a bar: from 0 at its left end to 1 at its right."""

_LINE, _INSIDE, _VALUE = ".", "=", "|"
_OPENS, _CLOSES, _BELOW = "[", "]", "<"


def interval_bar(figure: Estimate, width: int = _BAR) -> str:
    """The value of a share or coefficient with its interval, on a line from 0 to 1; ``""`` where it is undefined.

    What lies below 0 is a ``<`` at the left end. Without an interval the value stands alone.
    """
    if figure.value is None:
        return ""
    signs = [_LINE] * width
    if figure.low is not None and figure.high is not None:
        low, high = _place(figure.low, width), _place(figure.high, width)
        signs[low : high + 1] = [_INSIDE] * (high + 1 - low)
        signs[low], signs[high] = _OPENS, _CLOSES
    signs[_place(figure.value, width)] = _VALUE
    if min(figure.value, figure.value if figure.low is None else figure.low) < 0:
        signs[0] = _BELOW
    return "".join(signs)


def bar_scale(width: int = _BAR) -> str:
    """The heading of a column of bars: what its ends and its middle stand for."""
    half = width // 2
    return f"0{'.5'.rjust(half + 1)}{'1'.rjust(width - half - 2)}"


def _place(value: float, width: int) -> int:
    return min(width - 1, max(0, round(value * (width - 1))))
