"""What printed reports are laid out with: titles, insets, tables without lines, and a figure as two cells.

Strings in them are meant for :func:`medreview.cli.reports.console.printed`, which shows them as they stand.
"""

from collections.abc import Callable
from typing import Final, Literal

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from medreview.stats.formulas.estimate import Estimate

Breaks = Literal["never", "words", "anywhere"]
"""Where a cell that is too long for its column goes on in a new line. Where it may not, it is cut."""

_RANGES: Final = ("95% interval", "copies from")
_WORDS: Final = ("", "method", "of", *_RANGES)
"""Headings of columns that stand left, as the first one does; what is below any other heading is a number."""


def title(text: str) -> Text:
    """The heading of a part of a report."""
    return Text(text, style="bold underline")


def heading(text: str) -> Text:
    """The heading of a table, or of a few lines, within a part."""
    return Text(text, style="bold")


def inset(part: RenderableType) -> Padding:
    """A part below a title, a little to the right."""
    return Padding(part, (0, 0, 0, 2))


def lineless(*columns: Column, header: bool = True) -> Table:
    """A table that only blanks hold together, with its first column at the edge."""
    return Table(
        *columns, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="", show_edge=False, show_header=header
    )


def columns(*names: str, first: Breaks = "words", others: Breaks = "never", header: bool = True) -> Table:
    """An empty table with these headings: numbers to the right, words to the left, ranges never broken.

    ``first``, ``others``: how the first column, and how the others, break. No heading breaks within a word where the
    cells below it may break.
    """
    return lineless(
        *(_column(name, place == 0, first if place == 0 else others) for place, name in enumerate(names)), header=header
    )


def _column(name: str, is_first: bool, breaks: Breaks) -> Column:
    side: Final = "left" if is_first or name in _WORDS else "right"
    if breaks == "never" or name in _RANGES:
        return Column(name, justify=side, no_wrap=True)
    longest = max(map(len, name.split()), default=0)
    return Column(name, justify=side, min_width=longest, overflow="fold" if breaks == "anywhere" else "ellipsis")


def cells(figure: Estimate, number: Callable[[float], str], missing: str) -> tuple[str, str]:
    """The value of a figure and its interval, as ``number`` writes them.

    ``missing``: what stands for the interval where there is none. Without a value nothing does.
    """
    if figure.value is None:
        return "undefined", ""
    if figure.low is None or figure.high is None:
        return number(figure.value), missing
    return number(figure.value), f"{number(figure.low)} to {number(figure.high)}"
