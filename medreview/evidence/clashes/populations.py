"""Population: groups of people that exclude one another."""

from collections.abc import Iterator

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.context import span_of
from medreview.evidence.lexicon import POPULATIONS
from medreview.evidence.sentence_analysis import SentenceAnalysis


def populations(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A group in the statement, the other group, and only that, in the passage."""
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
                yield Clash("population", span_of(claimed), span_of(other_word))
