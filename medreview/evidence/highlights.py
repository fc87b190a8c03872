"""The places of a source that are lit beside a statement, chosen from the passages that bear on it.

Where two passages bear on it about as much, both are lit: either may be what the source says, or they say it together.
"""

from collections.abc import Sequence
from typing import Final

from medreview.evidence.lexical import matches
from medreview.evidence.ranking import Hit, SourceIndex
from medreview.evidence.weights import weights
from medreview.text import Span

MOST_LIT: Final = 2

LONG_PASSAGE: Final = 500
"""In characters; of a longer passage only the clauses from the first shared word to the last are lit."""


def highlights(statement: str, index: SourceIndex, hits: Sequence[Hit]) -> tuple[Span, ...]:
    """The best passage, and the next one where its score is nearly as high; in text order. ``hits``: best first."""
    near = weights().ranking.lit
    lit = [hit for hit in hits[:MOST_LIT] if hits[0].score - hit.score <= near]
    return tuple(sorted(_part(statement, index, Span(hit.start, hit.end)) for hit in lit))


def _part(statement: str, index: SourceIndex, passage: Span) -> Span:
    """A passage; of a very long one the clauses from the first shared word to the last."""
    if passage.end - passage.start <= LONG_PASSAGE:
        return passage
    shared = matches(statement, index.text, passage, index.words)
    if not shared:
        return passage
    start = _clause_start(index.text, passage.start, shared[0].start)
    return Span(start, _clause_end(index.text, shared[-1].end, passage.end))


def _clause_start(text: str, low: int, at: int) -> int:
    cut = max(text.rfind(mark, low, at) for mark in (", ", "; ", ": ", "\n", "\t", "| "))
    start = low if cut < low else cut + 1
    while start < at and text[start].isspace():
        start += 1
    return start


def _clause_end(text: str, at: int, high: int) -> int:
    cuts = [cut for cut in (text.find(mark, at, high) for mark in (", ", "; ", "\n", "\t", " |")) if cut >= 0]
    return min([*cuts, high])
