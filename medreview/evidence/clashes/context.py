"""What stands around a span: whether two spans are about the same thing."""

from typing import Final

from medreview.evidence.quantities import Quantity
from medreview.evidence.sentence_analysis import SentenceAnalysis, Word
from medreview.text import Span

WINDOW: Final = 5
"""Context window: words on each side of a span that tell what it is about."""
WIDE_WINDOW: Final = 8
"""The same for a negated word, whose subject may be further away."""


def span_of(item: Word | Quantity) -> Span:
    """The span of a word or a quantity."""
    return Span(item.start, item.end)


def shared_context(
    claim: SentenceAnalysis, one: Word | Quantity, evidence: SentenceAnalysis, other: Word | Quantity, width: int
) -> int:
    """The number of content terms within ``width`` words of both spans."""
    return len(claim.context(one.start, one.end, width) & evidence.context(other.start, other.end, width))


def in_same_context(claim: SentenceAnalysis, word: Word, evidence: SentenceAnalysis, others: list[Word]) -> Word | None:
    """The word with most content terms around it that also stand around the claim's; ``None`` below two."""
    counted = [(shared_context(claim, word, evidence, other, WINDOW), other) for other in others]
    best = max(counted, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None and best[0] >= 2 else None


def next_content_term(sentence: SentenceAnalysis, word: Word) -> str:
    """The first content term after a word; ``""`` at the end."""
    return next((w.term for w in sentence.words if w.start >= word.end and w.is_content), "")
