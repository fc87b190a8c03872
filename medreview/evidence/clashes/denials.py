"""Denied relations: no association, no evidence that, no effect, against a relation or a direction that is affirmed."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.negations import narrowed_otherwise
from medreview.evidence.function_words import word_set
from medreview.evidence.lexicon import OPPOSITES, negated_forms
from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.text import Span

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
