"""Direction: increase against decrease, better against worse."""

from collections.abc import Iterator

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.context import in_same_context, span_of
from medreview.evidence.lexicon import OPPOSITES
from medreview.evidence.sentence_analysis import SentenceAnalysis, Word


def directions(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    for pair in OPPOSITES:
        for side, opposite in (pair, pair[::-1]):
            claimed = [word for word in claim.words if word.key in side and not _in_quantity(claim, word)]
            other = [word for word in evidence.words if word.key in opposite and not _in_quantity(evidence, word)]
            # Both directions in one text: it compares arms or outcomes, and the words do not tell which is which.
            if not claimed or not other or claim.keys & opposite or evidence.keys & side:
                continue
            for word in claimed:
                match = in_same_context(claim, word, evidence, [o for o in other if o.negated == word.negated])
                if match is not None and not _is_mirrored(claim, evidence):
                    yield Clash("direction", span_of(word), span_of(match))
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
