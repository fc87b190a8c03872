"""Jump hints: one or two letters for every word in sight, so that a span is set by its first and its last word."""

from typing import Final, NamedTuple

from medreview.review.span_editing import word_spans

LETTERS: Final = "asdfghjklqwertyuiopzxcvbnm"
"""Home row first. Digits are verdicts, here as everywhere."""


class WordHint(NamedTuple):
    """A word of a text and the letters that name it."""

    start: int
    end: int
    letters: str


def word_hints(text: str, start: int, end: int) -> tuple[WordHint, ...]:
    """Hints for the words that begin in a range of the text; no hint is the beginning of another.

    As many words as can have one letter; the last ones have two. A word that leaves no room for its letters before the
    next one begins has none, and so have those beyond the 676th.
    """
    words = [word for word in word_spans(text, start, end) if start <= word.start < end]
    names = _names(len(words))
    found = []
    for number, (word, letters) in enumerate(zip(words, names, strict=False)):
        room = (words[number + 1].start if number + 1 < len(words) else len(text)) - word.start
        if len(letters) <= room:
            found.append(WordHint(*word, letters))
    return tuple(found)


def hints_left(hints: tuple[WordHint, ...], typed: str) -> tuple[WordHint, ...]:
    """Those whose letters begin with what was typed; the only one is meant when its letters are that."""
    return tuple(hint for hint in hints if hint.letters.startswith(typed))


def with_hints(shown: str, hints: tuple[WordHint, ...], typed: str = "") -> str:
    """A text of the same length, with the letters that are still to be typed in the place of the words' first ones."""
    pieces, at = [], 0
    for hint in hints:
        letters = hint.letters[len(typed) :]
        pieces += [shown[at : hint.start], letters]
        at = hint.start + len(letters)
    return "".join((*pieces, shown[at:]))


def _names(count: int) -> list[str]:
    size = len(LETTERS)
    # With so many first letters of two, the rest stand alone.
    doubled = next((many for many in range(size) if size - many + many * size >= count), size)
    alone, first = LETTERS[: size - doubled], LETTERS[size - doubled :]
    return [*alone, *(one + other for one in first for other in LETTERS)]
