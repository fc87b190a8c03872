"""The outputs of a ranking side by side: one text whose rows hold a row of each, with their names above."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from medreview.review.cell_width import fit, width
from medreview.review.typography import set_prose
from medreview.screens.widgets.painted import Row, StyledText
from medreview.units.kind import Document
from medreview.visible import visible

_LEAST: Final = 24
"""Cells of an output in which it can be read."""
_BETWEEN: Final = " │ "


def in_columns(documents: Sequence[Document], room: int) -> str:
    """The texts beside each other in so many cells; ``""`` where there are not two, or they have no room for it."""
    wide = _width(len(documents), room)
    if len(documents) < 2 or wide < _LEAST:
        return ""
    columns = [_rows(visible(document.text), wide) for document in documents]
    return "\n".join(
        _BETWEEN.join(fit(part, wide, "") for part in parts).rstrip() for parts in zip_longest(*columns, fillvalue="")
    )


def names_row(documents: Sequence[Document], room: int, margin: int, here: int, search: str) -> Row:
    """The names above them, behind a margin; that of the text ``here`` stands out. ``search``: which hit one is at."""
    wide = _width(len(documents), room)
    row: list[StyledText] = [("─" * (margin - 1) + " ", "rule")]
    for place, document in enumerate(documents):
        name = visible(document.title)
        name = fit(name, min(width(name), wide))
        row += [(name, "title" if place == here else ""), (f" {'─' * (wide - width(name) + 1)} ", "rule")]
    if search:
        row[-1] = (" ", "rule")
    return [*row, ("─", "rule fill"), *([(f" {search} ─", "search")] if search else [])]


def _width(count: int, room: int) -> int:
    return (room - len(_BETWEEN) * (count - 1)) // max(1, count)


def _rows(text: str, wide: int) -> list[str]:
    return ["".join(words for words, _ in row).rstrip() for row in set_prose(text, wide)]
