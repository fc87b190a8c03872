"""Import of an export: its rows, each cell read as what its column holds, and the units and generated texts in them.

A fault is named by file, row and column. What is here already stays. The answers of models that were asked to generate
are in the cache of calls, which an export does not bring: an input that is done here is not asked again, one that is
not is asked again.
"""

import csv
import json
import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from medreview.exchange.files.csv_file import dumps, unflatten
from medreview.labels import is_label
from medreview.storable import unstorable
from medreview.study.ids import kind_of
from medreview.study.rows import insert
from medreview.text import sha256

_CELL_LIMIT: Final = 1 << 30


class ExportFault(ValueError):
    """A sentence without its end: which file, row and column, and what is wrong there."""


class ExportedRow(dict[str, str]):
    """One row as texts by column. A column that is asked for and not there is an :class:`ExportFault`."""

    def __init__(self, file: str, number: int, cells: dict[str, str]) -> None:
        super().__init__(cells)
        self._place = f"{file}, row {number}"

    def wrong(self, column: str, why: str) -> ExportFault:
        """The error to raise of a cell."""
        return ExportFault(f"{self._place}, column {column}: {why}")

    def __missing__(self, column: str) -> str:
        raise self.wrong(column, "there is no such column")

    def integer(self, column: str) -> int:
        """A whole number of 64 bits."""
        try:
            number = int(self[column])
        except ValueError:
            raise self.wrong(column, "this is no whole number") from None
        if why := unstorable(number):
            raise self.wrong(column, why)
        return number

    def integer_or_none(self, column: str) -> int | None:
        """The same; ``None`` for an empty cell."""
        return self.integer(column) if self[column] else None

    def number(self, column: str, most: float) -> float:
        """A number from 0 to ``most``."""
        try:
            number = float(self[column])
        except ValueError:
            number = math.nan
        if not 0 <= number <= most:
            raise self.wrong(column, f"this is no number from 0 to {most:g}")
        return number

    def span(self, text: str) -> tuple[int | None, int | None]:
        """A range that lies in a text, or none at all."""
        start, end = self.integer_or_none("start_cp"), self.integer_or_none("end_cp")
        if (start is None) != (end is None):
            raise self.wrong("end_cp", "a range has a start and an end, or neither")
        if start is not None and end is not None and not 0 <= start <= end <= len(text):
            raise self.wrong("start_cp", "the range lies outside the response")
        return start, end


def read_rows(path: Path) -> Iterator[ExportedRow]:
    """The rows of a file. Raises :class:`ExportFault` for one that has too few or too many cells, or is no CSV."""
    csv.field_size_limit(_CELL_LIMIT)
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, strict=True)
        number = 0
        try:
            for number, cells in enumerate(rows, 1):
                row = ExportedRow(path.name, number, cells)
                if None in cells or None in cells.values():
                    raise row.wrong(str((rows.fieldnames or [""])[-1]), "the row has too few or too many cells")
                yield row
        except (csv.Error, UnicodeDecodeError) as error:
            raise ExportFault(f"{path.name}, after row {number}: {error}") from error


def unflattened(row: ExportedRow, column: str, values: Mapping[str, str]) -> dict[str, Any]:
    """The object whose names stand in a cell and whose values in a file of values."""
    try:
        found = unflatten(row[column], values)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise row.wrong(column, f"names and values do not fit each other ({error})") from error
    if why := unstorable(found):
        raise row.wrong(column, why)
    return found


_RUN: Final = ("generator", "model_name", "model", "host", "judge", "started_at")
_OF_RUN: Final = ("prompts", "params", "options")
_Values = dict[tuple[str, str, str, str], dict[str, str]]


def add_exported_generation(connection: sqlite3.Connection, folder: Path) -> None:
    """Insert runs, outcomes, attempts and products from the files of an export; an older one has none.

    Raises :class:`~medreview.exchange.imports.exported_rows.ExportFault` for a row that cannot be stored.
    """
    if not (folder / "generation_runs.csv").exists():
        return
    values: _Values = {}
    for row in read_rows(folder / "generation_values.csv"):
        place = (row["generation_run_id"], row["item_id"], row["round"], row["part"])
        values.setdefault(place, {})[row["name"]] = row["value"]
    last = connection.execute("SELECT coalesce(max(ordinal), 0) FROM generation_run").fetchone()[0]
    known = {row[0] for row in connection.execute("SELECT run_id FROM generation_run")}
    new = (row for row in read_rows(folder / "generation_runs.csv") if row["generation_run_id"] not in known)
    insert(connection, "generation_run", (_run(row, values) | {"ordinal": last + at} for at, row in enumerate(new, 1)))
    insert(connection, "generation", (_item(row, values) for row in read_rows(folder / "generation.csv")))
    insert(connection, "generation_attempt", map(_attempt, read_rows(folder / "generation_attempts.csv")))
    insert(connection, "generation_product", map(_product, read_rows(folder / "generation_products.csv")))
    insert(connection, "generation_dropped", map(_dropped, read_rows(folder / "generation_dropped.csv")))


def _run(row: ExportedRow, values: _Values) -> dict[str, Any]:
    run = row["generation_run_id"]
    parts = {part: dumps(unflattened(row, part, values.get((run, "", "", part), {}))) for part in _OF_RUN}
    return {"run_id": run} | {name: row[name] for name in _RUN} | parts


def _item(row: ExportedRow, values: _Values) -> dict[str, Any]:
    report = values.get((row["generation_run_id"], row["item_id"], row["round"], "report"), {})
    return _of_item(row) | {
        "round": row.integer("round"),
        "name": row["name"],
        "code": row["code"],
        "report": dumps(unflattened(row, "report", report)),
        "finished_at": row["finished_at"],
    }


def _attempt(row: ExportedRow) -> dict[str, Any]:
    copied = {name: row[name] for name in ("stage", "cache_key", "status", "at_utc")}
    return _of_item(row) | copied | {"number": row.integer("number"), "codes": json.dumps(row["codes"].split())}


def _product(row: ExportedRow) -> dict[str, Any]:
    return _of_item(row) | {name: row[name] for name in ("kind", "made")}


def _dropped(row: ExportedRow) -> dict[str, Any]:
    return _of_item(row) | {"ordinal": row.integer("ordinal"), "code": row["code"], "what": row["what"]}


def _of_item(row: ExportedRow) -> dict[str, Any]:
    return {"run_id": row["generation_run_id"], "item_id": row["item_id"]}


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
