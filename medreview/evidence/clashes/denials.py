"""Denied relations: no association, no evidence that, no effect, against a relation or a direction that is affirmed."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.function_words import word_set
from medreview.evidence.lexicon import OPPOSITES, is_negation
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
LEAST: Final = 2
"""So many of them at least."""


class Stance(NamedTuple):
    """Whether a sentence denies a relation or affirms one, and where."""

    denies: bool
    span: Span


def denials(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A relation that one of the two denies and the other affirms, of the same."""
    claimed = stance(claim)
    written = stance(evidence) if claimed is not None else None
    if claimed is None or written is None or claimed.denies == written.denies:
        return
    subjects = frozenset(
        w.term for w in claim.words if w.is_content and w.key not in RELATIONS and w.key not in DIRECTIONS
    )
    shared = subjects & evidence.content
    if len(shared) >= max(LEAST, MOST * len(subjects)):
        yield Clash("negation", claimed.span, written.span)


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
    if any(is_negation(word.key) for word in sentence.words):
        return None
    word = next((w for w in sentence.words if w.key in RELATIONS or w.key in DIRECTIONS), None)
    return Stance(False, Span(word.start, word.end)) if word else None
