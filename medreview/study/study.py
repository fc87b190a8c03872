"""Opening, creating, reading and writing a study, one SQLite file that holds everything."""

import errno
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from medreview.atomic_output import create, new_file
from medreview.errors import UserError
from medreview.next_step import command
from medreview.storable import storable_text
from medreview.study.backup import Elsewhere, backup_if_changed
from medreview.study.connection import (
    NO_TEXT,
    FileFault,
    connect,
    copy_of,
    damaged,
    data_version,
    make_durable,
    of_full_disk,
    sentence_of,
)
from medreview.study.counts import KeptCounts
from medreview.study.file_kind import refuse_no_file
from medreview.study.lock import InUse, WriterLock, close_note
from medreview.study.migrations import APPLICATION_ID, NEWEST, altered, migrate, new_study_file, schema_version
from medreview.study.row_seals import is_sealed, seal_all
from medreview.study.writer import FileIdentity, Writer

READ_ONLY: Final = "This study is open for reading only; nothing can be saved in it."


def write_aside(path: Path, change: Callable[[sqlite3.Connection], object]) -> None:
    """Run ``change`` in one transaction on a study file that nobody has open for writing.

    A file of an earlier version is left as it is. Raises :class:`UserError` with half a sentence on what is in the way.
    """
    try:
        connection = connect(path, read_only=True)
        try:
            if schema_version(connection) != NEWEST:
                raise UserError("an earlier version made the file")
        finally:
            connection.close()
        lock = WriterLock(path)
        try:
            lock.take()
        except InUse:
            raise UserError("it is open for writing elsewhere") from None
        note = None
        try:
            note = _write(path, change)
        finally:
            lock.release(note)
    except (sqlite3.Error, OSError) as error:
        raise UserError("the disk is full" if of_full_disk(error) else "the file cannot be written") from None


def _write(path: Path, change: Callable[[sqlite3.Connection], object]) -> dict[str, Any] | None:
    connection = connect(path)
    try:
        make_durable(connection, path)
        connection.execute("BEGIN IMMEDIATE")
        change(connection)
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # readers keep the log's file; it shall hold nothing
        return close_note(connection)
    finally:
        connection.close()


T = TypeVar("T")


class Study:
    """One open study file.

    ``reader`` is the read connection, for the thread that opened the study. Writes go through :meth:`write`: one thread
    owns the write connection, each call is one transaction, and it returns only after the commit.
    """

    def __init__(self, path: Path, reader: sqlite3.Connection, lock: WriterLock | None) -> None:
        self.path = path
        self.reader = reader
        self.goes_on_elsewhere = False
        """Whether writing goes on in a rescue file: for who says with every receipt that it is not in this study."""
        self._lock = lock
        self._executor = ThreadPoolExecutor(1, "study-writer") if lock else None
        self._writer = Writer(path, reader) if lock else None
        self._left: list[sqlite3.Connection] = []
        self._opened = FileIdentity(path)
        self._unsealed = False
        self._counts: KeptCounts | None = None
        self._when_closed: tuple[int, Callable[[], None]] | None = None

    @classmethod
    def create(
        cls, path: Path, title: str = "", fill: Callable[[Self], object] | None = None, *, seed: str = ""
    ) -> Self:
        """Create a new study, empty or with what ``fill`` puts into it, and open it for writing.

        ``seed``: what its random draws are made from (:func:`medreview.study.audit_frame.seed_of_draws`), if not its
        id. It gets its name when it is whole. Raises :class:`UserError` when the path exists already or cannot be
        written.
        """
        refuse_no_file(path)
        if path.exists():
            raise _taken(path)
        with _file_errors(path):
            try:
                with new_file(path) as made:
                    _begin(made, title or storable_text(path.stem), seed)
                    if fill is not None:
                        with cls.open(made) as study:
                            fill(study)
                            # Without a look at what was written last, this connection waits ten seconds for itself.
                            study.reader.execute("SELECT count(*) FROM study").fetchone()
                            done = study.reader.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # a close would not say why
                            waited_for = done.fetchone()[0]
                        if waited_for or made.with_name(made.name + "-wal").exists():
                            raise OSError(errno.EIO, "what was written is not in the file yet")
            except FileExistsError as error:
                raise _taken(path) from error
        return cls.open(path)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, altered_too: bool = False) -> Self:
        """Open a study. One that an older version made is migrated first, after a copy to its backups.

        With ``read_only`` the file itself is not changed: of an older one a temporary copy is migrated and read.
        Raises :class:`UserError` when it is missing, not a study, newer than this program, damaged, already open for
        writing elsewhere, or, but for ``altered_too``, of another schema than this program makes.
        """
        refuse_no_file(path)
        if not path.exists():
            raise UserError(f"There is no study at {path}; make one with `{command('run', path, 'FILE')}`.")
        with _file_errors(path):
            lock = None if read_only else _lock(path)
            try:
                connection = connect(path, read_only=read_only)
                version = _check_file(connection, path)  # before anything is written to what may be another program's
                if not altered_too:
                    _refuse_altered(connection, path)
                if not read_only:
                    make_durable(connection, path)
                unsealed = read_only and not is_sealed(connection)
                if version < NEWEST:
                    connection = _migrated(connection, path, read_only)
            except BaseException:
                if lock:
                    lock.release()
                raise
        study = cls(path, connection, lock)
        study._unsealed = unsealed and version < NEWEST
        return study

    @property
    def writable(self) -> bool:
        """Whether this process may write to the study."""
        return self._executor is not None

    def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``change`` in one transaction on the writer thread; its result, after the commit.

        Raises :class:`UserError` when the file cannot be written (full disk), and what ``change`` raises; the
        transaction is rolled back then. Raises :class:`NotSavedHere` when the path no longer names the file that is
        open: what was done is in a rescue file then.
        """
        return self.submit(change).result()

    def submit(self, change: Callable[[sqlite3.Connection], T], *, through_power_loss: bool = True) -> "Future[T]":
        """Like :meth:`write`, without waiting: the future resolves after the commit.

        Without ``through_power_loss`` it does not wait for the disk: the commit outlasts the process, and the next one
        that waits makes it outlast a loss of power.
        """
        if self._executor is None:
            raise UserError(READ_ONLY)
        return self._executor.submit(self._transaction, change, through_power_loss)

    @property
    def elsewhere(self) -> Elsewhere | None:
        """Where decisions are since the path no longer names the file that was opened; ``None`` while it does."""
        return self._writer.elsewhere if self._writer else None

    def _transaction(self, change: Callable[[sqlite3.Connection], T], through_power_loss: bool) -> T:
        assert self._writer is not None
        before = self._writer.elsewhere
        try:
            result = self._writer.transact(change, through_power_loss=through_power_loss)
        finally:
            if (now := self._writer.elsewhere) is not before and now is not None and now.whole:
                self._left.append(self.reader)  # the thread that reads may be at it
                self.reader = connect(now.rescue)
        if now is not None and not self.goes_on_elsewhere:
            raise now.error()
        return result

    def sealed(self) -> sqlite3.Connection:
        """The ``reader``, for who asks whether all rows fit their seals.

        A temporary copy of a file that had none gets them now: most who read never ask. Raises :class:`UserError` when
        a row cannot be read.
        """
        if self._unsealed:
            with _file_errors(self.path):
                seal_all(self.reader)
            self._unsealed = False
        return self.reader

    def write_aside(self, change: Callable[[sqlite3.Connection], object]) -> None:
        """Run ``change`` on a study that was opened for reading (:func:`medreview.study.study.write_aside`).

        Raises :class:`UserError` with half a sentence on what is in the way, such as another file at its path.
        """
        what = self._opened.lost()
        if not self._opened.names_study:
            raise UserError(what)
        write_aside(self.path, change)

    def counted(self, sql: str, values: Sequence[Any] = ()) -> list[list[Any]]:
        """The rows of a counting query, which is not asked again where nothing was written since it was: be that in an
        earlier opening (:mod:`medreview.study.counts`)."""
        return self._kept_counts().rows(sql, values)

    def found(self, name: str, ask: Callable[[], list[list[Any]]]) -> list[list[Any]]:
        """The same of rows that ``ask`` makes of several queries; nothing else has their ``name``."""
        return self._kept_counts().found(name, ask)

    def listed(self, sql: str, of: str) -> list[list[Any]]:
        """The columns of a query that follows from a part of the study alone: it is asked again only where that part
        is another one, as ``of`` tells."""
        return self._kept_counts().lasting(sql, of)

    def _kept_counts(self) -> KeptCounts:
        if self._counts is None or self._counts.connection is not self.reader:
            self._counts = KeptCounts(None if self.elsewhere else self.path, self.reader)
        return self._counts

    def when_closed(self, act: Callable[[], None]) -> None:
        """Do ``act`` once the file is closed, still under its lock, unless something is committed until then or
        another call replaces it. Does nothing for a study that is open for reading."""
        self._when_closed = data_version(self.reader), act

    def meta(self, key: str, default: str = "") -> str:
        """A value of the table ``study``: ``study_id``, ``title``, ``created_at``."""
        row = self.reader.execute("SELECT value FROM study WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else default

    def close(self) -> None:
        """Finish pending writes, close the connections and release the writer lock.

        Raises :class:`NotSavedHere` where decisions are in a rescue file, or are put into one now.
        """
        lost: UserError | None = None
        if self._executor is not None and self._writer is not None:
            try:
                self._executor.submit(self._writer.last_look).result()
            except UserError as error:
                lost = error
            self._executor.shutdown(wait=True)
            if self._writer.elsewhere is not None:
                lost = self._writer.elsewhere.error()
            self._writer.close()
        note = close_note(self.reader) if self._lock and lost is None else None
        keeping = self._kept_when_closed() if self._lock and lost is None else []
        for connection in (*self._left, self.reader):
            connection.close()
        for keep in keeping:
            keep()
        if self._lock is not None:
            self._lock.release(note)
        self._executor = None
        if lost is not None:
            raise lost

    def _kept_when_closed(self) -> list[Callable[[], None]]:
        found: list[Callable[[], None]] = []
        with suppress(sqlite3.Error):  # a file that cannot be read any more is closed all the same
            if self._counts and self._counts.current():
                found.append(self._counts.keep)
            if self._when_closed and self._when_closed[0] == data_version(self.reader):
                found.append(self._when_closed[1])
        self._counts = self._when_closed = None  # closed again, there is nothing to ask any more
        return found

    def discard(self) -> None:
        """Close the study and delete its files: for one whose creation failed half-way."""
        self.close()
        _remove(self.path)

    def __enter__(self) -> Self:
        """The open study itself."""
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.close()


def _taken(path: Path) -> UserError:
    return UserError(f"{path} exists already; choose another name, or work on in that study.")


def _begin(path: Path, title: str, seed: str) -> None:
    """An empty study in a workplace; without a write-ahead log, so that the one file is all of it."""
    meta = {
        "study_id": "study_" + secrets.token_hex(6),
        "title": title,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        **({"seed": seed} if seed else {}),
    }
    with create(path) as file:
        file.write(new_study_file(meta.items()))


def _lock(path: Path) -> WriterLock:
    lock = WriterLock(path)
    lock.take()
    return lock


def _remove(path: Path) -> None:
    path = path.resolve()
    for suffix in ("", "-wal", "-shm", ".lock"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _check_file(connection: sqlite3.Connection, path: Path) -> int:
    """The schema version of a study that this program knows; anything else is a :class:`UserError`."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise UserError(f"{path} is not a medreview study.")
    version = schema_version(connection)
    if version > NEWEST:
        raise UserError(
            f"{path} was made by a newer medreview (file version {version}, this one knows {NEWEST}); "
            "install the newer one to open it."
        )
    return version


def _refuse_altered(connection: sqlite3.Connection, path: Path) -> None:
    if names := altered(connection):
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        raise UserError(
            f"{path} has another schema than medreview makes: {', '.join(names[:3])}{more}. It may do something "
            f"else than it says, so it is not opened; `{command('check', path)}` lists what differs."
        )


def _migrated(connection: sqlite3.Connection, path: Path, read_only: bool) -> sqlite3.Connection:
    """An older file with the newest schema: itself or, where it must not be changed, a temporary copy of it."""
    if read_only:
        older, connection = connection, copy_of(connection)
        older.close()
    else:
        backup_if_changed(path)  # the version that made it cannot open a newer schema
    migrate(connection, seal=not read_only)
    return connection


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Convert errors of the file system, and whatever SQLite says of a file that is opened, into a ``UserError``."""
    try:
        yield
    except FileFault:
        raise
    except sqlite3.DatabaseError as error:
        raise UserError(sentence_of(error, path)) from error
    except UnicodeDecodeError as error:  # SQLite's message quotes a damaged name
        raise UserError(damaged(path, NO_TEXT)) from error
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise UserError(
                f"{path.absolute().parent} cannot be written to; use a folder of your own, "
                f"or look at a study with `{command('review', path, '--read-only')}`."
            ) from error
        raise UserError(f"{path} cannot be used: {error.strerror or error}.") from error
