"""What the rules say of the reference that names a source, in the rows above the source."""

from typing import TYPE_CHECKING, Final

from medreview.review.layout.cells import fit, width
from medreview.review.layout.prose import prose_rows
from medreview.screens.widgets.painted import Row, StyledText
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.units.cited_reference import SourceReference

IN_PANES: Final = 3
"""Rows that it takes where the source has a pane of its own."""

_KEY: Final = (" L both readings ──", " L ──")
"""How to see more of it: as many words as there is room for."""


def reference_height(reference: "SourceReference | None", *, one: bool) -> int:
    """Rows that it takes above the source; none where all is well: the bar has a word for that."""
    return 0 if reference is None or not reference.worth_a_row else 1 if one else IN_PANES


def reference_rows(reference: "SourceReference", columns: int, most: int) -> list[Row]:
    """The verdict with what it is about, cut where there is one row for it; in further rows also why."""
    said = _one_line(reference.said)
    told = next((words for words in _KEY if width(words) + width(said) + 4 <= columns), _KEY[-1])
    room = columns - width(told) - 4
    first, *others = [_cut(reference, room)] if most == 1 else _wrapped(said, room)[:most]
    rows: list[Row] = [[("   ", ""), (first, "badge"), ("", "fill"), (told, "key")]]
    rows += ([("   ", ""), (line, "badge")] for line in others)
    more = _wrapped(_one_line(reference.more), columns - 4)
    left = most - len(rows)
    if len(more) > left > 0:
        more = [*more[: left - 1], f"{more[left - 1][: columns - 5]}…"]
    return [*rows, *([("   ", ""), (line, "dim")] for line in more[:left])]


def _cut(reference: "SourceReference", room: int) -> str:
    """What is said, with as much of what it is about as there is room for; the closing quotation mark stays."""
    verdict, about, year = (_one_line(part) for part in (reference.verdict, reference.about, reference.year))
    end = "”" if about.endswith("”") else ""
    left = room - width(verdict) - width(reference.year) - 2
    if width(about) > left:
        about = f"{fit(about, max(1, left - width(end)))}{end}"
    said = f"{verdict}{': ' if about else ''}{about}{' ' if year else ''}{year}"
    return fit(said, min(width(said), room))


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))


def _wrapped(text: str, columns: int) -> list[str]:
    return [text[start:end].rstrip() for start, end in prose_rows(text, 0, len(text), max(1, columns))] if text else []


def reference_fact(reference: "SourceReference | None") -> list[StyledText]:
    """A word in the bar for a reference that is fine."""
    return [(f" · {reference.said}", "dim")] if reference is not None and not reference.worth_a_row else []
