"""Import of answers from a file into the table ``response``."""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from medreview.exchange.imports.answer_records import FIELDS, AnswerRecord, read_records
from medreview.exchange.imports.field_mapping import AS_NAMED, Fields
from medreview.exchange.imports.rows import BadRecord
from medreview.exchange.imports.text_files import check_text
from medreview.exchange.imports.unused_columns import UnusedColumn, UnusedColumns
from medreview.labels import invalid_as
from medreview.progress import SILENT, Progress
from medreview.storable import storable_text
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import sha256

_BATCH: Final = 500
_LABELLED: Final = re.compile(r"(\[\d{1,3}\] )?(.*)", re.DOTALL)
"""An entry of a list, and the number that it may have."""


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """Counts: records read, responses added, responses ``known`` already; ``bad`` are the rejected records.

    ``empty``: responses without a text, which are kept. ``pages`` and ``facts``: records that give some of these.
    """

    read: int
    added: int
    known: int
    bad: list[BadRecord] = field(default_factory=list)
    empty: int = 0
    pages: int = 0
    facts: int = 0
    unused: list[UnusedColumn] = field(default_factory=list)


def import_responses(
    study: Study, path: Path, mapping: Mapping[str, str] = AS_NAMED, progress: Progress = SILENT
) -> ImportSummary:
    """Import a file of answers into the table ``response``, 500 per transaction; idempotent.

    Raises :class:`UserError` before anything is stored when the whole file cannot be used.
    """
    Fields(FIELDS, mapping)
    lines = check_text(path)
    unused = UnusedColumns(FIELDS)
    records = read_records(path, mapping, unused)
    progress.begin("responses", lines)
    added = read = reached = empty = pages = facts = 0
    bad: list[BadRecord] = []
    while batch := list(islice(records, _BATCH)):
        good = [record for record in batch if isinstance(record, AnswerRecord)]
        bad += [record for record in batch if isinstance(record, BadRecord)]
        rows = [response_row(record, storable_text(path.name)) for record in good]
        added += study.write(lambda connection, rows=rows: add_responses(connection, rows))  # type: ignore[misc]
        read += len(batch)
        empty += sum(row["invalid"] != "" for row in rows)
        pages += sum(bool(record.pages) for record in good)
        facts += sum(bool(record.facts) for record in good)
        progress.step(batch[-1].line - reached)
        reached = batch[-1].line
    progress.step(lines - reached)
    return ImportSummary(read, added, read - len(bad) - added, bad, empty, pages, facts, unused.found())


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
        "invalid": invalid_as(record.response, record.invalid),
        "text_sha256": sha256(record.response),
        "question": record.question,
        "text": record.response,
    }


def add_responses(connection: sqlite3.Connection, rows: Iterable[Mapping[str, Any]]) -> int:
    """Insert the new responses, numbered after the last existing one; the number of new ones.

    A known one that comes with more citations beside its text gets these as well.
    """
    last = connection.execute("SELECT coalesce(max(ordinal), 0) FROM response").fetchone()[0]
    new: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        known = connection.execute(
            "SELECT listed FROM response WHERE response_id = ?", (row["response_id"],)
        ).fetchone()
        if known is None:
            new.setdefault(row["response_id"], row)
        elif row["listed"] and row["listed"] != known["listed"]:
            add_to_list(connection, row["response_id"], json.loads(row["listed"]))
    return insert(connection, "response", _numbered(new.values(), last))


def add_to_list(connection: sqlite3.Connection, response_id: str, sources: Sequence[str]) -> None:
    """Add what is new to the citations beside a response's text; they are extracted and numbered anew then.

    An entry that says more of the same address or identifier takes the place of the one that had nothing else: so the
    words that an earlier version did not keep come with the file that they stand in.
    """
    found = connection.execute("SELECT listed FROM response WHERE response_id = ?", (response_id,)).fetchone()
    before = json.loads(found["listed"] or "[]")
    more = [source for source in sources if source not in before]
    kept = [next((source for source in more if _says_more(source, known)), known) for known in before]
    now = list(dict.fromkeys([*kept, *more]))
    if now != before:
        connection.execute(
            "UPDATE response SET listed = ?, cited = 0, marked = NULL, references_by = NULL WHERE response_id = ?",
            (json.dumps(now, ensure_ascii=False), response_id),
        )


def _says_more(source: str, known: str) -> bool:
    """Whether an entry has all of one that is an address or identifier alone, with the same number, and words."""
    label, bare = _LABELLED.fullmatch(known).groups("")  # type: ignore[union-attr]
    return re.fullmatch(rf"{re.escape(label)}(?!\[)(?:\S.*\s)?{re.escape(bare)}(?:[;\s].*)?", source) is not None


def _numbered(rows: Iterable[Mapping[str, Any]], last: int) -> Iterator[dict[str, Any]]:
    return ({**row, "ordinal": ordinal} for ordinal, row in enumerate(rows, last + 1))
