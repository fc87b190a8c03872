"""What stands above a page: quotes that are not on it, with how often their words are; two sources in conflict.

Only where the judges may be seen.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from medreview.review.search import TextSearch
from medreview.text import Span, lazy_pattern
from medreview.units.cited_source import Source
from medreview.units.kind import Document, Machines
from medreview.units.statement_view import Judgement, StatementView, judge_name


class WordHits(NamedTuple):
    """Words of a quote, and how often they stand on the page."""

    words: str
    times: int


class AbsentQuote(NamedTuple):
    """A quote that is not on the page. ``whose`` says it in words (``juror-one's quote``)."""

    whose: str
    quote: str
    hits: tuple[WordHits, ...]


class ConflictSide(NamedTuple):
    """What a judge says of one of two sources that contradict each other, with its quote, else its reason."""

    source: Source
    verdict: str
    passage: str


class AbovePage(NamedTuple):
    """All of it; ``conflict``: two sides, or none. ``nearest``: a passage of the page is lit all the same."""

    absent: tuple[AbsentQuote, ...] = ()
    conflict: tuple[ConflictSide, ...] = ()
    nearest: bool = False


OWN: Final = "the answer's own quote"
"""Whose a passage is that the answer itself shows as its proof."""

ABSENT: Final = "absent"
"""The status of a quote that is not on its page."""


def quotes_not_on(item: StatementView, snapshot_id: str | None) -> dict[str, str]:
    """By quote, whose it is, of the judges' quotes that are not on a page."""
    absent: dict[str, str] = {}
    for said in item.judgements:
        for quote in said.quotes if said.snapshot_id == snapshot_id else ():
            if quote.status == ABSENT:
                absent.setdefault(quote.text, f"{judge_name(said)}'s quote")
    return absent


def quotes_not_in(document: Document, machines: Machines) -> dict[str, str]:
    """The same of the quotes of machines on another unit, in one of its texts."""
    return {
        passage.quote: f"{opinion.judge}'s quote"
        for opinion in reversed(machines.opinions)
        for passage in opinion.passages
        if passage.key == document.key and passage.status == ABSENT and passage.quote
    }


def absent_quotes(quotes: Iterable[tuple[str, str]], page: str) -> tuple[AbsentQuote, ...]:
    """Each quote with whose it is, and how often its most telling words stand on the page."""
    search = TextSearch(page)
    return tuple(AbsentQuote(whose, quote, tuple(_hits(quote, search))) for quote, whose in quotes)


_LONGEST: Final = 600
"""Characters of a quote whose words are counted."""
_MOST, _ENOUGH = 3, 2
"""So many words are counted, or phrases of neighbours; those that are only rare as far as the second number."""
_SHORTEST: Final = 5
"""Letters of a word that may be telling because it is rare."""
_WORDS_OF_PHRASE: Final = 3
_WORD: Final = lazy_pattern(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_AMOUNT: Final = lazy_pattern(r"\d[\d.,]*(?:\s?%|\s[^\W\d_]+(?:/[^\W\d_]+)*)")


def _hits(quote: str, search: TextSearch) -> Iterator[WordHits]:
    """Medicines, abbreviations and amounts; else the words and phrases that stand on the page least often, the longest
    first."""
    from medreview.evidence.lexicon import AUXILIARIES, HARMLESS, names_medicine  # no screen needs them before

    quote = quote[:_LONGEST]
    words = [Span(*found.span()) for found in _WORD.finditer(quote)]
    lowered = {span: quote[span.start : span.end].casefold() for span in words}
    telling = [span for span in words if names_medicine(lowered[span])]
    telling += [span for span in words if quote[span.start : span.end].isupper() and span.end - span.start > 1]
    telling += [Span(*found.span()) for found in _AMOUNT.finditer(quote)]
    full = [span for span in words if lowered[span] not in HARMLESS and lowered[span] not in AUXILIARIES]
    rare = [*_phrases(full, quote), *(span for span in full if span.end - span.start >= _SHORTEST)]
    rare.sort(key=lambda span: (search.roughly(quote[span.start : span.end]), span.start - span.end))
    chosen: list[Span] = []
    for most, spans in ((_MOST, telling), (_ENOUGH, rare)):
        for span in spans:
            if len(chosen) < most and not any(map(span.overlap, chosen)):
                chosen.append(span)
    said = {" ".join(quote[start:end].split()): len(search.find(quote[start:end])) for start, end in chosen}
    yield from (
        WordHits(words.lower() if words.istitle() or words[1:].islower() else words, count)
        for words, count in said.items()
    )


def _phrases(words: Sequence[Span], text: str) -> Iterator[Span]:
    """Neighbours with nothing but a blank between them: ``gestational diabetes``."""
    run: list[Span] = []
    for word in (*words, None):
        if word is not None and run and len(run) < _WORDS_OF_PHRASE and text[run[-1].end : word.start] == " ":
            run.append(word)
            continue
        if len(run) > 1:
            yield Span(run[0].start, run[-1].end)
        run = [] if word is None else [word]


def sides_of_conflict(item: StatementView) -> tuple[ConflictSide, ...]:
    """One source that supports the statement and one that contradicts it, by the word of one judge; in the order of
    the sources. None where no judge says both."""
    if item.verdict is None or not item.verdict.conflict:
        return ()
    for judge in dict.fromkeys(said.judge for said in item.judgements if not said.offline):
        its = [said for said in item.judgements if said.judge == judge]
        sides = [_side(item, its, verdict) for verdict in ("supported", "contradicted")]
        if all(sides):
            return tuple(sorted((side for side in sides if side), key=lambda side: item.sources.index(side.source)))
    return ()


def _side(item: StatementView, its: Iterable[Judgement], verdict: str) -> ConflictSide | None:
    """The one with a quote that stands on its page, if there is one."""
    said = sorted((one for one in its if one.verdict == verdict), key=lambda one: not one.quote_spans)
    sources = ((item.source_of(one.snapshot_id), one) for one in said)
    return next((ConflictSide(source, verdict, one.quote or one.reason) for source, one in sources if source), None)
