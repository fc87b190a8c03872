"""Where a reviewer was: one place in every queue, and the queue that was open last."""

import sqlite3
from datetime import UTC, datetime
from typing import NamedTuple

from medreview.review.queue import Queue
from medreview.review.queue_kinds import Mode


class Bookmark(NamedTuple):
    """A place to come back to: a queue by name, how it was shown, its filter, and the statement."""

    queue: str
    mode: Mode
    filter: str
    unit: str


def last_bookmark(reader: sqlite3.Connection, reviewer: str) -> Bookmark | None:
    """The place where the reviewer was last, in whatever queue."""
    return _first(reader, "reviewer = ? ORDER BY at_utc DESC LIMIT 1", reviewer)


def bookmark_in(reader: sqlite3.Connection, reviewer: str, queue: str) -> Bookmark | None:
    """The place where the reviewer was in a queue."""
    return _first(reader, "reviewer = ? AND block = ?", reviewer, queue)


def set_bookmark(connection: sqlite3.Connection, reviewer: str, queue: Queue, unit: str) -> None:
    """Note a place, inside the caller's transaction; it replaces the one before in that queue."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    connection.execute(
        "INSERT OR REPLACE INTO bookmark VALUES (?, ?, ?, ?, ?, ?)",
        (reviewer, queue.kind.name, queue.mode, queue.filter, unit, now),
    )


def _first(reader: sqlite3.Connection, where: str, *values: str) -> Bookmark | None:
    row = reader.execute(f"SELECT block, mode, filter, unit FROM bookmark WHERE {where}", values).fetchone()
    return Bookmark(*row) if row else None
