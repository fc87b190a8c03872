"""Import of an export: units that are no statements, and what belongs to them. What is here already stays."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from medreview.exchange.files.event_payload import dumps
from medreview.exchange.imports.exported_rows import ExportedRow, read_rows, unflattened
from medreview.labels import is_label
from medreview.study.rows import insert
from medreview.study.unit_ids import kind_of
from medreview.text import sha256

_IMPORTED: Final = ("imported_at", "imported_from")
_UNIT: Final = ("unit_id", "kind", "record_id", "origin", "model", "belongs_to", "text", *_IMPORTED)
_FEATURE: Final = ("passage_run_id", "source", "text_sha256", "beginning", "codes")
_MOST_ENTROPY: Final = 100
"""More than any text of sentences has, in nats."""
_NOTE: Final = ("note_id", "case_id", "kind", "at", "author", "text")
_CASE: Final = ("case_id", "record_id", "title", "question", "reference", *_IMPORTED)
_OPINION: Final = (
    "opinion_id", "judge", "model", "prompt_id", "axis", "raw_label", "reason", "quote", "given_at", "imported_from",
)  # fmt: skip


_Make = Callable[[sqlite3.Connection, Path], None]
"""What brings one file, or several that belong together, from the folder of an export into a study."""


def add_exported_units(connection: sqlite3.Connection, folder: Path) -> None:
    """Insert them from the files of an export, as far as it has these: an older one has none.

    Raises :class:`~medreview.exchange.imports.exported_rows.ExportFault` for a row that does not fit its hash, is of
    another kind than its id says, or has a label that there is not.
    """
    for file, make in _FILES.items():
        if (folder / file).exists():
            make(connection, folder)


def _plain(table: str, file: str, row_of: Callable[[ExportedRow], dict[str, Any]]) -> _Make:
    def make(connection: sqlite3.Connection, folder: Path) -> None:
        insert(connection, table, (row_of(row) for row in read_rows(folder / file)))

    return make


def _passage(row: ExportedRow) -> dict[str, Any]:
    return _hashed(row, "text") | {name: row[name] for name in ("passage_id", "title", "url", *_IMPORTED)}


def _passage_run(row: ExportedRow) -> dict[str, Any]:
    named = {name: row[name] for name in ("passage_run_id", "at_utc", "entities", "vectors")}
    limits = {name: row.number(name, 1) for name in ("alike", "density", "variance")}
    keep = row.number("keep", 1) if row["keep"] else None
    return named | limits | {"keep": keep, "entropy": row.number("entropy", _MOST_ENTROPY)}


def _passage_feature(row: ExportedRow) -> dict[str, Any]:
    named = {name: row[name] for name in _FEATURE} | {"passage_id": row["paragraph_id"]}
    counts = {name: row.integer(name) for name in ("start_cp", "end_cp", "tokens", "sentences")}
    most = {"density": 1, "variance": 1, "entropy": _MOST_ENTROPY}
    measures = {name: row.number(name, limit) if row[name] else None for name, limit in most.items()}
    return named | counts | measures


def _reference_answer(row: ExportedRow) -> dict[str, Any]:
    return _hashed(row, "question") | {name: row[name] for name in ("text", *_IMPORTED)}


def _hashed(row: ExportedRow, column: str) -> dict[str, Any]:
    """A text with its hash, which it must fit."""
    if sha256(row[column]) != row[f"{column}_sha256"]:
        raise row.wrong(column, "the text has another hash")
    return {column: row[column], f"{column}_sha256": row[f"{column}_sha256"]}


def _add_cases(connection: sqlite3.Connection, folder: Path) -> None:
    for row in read_rows(folder / "cases.csv"):
        values = _hashed(row, "question") | {name: row[name] for name in _CASE}
        insert(connection, "clinical_case", [values | {"ordinal": _next(connection, "clinical_case")}])


def _note(row: ExportedRow) -> dict[str, Any]:
    return _hashed(row, "text") | {name: row[name] for name in _NOTE} | {"ordinal": row.integer("ordinal")}


def _add_units(connection: sqlite3.Connection, folder: Path) -> None:
    """The units with their content, each after the last of its kind.

    One without the names of what wrote it, for who must not know them, stays without.
    """
    values = groupby(read_rows(folder / "unit_values.csv"), key=lambda row: row["unit_id"])
    unit, cells = next(values, ("", iter(())))
    for row in read_rows(folder / "units.csv"):
        parts: dict[str, dict[str, str]] = {"content": {}, "made_by": {}}
        if unit == row["unit_id"]:
            for cell in cells:
                parts.setdefault(cell["part"], {})[cell["name"]] = cell["value"]
            unit, cells = next(values, ("", iter(())))
        content = dumps(unflattened(row, "content", parts["content"]))
        if sha256(content) != row["content_sha256"] and row["withheld"] != "1":
            raise row.wrong("content", f"the content of {row['unit_id']} has another hash")
        if kind_of(row["unit_id"]) != row["kind"]:
            raise row.wrong("kind", f"{row['unit_id']} is of another kind")
        made_by = dumps(unflattened(row, "made_by", parts["made_by"]))
        stored = {name: row[name] for name in _UNIT} | {"content": content, "made_by": made_by}
        stored["content_sha256"] = sha256(content)
        insert(connection, "unit", [stored | {"ordinal": _next(connection, "unit", row["kind"])}])


def _next(connection: sqlite3.Connection, table: str, kind: str | None = None) -> int:
    """The place after the last one."""
    where, values = ("", ()) if kind is None else (" WHERE kind = ?", (kind,))
    last = connection.execute(f"SELECT max(ordinal) FROM {table}{where}", values).fetchone()[0]
    return 1 + (last or 0)


def _add_gold(connection: sqlite3.Connection, folder: Path) -> None:
    spans: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in read_rows(folder / "gold_spans.csv"):
        spans.setdefault((row["unit_id"], row["axis"]), []).append(_span(row))
    insert(connection, "gold", (_gold(row, spans) for row in read_rows(folder / "gold.csv")))


def _span(row: ExportedRow) -> dict[str, Any]:
    start, end = row.integer("start_cp"), row.integer("end_cp")
    if not 0 <= start <= end:
        raise row.wrong("start_cp", "this is no range")
    span = {"target": row["target"], "start": start, "end": end, "label": row["label"]}
    return span | ({"exact": row["exact"]} if row["exact"] else {})


def _gold(row: ExportedRow, spans: Mapping[tuple[str, str], list[dict[str, Any]]]) -> dict[str, Any]:
    if not is_label(row["axis"], row["label"]):
        raise row.wrong("label", f"this is no label of the axis {row['axis']}")
    of_one = spans.get((row["unit_id"], row["axis"]), [])
    copied = {name: row[name] for name in ("axis", "label", "why", "added_by", "added_at")}
    return copied | {
        "unit": row["unit_id"],
        "attention": int(row["attention"] == "1"),
        "spans": json.dumps(of_one, ensure_ascii=False),
    }


def _opinion(row: ExportedRow) -> dict[str, Any]:
    if row["label"] and not is_label(row["axis"], row["label"]):
        raise row.wrong("label", f"this is no label of the axis {row['axis']}")
    return {name: row[name] for name in _OPINION} | {
        "unit": row["unit_id"],
        "label": row["label"] or None,
        "confidence": row.number("confidence", 1) if row["confidence"] else None,
    }


_FILES: Final[Mapping[str, _Make]] = {
    "passages.csv": _plain("passage", "passages.csv", _passage),
    "passage_runs.csv": _plain("passage_run", "passage_runs.csv", _passage_run),
    "passage_features.csv": _plain("passage_feature", "passage_features.csv", _passage_feature),
    "cases.csv": _add_cases,
    "case_notes.csv": _plain("case_note", "case_notes.csv", _note),
    "reference_answers.csv": _plain("reference_answer", "reference_answers.csv", _reference_answer),
    "units.csv": _add_units,
    "gold.csv": _add_gold,
    "opinions.csv": _plain("opinion", "opinions.csv", _opinion),
}
"""The files in which a row may speak of those before it."""
