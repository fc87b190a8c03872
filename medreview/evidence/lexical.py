"""Neutral highlights for blind review: the words that a statement and a passage share.

The same rule for every statement, whatever the judgements: the highlights reveal nothing about a verdict.
"""

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
        return _shared(statement, source, span or Span(0, len(source)), words)
    hits = [Span(hit.start, hit.end) for hit in source.rank(statement, PASSAGES)]
    within = [hit for hit in hits if span is None or hit.overlap(span)]
    return [found for hit in sorted(within) for found in _shared(statement, source.text, hit, source.words)]


def _shared(statement: str, text: str, within: Span, words: Vocabulary | None) -> list[Span]:
    wanted = {term.key for term in terms(statement, words)}
    found: list[Span] = []
    for term in sorted(terms(text[within.start : within.end], words), key=lambda term: (term.start, term.end)):
        if term.key not in wanted:
            continue
        match = Span(within.start + term.start, within.start + term.end)
        if found and not text[found[-1].end : match.start].strip():
            found[-1] = Span(found[-1].start, max(found[-1].end, match.end))
        else:
            found.append(match)
    return found
