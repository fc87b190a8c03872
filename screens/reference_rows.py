"""What the rules say of the reference that names a source, in the rows above the source."""

from typing import Final

from medreview.review.layout.cells import fit, width
from medreview.review.layout.prose import prose_rows
from medreview.screens.widgets.painted import Row, StyledText
from medreview.units.cited_reference import SourceReference
from medreview.visible import visible

IN_PANES: Final = 3
"""Rows that it takes where the source has a pane of its own."""

_KEY: Final = (" L both readings ──", " L ──")
"""How to see more of it: as many words as there is room for."""


def reference_height(reference: SourceReference | None, *, one: bool) -> int:
    """Rows that it takes above the source; none where all is well: the bar has a word for that."""
    return 0 if reference is None or not reference.worth_a_row else 1 if one else IN_PANES


def reference_rows(reference: SourceReference, columns: int, most: int) -> list[Row]:
    """The verdict with what it names, and, in further rows, why."""
    said = visible(" ".join(reference.said.split()))
    told = next((words for words in _KEY if width(words) + width(said) + 4 <= columns), _KEY[-1])
    room = columns - width(told) - 4
    first: Row = [("   ", ""), (fit(said, min(width(said), room)), "badge"), ("", "fill"), (told, "key")]
    more = visible(" ".join(reference.more.split()))
    lines = [more[start:end].rstrip() for start, end in prose_rows(more, 0, len(more), max(1, columns - 4))]
    if len(lines) > most - 1:
        lines = [*lines[: max(0, most - 2)], *([f"{lines[most - 2][: columns - 5]}…"] if most > 1 else [])]
    return [first, *([("   ", ""), (line, "dim")] for line in lines)]


def reference_fact(reference: SourceReference | None) -> list[StyledText]:
    """A word in the bar for a reference that is fine."""
    return [(f" · {reference.said}", "dim")] if reference is not None and not reference.worth_a_row else []
