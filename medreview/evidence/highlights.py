"""The places of a source that are lit beside a statement, chosen from the passages that bear on it."""

from collections.abc import Sequence
from typing import Final

from medreview.evidence.lexical import matches
from medreview.evidence.ranking import Hit, SourceIndex
from medreview.text import Span

LONG_PASSAGE: Final = 500
"""In characters; of a longer passage only the clauses from the first shared word to the last are lit."""


def highlights(statement: str, index: SourceIndex, hits: Sequence[Hit]) -> tuple[Span, ...]:
    """The best of at least one passage; of a very long one the clauses from the first shared word to the last."""
    best = Span(hits[0].start, hits[0].end)
    if best.end - best.start <= LONG_PASSAGE:
        return (best,)
    shared = matches(statement, index.text, best, index.words)
    if not shared:
        return (best,)
    start = _clause_start(index.text, best.start, shared[0].start)
    return (Span(start, _clause_end(index.text, shared[-1].end, best.end)),)


def _clause_start(text: str, low: int, at: int) -> int:
    cut = max(text.rfind(mark, low, at) for mark in (", ", "; ", ": ", "\n", "\t", "| "))
    start = low if cut < low else cut + 1
    while start < at and text[start].isspace():
        start += 1
    return start


def _clause_end(text: str, at: int, high: int) -> int:
    cuts = [cut for cut in (text.find(mark, at, high) for mark in (", ", "; ", "\n", "\t", " |")) if cut >= 0]
    return min([*cuts, high])
