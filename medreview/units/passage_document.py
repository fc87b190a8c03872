"""The passage that a unit is about, as a document of its view."""

import sqlite3

from medreview.evidence.lexical import matches
from medreview.units.stored import load_passage
from medreview.units.view import Document, TextMark


def passage_document(reader: sqlite3.Connection, passage_id: str, words: str) -> Document | None:
    """A passage with the words that it shares with a text marked; ``None`` when it did not come with the unit."""
    passage = load_passage(reader, passage_id)
    if passage is None:
        return None
    return Document("passage", passage.title or passage.url or "passage", passage.text, shared(words, passage.text))


def shared(words: str, text: str) -> tuple[TextMark, ...]:
    """Neutral marks: where a text has words of another."""
    return tuple(TextMark(found.start, found.end, "lexical") for found in matches(words, text))
