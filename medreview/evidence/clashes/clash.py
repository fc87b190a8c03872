"""A clash, and what a family of rules is."""

from collections.abc import Iterator
from typing import Literal, NamedTuple, Protocol

from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.text import Span

ClashKind = Literal[
    "number",
    "unit",
    "range",
    "comparison",
    "direction",
    "negation",
    "modality",
    "significance",
    "population",
    "opposite",
    "side",
    "route",
    "severity",
    "order",
    "quantifier",
    "roles",
    "medicine",
]


class Clash(NamedTuple):
    """A contradiction; each span is a half-open range of code points of its own text."""

    kind: ClashKind
    statement_span: Span
    source_span: Span


class Family(Protocol):
    """A family of rules: the clashes between a statement and a passage that share enough of their content."""

    def __call__(self, claim: SentenceAnalysis, evidence: SentenceAnalysis, /) -> Iterator[Clash]: ...
