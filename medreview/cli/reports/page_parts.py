"""Parts that only a report file has, beside those of ``layout``: plots, texts with marks, lists, what can be folded.
Drawn as HTML by ``page`` and as Markdown by ``study_page.written``, so that both say the same.

As in ``layout``, strings are shown as they stand: what came from outside has gone through
:func:`~medreview.cli.output.one_line`, or :func:`several_lines` where its lines are kept.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from medreview.cli.reports.layout import Part, Title
from medreview.cli.reports.plots import Drawing
from medreview.visible import visible

Tone = Literal["", "strong", "quote", "clash", "yes", "no", "none", "together", "tie", "muted"]
"""What a piece of text or a cell is, apart from its words: never the only sign of it."""


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a text. ``note``: a word that stands behind it, small. ``to``: the anchor that it leads to."""

    text: str
    tone: Tone = ""
    note: str = ""
    to: str = ""


@dataclass(frozen=True, slots=True)
class TextLine:
    """A paragraph of several pieces."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class QuotedText:
    """A text from outside, with its line ends and with what is marked in it."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A list; each item is a few parts, the first of them its own line. ``anchors``: where links lead, or nothing."""

    items: tuple[tuple["PagePart", ...], ...]
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldList:
    """Names and what belongs to each."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell of a :class:`Grid`."""

    text: str
    tone: tuple[Tone, ...] = ()
    to: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table whose cells have tones, or lead somewhere: votes, many small numbers at a glance, a checklist. The first
    column is a name; an empty one belongs to the row above it."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[GridCell, ...], ...]
    kind: Literal["votes", "glance", "checklist"] = "votes"


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot; Markdown has the table of its numbers. ``tabled``: the heading of another table that has the same."""

    drawing: Drawing
    tabled: str = ""


@dataclass(frozen=True, slots=True)
class Details:
    """Parts that can be folded, below a line that says what they are; ``heading``: that line is one."""

    summary: str
    parts: tuple["PagePart", ...]
    anchor: str = ""
    heading: bool = False


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A section of a report: what the table of contents leads to."""

    anchor: str
    title: str
    parts: tuple["PagePart", ...]


PagePart = Part | TextLine | QuotedText | Listing | FieldList | Grid | Plot | Details


def several_lines(text: str) -> str:
    """A text from outside with its line ends and nothing else that acts."""
    return "\n".join(visible(line) for line in text.split("\n"))


def line(*runs: Run | str) -> TextLine:
    """A paragraph; a string is a piece without a tone."""
    return TextLine(tuple(Run(run) if isinstance(run, str) else run for run in runs))


def folded(parts: Iterable[PagePart]) -> Iterator[PagePart]:
    """The same parts, each title folded with what is below it; what stands before the first one stays open."""
    title: Title | None = None
    below: list[PagePart] = []
    for part in parts:
        if not isinstance(part, Title):
            below.append(part)
            continue
        yield from _under(title, below)
        title, below = part, []
    yield from _under(title, below)


def _under(title: Title | None, below: list[PagePart]) -> Iterator[PagePart]:
    if title is None:
        yield from below
    else:
        yield Details(title.text, tuple(below), heading=True)


def listing(items: Iterable[Iterable[PagePart]], anchors: Iterable[str] = ()) -> Listing:
    """A list of what comes as any iterables."""
    return Listing(tuple(map(tuple, items)), tuple(anchors))
