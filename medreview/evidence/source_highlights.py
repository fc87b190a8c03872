"""The highlights of a source beside a statement: neutral ones for blind review, and the passages that bear on it.

Neutral are the words that a statement and a passage share. The same rule holds for every statement, whatever the
judgements: these highlights reveal nothing about a verdict.

Where two passages bear on a statement about as much, both are lit: either may be what the source says, or they say it
together.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from medreview.evidence.passage_ranking import Hit, SourceIndex, weights
from medreview.evidence.sentence_analysis import compared_part
from medreview.evidence.terms import Vocabulary, terms
from medreview.text import Span

PASSAGES = 5


def matches(
    statement: str, source: SourceIndex | str, span: Span | None = None, words: Vocabulary | None = None
) -> list[Span]:
    """The spans of a source's words that are also in the statement, by stem or synonym; whole words, in text order.

    In a text, all of them (within ``span``). In an index, only those of the best-ranked passages, so that a word that
    is in every sentence does not highlight the whole page. Words separated by white space only become one span.
    """
    statement = compared_part(statement)
    if isinstance(source, str):
        return _shared(_keys(statement, words), source, span or Span(0, len(source)), words)
    hits = [Span(hit.start, hit.end) for hit in source.rank(statement, PASSAGES)]
    return matches_in(statement, source, sorted(hit for hit in hits if span is None or hit.overlap(span)))


def matches_in(statement: str, source: SourceIndex, passages: Iterable[Span]) -> list[Span]:
    """The same in these passages of an index, passage by passage."""
    wanted = _keys(compared_part(statement), source.words)
    return [found for passage in passages for found in _shared(wanted, source.text, passage, source.words)]


def _keys(statement: str, words: Vocabulary | None) -> frozenset[str]:
    return frozenset([term.key for term in terms(statement, words)])


def _shared(wanted: frozenset[str], text: str, within: Span, words: Vocabulary | None) -> list[Span]:
    found: list[Span] = []
    there = terms(text[within.start : within.end], words)
    for start, end in sorted((term.start, term.end) for term in there if term.key in wanted):
        match = Span(within.start + start, within.start + end)
        if found and not text[found[-1].end : match.start].strip():
            found[-1] = Span(found[-1].start, max(found[-1].end, match.end))
        else:
            found.append(match)
    return found


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
