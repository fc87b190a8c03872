"""A clash, a family of rules, and the words that two spans share around them: whether both are of one thing."""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, Protocol

from medreview.evidence.quantities import Quantity
from medreview.evidence.sentence_analysis import SentenceAnalysis, Word
from medreview.text import Span

ClashKind = Literal[
    "number",
    "unit",
    "range",
    "comparison",
    "direction",
    "negation",
    "significance",
    "population",
    "opposite",
    "side",
    "route",
    "severity",
    "order",
    "quantifier",
]


class Clash(NamedTuple):
    """A contradiction; each span is a half-open range of code points of its own text."""

    kind: ClashKind
    statement_span: Span
    source_span: Span


class Family(Protocol):
    """A family of rules: the clashes between a statement and a passage that share enough of their content."""

    def __call__(self, claim: SentenceAnalysis, evidence: SentenceAnalysis, /) -> Iterator[Clash]: ...


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
