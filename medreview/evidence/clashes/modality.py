"""Modality: must against may."""

from collections.abc import Iterator

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.context import in_same_context, next_content_term, span_of
from medreview.evidence.lexicon import POSSIBLE, REQUIRED
from medreview.evidence.sentence_analysis import SentenceAnalysis


def modality(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """Obligation in one, possibility in the other, about the same word."""
    for claim_set, other_set in ((REQUIRED, POSSIBLE), (POSSIBLE, REQUIRED)):
        if claim.keys.isdisjoint(claim_set) or claim.keys & other_set or evidence.keys & claim_set:
            continue
        claimed = [word for word in claim.words if word.key in claim_set]
        other = [word for word in evidence.words if word.key in other_set]
        for word in claimed:
            match = in_same_context(
                claim,
                word,
                evidence,
                [o for o in other if next_content_term(evidence, o) == next_content_term(claim, word)],
            )
            if match is not None:
                yield Clash("modality", span_of(word), span_of(match))
                return
