"""A report as text: as wide as the terminal and styled for it; 80 columns and plain without a terminal."""

import sys
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import Final

from rich import table as rich_table
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from medreview.cli.reports.layout import (
    Bars,
    Check,
    Inset,
    NextStep,
    Part,
    ReportTable,
    TableColumn,
    TableHeading,
    Title,
)

_WIDTH: Final = 80
_HEIGHT: Final = 24
"""Columns and rows for a report that goes into a file or a pipe."""
_LONGEST_BAR: Final = 24
_LONGEST_NAME: Final = 22


_SPELT: Final = str.maketrans({"±": "+-", "“": '"', "”": '"', "–": "-", "·": "-"})
"""Signs of our own words where standard output is of ASCII alone."""
_BLOCKS: Final = ("█", "░")
_ASCII: Final = ("#", ".")
"""The marks of a bar, of what is allowed and of what is not: two that differ without colour."""


def show(parts: Iterable[Part], *, ascii_only: bool = False) -> None:
    """Print what :func:`printed` makes of them."""
    print(printed(parts, ascii_only=ascii_only), end="")


def lines_of(parts: Iterable[Part]) -> list[str]:
    """The lines of :func:`printed` without any style, to stand among others."""
    return printed(parts, styled=False).splitlines()


def printed(parts: Iterable[Part], *, ascii_only: bool = False, styled: bool = True) -> str:
    """The parts beneath each other, each line without blanks at its end, one newline at the end of all.

    A string is shown as it stands, in a cell as well: nothing in it is taken for markup or an emoji. What standard
    output cannot hold is a question mark.
    """
    terminal, written = Console(), StringIO()
    console = Console(
        file=written,
        force_terminal=terminal.is_terminal and styled,
        width=terminal.width if terminal.is_terminal else _WIDTH,
        color_system="auto" if terminal.is_terminal and styled else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    encoding = "ascii" if ascii_only else sys.stdout.encoding or "ascii"
    marks = _marks(encoding)
    for place, part in enumerate(parts):
        if place and isinstance(part, Title):
            console.print()
        whole = isinstance(part, NextStep) or (
            isinstance(part, Check) and not terminal.is_terminal
        )  # for grep and logs
        console.print(_drawn(part, marks), soft_wrap=whole)
    lines = (line.rstrip() for line in written.getvalue().splitlines())
    text = "\n".join(lines).rstrip("\n") + "\n"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_SPELT).encode(encoding, "replace").decode(encoding)
    return text


def first_that_fits(screens: Iterable[Iterable[Part]]) -> str:
    """The first of several screens that leaves a row for what is typed next, else the last one.

    Empty lines are given up first: only the first screen has them. Without a terminal there are 24 rows.
    """
    terminal = Console()
    rows = terminal.height if terminal.is_terminal else _HEIGHT
    text = ""
    for place, parts in enumerate(screens):
        text = printed(part for part in parts if part != "" or not place)
        if text.count("\n") < rows:
            break
    return text


def _marks(encoding: str) -> tuple[str, str]:
    try:
        "".join(_BLOCKS).encode(encoding)
    except UnicodeEncodeError:
        return _ASCII
    return _BLOCKS


def _drawn(part: Part, marks: tuple[str, str]) -> RenderableType:
    match part:
        case Title(text):
            return Text(text, style="bold underline")
        case TableHeading(text):
            return Text(text, style="bold")
        case Check(sentence, met):
            state, colon, rest = sentence.partition(":")
            return Text.assemble((state, "bold green" if met else "bold red"), colon, rest)
        case NextStep(command):
            return Text(f"  {command}")
        case ReportTable():
            return _table(part)
        case Bars():
            return Group(*_bars(part, marks))
        case Inset(parts):
            return Padding(Group(*(_drawn(inner, marks) for inner in parts)), (0, 0, 0, 2))
    return part


def _table(table: ReportTable) -> rich_table.Table:
    drawn = _lineless(*map(_column, table.columns), header=table.header)
    for row in table.rows:
        drawn.add_row(*row)
    return drawn


def _column(column: TableColumn) -> rich_table.Column:
    """No heading breaks within a word where the cells below it may break."""
    side: Final = "right" if column.right else "left"
    if column.breaks == "never":
        return rich_table.Column(column.name, justify=side, no_wrap=True)
    longest = max(map(len, column.name.split()), default=0)
    return rich_table.Column(column.name, justify=side, min_width=longest, overflow="fold")


def _lineless(*columns: rich_table.Column, header: bool) -> rich_table.Table:
    """A table that only blanks hold together, with its first column at the edge."""
    return rich_table.Table(
        *columns, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="", show_edge=False, show_header=header
    )


def _bars(bars: Bars, marks: tuple[str, str]) -> Iterator[RenderableType]:
    """The scale, and the bars."""
    full, empty = marks
    each = max(1, -(-max(bar.allowed + bar.other for bar in bars.rows) // _LONGEST_BAR))
    scale = "one mark is one source" if each == 1 else f"one mark is up to {each:,} sources"
    yield f"{full} allowed, {empty} not allowed; {scale}. The worst first."
    name = rich_table.Column(max_width=_LONGEST_NAME, no_wrap=True, overflow="ellipsis")
    table = _lineless(name, rich_table.Column(no_wrap=True), rich_table.Column(no_wrap=True), header=False)
    for bar in bars.rows:
        allowed, other = full * -(-bar.allowed // each), empty * -(-bar.other // each)
        table.add_row(bar.name, Text.assemble((allowed, "green"), (other, "red")), bar.words)
    yield table
