"""Negation: a word that both have and one negates; ``effective`` against ``ineffective``."""

from collections.abc import Iterator
from itertools import product
from typing import Final

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.context import WIDE_WINDOW, shared_context, span_of
from medreview.evidence.lexicon import (
    AUXILIARIES,
    NEGATED_NOUNS,
    PREPOSITIONS,
    VERB_NEGATIONS,
    is_negation,
    negated_form,
    negated_forms,
)
from medreview.evidence.sentence_analysis import SentenceAnalysis, Word
from medreview.evidence.significance import significance_denials
from medreview.text import Span

CONDITIONS: Final = frozenset({"if", "unless", "whether", "when"})
"""Words behind which a negation says no more than what would follow."""
_NARROWING: Final = frozenset({"unless", "until", "before", "except"})


def narrowed_otherwise(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> bool:
    """Whether only one of both says until when, or but for which case: not before 45, and at 45, may both be true."""
    return not _NARROWING.isdisjoint(claim.keys ^ evidence.keys)


def negations(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A word that both have and one negates; a pair such as ``effective`` and ``ineffective``."""
    if narrowed_otherwise(claim, evidence):
        return
    yield from _negated_in_one(claim, evidence) or _with_negative_prefix(claim, evidence)


def _negated_in_one(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> list[Clash]:
    """A word that both have and one negates."""
    if not (claim.is_negated or evidence.is_negated):
        return []
    affirmed, negated = _by_negation(claim)
    others, negated_others = _by_negation(evidence)
    for term in sorted(affirmed.keys() & negated_others.keys()):
        claimed, other = affirmed[term], negated_others[term]
        if (
            term not in negated
            and term not in others
            and shared_context(claim, claimed, evidence, other, WIDE_WINDOW) >= 2
        ):
            return [Clash("negation", span_of(claimed), _negation_span(evidence, other))]
    for term in sorted(negated.keys() & others.keys()):
        claimed, other = negated[term], others[term]
        if (
            term not in affirmed
            and term not in negated_others
            and shared_context(claim, claimed, evidence, other, WIDE_WINDOW) >= 2
        ):
            return [Clash("negation", _negation_span(claim, claimed), span_of(other))]
    return []


def _with_negative_prefix(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> list[Clash]:
    """A pair such as ``effective`` and ``ineffective``."""
    with_prefix_change = [word for word in claim.words if not negated_forms(word.key).isdisjoint(evidence.keys)]
    for claimed, other in product(with_prefix_change, evidence.words):
        if (
            negated_form(claimed.key, other.key)
            and claimed.negated == other.negated
            and claimed.key not in evidence.keys
            and other.key not in claim.keys
            and shared_context(claim, claimed, evidence, other, WIDE_WINDOW) >= 2
        ):
            return [Clash("negation", span_of(claimed), span_of(other))]
    return []


def _by_negation(sentence: SentenceAnalysis) -> tuple[dict[str, Word], dict[str, Word]]:
    """Content words by term: those that are affirmed, and those that are the head of a negation."""
    affirmed: dict[str, Word] = {}
    negated: dict[str, Word] = {}
    significance_spans = significance_denials(sentence.text)
    for at, word in enumerate(sentence.words):
        if is_negation(word.key):
            if any(near.key in CONDITIONS for near in sentence.words[max(0, at - 4) : at]):
                continue
            head = _negated_by(sentence.words, at)
            within = any(start <= word.start < end for start, end in significance_spans)
            if head is not None and not within:
                negated.setdefault(head.term, head)
        elif word.is_content and not word.negated and not _has_none(sentence.words, at):
            affirmed.setdefault(word.term, word)
    return affirmed, negated


def _has_none(words: list[Word], at: int) -> bool:
    """Whether a verb's object is denied: ``need no treatment`` affirms no need."""
    return at + 1 < len(words) and words[at + 1].key == "no"


def _negated_by(words: list[Word], at: int) -> Word | None:
    """The word that the negation at an index negates; ``None`` for a noun whose negation changes little."""
    fails = words[at].key in ("fail", "fails", "failed")
    for word in words[at + 1 + fails : at + 5]:
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
