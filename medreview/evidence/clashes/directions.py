"""Direction and sides: increase against decrease, comparisons with the sides exchanged, who does what to whom.

Directions are of the same thing: increase against decrease, better against worse. Comparisons are A more than B against
B more than A. Roles are warfarin increases the effect of X against X increases the effect of warfarin.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

from medreview.evidence.clashes.clash import MOST_COMPARED, Clash, frame, likeness, span_of
from medreview.evidence.lexicon import OPPOSITES, PHRASE_PREPOSITIONS
from medreview.evidence.meaning_words import is_number
from medreview.evidence.sentence_analysis import SCOPE, SentenceAnalysis, Word
from medreview.evidence.terms import stem
from medreview.text import Span, word_set

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


_ACTIONS: Final = word_set(
    """
    increase raise enhance potentiate elevate decrease reduce lower diminish impair inhibit block suppress
    antagonise antagonize activate induce stimulate cause trigger provoke prevent treat lead result displace
    replace precede follow predict mask mimic worsen exacerbate improve prolong shorten delay accelerate convert
    infect transmit counteract reverse affect produce release
    """
)
"""Verbs with somebody who does it before them, and somebody it is done to after them."""
_BE: Final = word_set("is are was were be been being")
_CLAUSE_BREAKS: Final = word_set("and but although though whereas while because if which so that")
_ADVERBS: Final = word_set("often sometimes seldom mostly usually")
_BEFORE_NOUNS: Final = PHRASE_PREPOSITIONS | word_set("a an the no any")
REACH: Final = 7
"""Words on each side of the verb that may be who or whom."""


@cache
def actions() -> frozenset[str]:
    """The stems of the verbs that say a deed; made when they are first asked for."""
    return frozenset(map(stem, _ACTIONS))


class Deed(NamedTuple):
    """What a verb says: the terms of who does it, and of whom it is done to; its span from the first to the last."""

    doer: frozenset[str]
    done_to: frozenset[str]
    negated: bool
    span: Span


def roles(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """The same verb in both, with who and whom exchanged; what two comparisons say is for ``comparisons`` to tell."""
    claimed = _deeds(claim)
    if not claimed or (comparison(claim) is not None and comparison(evidence) is not None):
        return
    written = _deeds(evidence)
    for verb, deed in claimed.items():
        other = written.get(verb)
        if (
            other is not None
            and other.negated == deed.negated
            and deed.doer & other.done_to
            and deed.done_to & other.doer
            and not deed.doer & other.doer
            and not (deed.done_to & other.done_to) & (deed.doer | other.doer)
        ):
            yield Clash("roles", deed.span, other.span)


def _deeds(sentence: SentenceAnalysis) -> dict[str, Deed]:
    """By verb, what is said with it; a verb that is there twice is left out."""
    found: dict[str, Deed] = {}
    twice: set[str] = set()
    words = sentence.words
    for at, word in enumerate(words):
        if not _is_action(word) or _says_no_deed(words, at):
            continue
        before, after = _party(words, range(at - 1, -1, -1)), _party(words, range(at + 1, len(words)))
        if not before or not after:
            continue
        if word.term in found:
            twice.add(word.term)
        span = Span(min(w.start for w in before), max(w.end for w in after))
        left, right = (frozenset(w.term for w in side) for side in (before, after))
        by = [w.key in ("by", "with") for w in words[at + 1 : at + 4]]
        # a cough caused by it, a cough is best treated with it; not: reduced the cough by half
        passive = any(by[:1]) or (any(by) and any(w.key in _BE for w in words[max(0, at - 3) : at]))
        found[word.term] = Deed(right, left, word.negated, span) if passive else Deed(left, right, word.negated, span)
    return {verb: deed for verb, deed in found.items() if verb not in twice}


def _party(words: list[Word], indices: range) -> list[Word]:
    found = []
    for at in indices[:REACH]:
        if words[at].key in _CLAUSE_BREAKS:
            break
        if words[at].is_content and not _is_action(words[at]) and not _is_adverb(words[at]):
            found.append(words[at])
    return found


def _is_action(word: Word) -> bool:
    """Whether a word is one of the verbs; ``lower`` is an adjective more often than not."""
    return word.is_content and word.key != "lower" and stem(word.key) in actions()


def _is_adverb(word: Word) -> bool:
    return word.key in _ADVERBS or word.key.endswith("ly")


def _says_no_deed(words: list[Word], at: int) -> bool:
    """Whether a form in -ed stands before a noun (``by improved sleep``) or without an object (``improved in``)."""
    if not words[at].key.endswith("ed"):
        return False
    return words[at - 1 if at else at].key in _BEFORE_NOUNS or any(
        word.key in PHRASE_PREPOSITIONS - {"by", "with"} for word in words[at + 1 : at + 2]
    )
