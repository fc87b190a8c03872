"""One medicine for another: the same is said, of a medicine that the other sentence does not name."""

from collections.abc import Iterator
from typing import Final

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.context import span_of
from medreview.evidence.clashes.frames import frame, likeness
from medreview.evidence.drug_names import names_medicine
from medreview.evidence.sentence_analysis import SentenceAnalysis, Word

NEARLY_ALL: Final = 0.7
"""Share of the statement's other content words that must stand in the passage."""
EXAMPLES: Final = frozenset({"such", "eg", "example", "including", "like", "other", "or"})
"""Words of a passage that names a medicine as one of several."""
ALIKE: Final = 3
"""Likeness of the two frames from which on the one medicine stands in the other's place."""


def medicines(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """The only medicine that the passage lacks, in the place of the only one that the statement lacks."""
    claimed = _medicines(claim)
    if not claimed:
        return
    written = _medicines(evidence)
    alone, others = claimed.keys() - written.keys(), written.keys() - claimed.keys()
    if len(alone) != 1 or len(others) != 1 or evidence.keys & EXAMPLES:
        return
    (at, word), (where, other) = claimed[min(alone)], written[min(others)]
    rest = claim.content - {word.term}
    if not rest or len(rest & evidence.content) < NEARLY_ALL * len(rest) or word.negated != other.negated:
        return
    if likeness(frame(claim, at, at + 1), frame(evidence, where, where + 1)) >= ALIKE:
        yield Clash("medicine", span_of(word), span_of(other))


def _medicines(sentence: SentenceAnalysis) -> dict[str, tuple[int, Word]]:
    """By term, the first place of each word that names a medicine."""
    found: dict[str, tuple[int, Word]] = {}
    for at, word in enumerate(sentence.words):
        if word.is_content and names_medicine(word.key):
            found.setdefault(word.term, (at, word))
    return found
