"""Comparisons with the sides exchanged: A more than B against B more than A."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.function_words import word_set
from medreview.evidence.meaning_words import is_number
from medreview.evidence.sentence_analysis import SentenceAnalysis, Word
from medreview.text import Span

MORE: Final = word_set(
    """
    more higher greater larger longer better faster stronger earlier older superior safer quicker cheaper commoner worse
    heavier bigger deeper easier preferred preferable
    """
)
LESS: Final = word_set("less lower fewer smaller shorter slower weaker later younger inferior lighter rarer")
BETWEEN: Final = word_set("than versus vs compared")
"""Words between the two sides; besides these what stands behind the words of :data:`_RANKING`."""
_RANKING: Final = {"superior": ("to",), "inferior": ("to",), "preferred": ("over", "to"), "preferable": ("to",)}
SIDE_WORDS: Final = 12
"""Words of a side at most, counted from the word between the two."""
_ENDS: Final = word_set("but although though whereas while because if which so")


class Comparison(NamedTuple):
    """The words before and after, the word that says which is more, its sign (1 or -1), and the number behind the word
    right after (``than type 2``)."""

    before: tuple[Word, ...]
    after: tuple[Word, ...]
    degree: Word
    sign: int
    number: str


def comparisons(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A comparison in which each side has what the other's opposite side has, with the same sign."""
    claimed = comparison(claim)
    written = comparison(evidence) if claimed is not None else None
    if claimed is None or written is None:
        return
    crossed = _crossed(claimed, written)
    if crossed is None or crossed != (claimed.sign == written.sign) or claimed.degree.negated != written.degree.negated:
        return
    yield Clash("roles", _span(claimed), _span(written))


def comparison(sentence: SentenceAnalysis) -> Comparison | None:
    """The only comparison of a sentence; ``None`` when it has none, or several."""
    words = sentence.words
    if BETWEEN.isdisjoint(sentence.keys) and _RANKING.keys().isdisjoint(sentence.keys):
        return None
    places = [
        at
        for at, word in enumerate(words)
        if word.key in BETWEEN or (at and word.key in _RANKING.get(words[at - 1].key, ()))
    ]
    if len(places) != 1:
        return None
    at = places[0]
    degrees = [word for word in words[:at] if word.key in MORE or word.key in LESS]
    if len(degrees) != 1:
        return None
    degree = degrees[0]
    before = _side(sentence, range(at - 1, -1, -1))
    after = _side(sentence, range(at + 1, len(words)))
    if not before or not after:
        return None
    number = next((word.key for word in words if word.start > after[0].start), "")
    return Comparison(before, after, degree, 1 if degree.key in MORE else -1, number if is_number(number) else "")


def _side(sentence: SentenceAnalysis, indices: range) -> tuple[Word, ...]:
    found = []
    for at in indices[:SIDE_WORDS]:
        word = sentence.words[at]
        if word.key in _ENDS:
            break
        if word.is_content and word.key not in MORE and word.key not in LESS:
            found.append(word)
    return tuple(found)


def _crossed(one: Comparison, other: Comparison) -> bool | None:
    """Whether the sides are exchanged; ``None`` when the words do not tell."""
    if one.number != other.number:
        return None
    before, after = _own_terms(one)
    others_before, others_after = _own_terms(other)
    exchanged = bool(after & others_before), bool(before & others_after)
    # the side is the word right after; what both name besides, such as the outcome, is none
    kept = one.after[0].term == other.after[0].term
    if all(exchanged) and not kept:
        return True
    return False if kept and not any(exchanged) else None


def _own_terms(comparison: Comparison) -> tuple[frozenset[str], frozenset[str]]:
    """The terms of each side that the other side does not have."""
    before = frozenset(word.term for word in comparison.before)
    after = frozenset(word.term for word in comparison.after)
    return before - after, after - before


def _span(comparison: Comparison) -> Span:
    return Span(comparison.degree.start, max(comparison.degree.end, comparison.after[0].end))


def is_mirrored(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> bool:
    """Whether both make the same comparison with the sides exchanged (A less than B, B more than A)."""
    claimed, other = _sides_of_than(claim), _sides_of_than(evidence)
    if claimed is None or other is None:
        return False
    crossed = len(claimed[0] & other[1]) + len(claimed[1] & other[0])
    return crossed >= len(claimed[0] & other[0]) + len(claimed[1] & other[1]) or bool(
        claimed[1] & (other[0] - other[1])
    )


def _sides_of_than(sentence: SentenceAnalysis) -> tuple[frozenset[str], frozenset[str]] | None:
    """The content terms before and after ``than``."""
    at = next((word.start for word in sentence.words if word.key == "than"), None)
    if at is None:
        return None
    content = [word for word in sentence.words if word.is_content]
    return (
        frozenset(word.term for word in content if word.start < at),
        frozenset(word.term for word in content if word.start > at),
    )
