"""A cited source, and the response that cites it, as documents to read."""

import sqlite3
from collections.abc import Iterable
from typing import Final

from medreview.text import Span
from medreview.units.cited_source import Source
from medreview.units.statement_view import load_text, response_name
from medreview.units.view import Document, TextMark

RESPONSE: Final = "response"
SOURCE: Final = "source"
"""The keys of the response, and of a source that is the only one."""


def source_document(
    reader: sqlite3.Connection, source: Source, key: str = SOURCE, lexical: Iterable[Span] = ()
) -> Document:
    """A source by its number and domain, with its page as it is now; it opens at the first of the words it shares."""
    marks = tuple(TextMark(*span, "lexical") for span in lexical)
    text = load_text(reader, source.snapshot_id) if source.snapshot_id else ""
    return Document(
        key=key,
        title=f"{source.bracketed} {source.domain}",
        text=text,
        marks=marks,
        opens=marks[0].start if marks else None,
        state=source.state,
        state_words=_said_of(source) if text else "" if source.snapshot_id else f"Not fetched yet: {source.url}",
        snapshot_id=source.snapshot_id,
    )


def response_document(ordinal: int, text: str, statement: Iterable[Span] = ()) -> Document:
    """A response, with the places of a ``statement`` marked; it opens at the first of them."""
    marks = tuple(TextMark(*span, "statement") for span in statement)
    title = f"response {response_name(ordinal)}"
    return Document(RESPONSE, title, text, marks, opens=marks[0].start if marks else None)


def _said_of(source: Source) -> str:
    """What is to be known of a page that can be read."""
    told = source.state_evidence
    return f"words that speak to judges: “{told}”" if source.state == "instructions" else told
