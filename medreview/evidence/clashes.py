"""Clashes: contradictions between a statement and a passage of a source, with the span of each in its text.

The rules favour precision over recall: a false alarm costs the reviewer's trust. Each requires that the two sentences
share much of their content, and that the two spans are about the same thing.
"""

import re
from collections.abc import Iterator
from itertools import product
from math import isclose
from typing import Final, Literal, NamedTuple

from medreview.evidence.lexicon import (
    AUXILIARIES,
    NEGATED_NOUNS,
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
from medreview.evidence.sentence_analysis import SentenceAnalysis, Word, analyse
from medreview.evidence.significance import claims_significance, significance, significance_denials
from medreview.evidence.terms import Vocabulary
from medreview.evidence.units import MeasureUnit, parse_unit
from medreview.text import Span

ClashKind = Literal[
    "number", "unit", "range", "comparison", "direction", "negation", "modality", "population", "significance"
]

MIN_SHARED: Final = 0.4
"""Minimum share of the statement's content words in the passage for numbers to be compared."""
MIN_SHARED_FOR_WORDS: Final = 0.5
"""The same for word rules: direction, negation, modality, population, significance."""
BOUNDS: Final = ("<", "<=", ">", ">=")
WINDOW: Final = 5
"""Context window: words on each side of a span that tell what it is about."""
WIDE_WINDOW: Final = 8
"""The same for a negated word, whose subject may be further away."""

_PER: Final = re.compile(r"/|\s+(?:per|a|an|each|every)\b", re.IGNORECASE)


class Clash(NamedTuple):
    """A contradiction; each span is a half-open range of code points of its own text."""

    kind: ClashKind
    statement_span: Span
    source_span: Span


def clashes(statement: str, passage: str, at: int = 0, words: Vocabulary | None = None) -> list[Clash]:
    """The clashes between a statement and one passage of a source.

    ``at`` is the offset of the passage in the source, so that ``source_span`` is a range of the source.
    """
    claim, evidence = analyse(statement, words), analyse(passage, words)
    if not claim.content:
        return []
    shared = len(claim.content & evidence.content) / len(claim.content)
    found: list[Clash] = []
    if shared >= MIN_SHARED:
        found += _amounts(claim, evidence)
    if shared >= MIN_SHARED_FOR_WORDS:
        found += [*_significance(claim, evidence), *_populations(claim, evidence)]
        found += _directions(claim, evidence)
        found += [*_negations(claim, evidence), *_modality(claim, evidence)]
    return [Clash(kind, claimed, Span(other.start + at, other.end + at)) for kind, claimed, other in _distinct(found)]


def _distinct(found: list[Clash]) -> list[Clash]:
    """The clashes without duplicates: those whose two spans overlap the spans of an earlier one."""
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
    """Whether two quantities are compatible.

    Equal ones are; one inside the other's range is; an age or a time that satisfies the other's bound is. Two bounds of
    the same direction are not, nor a dose that satisfies a bound (50 mL/kg, at least 30 mL/kg): the reviewer must see
    these.
    """
    if one.equals(other):
        return True
    bounds = (one.sign in BOUNDS) + (other.sign in BOUNDS)
    if bounds == 2 or (bounds == 1 and one.unit not in ("h", "month", "")):
        return False
    return one.includes(other) or other.includes(one)


def _amounts(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    equal_in_claim = [q for q in evidence.quantities if any(comparable(q, s) and s.equals(q) for s in claim.quantities)]
    for claimed in claim.quantities:
        same = [q for q in evidence.quantities if comparable(claimed, q)]
        equal = [q for q in same if agrees(claimed, q)]
        if equal:
            opposite = [q for q in equal if _opposite(claimed, q)]
            if opposite and len(opposite) == len(equal):
                yield Clash("comparison", _span(claimed), _span(opposite[0]))
            continue
        scale_error = next((q for q in evidence.quantities if _differs_in_scale(claimed, q)), None)
        if scale_error is not None:
            yield Clash("unit", _span(claimed), _span(scale_error))
            continue
        candidates = [q for q in same if q not in equal_in_claim]
        other = _closest(claim, claimed, evidence, candidates)
        if other is not None:
            yield Clash(_kind(claimed, other), _span(claimed), _span(other))
        elif not same and claimed.written:
            yield from _other_unit(claim, claimed, evidence)


def _differs_in_scale(one: Quantity, other: Quantity) -> bool:
    """Whether the same number has a smaller or larger unit of the same dimension: 500 mg, 500 micrograms.

    Anywhere in the passage this is hardly ever a coincidence, and otherwise a thousandfold error.
    """
    if "/day" in (one.unit, other.unit) or not isclose(one.number, other.number):
        return False
    first, second = _amount_unit(one), _amount_unit(other)
    return first is not None and second is not None and first.base == second.base and first.factor != second.factor


def _amount_unit(quantity: Quantity) -> MeasureUnit | None:
    """The unit before the first divisor: mg of "mg per kilogram a day"."""
    return parse_unit(_PER.split(quantity.written, maxsplit=1)[0]) if quantity.written else None


def _opposite(one: Quantity, other: Quantity) -> bool:
    signs = {one.sign[0], other.sign[0]}
    return signs == {"<", ">"} and one.equals(other)


def _kind(claimed: Quantity, other: Quantity) -> ClashKind:
    if claimed.unit in ("type", "grade", "stage", "class", "phase"):
        return "population"
    if claimed.written and claimed.number == other.number and claimed.written.casefold() != other.written.casefold():
        return "unit"
    return "range" if claimed.is_range and other.is_range else "number"


def _closest(
    claim: SentenceAnalysis, claimed: Quantity, evidence: SentenceAnalysis, candidates: list[Quantity]
) -> Quantity | None:
    """The candidate in the context with most shared words; ``None`` when that is ambiguous."""
    if not candidates:
        return None
    counted = [(_shared_context(claim, claimed, evidence, q, WINDOW), q) for q in candidates]
    counted.sort(key=lambda pair: -pair[0])
    best, quantity = counted[0]
    if best == 0 or (len(counted) > 1 and counted[1][0] == best):
        return None
    return quantity


def _other_unit(claim: SentenceAnalysis, claimed: Quantity, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """The same number with a unit of another dimension: 5 mg, 5 mL."""
    for other in evidence.quantities:
        if not other.written or other.unit == "/day" or claimed.unit == "/day" or other.unit == claimed.unit:
            continue
        # mg against mg/kg may be the same dose in two notations
        if other.unit.split("/")[0] == claimed.unit.split("/")[0] or not isclose(claimed.number, other.number):
            continue
        if _shared_context(claim, claimed, evidence, other, WINDOW) >= 2:
            yield Clash("unit", _span(claimed), _span(other))
            return


def _span(quantity: Quantity) -> Span:
    return Span(quantity.start, quantity.end)


# --- words


def _directions(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    for pair in OPPOSITES:
        for side, opposite in (pair, pair[::-1]):
            claimed = [word for word in claim.words if word.key in side and not _in_quantity(claim, word)]
            other = [word for word in evidence.words if word.key in opposite and not _in_quantity(evidence, word)]
            # Both directions in one text: it compares arms or outcomes, and the words do not tell which is which.
            if not claimed or not other or claim.keys & opposite or evidence.keys & side:
                continue
            for word in claimed:
                match = _in_same_context(claim, word, evidence, [o for o in other if o.negated == word.negated])
                if match is not None and not _is_mirrored(claim, evidence):
                    yield Clash("direction", _word_span(word), _word_span(match))
                    return


def _in_quantity(sentence: SentenceAnalysis, word: Word) -> bool:
    """Whether a word is part of a quantity (``below 30``)."""
    return any(quantity.start <= word.start < quantity.end for quantity in sentence.quantities)


def _is_mirrored(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> bool:
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


def _in_same_context(
    claim: SentenceAnalysis, word: Word, evidence: SentenceAnalysis, others: list[Word]
) -> Word | None:
    counted = [(_shared_context(claim, word, evidence, other, WINDOW), other) for other in others]
    best = max(counted, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] >= 2 else None


def _negations(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A word that both have and one negates; a pair such as ``effective`` and ``ineffective``."""
    affirmed, negated = _by_negation(claim)
    others, negated_others = _by_negation(evidence)
    for term in sorted(affirmed.keys() & negated_others.keys()):
        claimed, other = affirmed[term], negated_others[term]
        if (
            term not in negated
            and term not in others
            and _shared_context(claim, claimed, evidence, other, WIDE_WINDOW) >= 2
        ):
            yield Clash("negation", _word_span(claimed), _negation_span(evidence, other))
            return
    for term in sorted(negated.keys() & others.keys()):
        claimed, other = negated[term], others[term]
        if (
            term not in affirmed
            and term not in negated_others
            and _shared_context(claim, claimed, evidence, other, WIDE_WINDOW) >= 2
        ):
            yield Clash("negation", _negation_span(claim, claimed), _word_span(other))
            return
    with_prefix_change = [word for word in claim.words if not negated_forms(word.key).isdisjoint(evidence.keys)]
    for claimed, other in product(with_prefix_change, evidence.words):
        if (
            negated_form(claimed.key, other.key)
            and claimed.negated == other.negated
            and claimed.key not in evidence.keys
            and other.key not in claim.keys
            and _shared_context(claim, claimed, evidence, other, WIDE_WINDOW) >= 2
        ):
            yield Clash("negation", _word_span(claimed), _word_span(other))
            return


def _shared_context(
    claim: SentenceAnalysis, one: Word | Quantity, evidence: SentenceAnalysis, other: Word | Quantity, width: int
) -> int:
    """The number of content terms within ``width`` words of both spans."""
    return len(claim.context(one.start, one.end, width) & evidence.context(other.start, other.end, width))


def _by_negation(sentence: SentenceAnalysis) -> tuple[dict[str, Word], dict[str, Word]]:
    """Content words by term: those that are affirmed, and those that are the head of a negation."""
    affirmed: dict[str, Word] = {}
    negated: dict[str, Word] = {}
    significance_spans = significance_denials(sentence.text)
    for at, word in enumerate(sentence.words):
        if is_negation(word.key):
            head = _negated_by(sentence.words, at)
            within = any(start <= word.start < end for start, end in significance_spans)
            if head is not None and not within:
                negated.setdefault(head.term, head)
        elif word.is_content and not word.negated:
            affirmed.setdefault(word.term, word)
    return affirmed, negated


def _negated_by(words: list[Word], at: int) -> Word | None:
    """The word that the negation at an index negates; ``None`` for a noun whose negation changes little."""
    for word in words[at + 1 : at + 5]:
        if not word.negated or word.key in PREPOSITIONS:
            return None
        if word.key in AUXILIARIES or word.key.endswith("ly"):
            continue
        if words[at].key in VERB_NEGATIONS:
            return word
        return word if word.key in NEGATED_NOUNS else None
    return None


def _negation_span(sentence: SentenceAnalysis, word: Word) -> Span:
    """The range from the negation to the negated word."""
    before = [w for w in sentence.words if w.end <= word.start and is_negation(w.key)]
    return Span(before[-1].start if before else word.start, word.end)


def _modality(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """Obligation in one, possibility in the other, about the same word."""
    for claim_set, other_set in ((REQUIRED, POSSIBLE), (POSSIBLE, REQUIRED)):
        if claim.keys & other_set or evidence.keys & claim_set:
            continue
        claimed = [word for word in claim.words if word.key in claim_set]
        other = [word for word in evidence.words if word.key in other_set]
        for word in claimed:
            match = _in_same_context(
                claim,
                word,
                evidence,
                [o for o in other if _next_content_term(evidence, o) == _next_content_term(claim, word)],
            )
            if match is not None:
                yield Clash("modality", _word_span(word), _word_span(match))
                return


def _next_content_term(sentence: SentenceAnalysis, word: Word) -> str:
    return next((w.term for w in sentence.words if w.start >= word.end and w.is_content), "")


def _populations(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    for one, other in POPULATIONS:
        for side, opposite in ((one, other), (other, one)):
            if (
                claim.keys & side
                and evidence.keys & opposite
                and not claim.keys & opposite
                and not evidence.keys & side
            ):
                claimed = next(word for word in claim.words if word.key in side)
                other_word = next(word for word in evidence.words if word.key in opposite)
                yield Clash("population", _word_span(claimed), _word_span(other_word))


def _significance(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """``significantly`` against ``no significant difference`` or p > 0.05, or the reverse."""
    claimed, other = significance(claim), significance(evidence)
    if claimed is not None and other is not None and claimed[0] != other[0] and claims_significance(claim.text):
        yield Clash("significance", claimed[1], other[1])


def _word_span(word: Word) -> Span:
    return Span(word.start, word.end)
