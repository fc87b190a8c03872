"""Frames: the content words beside a word, nearest first, which tell whether two sentences say the same around it."""

from typing import Final, NamedTuple

from medreview.evidence.function_words import word_set
from medreview.evidence.sentence_analysis import SentenceAnalysis

REACH: Final = 6
"""Content words on each side that make a frame."""
BESIDE: Final = 2
"""What an equal word right beside counts more than one further away."""
PEOPLE: Final = word_set(
    "patient patients people person persons individual individuals participant participants subject subjects"
)
"""Words for those whom a sentence is about, one as good as another."""
_PEOPLE: Final = "people"
MOST_COMPARED: Final = 20
"""Words of one kind in a text whose frames are compared: the work on a pair stays bounded."""


class Frame(NamedTuple):
    """The terms of the content words before and after a word, the nearest first."""

    before: tuple[str, ...]
    after: tuple[str, ...]


def frame(sentence: SentenceAnalysis, first: int, end: int) -> Frame:
    """The frame of the words from one index to another, which is not included."""
    return Frame(
        _content(sentence, range(first - 1, -1, -1)),
        _content(sentence, range(end, len(sentence.words))),
    )


def _content(sentence: SentenceAnalysis, indices: range) -> tuple[str, ...]:
    found: list[str] = []
    for at in indices:
        word = sentence.words[at]
        if word.is_content:
            found.append(_PEOPLE if word.key in PEOPLE else word.term)
            if len(found) == REACH:
                break
    return tuple(found)


def likeness(one: Frame, other: Frame) -> int:
    """The number of shared terms; an equal word right before or right after counts ``1 + BESIDE``."""
    shared = len({*one.before, *one.after} & {*other.before, *other.after})
    return shared + BESIDE * (_equal_beside(one.before, other.before) + _equal_beside(one.after, other.after))


def beside(one: Frame, other: Frame) -> bool:
    """Whether a word right beside is the same, on either side: ``mild croup``, ``croup is severe``."""
    return bool({*one.before[:1], *one.after[:1]} & {*other.before[:1], *other.after[:1]})


def _equal_beside(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return bool(one and other) and one[0] == other[0]
