"""One bar for each response: what it cites, allowed and not allowed, with two marks that differ without colour."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rich.console import RenderableType
from rich.table import Column
from rich.text import Text

from medreview.cli.output import counted, one_line
from medreview.cli.reports.tables import lineless
from medreview.stats.citations.report import ScoredResponse

ROWS: Final = 20
"""Bars shown, the worst first."""
MARKS: Final = 24
"""The longest bar."""
LONGEST_NAME: Final = 22


class Marks(NamedTuple):
    """The marks of a bar."""

    allowed: str
    other: str


BLOCKS: Final = Marks("█", "░")
ASCII: Final = Marks("#", ".")


def marks_for(encoding: str | None, ascii_only: bool) -> Marks:
    """Blocks where the output can hold them."""
    if ascii_only:
        return ASCII
    try:
        "".join(BLOCKS).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def bars(worst: Sequence[ScoredResponse], marks: Marks) -> Iterator[RenderableType]:
    """The scale, the bars of the first rows, and how many more there are. ``worst``: the responses in their order."""
    most = max((response.counts.n_total for response in worst), default=0)
    each = max(1, -(-most // MARKS))
    scale = "one mark is one source" if each == 1 else f"one mark is up to {each:,} sources"
    yield f"{marks.allowed} allowed, {marks.other} not allowed; {scale}. The worst first."
    name = Column(max_width=LONGEST_NAME, no_wrap=True, overflow="ellipsis")
    table = lineless(name, Column(no_wrap=True), Column(no_wrap=True), header=False)
    for response in worst[:ROWS]:
        table.add_row(one_line(response.name), _bar(response, marks, each), _said(response))
    yield table
    rest = worst[ROWS:]
    if rest:
        empty = sum(response.counts.n_total == 0 for response in rest)
        fine = sum(response.counts.n_total == response.counts.n_allowed > 0 for response in rest)
        what = [f"{count:,} {words}" for count, words in (
            (len(rest) - empty - fine, "with something not allowed"), (empty, "without a citation"),
            (fine, "with all allowed"),
        ) if count]  # fmt: skip
        yield f"and {counted(len(rest), 'more response')}: {', '.join(what)} (--csv and --json have all)"


def _bar(response: ScoredResponse, marks: Marks, each: int) -> Text:
    allowed = response.counts.n_allowed
    other = response.counts.n_total - allowed
    return Text.assemble((marks.allowed * -(-allowed // each), "green"), (marks.other * -(-other // each), "red"))


def _said(response: ScoredResponse) -> str:
    counts = response.counts
    if counts.n_total == 0:
        return "no citation"
    by_format = response.score.count("by_format")
    known = f", {by_format:,} by format" if by_format else ""
    return f"{counts.n_allowed:,} of {counts.n_total:,} allowed{known}"
