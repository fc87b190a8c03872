"""The rows of the exported files that hold units other than statements, and what belongs to them."""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, cast

from medreview.exchange.files import unit_columns
from medreview.exchange.files.columns import Column, Type
from medreview.exchange.files.event_payload import Cell, flatten
from medreview.exchange.files.unit_columns import UNIT
from medreview.text import sha256
from medreview.units.kind import Table
from medreview.units.registry import KINDS

_UNITS: Final = "SELECT * FROM unit ORDER BY kind, ordinal"
_GOLD_SPANS: Final = "SELECT unit, axis, spans FROM gold WHERE spans <> '[]' ORDER BY unit, axis"
_TABLES: Final = {
    "passages.csv": "passage ORDER BY passage_id",
    "passage_runs.csv": "passage_run ORDER BY at_utc, passage_run_id",
    "passage_features.csv": "passage_feature ORDER BY rowid",
    "cases.csv": "clinical_case ORDER BY ordinal",
    "case_notes.csv": "case_note ORDER BY case_id, ordinal",
    "reference_answers.csv": "reference_answer ORDER BY question_sha256",
    "gold.csv": "gold ORDER BY unit, axis",
    "opinions.csv": "opinion ORDER BY unit, axis, opinion_id",
}
"""Files whose columns are those of a table, with the order of their rows."""
_OTHER_NAMES: Final = {("gold.csv", "unit_id"): "unit", ("opinions.csv", "unit_id"): "unit",
                       ("passage_features.csv", "paragraph_id"): "passage_id"}  # fmt: skip

_PARTS: Final = ("content", "made_by")
_OF_KINDS: Final = tuple(table for kind in KINDS.values() for table in kind.tables)

_Rows = Callable[[], Iterable[Sequence[Cell]]]

FILES: Final[dict[str, tuple[Column, ...]]] = {
    "units.csv": unit_columns.UNITS,
    "unit_values.csv": unit_columns.UNIT_VALUES,
    "passages.csv": unit_columns.PASSAGES,
    "passage_runs.csv": unit_columns.PASSAGE_RUNS,
    "passage_features.csv": unit_columns.PASSAGE_FEATURES,
    "cases.csv": unit_columns.CASES,
    "case_notes.csv": unit_columns.CASE_NOTES,
    "reference_answers.csv": unit_columns.REFERENCE_ANSWERS,
    "gold.csv": unit_columns.GOLD,
    "gold_spans.csv": unit_columns.GOLD_SPANS,
    "opinions.csv": unit_columns.OPINIONS,
    **{
        table.file: tuple(Column(name, cast(Type, kind), meaning) for name, kind, meaning in table.columns)
        for table in _OF_KINDS
    },
}
"""Every file of units with its columns; last the tables that the kinds have for themselves."""


def unit_files(reader: sqlite3.Connection, told: Collection[str] | None) -> dict[str, _Rows]:
    """Each of :data:`FILES` with what gives its rows.

    ``told``: the units of which the reader of the export may know what machines say; ``None``: of all.
    """
    files: dict[str, _Rows] = {
        "units.csv": lambda: _unit_rows(reader),
        "unit_values.csv": lambda: _value_rows(reader),
        "gold_spans.csv": lambda: _gold_span_rows(reader),
    }
    return (
        files
        | {name: partial(_table_rows, reader, name) for name in _TABLES}
        | {table.file: partial(_kind_rows, reader, table, told) for table in _OF_KINDS}
    )


def _table_rows(reader: sqlite3.Connection, name: str) -> Iterator[Sequence[Cell]]:
    columns = ", ".join(f'"{_OTHER_NAMES.get((name, column.name), column.name)}"' for column in FILES[name])
    return (tuple(row) for row in reader.execute(f"SELECT {columns} FROM {_TABLES[name]}"))


def _kind_rows(reader: sqlite3.Connection, table: Table, told: Collection[str] | None) -> Iterator[Sequence[Cell]]:
    """The rows of a table of a kind; of one that names no unit, all or, where not all may be known, none."""
    if told is None:
        return iter(table.rows(reader))
    names = [name for name, _, _ in table.columns]
    if UNIT.name not in names:
        return iter(())
    place = names.index(UNIT.name)
    return (row for row in table.rows(reader) if row[place] in told)


def _unit_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(_UNITS):
        cells: dict[str, Cell] = dict(row) | {part: flatten(json.loads(row[part]))[0] for part in _PARTS}
        cells["withheld"] = int(sha256(row["content"]) != row["content_sha256"])
        yield [cells[column.name] for column in unit_columns.UNITS]


def _value_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(_UNITS):
        for part in _PARTS:
            for name, value in flatten(json.loads(row[part]))[1].items():
                yield row["unit_id"], part, name, value


def _gold_span_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for unit, axis, spans in reader.execute(_GOLD_SPANS):
        for number, span in enumerate(json.loads(spans), 1):
            yield unit, axis, number, span["target"], span["start"], span["end"], span.get("exact"), span["label"]
