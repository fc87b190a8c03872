"""Clashes: contradictions between a statement and a passage of a source, with the span of each in its text.

The rules favour precision over recall: a false alarm costs the reviewer's trust. Each requires that the two sentences
share much of their content, and that the two spans are about the same thing.

``clash`` has what a clash is and those of amounts, ``clash_words`` those of words.
"""

from collections.abc import Sequence
from typing import Final

from medreview.evidence.clash import Clash, Family, amounts
from medreview.evidence.clash_words import (
    contrasting_words,
    denials,
    directions,
    negations,
    prefixes,
    significant_findings,
)
from medreview.evidence.sentence_analysis import (
    SentenceAnalysis,
    analyse,
)
from medreview.text import Span

MIN_SHARED: Final = 0.4
"""Minimum share of the statement's content words in the passage for numbers to be compared."""
MIN_SHARED_FOR_WORDS: Final = 0.5
"""The same for a word that one of both negates, or has with a contrary prefix."""
MIN_SHARED_OF_FINDINGS: Final = 0.35
"""The same for significance: sentences with findings are long, and p values are of the trial at hand."""
FAMILIES: Final[Sequence[tuple[float, Family]]] = (
    (MIN_SHARED, amounts),
    (MIN_SHARED_OF_FINDINGS, significant_findings),
    (MIN_SHARED, contrasting_words),
    (MIN_SHARED_FOR_WORDS, prefixes),
    (MIN_SHARED, directions),
    (MIN_SHARED_FOR_WORDS, negations),
    (MIN_SHARED, denials),
)
"""Each family with the share that it needs. Of two clashes at the same places the earlier family's is kept."""
LEAST_SHARED: Final = min(least for least, _ in FAMILIES)


def clashes(statement: str, passage: str) -> list[Clash]:
    """The clashes between a statement and one passage of a source."""
    return clashes_between(analyse(statement), analyse(passage))


def clashes_between(
    claim: SentenceAnalysis, evidence: SentenceAnalysis, at: int = 0, heads: SentenceAnalysis | None = None
) -> list[Clash]:
    """The same for texts that are analysed.

    ``at`` is the offset of the passage in the source, so that ``source_span`` is a range of the source. ``heads`` are
    the column heads of a table's row: its amounts are of what they say.
    """
    if not claim.content:
        return []
    above = heads.content if heads is not None else frozenset()
    # most passages share too little for any family: that is known before their amounts are read
    if len(claim.content & (evidence.may_be_content | above)) / len(claim.content) < LEAST_SHARED:
        return []
    there = evidence.content | above
    shared = len(claim.content & there) / len(claim.content)
    found = [clash for least, family in FAMILIES if shared >= least for clash in family(claim, evidence)]
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
