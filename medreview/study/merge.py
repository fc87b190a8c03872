"""Bring a colleague's decisions into a study: the union of both records."""

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medreview.errors import UserError
from medreview.study.audit_frame import join_frame
from medreview.study.events import insert_event, verify
from medreview.study.promotion import number_promotions, promoted
from medreview.study.rows import insert
from medreview.study.study import Study


@dataclass(frozen=True, slots=True)
class MergeSummary:
    """How many events came in, were here already, or speak of statements that this study does not have."""

    added: int
    known: int
    foreign: int


def merge(study: Study, other: Path) -> MergeSummary:
    """Add the other study's events that this one does not have, and the pages they were made on. Twice adds nothing.

    Events on statements that are not in this study are left out and counted. A page that comes in does not become the
    current one: judgements and decisions of this study rest on the one that it has.
    Raises :class:`UserError` when the other file is this one, no study, a study that has nothing in common with this
    one, or its record does not verify.
    """
    if other.resolve() == study.path.resolve():
        raise UserError("A study cannot be merged with itself; name the colleague's file.")
    study_id = study.meta("study_id")
    with Study.open(other, read_only=True) as theirs:
        wrong = verify(theirs.reader, (row[0] for row in study.reader.execute("SELECT hash FROM event")))
        if wrong:
            raise UserError(f"{other} was not merged: its record of decisions does not verify. {wrong[0]}")
        rows = theirs.reader.execute("SELECT * FROM event ORDER BY event_id").fetchall()
        pages = _pages_behind(study, theirs)
        same = theirs.meta("study_id") == study_id
        if not same and not _in_common(study, theirs):
            raise UserError(
                f"{other} was not merged: it is another study ({theirs.meta('title')}, {theirs.meta('study_id')}), "
                "made separately, that shares no statement and no decision with this one. Merge copies of one study."
            )
        frame = [dict(row) for row in theirs.reader.execute("SELECT * FROM audit_frame")] if same else []

    def add(connection: sqlite3.Connection) -> MergeSummary:
        known = {row[0] for row in connection.execute("SELECT event_id FROM event")}
        here = {row[0] for row in connection.execute("SELECT statement_id FROM statement")} | {study_id}
        responses = {row[0] for row in connection.execute("SELECT response_id FROM response")}
        fresh = [row for row in rows if row["event_id"] not in known]
        here |= promoted(((row["kind"], row["unit"], json.loads(row["payload"])) for row in fresh), responses)
        ours = [row for row in fresh if row["unit"] in here]
        kept = {row["hash"] for row in ours} | {row[0] for row in connection.execute("SELECT hash FROM event")} | {""}
        if any(row["previous_hash"] not in kept for row in ours):
            raise UserError(
                f"{other} was not merged: it holds decisions on other material, so that its record cannot be taken "
                "over in part. Merge studies that began as copies of one file."
            )
        for row in ours:
            insert_event(connection, dict(row))
        number_promotions(connection)
        join_frame(connection, frame)
        _add_pages(connection, [pages[name] for name in {row["snapshot"] for row in ours} if name in pages])
        return MergeSummary(len(ours), len(rows) - len(fresh), len(fresh) - len(ours))

    return study.write(add)


def _in_common(study: Study, theirs: Study) -> bool:
    """Whether they share a statement or an event."""
    for column, table in (("statement_id", "statement"), ("event_id", "event")):
        here = {row[0] for row in study.reader.execute(f"SELECT {column} FROM {table}")}
        if any(row[0] in here for row in theirs.reader.execute(f"SELECT {column} FROM {table}")):
            return True
    return False


def _pages_behind(study: Study, theirs: Study) -> dict[str, dict[str, Any]]:
    """The snapshots that their events name and this study does not have, of sources that it has."""
    here = {row[0] for row in study.reader.execute("SELECT snapshot_id FROM snapshot")}
    sources = {row[0] for row in study.reader.execute("SELECT source_id FROM source")}
    rows = theirs.reader.execute("SELECT * FROM snapshot WHERE snapshot_id IN (SELECT snapshot FROM event)")
    return {
        row["snapshot_id"]: dict(row) for row in rows if row["snapshot_id"] not in here and row["source_id"] in sources
    }


def _add_pages(connection: sqlite3.Connection, pages: list[dict[str, Any]]) -> None:
    for page in sorted(pages, key=lambda page: (page["source_id"], page["version"])):
        newest = connection.execute("SELECT max(version) FROM snapshot WHERE source_id = ?", (page["source_id"],))
        insert(connection, "snapshot", [page | {"version": 1 + (newest.fetchone()[0] or 0)}])
