"""What is wrong with units, and with the right labels that are known of them."""

import json
import sqlite3
from collections.abc import Iterator
from typing import Final

from medreview.labels import is_label
from medreview.study.span_faults import RESPONSE, text_of_response
from medreview.study.unit_ids import kind_of
from medreview.study.units_here import UnitsHere
from medreview.text import sha256

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
    """Right labels that are none of their axis, and spans of them that lie outside their response."""
    for row in connection.execute("SELECT unit, axis, label, spans FROM gold"):
        if not is_label(row["axis"], row["label"]):
            yield f"The right label of {row['unit']} is no label of the axis {row['axis']}."
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
