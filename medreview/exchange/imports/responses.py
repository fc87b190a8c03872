"""Import of answers from a file into the table ``response``."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from medreview.exchange.imports.answer_records import FIELDS, AnswerRecord, read_records
from medreview.exchange.imports.field_mapping import AS_NAMED, Fields
from medreview.exchange.imports.rows import BadRecord
from medreview.exchange.imports.text_files import check_text
from medreview.progress import SILENT, Progress
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import sha256

_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """Counts: records read, responses added, responses ``known`` already; ``bad`` are the rejected records."""

    read: int
    added: int
    known: int
    bad: list[BadRecord] = field(default_factory=list)


def import_responses(
    study: Study, path: Path, mapping: Mapping[str, str] = AS_NAMED, progress: Progress = SILENT
) -> ImportSummary:
    """Import a file of answers into the table ``response``, 500 per transaction; idempotent.

    Raises :class:`UserError` before anything is stored when the whole file cannot be used.
    """
    Fields(FIELDS, mapping)
    lines = check_text(path)
    records = read_records(path, mapping)
    progress.begin("responses", lines)
    added = read = reached = 0
    bad: list[BadRecord] = []
    while batch := list(islice(records, _BATCH)):
        good = [record for record in batch if isinstance(record, AnswerRecord)]
        bad += [record for record in batch if isinstance(record, BadRecord)]
        rows = [response_row(record, path.name) for record in good]
        added += study.write(lambda connection, rows=rows: add_responses(connection, rows))  # type: ignore[misc]
        read += len(batch)
        progress.step(batch[-1].line - reached)
        reached = batch[-1].line
    progress.step(lines - reached)
    return ImportSummary(read, added, read - len(bad) - added, bad)


def response_row(record: AnswerRecord, imported_from: str) -> dict[str, Any]:
    """A row of the table ``response`` without its ordinal; the id is a hash of the content."""
    content = (record.record_id, record.question, record.response, record.model, record.origin)
    return {
        "response_id": content_id("r", *content),
        "record_id": record.record_id,
        "model": record.model,
        "origin": record.origin,
        "imported_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "imported_from": imported_from,
        "listed": json.dumps(record.citations, ensure_ascii=False) if record.citations else None,
        "text_sha256": sha256(record.response),
        "question": record.question,
        "text": record.response,
    }


def add_responses(connection: sqlite3.Connection, rows: Iterable[Mapping[str, Any]]) -> int:
    """Insert the new responses, numbered after the last existing one; the number of new ones."""
    last = connection.execute("SELECT coalesce(max(ordinal), 0) FROM response").fetchone()[0]
    new = {row["response_id"]: row for row in rows if not _known(connection, row["response_id"])}
    return insert(connection, "response", _numbered(new.values(), last))


def _known(connection: sqlite3.Connection, response_id: str) -> bool:
    found = connection.execute("SELECT 1 FROM response WHERE response_id = ?", (response_id,)).fetchone()
    return found is not None


def _numbered(rows: Iterable[Mapping[str, Any]], last: int) -> Iterator[dict[str, Any]]:
    return ({**row, "ordinal": ordinal} for ordinal, row in enumerate(rows, last + 1))
