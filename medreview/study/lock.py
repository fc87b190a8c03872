"""The writer lock: advisory locks on a study's path and on the file itself, with the holder's name.

The lock file of the path also keeps a note from one holder to the next: the newest event when the study was last closed
(:func:`close_note`); a kill leaves it as it was. The chain of hashes cannot show that its last link was removed or
replaced. This note can, and so can an export's manifest.
"""

import errno
import fcntl
import json
import os
import socket
import sqlite3
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final

from medreview.errors import UserError
from medreview.study.state_folder import made_state_folder, state_folder

_NOTE: Final = "closed"
_LARGEST: Final = 4096
_FAR: Final = 1 << 62
"""The byte of a study file that is locked: far behind SQLite's own (from ``0x40000000``) and all that a study holds."""
_NAMELESS: Final = "in another medreview (a process that did not leave its name)"


class InUse(UserError):
    """The study is open for writing elsewhere."""


class WriterLock:
    """An exclusive lock from ``take`` to ``release``; the operating system releases it when the process dies.

    SQLite would let two writers take turns, but two sessions that decide the same statements are a mistake, and
    SQLite before 3.51.3 can corrupt a write-ahead log when two connections write and checkpoint at once. A symbolic
    link to the study has the study's lock. A hard link has another path, and SQLite would keep another log for it: so
    the file is locked too, by its device and inode, in the state folder of the user who alone may read it. On Linux
    a byte of the study file itself is locked as well, which no other folder and no deleted lock gets around.
    """

    def __init__(self, study: Path) -> None:
        self._study = study.resolve()
        self.path = self._study.with_name(self._study.name + ".lock")
        self._descriptor: int | None = None
        self._of_file: tuple[Path, int] | None = None
        self._byte: int | None = None

    def take(self) -> None:
        """Acquire the lock without waiting. Raises :class:`InUse` naming the process that holds it."""
        self._descriptor = _locked(self.path)
        try:
            self._of_file = self._lock_file()
            self._byte = _locked_byte(self._study)
        except UserError:
            self.release()
            raise

    def release(self, note: Mapping[str, Any] | None = None) -> None:
        """Release the lock; does nothing when it is not held. A ``note`` takes the place of the last one."""
        if self._byte is not None:
            _close_when_alone(self._byte)
            self._byte = None
        if self._of_file is not None:
            place, descriptor = self._of_file
            place.unlink(missing_ok=True)
            os.close(descriptor)
            self._of_file = None
        if self._descriptor is not None:
            if note is not None:
                with suppress(OSError):  # on a full disk the last note stays, as after a kill
                    _write(self._descriptor, {_NOTE: note})
            os.close(self._descriptor)
            self._descriptor = None

    def note(self) -> dict[str, Any] | None:
        """The note of who released it last; ``None`` without one, or when it cannot be read."""
        try:
            return _note_in(self.path.read_bytes())
        except OSError:
            return None

    def holder(self) -> str:
        """Who holds the lock now, in words: ``in another medreview (process 12 on ward-3, since 22 Nov 10:14)``; ``""``
        for nobody.

        Nothing is written, and the lock is tried only where the file names a process that may live: as long as it is
        tried nobody else could take it.
        """
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return ""
        try:
            if _may_live(os.pread(descriptor, _LARGEST, 0)):
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return ""
        except BlockingIOError:
            return _holder(descriptor)
        except OSError:
            return ""
        finally:
            os.close(descriptor)

    def _lock_file(self) -> tuple[Path, int] | None:
        found = os.stat(self._study)
        place = state_folder() / "open" / f"{found.st_dev:x}-{found.st_ino:x}.lock"
        try:
            made_state_folder(place.parent.name)
            while True:
                descriptor = _locked(place)
                if place.exists() and os.path.samestat(os.fstat(descriptor), os.stat(place)):
                    return place, descriptor
                os.close(descriptor)  # who held it has just taken it away
        except OSError:
            return None  # a user without a folder of their own has the lock of the path


def _locked(place: Path) -> int:
    """The descriptor that holds the lock of a file. Raises :class:`InUse`; ``OSError`` where there can be none."""
    try:
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UserError(_another_file(place)) from None
        raise
    try:
        if os.fstat(descriptor).st_nlink > 1:  # to write into it would write into another file
            raise UserError(_another_file(place))
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _in_use(_holder(descriptor)) from None
        owner = {"pid": os.getpid(), "host": socket.gethostname(), "since": datetime.now().strftime("%d %b %H:%M")}
        note = _note_in(os.pread(descriptor, _LARGEST, 0))
        _write(descriptor, owner if note is None else {**owner, _NOTE: note})
    except BaseException:
        os.close(descriptor)  # left open it would hold the lock, such as on a disk that has no room for the name
        raise
    return descriptor


def _locked_byte(study: Path) -> int | None:
    """The descriptor that holds the lock of the study file itself; ``None`` where the system has no such lock.

    It is one of the open file description (``F_OFD_SETLK``): SQLite's own, of the process, neither see nor lose it.
    """
    if sys.platform != "linux":
        return None
    try:
        descriptor = os.open(study, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None  # SQLite cannot write to it either, and says so
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, _FAR, 1, 0))
    except OSError as error:
        _close_when_alone(descriptor)
        if error.errno in (errno.EAGAIN, errno.EACCES):
            raise _in_use(_NAMELESS) from None
        return None  # a disk of others that knows no such locks
    return descriptor


_to_close: Final[set[int]] = set()
_closing: Final = Lock()


def _close_when_alone(descriptor: int) -> None:
    """Give up the lock of a study file, and close it as soon as nothing else in this process has that file open.

    To close one of a file drops all locks of the process on it, and with them those of SQLite's open connections.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, struct.pack("hhqqi", fcntl.F_UNLCK, os.SEEK_SET, _FAR, 1, 0))
    with _closing, suppress(OSError):
        _to_close.add(descriptor)
        others = []
        for name in set(map(int, os.listdir("/proc/self/fd"))) - _to_close:
            with suppress(OSError):  # such as the one that listed them, which is closed by now
                others.append(os.fstat(name))
        for one in list(_to_close):
            if not any(os.path.samestat(os.fstat(one), other) for other in others):
                _to_close.discard(one)
                os.close(one)


def _in_use(holder: str) -> InUse:
    return InUse(
        f"The study is open for writing {holder}. Leave that one first. "
        "`medreview review STUDY --read-only` shows the study meanwhile (in Python: read_only=True)."
    )


def _another_file(place: Path) -> str:
    return f"{place} is a link to another file, which must not be written to; remove the link and open the study again."


def _holder(descriptor: int) -> str:
    try:
        owner = json.loads(os.pread(descriptor, _LARGEST, 0))
        if (owner["pid"], owner["host"]) == (os.getpid(), socket.gethostname()):
            return "in this process already"
        return f"in another medreview (process {owner['pid']} on {owner['host']}, since {owner['since']})"
    except (ValueError, KeyError, TypeError):
        return _NAMELESS


def _may_live(content: bytes) -> bool:
    """Whether the process that a lock file names may still be there: one of another machine, or one that is."""
    try:
        owner = json.loads(content)
        if owner["host"] == socket.gethostname():
            os.kill(owner["pid"], 0)
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError, ProcessLookupError):
        return False
    except PermissionError:
        pass  # it is another user's
    return True


def _note_in(content: bytes) -> dict[str, Any] | None:
    try:
        note = json.loads(content)[_NOTE]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return note if isinstance(note, dict) else None


def _write(descriptor: int, content: Mapping[str, Any]) -> None:
    told = json.dumps(content).encode()
    os.pwrite(descriptor, told, 0)
    os.ftruncate(descriptor, len(told))  # afterwards: where there is no room, what stood there stays


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
