"""The record of what people did: appended to, never changed, chained by hashes.

Each event holds the hash of the one before it in its session; a session's first event holds the hash of the newest
event that the file had then. Studies of the same origin therefore merge by taking the union of their events, and a
changed or missing event leaves a hash that does not fit (:func:`verify`).
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

import medreview
from medreview.labels import LABEL_SET_VERSION
from medreview.study.ids import Ulids
from medreview.study.statement_edits import EDITS, make_statements, settle, settle_after
from medreview.study.unit_table import make_rows
from medreview.text import sha256

COLUMNS = (
    "event_id", "at_utc", "reviewer", "session", "kind", "unit", "snapshot", "pass", "block", "mode", "payload",
    "undoes_event", "app_version", "label_set_version", "previous_hash",
)  # fmt: skip
"""What the hash covers, in this order."""


@dataclass(frozen=True, slots=True)
class NewEvent:
    """What one person did, before it is written: an event without id, time and hash."""

    kind: str
    unit: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    snapshot: str | None = None
    undoes_event: str | None = None


class Receipt(NamedTuple):
    """Proof of a commit: the event's number in this file, its id and its time."""

    seq: int
    event_id: str
    at_utc: str


class Recorder:
    """Appends the events of one reviewer's session, on the writer's thread.

    ``pass_no`` counts how often a reviewer has gone through the study; ``block`` names the queue.
    """

    def __init__(self, reviewer: str, *, pass_no: int = 1) -> None:
        self.reviewer = reviewer
        self.pass_no = pass_no
        self._ulids = Ulids()
        self._session = ""

    def append(self, connection: sqlite3.Connection, event: NewEvent, *, block: str, mode: str) -> Receipt:
        """Write one event inside the caller's transaction; the receipt is good once that is committed."""
        # Each time: what another recorder wrote in the same millisecond, such as a look, came before this event.
        newest = connection.execute("SELECT max(event_id) FROM event").fetchone()[0] or ""
        if not self._session:
            self._session = self._ulids.next(newest)
        row: dict[str, Any] = {
            "event_id": self._ulids.next(newest),
            "at_utc": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "reviewer": self.reviewer,
            "session": self._session,
            "pass": self.pass_no,
            "block": block,
            "mode": mode,
            "app_version": medreview.__version__,
            "label_set_version": LABEL_SET_VERSION,
            "previous_hash": self._head(connection),
            **asdict(event),
        }
        row["payload"] = json.dumps(row["payload"], ensure_ascii=False, sort_keys=True)
        row["hash"] = event_hash(row)
        return Receipt(insert_event(connection, row), row["event_id"], row["at_utc"])

    def _head(self, connection: sqlite3.Connection) -> str:
        # Read back each time: an event whose transaction failed must not become anybody's predecessor.
        own = "SELECT hash FROM event WHERE session = ? ORDER BY event_id DESC LIMIT 1"
        newest = "SELECT hash FROM event ORDER BY event_id DESC LIMIT 1"
        found = connection.execute(own, (self._session,)).fetchone() or connection.execute(newest).fetchone()
        return str(found["hash"]) if found else ""


def event_hash(row: Mapping[str, Any] | sqlite3.Row) -> str:
    """The SHA-256 of an event's content and the hash before it."""
    return sha256(json.dumps([row[column] for column in COLUMNS], ensure_ascii=False, separators=(",", ":")))


def insert_event(connection: sqlite3.Connection, row: Mapping[str, Any]) -> int:
    """Insert a complete event row; its sequence number in this file.

    An edit of statements makes its statements, a fact that is added or kept its rows, wherever the event comes
    from. Retired statements are worked out again. Raises ``ValueError`` on failure.
    """
    edits = row["kind"] in EDITS
    payload = json.loads(row["payload"]) if edits else {}
    if edits:
        make_statements(connection, row["kind"], row["unit"], payload)
    make_rows(connection, row)
    columns = (*COLUMNS, "hash")
    marks = ", ".join("?" * len(columns))
    cursor = connection.execute(
        f"INSERT INTO event ({', '.join(columns)}) VALUES ({marks})", [row[column] for column in columns]
    )
    seq = int(cursor.lastrowid or 0)
    if edits:
        settle(connection, payload["response"])
    elif row["undoes_event"]:
        settle_after(connection, row["undoes_event"])
    return seq


def verify(connection: sqlite3.Connection, known: Iterable[str] = ()) -> list[str]:
    """What is wrong with the record, one sentence each; empty when every hash fits.

    ``known`` are hashes of events that are in another copy.
    """
    return [sentence for _, sentence in misfitting(connection, known)]


def misfitting(connection: sqlite3.Connection, known: Iterable[str] = ()) -> Iterator[tuple[int, str]]:
    """Events that do not fit their hash, or whose predecessor is missing: their number, and a sentence."""
    known_here = connection.execute("SELECT hash FROM event UNION ALL SELECT hash FROM withheld")
    hashes = {"", *known} | {row[0] for row in known_here}
    for row in connection.execute("SELECT * FROM event ORDER BY event_id"):
        if event_hash(row) != row["hash"]:
            yield row["seq"], f"Event {row['seq']} ({row['event_id']}) was changed after it was written."
        if row["previous_hash"] not in hashes:
            yield row["seq"], f"The event before {row['seq']} ({row['event_id']}) is missing."
