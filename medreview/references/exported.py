"""Import of an export: its references, as they were read there, and every check of them. Existing rows stay."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from medreview.exchange.imports.exported_rows import ExportedRow, StoredAs, read_rows, unflattened, values_of
from medreview.references.model import Reference, ReferenceCheck, check_of, reference_of, to_json
from medreview.study.rows import insert
from medreview.text import sha256

T = TypeVar("T", Reference, ReferenceCheck)
_Values = Mapping[tuple[str, ...], Mapping[str, str]]
"""Texts by name, of a reference (and no check) or of one of its checks."""


def add_exported_references(connection: sqlite3.Connection, folder: Path) -> None:
    """Insert references, the sources that they name, and checks from the files of an export; an older one has none.

    A response whose references were found here keeps these as the current ones. Raises
    :class:`~medreview.exchange.imports.exported_rows.ExportFault` for a row that cannot be stored.
    """
    if not (folder / "references.csv").exists():
        return
    values = values_of(folder, "reference_values.csv", "reference_id", "check_id")
    reference, check = StoredAs(connection, "reference"), StoredAs(connection, "reference_check")
    found: dict[str, str] = {}
    for row in read_rows(folder / "references.csv"):
        insert(connection, "reference", [reference(row, **_read_from(connection, row, values))])
        named = ({"reference_id": row["reference_id"], "source_id": one} for one in row["source_ids"].split())
        insert(connection, "reference_source", named)
        if row["current"] == "1":
            found[row["response_id"]] = row["parser"]
    connection.executemany(
        "UPDATE response SET references_by = ? WHERE response_id = ? AND references_by IS NULL",
        [(parser, response_id) for response_id, parser in found.items()],
    )
    checks = read_rows(folder / "reference_checks.csv")
    insert(connection, "reference_check", (check(row, result=_result(row, values)) for row in checks))


def _read_from(connection: sqlite3.Connection, row: ExportedRow, values: _Values) -> dict[str, Any]:
    """What is not copied from the row of a reference."""
    response = connection.execute("SELECT text FROM response WHERE response_id = ?", (row["response_id"],)).fetchone()
    if response is None:
        raise row.wrong("response_id", f"response {row['response_id']} is missing")
    start, end = row.span(response["text"])
    if start is not None and response["text"][start:end] != row["text"]:
        raise row.wrong("start_cp", f"reference {row['reference_id']} does not stand there in its response")
    read = _read(row, "reading", "", values, reference_of)
    return {
        "reading": json.dumps(to_json(read), ensure_ascii=False),
        "bare_url": int(read.bare_url),
        "text_sha256": sha256(row["text"]),
    }


def _result(row: ExportedRow, values: _Values) -> str:
    check = _read(row, "result", row["check_id"], values, check_of)
    if row["verdict"] not in ("", check.verdict):
        raise row.wrong("verdict", "this is not the verdict of the result")
    return json.dumps(to_json(check), ensure_ascii=False)


def _read(row: ExportedRow, column: str, check_id: str, values: _Values, read: Callable[[object], T]) -> T:
    found = unflattened(row, column, values.get((row["reference_id"], check_id), {}))
    try:
        return read(found)
    except ValueError as error:
        raise row.wrong(column, str(error)) from error
