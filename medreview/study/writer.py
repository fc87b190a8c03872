"""The one connection of a study that writes: each change is one transaction, and what it has written is in the file
that the path names, or in a rescue file, and it knows which."""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from medreview.study.connection import connect, make_durable, not_waiting
from medreview.study.file_identity import FileIdentity
from medreview.study.lock import WriterLock
from medreview.study.migrations import new_schema
from medreview.study.rescue import Elsewhere, make_rescue
from medreview.study.row_seals import all_misfits

T = TypeVar("T")

CHECKPOINT_BYTES: Final = 4_000_000
"""The size of the write-ahead log from which on it is written into the study file: SQLite's own 1,000 pages.

It is done here, and not by SQLite within a commit, so that every other change of the file is somebody else's.
"""


class Writer:
    """Used on one thread. ``elsewhere`` says where the decisions are once the path does not name the study any more.

    ``reader`` is a connection to the same file, from when it was opened.
    """

    def __init__(self, path: Path, reader: sqlite3.Connection) -> None:
        self._path = path
        self._reader = reader
        self._disk = FileIdentity(path)
        self._real = self._disk.real
        self._connection: sqlite3.Connection | None = None
        self._lock: WriterLock | None = None
        self._about: Mapping[str, str] = {}
        self._written: list[dict[str, Any]] = []
        self.elsewhere: Elsewhere | None = None

    def transact(self, change: Callable[[sqlite3.Connection], T], *, through_power_loss: bool = True) -> T:
        """Run ``change`` in a transaction of its own; its result, once that is committed, wherever.

        Without ``through_power_loss`` the disk is not waited for. Raises :class:`NotSavedHere` when it could be written
        nowhere.
        """
        self._look(committed=False)
        if self.elsewhere is not None and not self.elsewhere.whole:
            raise self.elsewhere.error()
        connection = self._connected()
        with not_waiting(connection, not through_power_loss):
            connection.execute("BEGIN IMMEDIATE")
            try:
                newest = connection.execute("SELECT max(seq) FROM event").fetchone()[0] or 0
                result = change(connection)
                added = connection.execute("SELECT * FROM event WHERE seq > ? ORDER BY seq", (newest,)).fetchall()
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        self._written += map(dict, added)
        self._look(committed=True)
        return result

    def last_look(self) -> None:
        """Look whether the path still names the study, if anything was written to it."""
        if self._connection is not None:
            self._look(committed=False)

    def close(self) -> None:
        """Close the connection, and the rescue file if there is one."""
        if self._connection is not None:
            self._connection.close()
        if self._lock is not None:
            self._lock.release()

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._opened(self._path)
            self._about = {row["key"]: row["value"] for row in self._connection.execute("SELECT key, value FROM study")}
        return self._connection

    @staticmethod
    def _opened(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        make_durable(connection, path)
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("PRAGMA journal_size_limit = 0")  # or the size of the log would not tell what is in it
        return connection

    def _look(self, *, committed: bool) -> None:
        what, overwritten = self._disk.lost(), False
        if self._disk.names_study and self._disk.touched(committed=committed) and (what or not self._is_whole()):
            what, overwritten = f"{self._disk.path.name} was overwritten", True
        if what:
            self._leave(what, overwritten)
            return
        self._disk.remember()
        if committed and self._disk.log_size > CHECKPOINT_BYTES and self._connection is not None:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            if not self._disk.lost():
                self._disk.remember()

    def _is_whole(self) -> bool:
        """Whether the file is the study still, with all that was written here, though something else wrote to it."""
        try:
            connection = connect(self._disk.path, read_only=True)
            try:
                sound = connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
                own = new_schema()  # what stands in another program's table is not ours to judge
                unfit = (one for one in all_misfits(connection) if ("table", one.table) in own)
                sound = sound and not any(unfit)  # pages of two copies may well make a database
                there = {row[0] for row in connection.execute("SELECT hash FROM event")}
            finally:
                connection.close()
        except sqlite3.Error:
            return False
        if self._connection is not None:
            self._connection.execute("PRAGMA shrink_memory")  # pages that it remembers may be others now
        return sound and all(event["hash"] in there for event in self._written)

    def _leave(self, what: str, overwritten: bool) -> None:
        """Go on in a rescue file."""
        opened = self._connection or self._reader
        about = self._about or {row["key"]: row["value"] for row in opened.execute("SELECT key, value FROM study")}
        self.elsewhere = make_rescue(
            self._path, self._real, what, None if overwritten else opened, about, self._written
        )
        rescue = self.elsewhere.rescue
        with suppress(OSError, sqlite3.Error):  # the rescue file has it all
            if not overwritten:
                opened.execute("PRAGMA busy_timeout = 0")
                opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._disk.leave_log(overwritten=overwritten)
        if self._connection is not None:
            self._connection.close()
        if self._lock is not None:
            self._lock.release()
        self._lock = WriterLock(rescue)
        self._lock.take()
        self._connection, self._disk = self._opened(rescue), FileIdentity(rescue)
        self._disk.lost()
        self._disk.remember()
