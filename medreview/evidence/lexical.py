"""Neutral highlights for blind reviewing: the words that a statement and a passage share.

One rule for every statement, whatever any judge said: nothing about a verdict can be read from them.
"""

from medreview.evidence.ranking import SourceIndex
from medreview.evidence.terms import Vocabulary, terms
from medreview.text import Span

PASSAGES = 5


def matches(
    statement: str, source: SourceIndex | str, span: Span | None = None, words: Vocabulary | None = None
) -> list[Span]:
    """The words of a source that the statement holds too, by stem or synonym; whole words, in order of the text.

    In a text, all of them (within ``span``). In an index, those of the passages that share most with the statement,
    so that a word of every sentence does not light the whole page. Words that follow one another with only white space
    between them become one span.
    """
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
        place = Span(within.start + term.start, within.start + term.end)
        if found and not text[found[-1].end : place.start].strip():
            found[-1] = Span(found[-1].start, max(found[-1].end, place.end))
        else:
            found.append(place)
    return found
