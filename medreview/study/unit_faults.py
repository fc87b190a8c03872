"""Which units a study has, and what is wrong with them, with their right labels and with spans that people marked.

Asked of every event that comes in from another file, and by the check. A span must hold the text that was marked,
whatever kind of unit it is in.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from medreview.labels import is_label
from medreview.study.ids import MADE_OF, STATEMENT, ids_of, is_here, kind_of
from medreview.study.statement_edits import units_made
from medreview.study.unit_table import facts_made
from medreview.text import sha256

_IDS: Final = {
    "statement": "statement_id", "response": "response_id", "source": "source_id", "key_fact": "key_fact_id",
    "reference": "reference_id",
}  # fmt: skip


class UnitsHere:
    """The units of a study, read once; ``unit in units`` asks for one. The study itself counts as one of them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        def ids(column: str, table: str) -> set[str]:
            return {row[0] for row in connection.execute(f"SELECT {column} FROM {table}")}

        self._connection = connection
        self._parts = {table: ids(column, table) for table, column in _IDS.items()}
        study = connection.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()
        self._units = self._parts["statement"] | ids("unit_id", "unit") | ({study[0]} if study else set())

    def __contains__(self, unit: str) -> bool:
        return is_here(unit, self._units, self._parts)

    def add_made(self, events: Iterable[tuple[str, str, Mapping[str, Any]]]) -> None:
        """Count in what events of (kind, unit, payload), by time, will make when they are written."""
        known = list(events)
        made = units_made(known, self._parts["statement"], self._parts["response"])
        added, facts = facts_made(self._connection, known)
        self._parts["statement"] |= made
        self._parts["key_fact"] |= facts
        self._units |= made | added


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
    texts = texts_in(json.loads(stored[0])) if stored else iter(())
    return next((text for text in texts if sha256(text) == digest), None)


def texts_in(value: Any) -> Iterator[str]:
    """All texts in a value of JSON, at any depth; names of fields are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts_in(inner)


_QUESTIONS: Final = (("clinical_case", "case_id"), ("reference_answer", "question_sha256"))
"""Tables of questions that are stored with their hashes, by their keys."""

_ON_UNITS: Final = (
    ("event", "seq", "Event {} is on"),
    ("gold", "axis", "A right label ({}) is known of"),
    ("opinion", "opinion_id", "The opinion {} is of"),
)
"""Tables of what is said of units, with what tells their rows apart."""


def content_faults(named: set[tuple[str, str]], connection: sqlite3.Connection) -> Iterator[str]:
    """Units whose content or id is not what was stored, and questions that do not fit their hash.

    The rows are added to those that are ``named`` by table and key.
    """
    for row in connection.execute("SELECT unit_id, kind, content, content_sha256 FROM unit"):
        wrong = "" if kind_of(row["unit_id"]) == row["kind"] else "has the id of another kind"
        if sha256(row["content"]) != row["content_sha256"]:
            wrong = "was changed after it was stored"
        if wrong:
            named.add(("unit", str(row["unit_id"])))
            yield f"The unit {row['unit_id']} {wrong}."
    for table, key in _QUESTIONS:
        for row in connection.execute(f"SELECT {key} AS id, question, question_sha256 FROM {table}"):
            if sha256(row["question"]) != row["question_sha256"]:
                named.add((table, str(row["id"])))
                yield f"The question of {table} {row['id']} was changed after it was stored."


def gold_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Gold labels that their axis does not have, and spans of them outside their response."""
    for row in connection.execute("SELECT unit, axis, label, spans FROM gold"):
        if not is_label(row["axis"], row["label"]):
            yield f"The right label of {row['unit']} is not a label of the axis {row['axis']}."
        for span in json.loads(row["spans"]):
            text = text_of_response(connection, row["unit"]) if span["target"] == RESPONSE else None
            end = len(text) if text is not None else span["end"]
            if not 0 <= span["start"] <= span["end"] <= end:
                yield f"A span of the right label of {row['unit']} lies outside its text."


def unknown_units(connection: sqlite3.Connection) -> Iterator[str]:
    """What is said of units that are not in the study."""
    here = UnitsHere(connection)
    for table, key, words in _ON_UNITS:
        for row in connection.execute(f"SELECT unit, min({key}) AS first FROM {table} GROUP BY unit"):
            if ":" in row["unit"] and row["unit"] not in here:
                yield f"{words.format(row['first'])} {row['unit']}, which is not in this study."
