"""Bring a colleague's decisions into a study: the union of both records."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from medreview.errors import UserError
from medreview.study.events import insert_event, verify
from medreview.study.study import Study


@dataclass(frozen=True, slots=True)
class MergeSummary:
    """How many events came in, were here already, or speak of statements that this study does not have."""

    added: int
    known: int
    foreign: int


def merge(study: Study, other: Path) -> MergeSummary:
    """Add the other study's events that this one does not have. Merging twice adds nothing.

    Events on statements that are not in this study are left out and counted.
    Raises :class:`UserError` when the other file is this one, no study, or its record does not verify.
    """
    if other.resolve() == study.path.resolve():
        raise UserError("A study cannot be merged with itself; name the colleague's file.")
    with Study.open(other, read_only=True) as theirs:
        wrong = verify(theirs.reader)
        if wrong:
            raise UserError(f"{other} was not merged: its record of decisions does not verify. {wrong[0]}")
        rows = theirs.reader.execute("SELECT * FROM event ORDER BY event_id").fetchall()

    def add(connection: sqlite3.Connection) -> MergeSummary:
        known = {row[0] for row in connection.execute("SELECT event_id FROM event")}
        here = {row[0] for row in connection.execute("SELECT statement_id FROM statement")}
        fresh = [row for row in rows if row["event_id"] not in known]
        ours = [row for row in fresh if row["unit"] in here]
        kept = {row["hash"] for row in ours} | {row[0] for row in connection.execute("SELECT hash FROM event")} | {""}
        if any(row["previous_hash"] not in kept for row in ours):
            raise UserError(
                f"{other} was not merged: it holds decisions on other material, so that its record cannot be taken "
                "over in part. Merge studies that began as copies of one file."
            )
        for row in ours:
            insert_event(connection, dict(row))
        return MergeSummary(len(ours), len(rows) - len(fresh), len(fresh) - len(ours))

    return study.write(add)
