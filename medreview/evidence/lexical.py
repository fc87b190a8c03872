"""Neutral highlights for blind review: the words that a statement and a passage share.

The same rule for every statement, whatever the judgements: the highlights reveal nothing about a verdict.
"""

from collections.abc import Iterable

from medreview.evidence.ranking import SourceIndex
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
