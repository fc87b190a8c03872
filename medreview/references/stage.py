"""The stage that finds the references of every response."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from medreview.progress import SILENT, Progress
from medreview.references.model import Reference
from medreview.references.printed.find import find_references
from medreview.references.study_references import FOUND_BY, store_references
from medreview.study import Study

_BATCH: Final = 200
_WAITING: Final = "FROM response WHERE cited = 1 AND references_by IS NOT ?"


def find_all(study: Study, progress: Progress = SILENT) -> int:
    """Find the references of the responses that these rules did not see yet, in transactions of 200; how many there
    were.

    A response waits until its citations were extracted: its references name their sources.
    """
    responses = int(study.reader.execute(f"SELECT count(*) {_WAITING}", (FOUND_BY,)).fetchone()[0])
    if responses:
        progress.begin("reference lists", responses)
    while rows := study.reader.execute(
        f"SELECT response_id, text, listed, invalid {_WAITING} ORDER BY ordinal LIMIT ?", (FOUND_BY, _BATCH)
    ).fetchall():
        found = [(row["response_id"], _found(row)) for row in rows]
        study.write(lambda connection, found=found: _store(connection, found))  # type: ignore[misc]
        progress.step(len(rows))
    return responses


def _found(row: sqlite3.Row) -> list[Reference]:
    """An invalid response says nothing, so that it names nothing."""
    return [] if row["invalid"] else find_references(row["text"], json.loads(row["listed"] or "[]"))


def _store(connection: sqlite3.Connection, found: Sequence[tuple[str, list[Reference]]]) -> None:
    for response_id, references in found:
        store_references(connection, response_id, references, FOUND_BY)
