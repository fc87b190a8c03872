"""The one connection of a study that writes: each change is one transaction.

Its writes are in the file that the path names, or in a rescue file, and it knows which: before and after every commit
it checks whether the path still names the open files.
"""

import os
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

from medreview.atomic_output import create, workplace
from medreview.study.backup import Elsewhere, make_rescue
from medreview.study.connection import connect, make_durable, not_waiting
from medreview.study.lock import WriterLock
from medreview.study.migrations import new_schema
from medreview.study.row_seals import all_misfits


class _Seen(NamedTuple):
    """What a stat says of a file: which one it is, and whether it was written to."""

    device: int
    inode: int
    size: int
    modified_ns: int

    @classmethod
    def at(cls, place: Path) -> Self | OSError:
        try:
            found = os.stat(place)
        except OSError as error:
            return error
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


class _Files(NamedTuple):
    """The study file and the write-ahead log beside it; an error for what cannot be reached."""

    main: _Seen | OSError
    log: _Seen | OSError


class FileIdentity:
    """The study file, with its write-ahead log, as they were when the study was opened or last written to here.

    Two calls of ``stat`` a question, and nothing is opened: to close any descriptor of the file would drop the locks
    that SQLite holds on it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        here = Path(os.path.abspath(path))
        # A relative path goes on naming the file when the folder that the program was started in is renamed.
        self._names = [_with_log(here)] if path.is_absolute() else [_with_log(here), _with_log(path)]
        self.real = path.resolve() if path.is_symlink() else path
        self._then = self._now = _files(*self._names[0])

    @property
    def has_log(self) -> bool:
        """Whether commits go to a write-ahead log."""
        return isinstance(self._then.log, _Seen)

    @property
    def log_size(self) -> int:
        """Bytes of the log, as of the last question."""
        return self._now.log.size if isinstance(self._now.log, _Seen) else 0

    @property
    def names_study(self) -> bool:
        """Whether the path names the study file itself, whatever became of its log; as of the last question."""
        return _same(self._now.main, self._then.main)

    def lost(self) -> str:
        """What happened to the file or its log, half a sentence; ``""`` while the path names both."""
        for names in self._names:
            found = _files(*names)
            if self._is_ours(found):
                self._now = found
                return ""
        self._now = _files(*self._names[0])
        return self._what()

    def touched(self, *, committed: bool) -> bool:
        """Whether something else has written to them, as of the last question.

        Within a commit (``committed``) the log changes; so does the file itself where there is no log.
        """
        main = self._now.main != self._then.main and (self.has_log or not committed)
        return main or (not committed and self._log_touched())

    def remember(self) -> None:
        """Take what the last question found for the study as this process has left it."""
        self._then = self._now

    def leave_log(self, *, overwritten: bool) -> None:
        """Let no other file be read with the log of this study, now that the path names it no longer.

        ``overwritten``: the file itself was written over; what SQLite still has in the log is taken from it, so that
        it is not written into what is there now when SQLite closes. Raises ``OSError``.
        """
        _, log = self._names[0]
        here = _same(self._now.log, self._then.log)
        if overwritten:
            if here and self._log_touched():  # it was restored with the file, and belongs to that
                with workplace(log) as place:
                    with create(place / log.name) as copy:
                        copy.write(log.read_bytes())
                    (place / log.name).replace(log)
            self._empty_open_log()
        elif here and not self.names_study:
            log.unlink(missing_ok=True)
        if overwritten or (here and not self.names_study):
            log.with_name(log.name.removesuffix("-wal") + "-shm").unlink(missing_ok=True)

    def _log_touched(self) -> bool:
        return _same(self._now.log, self._then.log) and self._now.log != self._then.log

    def _empty_open_log(self) -> None:
        """Through the descriptors that SQLite has of it: it may have no name any more."""
        for number in map(int, os.listdir("/dev/fd")):
            with suppress(OSError):  # that of the listing is closed already
                found = os.fstat(number)
                if isinstance(self._then.log, _Seen) and (found.st_dev, found.st_ino) == self._then.log[:2]:
                    os.ftruncate(number, 0)

    def _is_ours(self, found: _Files) -> bool:
        return _same(found.main, self._then.main) and (not self.has_log or _same(found.log, self._then.log))

    def _what(self) -> str:
        name, folder = self.path.name, self._names[0][0].parent
        if not self.names_study:
            found = self._now.main
        else:
            name, found = f"{name}-wal (the newest part of the study)", self._now.log
        if isinstance(found, _Seen):
            return f"another file was put in the place of {name}"
        if not isinstance(found, FileNotFoundError | NotADirectoryError):
            return f"{name} could not be reached any more ({found.strerror})"
        if not folder.exists():
            return f"the folder {folder} was deleted, moved or renamed"
        return f"{name} was deleted, moved or renamed"


def _with_log(path: Path) -> tuple[Path, Path]:
    """A study file and its log, which lies beside the file itself, not beside a symbolic link to it."""
    real = path.resolve() if path.is_symlink() else path
    return path, real.with_name(real.name + "-wal")


def _files(main: Path, log: Path) -> _Files:
    return _Files(_Seen.at(main), _Seen.at(log))


def _same(found: _Seen | OSError, then: _Seen | OSError) -> bool:
    if isinstance(found, OSError) or isinstance(then, OSError):
        return False
    return (found.device, found.inode) == (then.device, then.inode)


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
