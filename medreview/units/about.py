"""The text that a unit is about, as a document of its view: a passage that came with it, or a page of the study."""

import sqlite3
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from medreview.units.statement_view import load_text
from medreview.units.stored import load_passage
from medreview.units.view import Document, TextMark

if TYPE_CHECKING:
    from medreview.evidence.ranking import SourceIndex

PASSAGE: Final = "passage"
SOURCE: Final = "source"
_SHORT: Final = 3_000
"""Characters; in a longer text only the passages that fit best are marked."""


def about(reader: sqlite3.Connection, passage_id: str, url: str, words: str, snapshot_id: str = "") -> Document | None:
    """The passage, else a page: this snapshot of it where that is here, or that of the source with an address as it is
    now. ``None`` when none of these is here.

    Neutral marks: the words that it shares with ``words``; it opens at the first of them.
    """
    passage = load_passage(reader, passage_id)
    if passage is not None:
        title = passage.title or passage.url or PASSAGE
        return _document(PASSAGE, title, passage.text, words)
    return _page(reader, url, words, snapshot_id) if url else None


_PAGE: Final = """SELECT u.source_id, u.url, u.domain, p.snapshot_id, p.page_state, p.state_evidence
FROM source AS u JOIN snapshot AS p ON p.source_id = u.source_id WHERE """


def page_at(reader: sqlite3.Connection, url: str) -> sqlite3.Row | None:
    """The page of the source with an address, however that is written, as it is now; ``None`` when none is here."""
    from medreview.citations.canonical import canonical_key
    from medreview.citations.extract import from_list
    from medreview.citations.stored_sources import earlier_sources, source_id

    cited = from_list([url]).citations
    key = canonical_key(cited[0]) if cited else ""
    named = source_id(key, earlier_sources(reader)) if cited else ""
    of_source = "p.snapshot_id = u.current_snapshot AND (u.source_id = ? OR u.key = ? OR u.url = ?)"
    row: sqlite3.Row | None = reader.execute(f"{_PAGE} {of_source}", (named, key, url)).fetchone()
    return row


def _page(reader: sqlite3.Connection, url: str, words: str, snapshot_id: str) -> Document | None:
    of_snapshot = reader.execute(f"{_PAGE} p.snapshot_id = ?", (snapshot_id,)).fetchone()
    row = of_snapshot or page_at(reader, url)
    if row is None:
        return None
    return _document(
        SOURCE,
        row["domain"],
        load_text(reader, row["snapshot_id"]),
        words,
        state=row["page_state"],
        state_words=row["state_evidence"],
        snapshot_id=row["snapshot_id"],
    )


def _document(
    key: str, title: str, text: str, words: str, state: str = "", state_words: str = "", snapshot_id: str | None = None
) -> Document:
    from medreview.evidence.lexical import matches

    found = matches(words, text if len(text) <= _SHORT else _index(text)) if words else []
    marks = tuple(TextMark(span.start, span.end, "lexical") for span in found)
    return Document(key, title, text, marks, marks[0].start if marks else None, state, state_words, snapshot_id)


@lru_cache(maxsize=4)
def _index(text: str) -> "SourceIndex":
    """Units that come one after the other are often about one page, and to prepare a long one takes a second."""
    from medreview.evidence.ranking import SourceIndex

    return SourceIndex(text)
