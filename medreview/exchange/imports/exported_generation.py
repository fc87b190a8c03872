"""Import of an export: what models were asked to generate, and what came of it. What is here already stays.

The answers themselves are in the cache of calls, which an export does not bring: an input that is done here is not
asked again, one that is not is asked anew.
"""

import json
import sqlite3
from pathlib import Path
from typing import Any, Final

from medreview.exchange.files.event_payload import dumps
from medreview.exchange.imports.exported_rows import ExportedRow, read_rows, unflattened
from medreview.study.rows import insert

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
