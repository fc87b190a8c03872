"""Lines that are being typed: kept in the file while they are typed, so that nothing ends the program and takes them.

A draft is no part of the record. It is its reviewer's alone, and gone once its line is saved or it is discarded.
"""

import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

from medreview.errors import UserError
from medreview.study import Study
from medreview.study.file_fault import sentence_of

Field = Literal["note", "note, second pass"]
"""What a draft would become. Whatever is said in words of one's own is a note."""


def note_field(pass_no: int) -> Field:
    """The field of a note in one of the passes: what was begun in the first is not seen in the second."""
    return "note" if pass_no == 1 else "note, second pass"


EVERY_S: Final = 1.0
"""Seconds within which what is typed is in the file: what a power cut takes at most."""

_Key = tuple[str, Field]
Later = Callable[[float, Callable[[], None]], object]


class Draft(NamedTuple):
    """A line that was begun on a statement."""

    unit: str
    field: Field
    text: str
    at_utc: str

    @property
    def time(self) -> str:
        """When it was typed last: ``14:02``, with the day unless that is today."""
        then = datetime.fromisoformat(self.at_utc).astimezone()
        return then.strftime("%H:%M" if then.date() == datetime.now().astimezone().date() else "%d %b %H:%M")


class Drafts:
    """The drafts of one reviewer.

    ``later`` runs something after so many seconds, on this thread; without it a draft is stored by :meth:`keep` alone.
    In a study that is only read nothing is stored: what is typed there lasts as long as this object.
    """

    def __init__(self, study: Study, reviewer: str, later: Later | None = None) -> None:
        self._study = study
        self._reviewer = reviewer
        self._later = later
        self._planned = False
        self._waiting: dict[_Key, Draft] = {}
        self._in_flight: dict[_Key, Draft] = {}
        self._begun: dict[_Key, Draft] = {}
        self._at = study.elsewhere
        self._pending: Future[None] | None = None

    def of(self, unit: str, field: Field) -> Draft | None:
        """What was begun there and is neither saved nor discarded."""
        key = (unit, field)
        newest = self._waiting.get(key) or self._in_flight.get(key)
        stored = stored_drafts(self._study.reader, self._reviewer) if newest is None else []
        return newest or next((draft for draft in stored if (draft.unit, draft.field) == key), None)

    @property
    def unstored(self) -> int:
        """How many are not in the file, and cannot be told of tomorrow."""
        return len(self._waiting | self._in_flight)

    @property
    def begun(self) -> tuple[str, ...]:
        """The statements of the lines that were typed through this object, and are neither saved nor discarded."""
        return tuple(unit for unit, _ in self._begun)

    def typed(self, unit: str, field: Field, text: str) -> None:
        """The line reads so now. Costs a key nothing: it is stored a moment later, by the writer's thread."""
        draft = Draft(unit, field, text, datetime.now(UTC).isoformat(timespec="seconds"))
        self._waiting[unit, field] = self._begun[unit, field] = draft
        self._plan()

    def discard(self, unit: str, field: Field) -> None:
        """Forget a draft. Raises :class:`UserError` when the file cannot be written."""
        self.saved(unit, field)
        if self._study.writable:
            self._study.write(lambda connection: delete_draft(connection, self._reviewer, unit, field))

    def saved(self, unit: str, field: Field) -> None:
        """Its line is saved, and with it the draft was deleted (:func:`delete_draft`)."""
        self._settle()
        self._waiting.pop((unit, field), None)
        self._begun.pop((unit, field), None)

    def keep(self) -> str:
        """Store what is not stored yet, and wait for it; ``""``, or why it could not be.

        All of this sitting is stored anew in a rescue file: that may be a copy from before.
        """
        self._settle()
        if self._at is not self._study.elsewhere:
            self._at = self._study.elsewhere
            self._waiting = self._begun | self._waiting
        if not self._waiting or not self._study.writable:
            return ""
        self._send()
        return self._settle()

    def _plan(self) -> None:
        if self._later is not None and not self._planned and self._study.writable:
            self._planned = True
            self._later(EVERY_S, self._store)

    def _store(self) -> None:
        self._planned = False
        if self._pending is not None and not self._pending.done():
            self._plan()
            return
        self._settle()
        if self._waiting:
            self._send()

    def _send(self) -> None:
        batch, self._waiting = self._waiting, {}
        rows = [(self._reviewer, draft.unit, draft.field, draft.text, draft.at_utc) for draft in batch.values()]

        def change(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO draft VALUES (?, ?, ?, ?, ?)", rows)

        self._in_flight = batch
        self._pending = self._study.submit(change)

    def _settle(self) -> str:
        """Wait for what is being stored; what could not be, waits again."""
        pending, batch = self._pending, self._in_flight
        self._pending, self._in_flight = None, {}
        if pending is None:
            return ""
        try:
            pending.result()
        except (UserError, sqlite3.Error) as error:
            self._waiting = batch | self._waiting
            return str(error) if isinstance(error, UserError) else sentence_of(error, self._study.path)
        return ""


def stored_drafts(reader: sqlite3.Connection, reviewer: str) -> list[Draft]:
    """The drafts of a reviewer that are in the file, the newest first."""
    query = "SELECT unit, field, text, at_utc FROM draft WHERE reviewer = ? ORDER BY at_utc DESC, unit"
    return [Draft(*row) for row in reader.execute(query, (reviewer,))]


def delete_draft(connection: sqlite3.Connection, reviewer: str, unit: str, field: Field) -> None:
    """Delete a draft inside the caller's transaction, that which saves its line."""
    connection.execute("DELETE FROM draft WHERE reviewer = ? AND unit = ? AND field = ?", (reviewer, unit, field))
