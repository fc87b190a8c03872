"""Whether spans that people marked hold the text that was marked, whatever kind of unit they are in."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, Final

from medreview.study.unit_ids import MADE_OF, STATEMENT, ids_of, kind_of
from medreview.text import sha256

RESPONSE: Final = "response"
SOURCE: Final = "source"

_STORED_TEXTS: Final = (("passage", "text"), ("case_note", "text"))
"""Texts that units are read beside, with their hashes."""


def span_faults(connection: sqlite3.Connection, after: int = 0) -> Iterator[str]:
    """A sentence for each span that does not hold the text that was marked, of the events from a number on.

    A span on a page that is not in this study, or in a text that was put together of several, is passed over.
    """
    query = """SELECT e.seq, e.unit, a.snapshot, iif(e.kind = 'span_add', e.payload, json_set(e.payload, '$.target',
                      json_extract(a.payload, '$.target'))) AS payload
               FROM event AS e JOIN event AS a ON a.event_id = iif(e.kind = 'span_add', e.event_id,
                                                                   json_extract(e.payload, '$.span'))
               WHERE e.kind IN ('span_add', 'span_move') AND e.seq > ? ORDER BY e.seq"""
    for row in connection.execute(query, (after,)):
        span = json.loads(row["payload"])
        text = marked_text(connection, row["unit"], span, row["snapshot"])
        if text is None and span["target"] != RESPONSE:
            continue
        if text is None or text[span["start"] : span["end"]] != span["exact"]:
            yield f"The span of event {row['seq']} does not hold the text that was marked."


def marked_text(connection: sqlite3.Connection, unit: str, span: Mapping[str, Any], snapshot: str | None) -> str | None:
    """The text that a span is marked in, by the document that it names; ``None`` when it is not at hand.

    ``span`` is the payload of the event, ``snapshot`` the page that was on the screen.
    """
    target = span["target"]
    if target == RESPONSE:
        return text_of_response(connection, unit)
    if target.partition(":")[0] == SOURCE:
        found = connection.execute("SELECT text FROM snapshot WHERE snapshot_id = ?", (snapshot,)).fetchone()
        return str(found[0]) if found else None
    return _text_with(connection, unit, str(span.get("sha256", "")))


def text_of_response(connection: sqlite3.Connection, unit: str) -> str | None:
    """The text of the response that a unit is part of, or is."""
    query = "SELECT text FROM response WHERE response_id = ?"
    found = connection.execute(query, (response_of(connection, unit),)).fetchone()
    return str(found[0]) if found else None


def response_of(connection: sqlite3.Connection, unit: str) -> str:
    """The response that a unit is part of, or is; of a stored unit what it belongs to. ``""`` when it is not here."""
    kind, first = kind_of(unit), ids_of(unit)[0]
    made_of = (STATEMENT,) if kind == STATEMENT else MADE_OF.get(kind)
    if made_of and made_of[0] != STATEMENT:
        return first
    query = "SELECT response_id FROM statement WHERE statement_id = ?"
    if made_of is None:
        query, first = "SELECT belongs_to FROM unit WHERE unit_id = ?", unit
    found = connection.execute(query, (first,)).fetchone()
    return str(found[0]) if found else ""


def _text_with(connection: sqlite3.Connection, unit: str, digest: str) -> str | None:
    """The text with a hash, among passages, notes and what the unit itself holds."""
    for table, column in _STORED_TEXTS:
        query = f"SELECT {column} FROM {table} WHERE text_sha256 = ?"
        if found := connection.execute(query, (digest,)).fetchone():
            return str(found[0])
    stored = connection.execute("SELECT content FROM unit WHERE unit_id = ?", (unit,)).fetchone()
    texts = _texts_in(json.loads(stored[0])) if stored else iter(())
    return next((text for text in texts if sha256(text) == digest), None)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(inner)
