"""The one place where a review writes: events, and with them bookmark and drafts, each in one transaction."""

import sqlite3
from collections.abc import Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Final

from medreview.errors import NotSaved, NotSavedHere, UserError
from medreview.review.queue import Queue
from medreview.review.queue_kinds import Mode
from medreview.review.resuming import Later, delete_draft, note_field, set_bookmark
from medreview.study import Study
from medreview.study.backup import Elsewhere
from medreview.study.connection import sentence_of
from medreview.study.events import NewEvent, Receipt, Recorder

_Exposure = tuple[NewEvent, str, str]


def receipt_line(receipt: Receipt, words: str, elsewhere: Elsewhere | None) -> str:
    """The last row's text on an act that is saved, or is ``elsewhere`` than in the study."""
    if elsewhere is not None:
        return f"NOT SAVED HERE  {words}   #{receipt.seq} in {elsewhere.rescue.name}"
    time = datetime.fromisoformat(receipt.at_utc).astimezone().strftime("%H:%M:%S")
    return f"last  {words}   saved #{receipt.seq}  {time}"


_DRAWN: Final = 0.025
"""Seconds after which what was asked for is on the screen: what was seen is written then, not while it is drawn."""


class EventWriter:
    """Writes a reviewer's events; a receipt comes back only after the commit.

    ``later`` runs something after so many seconds, on this thread; without it what was seen is written at once.
    """

    def __init__(self, study: Study, reviewer: str, pass_no: int, later: Later | None = None) -> None:
        self._study = study
        self._later = later
        self._planned = False
        self._recorder = Recorder(reviewer, pass_no=pass_no)
        self._exposures: list[_Exposure] = []
        self._in_flight: list[_Exposure] = []
        self._pending: Future[None] | None = None
        self._noted: set[tuple[str, str]] = set()

    def write(self, events: Sequence[NewEvent], queue: Queue, mode: Mode, bookmark: str | None) -> Receipt:
        """Write events and the place to come back to, in one transaction; the receipt of what was done.

        A note deletes its draft. The receipt is of the first of the events that does not only take something back.
        ``mode`` is how their statement is shown (``exposure.statement_mode``), which need not be that of the queue.
        Raises :class:`NotSaved` when it could not be written; nothing of it is kept then. Raises :class:`NotSavedHere`
        when it is in a rescue file, unless the study is set to go on there.
        """
        from medreview.review.consent import refuse_without_consent
        from medreview.review.guidelines import stamped

        exposures, self._exposures = self._unwritten(), []

        def change(connection: sqlite3.Connection) -> Receipt:
            refuse_without_consent(connection, self._recorder.reviewer)
            for event, block, shown in exposures:
                self._recorder.append(connection, event, block=block, mode=shown)
            receipts = [
                self._recorder.append(connection, stamped(connection, event), block=queue.kind.name, mode=mode)
                for event in events
            ]
            for event in events:
                if event.kind == "note":
                    delete_draft(connection, self._recorder.reviewer, event.unit, note_field(self._recorder.pass_no))
            if bookmark:
                set_bookmark(connection, self._recorder.reviewer, queue, bookmark)
            done = (receipt for event, receipt in zip(events, receipts, strict=True) if event.kind != "retract")
            return next(done, receipts[0])

        try:
            return self._study.write(change)
        except NotSavedHere:
            raise
        except (UserError, sqlite3.Error) as error:
            self._exposures = exposures
            words = str(error) if isinstance(error, UserError) else sentence_of(error, self._study.path)
            raise NotSaved(words) from error

    def note_exposure(self, statement_id: str, snapshot_id: str | None, queue: Queue, mode: Mode) -> None:
        """Record, without waiting, that a statement was on the screen: once per session, statement and mode.

        In a read-only study, looks at the judges are recorded at the end (:meth:`leave`).
        """
        if (statement_id, mode) in self._noted:
            return
        self._noted.add((statement_id, mode))
        if not self._study.writable and (mode == "blind" or self._knew(statement_id)):
            return
        self._exposures.append((NewEvent("shown", statement_id, snapshot=snapshot_id), queue.kind.name, mode))
        self._submit()

    def note_listed(self, statement_id: str, queue: Queue) -> None:
        """Record, without waiting, that a list showed a statement's flags, unless the reviewer knew them."""
        if (statement_id, "listed") in self._noted or self._knew(statement_id):
            return
        self._noted.add((statement_id, "listed"))
        self._exposures.append((NewEvent("listed", statement_id), queue.kind.name, "open"))
        self._submit()

    def _submit(self) -> None:
        if not self._study.writable:
            return
        if self._later is None:
            self._submit_now()
        elif not self._planned:
            self._planned = True
            self._later(_DRAWN, self._submit_now)

    def _submit_now(self) -> None:
        self._planned = False
        if self._exposures and (self._pending is None or self._pending.done()):
            batch = self._in_flight = self._unwritten()
            self._exposures = []
            self._pending = self._study.submit(lambda connection: self._write_exposures(connection, batch))

    def leave(self, queue: Queue, bookmark: str | None) -> str:
        """Write what is still to be written, and the place to come back to.

        ``""``, or a sentence when looks at the judges in a read-only study cannot be recorded.
        """
        if not self._study.writable:
            return self._leave_reading()
        batch, self._exposures = self._unwritten(), []

        def change(connection: sqlite3.Connection) -> None:
            self._write_exposures(connection, batch)
            if bookmark:
                set_bookmark(connection, self._recorder.reviewer, queue, bookmark)

        self._study.write(change)
        return ""

    def _leave_reading(self) -> str:
        batch, self._exposures = self._exposures, []
        if not batch:
            return ""
        try:
            self._study.write_aside(lambda connection: self._write_exposures(connection, batch))
        except UserError as error:
            from medreview.review.looks import cannot_vouch

            return cannot_vouch(str(error))
        return ""

    def _knew(self, statement_id: str) -> bool:
        query = "SELECT 1 FROM judges_seen WHERE unit = ? AND reviewer = ?"
        return self._study.reader.execute(query, (statement_id, self._recorder.reviewer)).fetchone() is not None

    def _unwritten(self) -> list[_Exposure]:
        """What is waiting, and what a background write could not save."""
        failed = self._pending is not None and self._pending.exception() is not None
        lost = self._in_flight if failed else []
        self._pending, self._in_flight = None, []
        return [*lost, *self._exposures]

    def _write_exposures(self, connection: sqlite3.Connection, batch: Sequence[_Exposure]) -> None:
        for event, block, mode in batch:
            self._recorder.append(connection, event, block=block, mode=mode)
