"""Rows that went up or down together: the terminal can move them itself."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from medreview.screens.output.cells import Row, blank
from medreview.screens.output.cursor import move

_FEWEST: Final = 3
"""Rows that must have moved together: moving them takes some twenty bytes, fewer than three rows do."""


class Scroll(NamedTuple):
    """``by`` rows upwards (below 0: downwards) within the rows from ``top`` to ``bottom``, counted from 0."""

    top: int
    bottom: int
    by: int

    def sequence(self) -> str:
        """What makes the terminal do so; the rows that come free are blank if no style is set. The cursor is lost."""
        feed = "\n" * self.by if self.by > 0 else "\x1bM" * -self.by
        edge = self.bottom if self.by > 0 else self.top
        return f"\x1b[{self.top + 1};{self.bottom + 1}r{move(edge, 0, -1, -1)}{feed}\x1b[r"

    def moved(self, rows: Sequence[Row | None], width: int) -> list[Row | None]:
        """What stands on the screen when it has."""
        within = list(rows[self.top : self.bottom + 1])
        free: list[Row | None] = [blank(width)] * abs(self.by)
        within = within[self.by :] + free if self.by > 0 else free + within[: self.by]
        return [*rows[: self.top], *within, *rows[self.bottom + 1 :]]


def scrolled(old: Sequence[Row | None], new: Sequence[Row]) -> Scroll | None:
    """How most of the rows that changed have moved, if some did."""
    stood = {
        "".join(before.signs): y
        for y, (before, after) in enumerate(zip(old, new, strict=True))
        if before is not None and before is not after
    }
    if len(stood) < _FEWEST:
        return None
    moves: dict[int, list[int]] = {}
    for y, (before, after) in enumerate(zip(old, new, strict=True)):
        if before is not after and (came_from := stood.get("".join(after.signs), y)) != y:
            moves.setdefault(came_from - y, []).append(y)
    if not moves:
        return None
    by, rows = max(moves.items(), key=lambda it: len(it[1]))
    if len(rows) < _FEWEST:
        return None
    return Scroll(min(rows[0], rows[0] + by), max(rows[-1], rows[-1] + by), by)
