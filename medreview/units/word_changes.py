"""What differs between two wordings, word by word, in words that need no colour."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from medreview.text import Span

_WORD: Final = re.compile(r"\S+")
_LONGEST: Final = 5_000
"""Words; longer texts are compared as wholes."""


class Change(NamedTuple):
    """Words of the first text that became others of the second; one of both is empty where words went or came."""

    before: str
    after: str

    def __str__(self) -> str:
        if not self.after:
            return f"“{self.before}” left out"
        return f"“{self.before}” became “{self.after}”" if self.before else f"“{self.after}” added"


def changes(before: str, after: str) -> Iterator[Change]:
    """The changes in order; none when only white space differs. A single word between two changes is part of both,
    and so is the word after a change of a single one."""
    first, second = _WORD.findall(before), _WORD.findall(after)
    if max(len(first), len(second)) > _LONGEST:
        if first != second:
            yield Change(before, after)
        return
    for start, end, began, ended in _joined(first, second):
        if end - start == 1 == ended - began and first[end : end + 1] == second[ended : ended + 1]:
            end, ended = end + 1, ended + 1  # a number with what it counts
        yield Change(" ".join(first[start:end]), " ".join(second[began:ended]))


def differing_words(first: str, second: str) -> Iterator[tuple[Span, Span]]:
    """The places in both texts of the words that differ, in order; one of both is empty where words went or came."""
    places = [[Span(*word.span()) for word in _WORD.finditer(text)] for text in (first, second)]
    words = [[text[place.start : place.end] for place in of] for text, of in zip((first, second), places, strict=True)]
    if max(map(len, words)) > _LONGEST:
        yield Span(0, len(first)), Span(0, len(second))
        return
    for start, end, began, ended in _joined(*words):
        yield _range(places[0], start, end), _range(places[1], began, ended)


def _range(places: list[Span], start: int, end: int) -> Span:
    return Span(places[start].start, places[end - 1].end) if end > start else Span(0, 0)


def _joined(first: list[str], second: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Ranges of words that differ, in both; those that a single common word parts are one."""
    held: tuple[int, int, int, int] | None = None
    for kind, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if held is not None and a - held[1] <= 1:
            held = (held[0], b, held[2], d)
            continue
        if held is not None:
            yield held
        held = (a, b, c, d)
    if held is not None:
        yield held
