"""Some places of a text with a few words around them, as a report shows a long page."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

AROUND: Final = 160
"""Characters on either side of what is marked."""


class Piece(NamedTuple):
    """A piece of an excerpt; ``marked``: one of the places. ``gap``: something of the text lies between it and the
    piece before it, or before the first."""

    text: str
    marked: bool = False
    gap: bool = False


def excerpt(text: str, spans: Iterable[tuple[int, int]], around: int = AROUND) -> tuple[list[Piece], bool]:
    """The places with whole words around them, in their order; and whether the text goes on behind the last piece.

    Places that overlap are one; those whose surroundings meet stand in one piece of text. Without a place it is empty.
    """
    places = _joined(spans)
    windows: list[tuple[int, int]] = []
    for start, end in places:
        low, high = _word_start(text, start - around), _word_end(text, end, around)
        if windows and low <= windows[-1][1]:
            low, high = windows[-1][0], max(high, windows.pop()[1])
        windows.append((low, high))
    pieces: list[Piece] = []
    for low, high in windows:
        at, gap = low, low > 0
        for start, end in places:
            if low <= start < high:
                pieces += [Piece(text[at:start], gap=gap), Piece(text[start:end], marked=True)]
                at, gap = end, False
        pieces.append(Piece(text[at:high]))
    return [piece for piece in pieces if piece.text or piece.gap], bool(windows and windows[-1][1] < len(text))


def _joined(spans: Iterable[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif end > start:
            found.append((start, end))
    return found


def _word_start(text: str, place: int) -> int:
    """The beginning of the first word from a place on; 0 before the text."""
    return 0 if place <= 0 else text.find(" ", place) + 1


def _word_end(text: str, end: int, around: int) -> int:
    """The end of the last word before so many characters behind a place; the end of the text beyond it."""
    place = end + around
    return len(text) if place >= len(text) else max(text.rfind(" ", end, place), end)
