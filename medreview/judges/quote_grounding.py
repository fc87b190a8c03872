"""Grounding of judges' quotes in snapshots, by the same rules for every judgement, wherever it was made.

Whether a quote proves support has two parts. Is it in the page, and true to it (``medreview.evidence.grounding``)? And
does it say what it is quoted for? What speaks against that is its doubt:

- ``off_topic``: it does not bear on the statement (``medreview.evidence.bearing``);
- ``instructions``: it stands among instructions to a judge, which are no evidence;
- ``hidden``, ``alt``, ``boilerplate``: the claim stands only where no reader sees it, in the words for an image, in a
  menu or a footer;
- ``collapsed``: the claim stands only in the one part of the page that is closed (one panel of several, as health sites
  have them, is text like any other);
- ``none``: nothing.

The first four let a quote prove nothing; the others are shown. Two more are of a whole answer with its quotes
(``medreview.judges.judge_answer``): ``opposed``, which lets it prove nothing, and ``part_missing``.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from medreview.evidence.bearing import Bearing
from medreview.evidence.grounding import Grounding, QuoteIndex, ground, is_one_passage
from medreview.evidence.passage_ranking import SourceIndex
from medreview.judges.injection import among_instructions
from medreview.labels import DISPROVING_DOUBTS, FALSE_QUOTES, PROVEN_QUOTES, SAME_WORDS, SET_APART
from medreview.sources.ocr_pages import OcrPage, ocr_pages, status_as_read
from medreview.text import Span

_CACHE_SIZE: Final = 64
_PANELS: Final = 2
"""So many collapsed parts are the panels of a page that opens and closes its sections."""


class Grounded(NamedTuple):
    """A quote's status, its grounding (``None`` for the statuses ``none`` and ``other_source``), and its doubt
    (``None`` where it was not asked for: it is only of a quote that is in the page, given for support)."""

    status: str
    grounding: Grounding | None
    doubt: str | None = None

    @property
    def proves(self) -> bool:
        """Whether the quote proves support: it is in the page, and no doubt takes that away."""
        return self.status in PROVEN_QUOTES and self.doubt not in DISPROVING_DOUBTS

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where it stands, every place or part; ``()`` for nowhere."""
        return self.grounding.spans if self.grounding else ()


class _SetApart(NamedTuple):
    """A range of a page's text that does not stand open, and of what kind it is (``snapshot.set_apart``)."""

    start: int
    end: int
    kind: str


class _PreparedPage:
    """A snapshot prepared for quotes; its passages only where a quote is given for support."""

    def __init__(self, text: str, title: str, set_apart: str, by_ocr: tuple[OcrPage, ...]) -> None:
        self.quotes = QuoteIndex(text)
        self.by_ocr = by_ocr
        parts = [_SetApart(*part) for part in json.loads(set_apart)]
        series = sum(part.kind == "collapsed" for part in parts) >= _PANELS
        self.closed = [part for part in parts if not (series and part.kind == "collapsed")]
        self._title = title

    @cached_property
    def source(self) -> SourceIndex:
        return SourceIndex(self.quotes.text)

    @cached_property
    def bearing(self) -> Bearing:
        return Bearing(self.source, self._title)


class QuoteGrounder:
    """Grounds quotes in the snapshots of a study, with a cache of prepared snapshots."""

    def __init__(self, reader: sqlite3.Connection) -> None:
        self._reader = reader
        self._pages: dict[str, _PreparedPage] = {}

    def ground(
        self,
        quote: str,
        snapshot_id: str,
        others: Iterable[str] = (),
        supports: str | None = None,
        *,
        against: bool = False,
    ) -> Grounded:
        """Look up a quote in a snapshot.

        ``others``: the response's other snapshots; a quote that is only in one of those is ``other_source``.
        ``supports``: the statement that it is quoted for, if its judge says that the page supports it. ``against``: it
        is quoted as the opposite of the statement. It may then have another number or medicine than that, so that it is
        never off topic.
        """
        if not quote.strip():
            return Grounded("none", None)
        page = self._page(snapshot_id)
        found = ground(quote, page.quotes)
        if found.status in FALSE_QUOTES:
            for other in others:
                if ground(quote, self._page(other).quotes).status in SAME_WORDS:
                    return Grounded("other_source", None)
        asked = (against or supports is not None) and found.status in PROVEN_QUOTES
        status = status_as_read(found.status, found.spans, page.by_ocr)
        return Grounded(status, found, _doubt(page, None if against else supports, quote, found) if asked else None)

    def _page(self, snapshot_id: str) -> _PreparedPage:
        if snapshot_id not in self._pages:
            if len(self._pages) >= _CACHE_SIZE:
                self._pages.clear()
            row = self._reader.execute(
                "SELECT text, title, set_apart FROM snapshot WHERE snapshot_id = ?", (snapshot_id,)
            ).fetchone()
            by_ocr = ocr_pages(self._reader, snapshot_id)
            self._pages[snapshot_id] = _PreparedPage(row["text"], row["title"], row["set_apart"], by_ocr)
        return self._pages[snapshot_id]


def _doubt(page: _PreparedPage, statement: str | None, quote: str, found: Grounding) -> str:
    """``statement``: what it is quoted for; ``None`` for a quote against it."""
    if any(among_instructions(page.quotes.text, span) for span in found.spans):
        return "instructions"
    if statement is not None and page.bearing.is_off_topic(statement, quote, found.spans):
        return "off_topic"
    kind = _kind_of_text(page.closed, found.spans, whole=is_one_passage(quote, found.spans))
    if kind == "none" or (statement is not None and _stands_open(page, statement, quote)):
        return "none"
    return kind


def _kind_of_text(closed: Sequence[_SetApart], spans: Sequence[Span], *, whole: bool) -> str:
    """The kind of text in which a quote stands; ``none`` for open text. A repeated ``whole`` quote is open when one of
    its places is, one in parts when all of them are."""
    kinds = [
        next((kind for kind in SET_APART if any(part.kind == kind for part in _over(closed, span))), "none")
        for span in spans
    ]
    if whole and "none" in kinds:
        return "none"
    return next((kind for kind in SET_APART if kind in kinds), "none")


def _over(closed: Sequence[_SetApart], span: Span) -> list[_SetApart]:
    return [part for part in closed if part.start < span.end and span.start < part.end]


def _stands_open(page: _PreparedPage, statement: str, quote: str) -> bool:
    """Whether an open passage says of the statement as much as the quote does."""
    covered = page.bearing.covered(statement, quote)
    found = page.source.match(page.source.query(statement))
    return any(match.coverage >= covered and not _over(page.closed, page.source.span(match.passage)) for match in found)
