"""What is kept of a study from one sitting to the next, beside it: its newest event when it was last closed.

The chain of hashes cannot tell that its last link was taken away or made anew. This note can, and so can an export's
manifest.
"""

import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

from medreview.study.lock import WriterLock


def close_note(connection: sqlite3.Connection) -> dict[str, Any] | None:
    """The note of a study as it is now; ``None`` when it has no event or cannot be read."""
    query = """SELECT s.value AS study_id, e.seq, e.event_id, e.hash
               FROM event AS e JOIN study AS s ON s.key = 'study_id' ORDER BY e.event_id DESC LIMIT 1"""
    try:
        row = connection.execute(query).fetchone()
    except sqlite3.Error:
        return None
    return None if row is None else {**dict(row), "at": datetime.now().strftime("%d %b %Y %H:%M")}


def not_as_closed(connection: sqlite3.Connection, study: Path) -> list[str]:
    """A sentence when the study lacks the event that was its newest when it was last closed; without a note, none."""
    note = WriterLock(study).note()
    own = connection.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()
    if note is None or own is None or note.get("study_id") != own[0]:  # else another study has this name now
        return []
    if holds(connection, str(note.get("hash")), note.get("event_id")):
        return []
    return [
        f"When it was last closed ({note.get('at')}) its newest event was #{note.get('seq')} ({note.get('event_id')}); "
        "that is not in this file: it was changed, or is an older copy. If you put an older copy there on purpose, "
        "open it for writing once and leave it: from then on it counts."
    ]


def holds(connection: sqlite3.Connection, digest: str, event_id: object = None) -> bool:
    """Whether the study has an event of this hash (and of this id, where one is given)."""
    row = connection.execute("SELECT event_id FROM event WHERE hash = ?", (digest,)).fetchone()
    return row is not None and event_id in (None, row[0])
