"""The writer lock: an advisory lock (``flock``) on a file beside the study, with the name of its holder."""

import fcntl
import json
import os
import socket
from datetime import datetime
from pathlib import Path

from medreview.errors import UserError


class WriterLock:
    """An exclusive lock from ``take`` to ``release``; the operating system releases it when the process dies.

    SQLite would let two writers take turns, but two sessions that decide the same statements are a mistake, and
    SQLite before 3.51.3 can corrupt a write-ahead log when two connections write and checkpoint at once. A symbolic
    link to the study has the study's lock.
    """

    def __init__(self, study: Path) -> None:
        study = study.resolve()
        self.path = study.with_name(study.name + ".lock")
        self._descriptor: int | None = None

    def take(self) -> None:
        """Acquire the lock without waiting. Raises :class:`UserError` naming the process that holds it."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = self._holder(descriptor)
            os.close(descriptor)
            raise UserError(
                f"The study is open for writing {holder}. "
                "Leave that one first, or open this one for reading only (--read-only, read_only=True)."
            ) from None
        owner = {"pid": os.getpid(), "host": socket.gethostname(), "since": datetime.now().strftime("%d %b %H:%M")}
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(owner).encode(), 0)
        self._descriptor = descriptor

    def release(self) -> None:
        """Release the lock; does nothing when it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    @staticmethod
    def _holder(descriptor: int) -> str:
        try:
            owner = json.loads(os.pread(descriptor, 4096, 0))
            if (owner["pid"], owner["host"]) == (os.getpid(), socket.gethostname()):
                return "in this process already"
            return f"in another medreview (process {owner['pid']} on {owner['host']}, since {owner['since']})"
        except (ValueError, KeyError, TypeError):
            return "in another medreview (a process that did not leave its name)"
