"""Negation: a word that both have and one negates, denied relations, and statistical significance.

Negated is a word itself, or one of a pair: ``effective`` against ``ineffective``. Denied relations are no association,
no evidence that, no effect, against a relation or a direction that is affirmed. Significance is a p value against
``significant``, ``no difference`` against ``significantly``.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from medreview.evidence.clashes.clash import WIDE_WINDOW, Clash, shared_context, span_of
from medreview.evidence.lexicon import (
    AUXILIARIES,
    NEGATED_NOUNS,
    OPPOSITES,
    PHRASE_PREPOSITIONS,
    VERB_NEGATIONS,
    is_negation,
    negated_form,
    negated_forms,
)
from medreview.evidence.sentence_analysis import (
    SentenceAnalysis,
    Word,
    claims_significance,
    significance,
    significance_denials,
)
from medreview.text import Span, word_set

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
        if not word.negated or word.key in PHRASE_PREPOSITIONS:
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


_DENIAL: Final = re.compile(
    r"\b(?:no|not|never|without|lack of|little|n['’]t|cannot|unlikely|insufficient|neither|nor|fail(?:s|ed)? to)\b"
    r"[^.;,]{0,30}?\b(?:evidence|associat\w+|relationships?|relat(?:ed|ion)|correlat\w+|link(?:s|ed)?|effects?|affect\w*|"
    r"impacts?|influenc\w+|indication|proof|role|depend\w*|caus\w+|increas\w+|decreas\w+|reduc\w+|lower\w*|rais\w+|"
    r"improv\w+|prevent\w*|protect\w*|benefi\w+|contribut\w+|predict\w*)\b"
    r"|\b(?:unrelated|unassociated|unaffected|uncorrelated|ineffective|refute\w*|disprove\w*)\b",
    re.IGNORECASE,
)
_HELD_BACK: Final = re.compile(
    r"\bnot (?:only|necessarily|just|merely|simply|yet)\b|\bno (?:more|less|fewer|later)\b"
    r"|\bsignifican|\bno differen|\bnot differ",
    re.IGNORECASE,
)
_FLAT: Final = re.compile(
    r"(?:there (?:is|are|was|were|has been|have been) (?P<there>no \w+)"
    r"|[^.,;:()]{1,90}?\b(?P<verb>(?:(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would) ?(?:not|n['’]t)"
    r"|cannot|(?:has|have|had|shows?|showed|found) no|fail(?:s|ed)? to|never) (?:be(?:en)? )?\w+))",
    re.IGNORECASE,
)
_SUBORDINATE: Final = re.compile(
    r"\b(?:that|which|who|what|why|if|when|while|because|although|though|whether|until|unless|where|only|all|yet|enough|alone)\b",
    re.IGNORECASE,
)
"""Words with which a denial is one of a part, or of less than the whole."""
RELATIONS: Final = word_set(
    """
    associated association associations relationship relationships correlated correlates correlation linked link links
    effect effects affect affects affected impact impacts impacted influence influences influenced cause causes caused
    prevent prevents prevented protect protects protected improve improves improved worsen worsens worsened predict
    predicts predicted contribute contributes contributed depend depends related
    """
)
DIRECTIONS: Final = frozenset().union(*OPPOSITES[0])
MOST: Final = 0.6
"""Share of the statement's content words besides relations and directions that must stand in the passage."""
MOST_OF_FLAT: Final = 0.5
"""The same for what is denied flatly."""
_WEAKENED: Final = word_set(
    """
    rare rarely unlikely little less few fewer low lower free unclear unknown uncertain dangerous harmful hazardous
    useless futile worthless pointless unnecessary redundant avoid avoided contraindicated impossible stop stopped
    """
)
"""Words of a passage that affirms little, or that denies without a negation."""
LEAST: Final = 2
"""So many of them at least."""


class Stance(NamedTuple):
    """Whether a sentence denies a relation or affirms one, and where."""

    denies: bool
    span: Span


def denials(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A relation that one of the two denies and the other affirms, of the same; a flat denial of what is affirmed."""
    subjects = frozenset(
        w.term for w in claim.words if w.is_content and w.key not in RELATIONS and w.key not in DIRECTIONS
    )
    shared = subjects & evidence.content
    if len(shared) < max(LEAST, MOST_OF_FLAT * len(subjects)) or narrowed_otherwise(claim, evidence):
        return
    claimed, written = stance(claim), stance(evidence)
    if claimed is not None and written is not None and claimed.denies != written.denies:
        if len(shared) >= MOST * len(subjects):
            yield Clash("negation", claimed.span, written.span)
        return
    denied = flat_denial(claim.text)
    if (
        denied is not None
        and not evidence.is_negated
        and _WEAKENED.isdisjoint(evidence.keys)
        and ("?" not in evidence.text)
        and all(negated_forms(word.key).isdisjoint(evidence.keys) for word in claim.words if word.negated)
    ):
        places = [word for word in evidence.words if word.term in shared]
        yield Clash("negation", denied, Span(places[0].start, places[-1].end))


@lru_cache(maxsize=2_000)
def flat_denial(text: str) -> Span | None:
    """Where a statement denies the whole of what it speaks of: ``cats cannot catch it``, ``there is no cure``."""
    found = _FLAT.match(text, len(text) - len(text.lstrip()))
    if found is None or _SUBORDINATE.search(text) or _HELD_BACK.search(text):
        return None
    return Span(*found.span("there" if found["there"] else "verb"))


@lru_cache(maxsize=2_000)
def _denial(text: str) -> Span | None:
    found = _DENIAL.search(text)
    return Span(*found.span()) if found else None


def stance(sentence: SentenceAnalysis) -> Stance | None:
    """``None`` for a sentence that says neither, or that holds back."""
    if _HELD_BACK.search(sentence.text):
        return None
    denial = _denial(sentence.text)
    if denial is not None:
        return Stance(True, denial)
    if sentence.is_negated:
        return None
    word = next((w for w in sentence.words if w.key in RELATIONS or w.key in DIRECTIONS), None)
    return Stance(False, Span(word.start, word.end)) if word else None


def significant_findings(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """``significantly`` against ``no significant difference`` or p > 0.05, or the reverse."""
    if not claims_significance(claim.text):
        return
    claimed, other = significance(claim), significance(evidence)
    if claimed is not None and other is not None and claimed[0] != other[0]:
        yield Clash("significance", claimed[1], other[1])
