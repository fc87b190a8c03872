"""Import of an export: its rows, each cell read as what its column holds, and the units and generated texts in them.

A fault is named by file, row and column. What is here already stays. The answers of models that were asked to generate
are in the cache of calls, which an export does not hold: an input that is done here is not asked again, one that is not
is asked again.
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
            raise self.wrong(column, "this is not a whole number") from None
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
            raise self.wrong(column, f"this is not a number from 0 to {most:g}")
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


class StoredAs:
    """Makes rows of a table of the study of exported ones, each cell as the table declares its column.

    An empty cell is missing where that may be. ``names``: columns that an export calls otherwise. A text must fit the
    SHA-256 beside it. Numbers lie between 0 and 1, entropies below 100 nats: more than any text of sentences has.
    """

    def __init__(self, connection: sqlite3.Connection, table: str, **names: str) -> None:
        query = 'SELECT name, type, "notnull" FROM pragma_table_info(?)'
        self._columns = [tuple(row) for row in connection.execute(query, (table,))]
        self._names = names
        self._hashed = {name for name, *_ in self._columns if (f"{name}_sha256", "TEXT", 1) in self._columns}

    def __call__(self, row: ExportedRow, **given: Any) -> dict[str, Any]:
        """The row, with what is ``given``. Raises :class:`ExportFault` for a cell that cannot be stored."""
        return {name: given[name] if name in given else self._cell(row, name, *more) for name, *more in self._columns}

    def _cell(self, row: ExportedRow, name: str, kind: str, required: int) -> Any:
        column = self._names.get(name, name)
        if not (required or row[column]):
            return None
        if kind != "TEXT":
            most = 100 if column == "entropy" else 1
            return row.integer(column) if kind == "INTEGER" else row.number(column, most)
        hashed = row.get(f"{column}_sha256") if name in self._hashed else None
        if hashed is not None and sha256(row[column]) != hashed:
            raise row.wrong(column, "the text has another hash")
        return row[column]


def values_of(folder: Path, file: str, *of: str) -> dict[tuple[str, ...], dict[str, str]]:
    """Texts by name from a file of values, for each thing that they are of."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for row in read_rows(folder / file):
        found.setdefault(tuple(row[column] for column in of), {})[row["name"]] = row["value"]
    return found


def add_exported_generation(connection: sqlite3.Connection, folder: Path) -> None:
    """Insert runs, outcomes, attempts and products from the files of an export; an older one has none.

    Raises :class:`~medreview.exchange.imports.exported_rows.ExportFault` for a row that cannot be stored.
    """
    if not (folder / "generation_runs.csv").exists():
        return
    values = values_of(folder, "generation_values.csv", "generation_run_id", "item_id", "round", "part")
    last = connection.execute("SELECT coalesce(max(ordinal), 0) FROM generation_run").fetchone()[0]
    known = {row[0] for row in connection.execute("SELECT run_id FROM generation_run")}
    new = (row for row in read_rows(folder / "generation_runs.csv") if row["generation_run_id"] not in known)

    def stored(table: str) -> StoredAs:
        return StoredAs(connection, table, run_id="generation_run_id")

    def part(row: ExportedRow, name: str, *of: str) -> str:
        return dumps(unflattened(row, name, values.get((row["generation_run_id"], *of, name), {})))

    def parts(row: ExportedRow) -> dict[str, str]:
        return {name: part(row, name, "", "") for name in ("prompts", "params", "options")}

    run, item, attempt = stored("generation_run"), stored("generation"), stored("generation_attempt")
    runs = (run(row, ordinal=last + at, **parts(row)) for at, row in enumerate(new, 1))
    insert(connection, "generation_run", runs)
    items = read_rows(folder / "generation.csv")
    insert(connection, "generation", (item(r, report=part(r, "report", r["item_id"], r["round"])) for r in items))
    attempts = read_rows(folder / "generation_attempts.csv")
    insert(connection, "generation_attempt", (attempt(r, codes=json.dumps(r["codes"].split())) for r in attempts))
    for file, table in (("products", "product"), ("dropped", "dropped")):
        made = map(stored(f"generation_{table}"), read_rows(folder / f"generation_{file}.csv"))
        insert(connection, f"generation_{table}", made)


_Make = Callable[[sqlite3.Connection, Path], None]
"""Imports one file, or several that belong together, from the folder of an export into a study."""


def add_exported_units(connection: sqlite3.Connection, folder: Path) -> None:
    """Insert them from the files of an export, as far as it has these: an older one has none.

    Raises :class:`~medreview.exchange.imports.exported_rows.ExportFault` for a row that does not fit its hash, is of
    another kind than its id says, or has a label that there is not.
    """
    for file, make in _FILES.items():
        if (folder / file).exists():
            make(connection, folder)


def _plain(table: str, file: str, **names: str) -> _Make:
    """Of a file whose rows are those of a table."""

    def make(connection: sqlite3.Connection, folder: Path) -> None:
        insert(connection, table, map(StoredAs(connection, table, **names), read_rows(folder / file)))

    return make


def _add_cases(connection: sqlite3.Connection, folder: Path) -> None:
    stored = StoredAs(connection, "clinical_case")
    for row in read_rows(folder / "cases.csv"):
        insert(connection, "clinical_case", [stored(row, ordinal=_next(connection, "clinical_case"))])


def _add_units(connection: sqlite3.Connection, folder: Path) -> None:
    """The units with their content, each after the last of its kind.

    One without the names of what wrote it, for who must not know them, stays without.
    """
    stored = StoredAs(connection, "unit")
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
        given = {"content": content, "made_by": made_by, "content_sha256": sha256(content)}
        insert(connection, "unit", [stored(row, ordinal=_next(connection, "unit", row["kind"]), **given)])


def _next(connection: sqlite3.Connection, table: str, kind: str | None = None) -> int:
    """The place after the last one."""
    where, values = ("", ()) if kind is None else (" WHERE kind = ?", (kind,))
    last = connection.execute(f"SELECT max(ordinal) FROM {table}{where}", values).fetchone()[0]
    return 1 + (last or 0)


def _add_gold(connection: sqlite3.Connection, folder: Path) -> None:
    spans: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in read_rows(folder / "gold_spans.csv"):
        spans.setdefault((row["unit_id"], row["axis"]), []).append(_span(row))
    stored = StoredAs(connection, "gold", unit="unit_id")
    for row in read_rows(folder / "gold.csv"):
        of_one = json.dumps(spans.get((row["unit_id"], row["axis"]), []), ensure_ascii=False)
        insert(connection, "gold", [stored(_labelled(row), spans=of_one, attention=int(row["attention"] == "1"))])


def _span(row: ExportedRow) -> dict[str, Any]:
    start, end = row.integer("start_cp"), row.integer("end_cp")
    if not 0 <= start <= end:
        raise row.wrong("start_cp", "this is not a range")
    span = {"target": row["target"], "start": start, "end": end, "label": row["label"]}
    return span | ({"exact": row["exact"]} if row["exact"] else {})


def _add_opinions(connection: sqlite3.Connection, folder: Path) -> None:
    stored = StoredAs(connection, "opinion", unit="unit_id")
    rows = read_rows(folder / "opinions.csv")
    insert(connection, "opinion", (stored(_labelled(row) if row["label"] else row) for row in rows))


def _labelled(row: ExportedRow) -> ExportedRow:
    """The row, whose label must be one of its axis."""
    if not is_label(row["axis"], row["label"]):
        raise row.wrong("label", f"this is not a label of the axis {row['axis']}")
    return row


_FILES: Final[Mapping[str, _Make]] = {
    "passages.csv": _plain("passage", "passages.csv"),
    "passage_runs.csv": _plain("passage_run", "passage_runs.csv"),
    "passage_features.csv": _plain("passage_feature", "passage_features.csv", passage_id="paragraph_id"),
    "cases.csv": _add_cases,
    "case_notes.csv": _plain("case_note", "case_notes.csv"),
    "reference_answers.csv": _plain("reference_answer", "reference_answers.csv"),
    "units.csv": _add_units,
    "gold.csv": _add_gold,
    "opinions.csv": _add_opinions,
}
"""The files in which a row may speak of those before it."""
