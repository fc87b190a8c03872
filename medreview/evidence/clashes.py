"""Clashes: where a statement and a passage say what cannot both be true, with the two places that disagree.

Rules, kept narrow on purpose: a clash that is wrong costs the reviewer's trust. Each needs the two sentences to share
much of their content, and the two places to be about the same thing.
"""

import re
from collections.abc import Iterator
from itertools import product
from math import isclose
from typing import Final, Literal, NamedTuple

from medreview.evidence.lexicon import (
    AUXILIARIES,
    DENIED_NOUNS,
    OPPOSITES,
    POPULATIONS,
    POSSIBLE,
    PREPOSITIONS,
    REQUIRED,
    VERB_NEGATIONS,
    is_negation,
    negated_form,
    negated_forms,
)
from medreview.evidence.quantities import Quantity
from medreview.evidence.sentence_analysis import SentenceAnalysis, Word, read
from medreview.evidence.terms import Vocabulary
from medreview.evidence.units import MeasureUnit, parse_unit
from medreview.text import Span

ClashKind = Literal[
    "number", "unit", "range", "comparison", "direction", "negation", "modality", "population", "significance"
]

MIN_SHARED: Final = 0.4
"""Share of the statement's content words that must stand in the passage for numbers to be compared."""
MIN_ALIKE: Final = 0.5
"""The same for words: direction, negation, modality, population, significance."""
BOUNDS: Final = ("<", "<=", ">", ">=")
REACH: Final = 5
"""How many words around a place tell what it is about."""
CONTEXT: Final = 8
"""The same for a denied word, whose subject may stand further off."""

_PER: Final = re.compile(r"/|\s+(?:per|a|an|each|every)\b", re.IGNORECASE)
_NOT_SIGNIFICANT: Final = re.compile(
    r"\b(?:no|not|non|without|neither|nor|n['’]t)\b[\s-]+(?:\w+\s+){0,3}?(?:statistically\s+)?significan(?:t|tly|ce)\b"
    r"|\bnonsignifican(?:t|tly)\b|\binsignifican(?:t|tly)\b|\bno (?:\w+ )?differences?\b|\b(?:not|n['’]t) differ\b"
    r"|\bN\.?S\.?(?=[\s),;]|$)|\bsimilar (?:in|between|across|among|for)\b|\bfailed to (?:show|reach|find)\b",
    re.IGNORECASE,
)
_SIGNIFICANT: Final = re.compile(
    r"\bsignifican(?:t|tly)\b(?!\s(?:number|amount|part|portion|proportion|role|concern|burden)s?\b)", re.IGNORECASE
)
SIGNIFICANCE_LEVEL: Final = 0.05


class Clash(NamedTuple):
    """Two places that disagree; each range counts in its own text."""

    kind: ClashKind
    statement_span: Span
    source_span: Span


def clashes(statement: str, passage: str, at: int = 0, words: Vocabulary | None = None) -> list[Clash]:
    """The clashes between a statement and one passage of a source.

    ``at`` is the passage's place in the source: ``source_span`` then counts in the source.
    """
    ours, theirs = read(statement, words), read(passage, words)
    if not ours.content:
        return []
    shared = len(ours.content & theirs.content) / len(ours.content)
    found: list[Clash] = []
    if shared >= MIN_SHARED:
        found += _amounts(ours, theirs)
    if shared >= MIN_ALIKE:
        found += [*_significance(ours, theirs), *_populations(ours, theirs)]
        found += _directions(ours, theirs)
        found += [*_negations(ours, theirs), *_modality(ours, theirs)]
    return [Clash(kind, mine, Span(other.start + at, other.end + at)) for kind, mine, other in _distinct(found)]


def _distinct(found: list[Clash]) -> list[Clash]:
    """The clashes without those that say of the same two places what an earlier one said."""
    kept: list[Clash] = []
    for clash in found:
        if not any(
            clash.statement_span.overlap(other.statement_span) and clash.source_span.overlap(other.source_span)
            for other in kept
        ):
            kept.append(clash)
    return kept


# --- numbers


def comparable(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities measure the same: the same unit, or the same thing counted."""
    if one.unit != other.unit or one.unit == "p":
        return False
    return bool(one.unit) or (bool(one.noun) and one.noun.rstrip("s") == other.noun.rstrip("s"))


def agrees(one: Quantity, other: Quantity) -> bool:
    """Whether one quantity can stand for the other.

    Equal ones do; one inside the other's range does; an age or a time beyond the other's bound does. Two bounds of the
    same sense do not, nor a dose beyond a bound (50 mL/kg, at least 30 mL/kg): these are for the reviewer to see.
    """
    if one.equals(other):
        return True
    bounds = (one.sign in BOUNDS) + (other.sign in BOUNDS)
    if bounds == 2 or (bounds == 1 and one.unit not in ("h", "month", "")):
        return False
    return one.admits(other) or other.admits(one)


def _amounts(ours: SentenceAnalysis, theirs: SentenceAnalysis) -> Iterator[Clash]:
    settled = [q for q in theirs.quantities if any(comparable(q, s) and s.equals(q) for s in ours.quantities)]
    for mine in ours.quantities:
        same = [q for q in theirs.quantities if comparable(mine, q)]
        equal = [q for q in same if agrees(mine, q)]
        if equal:
            opposite = [q for q in equal if _opposite(mine, q)]
            if opposite and len(opposite) == len(equal):
                yield Clash("comparison", _span(mine), _span(opposite[0]))
            continue
        slip = next((q for q in theirs.quantities if _slipped(mine, q)), None)
        if slip is not None:
            yield Clash("unit", _span(mine), _span(slip))
            continue
        rivals = [q for q in same if q not in settled]
        other = _closest(ours, mine, theirs, rivals)
        if other is not None:
            yield Clash(_kind(mine, other), _span(mine), _span(other))
        elif not same and mine.written:
            yield from _other_unit(ours, mine, theirs)


def _slipped(one: Quantity, other: Quantity) -> bool:
    """The same number before a smaller or larger unit of the same kind: 500 mg, 500 micrograms.

    That is hardly ever chance, wherever in the passage it stands, and a thousandfold error when it is none.
    """
    if "/day" in (one.unit, other.unit) or not isclose(one.number, other.number):
        return False
    mine, theirs = _amount_unit(one), _amount_unit(other)
    return mine is not None and theirs is not None and mine.base == theirs.base and mine.factor != theirs.factor


def _amount_unit(quantity: Quantity) -> MeasureUnit | None:
    """The unit before what it is counted for: mg of "mg per kilogram a day"."""
    return parse_unit(_PER.split(quantity.written, maxsplit=1)[0]) if quantity.written else None


def _opposite(one: Quantity, other: Quantity) -> bool:
    signs = {one.sign[0], other.sign[0]}
    return signs == {"<", ">"} and one.equals(other)


def _kind(mine: Quantity, other: Quantity) -> ClashKind:
    if mine.unit in ("type", "grade", "stage", "class", "phase"):
        return "population"
    if mine.written and mine.number == other.number and mine.written.casefold() != other.written.casefold():
        return "unit"
    return "range" if mine.is_range and other.is_range else "number"


def _closest(
    ours: SentenceAnalysis, mine: Quantity, theirs: SentenceAnalysis, rivals: list[Quantity]
) -> Quantity | None:
    """The quantity of the passage that stands among the same words; none when that is a guess."""
    if not rivals:
        return None
    near = ours.around(mine.start, mine.end, REACH)
    counted = sorted(((len(near & theirs.around(q.start, q.end, REACH)), q) for q in rivals), key=lambda pair: -pair[0])
    best, quantity = counted[0]
    if best == 0 or (len(counted) > 1 and counted[1][0] == best):
        return None
    return quantity


def _other_unit(ours: SentenceAnalysis, mine: Quantity, theirs: SentenceAnalysis) -> Iterator[Clash]:
    """The same number with a unit of another kind: 5 mg, 5 mL."""
    for other in theirs.quantities:
        if not other.written or other.unit == "/day" or mine.unit == "/day" or other.unit == mine.unit:
            continue
        # mg against mg/kg may be the same dose told in two ways
        if other.unit.split("/")[0] == mine.unit.split("/")[0] or not isclose(mine.number, other.number):
            continue
        if len(ours.around(mine.start, mine.end, REACH) & theirs.around(other.start, other.end, REACH)) >= 2:
            yield Clash("unit", _span(mine), _span(other))
            return


def _span(quantity: Quantity) -> Span:
    return Span(quantity.start, quantity.end)


# --- words


def _directions(ours: SentenceAnalysis, theirs: SentenceAnalysis) -> Iterator[Clash]:
    for pair in OPPOSITES:
        for side, opposite in (pair, pair[::-1]):
            mine = [word for word in ours.words if word.key in side and not _measures(ours, word)]
            other = [word for word in theirs.words if word.key in opposite and not _measures(theirs, word)]
            # Both directions on one side: arms or outcomes are set against each other, and the words do not tell which.
            if not mine or not other or ours.keys & opposite or theirs.keys & side:
                continue
            for word in mine:
                match = _about_same(ours, word, theirs, [o for o in other if o.denied == word.denied])
                if match is not None and not _turned(ours, theirs):
                    yield Clash("direction", _place(word), _place(match))
                    return


def _measures(reading: SentenceAnalysis, word: Word) -> bool:
    """Whether a word belongs to a quantity (``below 30``)."""
    return any(quantity.start <= word.start < quantity.end for quantity in reading.quantities)


def _turned(ours: SentenceAnalysis, theirs: SentenceAnalysis) -> bool:
    """Whether the two set the same things against each other the other way round (A less than B, B more than A)."""
    mine, other = _than(ours), _than(theirs)
    if mine is None or other is None:
        return False
    crossed = len(mine[0] & other[1]) + len(mine[1] & other[0])
    return crossed >= len(mine[0] & other[0]) + len(mine[1] & other[1]) or bool(mine[1] & (other[0] - other[1]))


def _than(reading: SentenceAnalysis) -> tuple[frozenset[str], frozenset[str]] | None:
    """The content terms before and after ``than``."""
    at = next((word.start for word in reading.words if word.key == "than"), None)
    if at is None:
        return None
    content = [word for word in reading.words if word.counts]
    return (
        frozenset(word.term for word in content if word.start < at),
        frozenset(word.term for word in content if word.start > at),
    )


def _about_same(ours: SentenceAnalysis, word: Word, theirs: SentenceAnalysis, others: list[Word]) -> Word | None:
    near = ours.around(word.start, word.end, REACH)
    counted = [(len(near & theirs.around(other.start, other.end, REACH)), other) for other in others]
    best = max(counted, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] >= 2 else None


def _negations(ours: SentenceAnalysis, theirs: SentenceAnalysis) -> Iterator[Clash]:
    """A word that both share and one denies; a pair such as ``effective`` and ``ineffective``."""
    plain, denied = _by_denial(ours)
    others, denied_others = _by_denial(theirs)
    for term in sorted(plain.keys() & denied_others.keys()):
        mine, other = plain[term], denied_others[term]
        if term not in denied and term not in others and _alike(ours, mine, theirs, other) >= 2:
            yield Clash("negation", _place(mine), _from_negation(theirs, other))
            return
    for term in sorted(denied.keys() & others.keys()):
        mine, other = denied[term], others[term]
        if term not in plain and term not in denied_others and _alike(ours, mine, theirs, other) >= 2:
            yield Clash("negation", _from_negation(ours, mine), _place(other))
            return
    turned = [word for word in ours.words if not negated_forms(word.key).isdisjoint(theirs.keys)]
    for mine, other in product(turned, theirs.words):
        if (
            negated_form(mine.key, other.key)
            and mine.denied == other.denied
            and mine.key not in theirs.keys
            and other.key not in ours.keys
            and _alike(ours, mine, theirs, other) >= 2
        ):
            yield Clash("negation", _place(mine), _place(other))
            return


def _alike(ours: SentenceAnalysis, mine: Word, theirs: SentenceAnalysis, other: Word) -> int:
    """How many content words stand around both words."""
    return len(ours.around(mine.start, mine.end, CONTEXT) & theirs.around(other.start, other.end, CONTEXT))


def _by_denial(reading: SentenceAnalysis) -> tuple[dict[str, Word], dict[str, Word]]:
    """Content words that are said, and those that a negation denies: the one that it stands before."""
    plain: dict[str, Word] = {}
    denied: dict[str, Word] = {}
    significance_spans = [match.span() for match in _NOT_SIGNIFICANT.finditer(reading.text)]
    for at, word in enumerate(reading.words):
        if is_negation(word.key):
            head = _denied_by(reading.words, at)
            within = any(start <= word.start < end for start, end in significance_spans)
            if head is not None and not within:
                denied.setdefault(head.term, head)
        elif word.counts and not word.denied:
            plain.setdefault(word.term, word)
    return plain, denied


def _denied_by(words: list[Word], at: int) -> Word | None:
    """The word that the negation at this place denies; none when it is a noun that leaves the sentence as it is."""
    for word in words[at + 1 : at + 5]:
        if not word.denied or word.key in PREPOSITIONS:
            return None
        if word.key in AUXILIARIES or word.key.endswith("ly"):
            continue
        if words[at].key in VERB_NEGATIONS:
            return word
        return word if word.key in DENIED_NOUNS else None
    return None


def _from_negation(reading: SentenceAnalysis, word: Word) -> Span:
    """The range from the negation to the word that it denies."""
    before = [w for w in reading.words if w.end <= word.start and is_negation(w.key)]
    return Span(before[-1].start if before else word.start, word.end)


def _modality(ours: SentenceAnalysis, theirs: SentenceAnalysis) -> Iterator[Clash]:
    """What must be against what may be, said of the same word."""
    for mine_set, other_set in ((REQUIRED, POSSIBLE), (POSSIBLE, REQUIRED)):
        if ours.keys & other_set or theirs.keys & mine_set:
            continue
        mine = [word for word in ours.words if word.key in mine_set]
        other = [word for word in theirs.words if word.key in other_set]
        for word in mine:
            match = _about_same(ours, word, theirs, [o for o in other if _next(theirs, o) == _next(ours, word)])
            if match is not None:
                yield Clash("modality", _place(word), _place(match))
                return


def _next(reading: SentenceAnalysis, word: Word) -> str:
    return next((w.term for w in reading.words if w.start >= word.end and w.counts), "")


def _populations(ours: SentenceAnalysis, theirs: SentenceAnalysis) -> Iterator[Clash]:
    for one, other in POPULATIONS:
        for side, opposite in ((one, other), (other, one)):
            if ours.keys & side and theirs.keys & opposite and not ours.keys & opposite and not theirs.keys & side:
                mine = next(word for word in ours.words if word.key in side)
                their = next(word for word in theirs.words if word.key in opposite)
                yield Clash("population", _place(mine), _place(their))


def _significance(ours: SentenceAnalysis, theirs: SentenceAnalysis) -> Iterator[Clash]:
    """``significantly`` against ``no significant difference`` or p > 0.05, and the other way round."""
    mine, other = significance(ours), significance(theirs)
    if mine is not None and other is not None and mine[0] != other[0] and _SIGNIFICANT.search(ours.text):
        yield Clash("significance", mine[1], other[1])


def significance(reading: SentenceAnalysis) -> tuple[bool, Span] | None:
    """Whether a sentence reports a significant finding, and where; ``None`` when it says nothing or both."""
    denials = [Span(*match.span()) for match in _NOT_SIGNIFICANT.finditer(reading.text)]
    claims = [Span(*match.span()) for match in _SIGNIFICANT.finditer(reading.text)]
    claims = [span for span in claims if not any(span.overlap(denial) for denial in denials)]
    for quantity in reading.quantities:
        if quantity.unit == "p" and 0 <= quantity.high <= 1:
            small = quantity.high < SIGNIFICANCE_LEVEL or (
                quantity.high <= SIGNIFICANCE_LEVEL and quantity.sign in ("<", "<=")
            )
            (claims if small and quantity.sign[0] != ">" else denials).append(_span(quantity))
    if bool(claims) == bool(denials):
        return None
    return (True, claims[0]) if claims else (False, denials[0])


def denies_significance(text: str) -> bool:
    """Whether a text says that a difference is not significant, or that there is none."""
    return _NOT_SIGNIFICANT.search(text) is not None


def _place(word: Word) -> Span:
    return Span(word.start, word.end)
