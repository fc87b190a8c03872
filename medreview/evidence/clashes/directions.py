"""Direction: increase against decrease, better against worse, of the same thing."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.comparisons import is_mirrored
from medreview.evidence.clashes.context import span_of
from medreview.evidence.clashes.frames import MOST_COMPARED, frame, likeness
from medreview.evidence.lexicon import OPPOSITES
from medreview.evidence.sentence_analysis import SCOPE, SentenceAnalysis, Word

ALIKE: Final = 3
"""Likeness of two frames from which on both words say something of the same."""
COMPARED: Final = frozenset({"more", "less", "faster", "slower"})
"""Directions of the word after them, whatever it is."""
_NEXT: Final = 2
"""Content words after a direction among which is what goes up or down."""
_BREAKS: Final = re.compile(r"[;:,()]|\b(?:while|whereas|but|although|though|and|because)\b", re.IGNORECASE)


class Directed(NamedTuple):
    """A word with a direction: its index, and its side in a pair of ``OPPOSITES``."""

    at: int
    word: Word
    side: int


def directions(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A direction in the statement, and the opposite of the same thing in the passage, which the statement lacks."""
    for pair in OPPOSITES:
        claimed = _directed(claim, pair)
        written = _directed(evidence, pair) if claimed else []
        sides = {other.side for other in written}
        for one in claimed if written else ():
            if one.word.key in COMPARED and one.side in sides:
                continue
            against = max((found for found in _alike(claim, one, evidence, written, -1)), default=None)
            if against is None or not _of_the_same(claim, one, evidence, against[1]):
                continue
            along = max((score for score, _ in _alike(claim, one, evidence, written, 1)), default=0)
            better = max((score for score, _ in _alike(evidence, against[1], claim, claimed, 1)), default=0)
            if against[0] >= ALIKE and against[0] > max(along, better) and not is_mirrored(claim, evidence):
                yield Clash("direction", span_of(one.word), span_of(against[1].word))
                return


def _alike(
    sentence: SentenceAnalysis, one: Directed, other: SentenceAnalysis, words: list[Directed], sign: int
) -> Iterator[tuple[int, Directed]]:
    """The words of another sentence with the same side (``sign`` 1) or the other (-1), with the frames' likeness."""
    own = frame(sentence, one.at, one.at + 1)
    for word in words:
        if word.word.negated == one.word.negated and (word.side == one.side) == (sign > 0):
            yield likeness(own, frame(other, word.at, word.at + 1)), word


def _of_the_same(claim: SentenceAnalysis, one: Directed, evidence: SentenceAnalysis, other: Directed) -> bool:
    """Whether what goes up in one goes down in the other: a noun beside both, in the same clause."""
    before, after = _beside(claim, one.at)
    others_before, others_after = _beside(evidence, other.at)
    if one.word.key in COMPARED or other.word.key in COMPARED:
        return bool(after[:1]) and after[:1] == others_after[:1]
    return bool(
        {*after[:1]} & {*others_before[:1], *others_after}
        or {*others_after[:1]} & {*before[:1], *after}
        or {*before[:1]} & {*others_before[:1]}
    )


def _beside(sentence: SentenceAnalysis, at: int) -> tuple[list[str], list[str]]:
    """The terms of the content words before and after a word up to the end of its clause, the nearest first."""
    word = sentence.words[at]
    before: list[str] = []
    for near in reversed(sentence.words[max(0, at - 2 * SCOPE) : at]):
        if len(before) == _NEXT or _BREAKS.search(sentence.text, near.start, word.start):
            break
        before += [near.term] if _counts(near) else []
    after: list[str] = []
    for near in sentence.words[at + 1 : at + 1 + 2 * SCOPE]:
        if len(after) == _NEXT or _BREAKS.search(sentence.text, word.end, near.end):
            break
        after += [near.term] if _counts(near) else []
    return before, after


def _directed(sentence: SentenceAnalysis, pair: tuple[frozenset[str], frozenset[str]]) -> list[Directed]:
    if sentence.keys.isdisjoint(pair[0]) and sentence.keys.isdisjoint(pair[1]):
        return []
    found = (
        Directed(at, word, side)
        for at, word in enumerate(sentence.words)
        for side in (0, 1)
        if word.key in pair[side] and not _in_quantity(sentence, word)
    )
    return list(islice(found, MOST_COMPARED))


def _in_quantity(sentence: SentenceAnalysis, word: Word) -> bool:
    """Whether a word is part of a quantity (``below 30``)."""
    return any(quantity.start <= word.start < quantity.end for quantity in sentence.quantities)


def _counts(word: Word) -> bool:
    """Whether a word may be what goes up or down; ``significantly`` is not."""
    return word.is_content and not word.key.endswith("ly")
