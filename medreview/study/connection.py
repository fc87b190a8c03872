"""SQLite connections of a study: private files, durable commits, no write-ahead log on network file systems.

SQLite's codes, never its words, say what is wrong with a file that cannot be read or written.
"""

import errno
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

from medreview.errors import UserError
from medreview.study.row_seals import register
from medreview.text import sha256

_PRIMARY: Final = 0xFF
"""The bits of an extended result code that name the kind of the error (https://sqlite.org/rescode.html)."""
_FULL: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
"""SQLite's codes of a full disk; the second is of the index of the log, which also who only reads has to make."""
_UNDECODABLE: Final = "Could not decode to UTF-8"
"""How Python's ``sqlite3`` begins the one error of its own that tells of damage; it has no code."""
NO_TEXT: Final = "a text in it can no longer be read"


class FileFault(UserError, sqlite3.DatabaseError):
    """The file, its disk or its folder is at fault, and not the question that was put to it.

    It is an ``sqlite3.DatabaseError`` too, for who reads damaged files on purpose.
    """


def fault_of(error: sqlite3.Error, path: Path) -> FileFault | None:
    """What an error of SQLite says of the file at ``path``; ``None`` where it says nothing of it.

    A mistake in SQL, a broken constraint, a connection that was closed: those are their maker's.
    """
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        if not str(error).startswith(_UNDECODABLE):
            return None
        sentence = damaged(path, NO_TEXT)
    else:
        told = _sentence(code, str(error), path)
        if told is None:
            return None
        sentence = told
    fault = FileFault(sentence)
    if code is not None:
        fault.sqlite_errorcode, fault.sqlite_errorname = code, error.sqlite_errorname
    return fault


def sentence_of(error: sqlite3.Error, path: Path) -> str:
    """What to say of an error of this program's own reading or writing, whatever it tells of."""
    return str(fault_of(error, path) or f"{path} could not be read or written ({error}).")


@contextmanager
def file_faults(path: Path) -> Iterator[None]:
    """Within, errors of SQLite that tell of the file are a :class:`FileFault`; all others stay what they are."""
    try:
        yield
    except sqlite3.Error as error:
        if fault := fault_of(error, path):
            raise fault from error
        raise


def damaged(path: Path, how: str) -> str:
    """The sentence for a file that is damaged, and how."""
    return f"{path} is damaged ({how}); restore a copy from the folder {path.name}.backups."


def of_full_disk(error: BaseException) -> bool:
    """Whether an error of SQLite or of the system says that a disk, or a quota on it, has no room left."""
    code = getattr(error, "sqlite_errorcode", None)
    return code in _FULL or (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT))


def _sentence(code: int, words: str, path: Path) -> str | None:
    if code in _FULL:
        return (
            f"The disk that holds {path.name} is full, or the one for temporary files: this was not saved, what was "
            "saved before is safe. Free some space and do it again."
        )
    match code & _PRIMARY:
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return f"{path} cannot be written to: the file or its folder is read-only."
        case sqlite3.SQLITE_NOTADB:
            return f"{path} is not a medreview study."
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_PROTOCOL:
            return f"{path} is being written by another program; try again when that is done."
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_FORMAT:
            return damaged(path, words)
        case sqlite3.SQLITE_IOERR:
            return f"{path} could not be read or written ({words}): the disk may be full, or gone."
    return None


_NETWORK = ("nfs", "cifs", "smb", "afs", "9p", "fuse.sshfs", "fuse.rclone", "davfs", "fuse.gvfsd", "ncpfs", "glusterfs")

_MANY = 200
"""Rows that are read at once where they are gone through."""


class _Cursor(sqlite3.Cursor):
    """Raises a ``FileFault`` where the file of its connection is at fault; every other error stays what it was."""

    def execute(self, sql: str, parameters: Any = (), /) -> Self:
        try:
            return super().execute(sql, parameters)
        except sqlite3.Error as error:
            raise self._told(error) from None

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Self:
        try:
            return super().executemany(sql, parameters)
        except sqlite3.Error as error:
            raise self._told(error) from None

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        """The rows, read by many: to come back here for each takes a tenth of the time of a large study's figures."""
        while rows := self.fetchmany(_MANY):
            yield from rows

    def __next__(self) -> Any:
        try:
            return super().__next__()
        except sqlite3.Error as error:
            raise self._told(error) from None

    def fetchone(self) -> Any:
        try:
            return super().fetchone()
        except sqlite3.Error as error:
            raise self._told(error) from None

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        try:
            return super().fetchmany(size)
        except sqlite3.Error as error:
            raise self._told(error) from None

    def fetchall(self) -> list[Any]:
        try:
            return super().fetchall()
        except sqlite3.Error as error:
            raise self._told(error) from None

    def _told(self, error: sqlite3.Error) -> sqlite3.Error:
        assert isinstance(self.connection, StudyConnection)
        return fault_of(error, self.connection.path) or error


class StudyConnection(sqlite3.Connection):
    """A connection to the study at ``path``, which is what its errors name."""

    path = Path()

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        return self.cursor(_Cursor).execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        return self.cursor(_Cursor).executemany(sql, parameters)


def connect(path: Path, *, read_only: bool = False, at_rest: bool = False) -> sqlite3.Connection:
    """A connection in autocommit mode (transactions are begun explicitly), usable from one thread at a time.

    It raises a :class:`medreview.study.connection.FileFault` where the file is at fault. Nothing is read or written
    yet; :func:`make_durable` comes before the first write. ``at_rest`` (with ``read_only``): take a study without a log
    for one that nobody writes to, and make no files beside it; who asks for that reads again when it was not so.
    """
    place = path.resolve()
    mode = "ro" if read_only else "rw"
    if read_only and (at_rest or not os.access(place.parent, os.W_OK)) and not _has_log(place):
        mode += "&immutable=1"  # even reading in WAL mode makes files in the folder, or needs that they can be made
    with file_faults(path):
        connection = sqlite3.connect(
            f"{place.as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=10, check_same_thread=False,
            factory=StudyConnection,
        )  # fmt: skip
    connection.path = path
    _prepare(connection)
    return connection


def make_durable(connection: sqlite3.Connection, path: Path) -> None:
    """Let every commit be on the disk before it returns. Raises ``sqlite3.Error`` when the file is no database."""
    journal = "DELETE" if on_network(path.resolve()) else "WAL"
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.execute("PRAGMA synchronous = FULL")


@contextmanager
def not_waiting(connection: sqlite3.Connection, wanted: bool = True) -> Iterator[None]:
    """Let commits be in the file, and not yet on the disk, when they return: only a loss of power undoes them.

    Without a write-ahead log (on a network) they are waited for all the same, since the file itself would be at risk.
    """
    if not wanted or connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        yield
        return
    connection.execute("PRAGMA synchronous = NORMAL")
    try:
        yield
    finally:
        connection.execute("PRAGMA synchronous = FULL")


@contextmanager
def undone_after(connection: sqlite3.Connection) -> Iterator[None]:
    """Within, everything is read of one state of the file, and temporary tables and views may be made.

    None of them is there afterwards, also where an error left some of their rows unread: to drop a table that is still
    being read is an error of its own, which would take the place of the first.
    """
    connection.execute("SAVEPOINT undone")
    try:
        yield
    finally:
        if connection.in_transaction:  # a disk without room for temporary files ends it
            connection.execute("ROLLBACK TO undone")
            connection.execute("RELEASE undone")


def data_version(connection: sqlite3.Connection) -> int:
    """A number that changes with every commit of another connection to the same file, one of this process or not."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


def copy_of(connection: sqlite3.Connection) -> sqlite3.Connection:
    """A copy of the database in a nameless temporary file of this process, which is gone when it is closed."""
    copy = sqlite3.connect("", isolation_level=None, check_same_thread=False, factory=StudyConnection)
    if isinstance(connection, StudyConnection):
        copy.path = connection.path
    try:
        with file_faults(copy.path):
            connection.backup(copy)
        _prepare(copy)
    except sqlite3.Error:
        copy.close()
        raise
    return copy


def _prepare(connection: sqlite3.Connection) -> None:
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(
        "PRAGMA recursive_triggers = ON"
    )  # a row that INSERT OR REPLACE replaces is deleted by the rules
    register(connection)
    connection.create_function(
        "sha256_of", 1, sha256, deterministic=True
    )  # ties questions of responses to those of cases


def _has_log(path: Path) -> bool:
    """Whether a log beside the file holds what is not in it, or what is to be undone in it."""
    logs = (path.with_name(path.name + suffix) for suffix in ("-wal", "-journal"))
    return any(log.exists() and log.stat().st_size for log in logs)


def on_network(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> bool:
    """Whether the path is on a network file system, where a write-ahead log loses data. False when unknown."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    target = str(path.resolve())
    best, kind = "", ""
    for line in lines:
        before, separator, after = line.partition(" - ")
        if not separator:
            continue
        mount = before.split()[4].encode().decode("unicode_escape")
        inside = target == mount or target.startswith(mount.rstrip("/") + "/")
        if inside and len(mount) >= len(best):
            best, kind = mount, after.split()[0]
    return kind.startswith(_NETWORK)
