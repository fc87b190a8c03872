"""How the report writes what several of its sections write: dates, hashes, excerpts, judges' names."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from medreview.cli.reports.page_parts import Run, several_lines
from medreview.units.excerpt import Piece

_DIGITS: Final = 12
"""Of a hash that is shown; exports have all."""
_SPACE: Final = "\N{NO-BREAK SPACE}"


def date(at: str) -> str:
    """A stored time as a day and a minute, UTC; as it stands where it is none."""
    try:
        return datetime.fromisoformat(at).strftime("%Y-%m-%d %H:%M UTC")
    except ValueError:
        return at


def short_hash(digest: str) -> str:
    """The beginning of a hash."""
    return digest[:_DIGITS]


def excerpt_runs(pieces: Iterable[Piece], goes_on: bool = False) -> Iterator[Run]:
    """An excerpt of a text from outside, its places marked; an ellipsis where something was left out."""
    first = True
    for piece in pieces:
        if piece.gap:
            yield Run(f"…{_SPACE}" if first else " … ", "muted")
        first = False
        yield Run(several_lines(piece.text), "quote" if piece.marked else "")
    if goes_on:
        yield Run(f"{_SPACE}…", "muted")
