"""Where a reviewer resumes: the place in every queue, the queue that was open last, and unfinished lines (drafts).

Drafts are stored in the study while they are typed, so that nothing that ends the program loses them. Also the queue
in which a unit was seen last.
"""

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

from medreview.errors import UserError
from medreview.next_step import command
from medreview.review.queue import Queue, open_queue
from medreview.review.queue_kinds import Mode
from medreview.study import Study
from medreview.study.connection import sentence_of
from medreview.study.ids import kind_of
from medreview.study.statement_edits import unit_stands
from medreview.units.registry import KINDS, unit_name


class Bookmark(NamedTuple):
    """A place to come back to: a queue by name, how it was shown, its filter, the statement, and when that was."""

    queue: str
    mode: Mode
    filter: str
    unit: str
    at_utc: str = ""


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
    row = reader.execute(f"SELECT block, mode, filter, unit, at_utc FROM bookmark WHERE {where}", values).fetchone()
    return Bookmark(*row) if row else None


@dataclass(frozen=True, slots=True)
class LastPlace:
    """A queue that is not empty, and where in it the reviewer was.

    ``name`` (R07 S3) is empty when that statement is no longer in it. ``position`` counts from 0 and is ``None`` then,
    and where the queue is opened in an order learned from labels. ``at_utc``: when that was.
    """

    queue: Queue
    name: str
    position: int | None
    at_utc: str = ""

    @property
    def words(self) -> str:
        """Queue, place, filter: ``triage: flagged, R07 S3, 12 of 63, filter model=atlas-2``."""
        queue = self.queue
        size = len(queue.units)
        title = queue.kind.title + (", blind" if queue.mode == "blind" and queue.kind.mode == "open" else "")
        at = f"{self.position + 1} of {size}" if self.position is not None else f"{size} in it"
        place = f"{self.name}, {at}" if self.name else at
        return ", ".join([title, place, *([f"filter {queue.filter}"] if queue.filter else [])])


_LEARNED: Final = """SELECT 1 FROM event WHERE kind = 'triage_order' AND reviewer = ?
AND unit = (SELECT value FROM study WHERE key = 'study_id') LIMIT 1"""


def last_place(study: Study, reviewer: str) -> LastPlace | None:
    """Where the reviewer was last; ``None`` before the first time, and when nothing is left in that queue."""
    last = last_bookmark(study.reader, reviewer)
    if last is None:
        return None
    try:
        queue = open_queue(study, last.queue, reviewer, filter=last.filter, blind=last.mode == "blind")
    except UserError:  # an earlier version knew this queue or filter
        return None
    if not queue.units:
        return None
    if last.unit not in queue.units:
        return LastPlace(queue, "", None, last.at_utc)
    learned = queue.kind.learns and study.reader.execute(_LEARNED, (reviewer,)).fetchone()
    name, position = unit_name(study.reader, last.unit), None if learned else queue.units.index(last.unit)
    return LastPlace(queue, name, position, last.at_utc)


def queue_with(study: Study, reviewer: str, unit: str, *, pass_no: int | None = None) -> tuple[str, bool | None]:
    """The name of a queue, and ``blind`` as ``open_queue`` takes it: what was seen blind last is blind again.

    ``pass_no``: only what was seen in that pass counts.
    """
    seen = study.reader.execute(
        """SELECT block, mode FROM event
           WHERE kind = 'shown' AND unit = ?1 AND reviewer = ?2 AND pass = coalesce(?3, pass)
           ORDER BY event_id DESC LIMIT 1""",
        (unit, reviewer, pass_no),
    ).fetchone()
    blind = True if seen and seen["mode"] == "blind" else None
    kind = KINDS.get(kind_of(unit))
    every = kind.queue_name if kind else "responses"
    for name in (seen["block"] if seen else every, every):
        try:
            if unit in open_queue(study, name, reviewer, blind=blind).units:
                return name, blind
        except UserError:  # being in that queue would reveal the judges, or an earlier version knew it
            pass
    return every, True


Field = Literal["note", "note, second pass"]
"""What a draft would become. Any text in the reviewer's own words is a note."""


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
    In a read-only study nothing is stored: drafts there last as long as this object.
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
        """How many are not in the file, and cannot be offered again."""
        return len(self._waiting | self._in_flight)

    @property
    def begun(self) -> tuple[str, ...]:
        """The statements of the lines that were typed through this object, and are neither saved nor discarded."""
        return tuple(unit for unit, _ in self._begun)

    def typed(self, unit: str, field: Field, text: str) -> None:
        """The line was changed. Costs a key nothing: it is stored a moment later, by the writer's thread."""
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
        """Store unstored drafts, and wait for it; ``""``, or why that failed.

        In a rescue file all of this sitting is stored again: it may be an older copy.
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
        """Wait for drafts being stored; those that failed wait again."""
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


_MOST: Final = 3


class DraftPlace(NamedTuple):
    """A draft, the name of its statement (R07 S3), and a queue that has it; ``blind``: as for ``open_queue``."""

    draft: Draft
    name: str
    queue: str
    blind: bool | None

    @property
    def words(self) -> str:
        """``a note on R07 S3, draft of 14:02``."""
        return f"a {self.draft.field} on {self.name}, draft of {self.draft.time}"


def draft_places(study: Study, reviewer: str) -> tuple[DraftPlace, ...]:
    """The places of the three newest drafts. Each opens as it was seen last: what was blind then is blind again."""
    found = _named(study, reviewer)[:_MOST]
    return tuple(DraftPlace(draft, name, *queue_with(study, reviewer, draft.unit)) for draft, name in found)


def unlisted_drafts(study: Study, reviewer: str) -> int:
    """How many drafts there are besides those of :func:`draft_places`."""
    return max(0, len(_named(study, reviewer)) - _MOST)


def _named(study: Study, reviewer: str) -> list[tuple[Draft, str]]:
    """The drafts on what the study has, with its name; those on a retired statement wait for it to come back."""
    reader = study.reader
    drafts = [draft for draft in stored_drafts(reader, reviewer) if unit_stands(reader, draft.unit)]
    return [(draft, name) for draft in drafts if (name := unit_name(reader, draft.unit))]


def drafts_elsewhere(study: Study, begun: Sequence[str]) -> str:
    """A sentence on leaving, about lines begun on these statements that are in a rescue file, or ``""``."""
    elsewhere = study.elsewhere
    if elsewhere is None or not elsewhere.whole or not begun:
        return ""
    names = ", ".join(unit_name(study.reader, unit) for unit in begun)
    notes = (
        "The note that you began on {} is a draft" if len(begun) == 1 else "The notes that you began on {} are drafts"
    )
    leads = command("review", elsewhere.rescue)
    return f"{notes.format(names)} in {elsewhere.rescue}. `team merge` brings no drafts; `{leads}` leads there."
