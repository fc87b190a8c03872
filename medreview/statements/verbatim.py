"""A statement that was made elsewhere, found again in its response, whatever its white space, emphasis and markers."""

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from medreview.citations.markers import Marker
from medreview.text import Span

_IGNORED: Final = frozenset("*_`\\")
_CLOSING: Final = frozenset(".,;:!?)")


class VerbatimText:
    """A response in which statements are found word by word; prepared when the first is looked for."""

    def __init__(self, response: str, markers: Sequence[Marker]) -> None:
        self._response, self._markers = response, markers

    @cached_property
    def _prepared(self) -> tuple[str, list[int]]:
        return _plain(self._response, self._markers)

    def find(self, statement: str) -> Span | None:
        """Where the response says a statement; ``None`` when it does not, or when the statement has no words."""
        wanted, _ = _plain(statement, ())
        wanted = wanted.strip().rstrip(".;:")
        text, at = self._prepared
        found = text.find(wanted) if wanted else -1
        return None if found < 0 else Span(at[found], at[found + len(wanted) - 1] + 1)


def _plain(text: str, markers: Sequence[Marker]) -> tuple[str, list[int]]:
    """The text in small letters without markers and emphasis, with single blanks, and the offset of each character."""
    marked = {offset for marker in markers for offset in range(marker.start, marker.end)}
    characters: list[str] = []
    at: list[int] = []
    for offset, character in enumerate(text):
        if offset in marked or character in _IGNORED:
            continue
        blank = character.isspace()
        if blank and (not characters or characters[-1] == " "):
            continue
        if character in _CLOSING and characters and characters[-1] == " ":
            characters.pop()
            at.pop()
        small = character.lower()
        characters.append(" " if blank else small if len(small) == 1 else character)
        at.append(offset)
    return "".join(characters), at
