"""One writer at a time: an advisory lock on a file beside the study that names who holds it."""

import fcntl
import json
import os
import socket
from datetime import datetime
from pathlib import Path

from medreview.errors import UserError


class WriterLock:
    """Held from ``take`` to ``release``; the operating system releases it when the process dies.

    SQLite would let two writers take turns, but two sessions that decide the same statements are a mistake, and
    SQLite before 3.51.3 can corrupt a WAL when two connections write and checkpoint at once. A link to the study has
    the study's lock.
    """

    def __init__(self, study: Path) -> None:
        study = study.resolve()
        self.path = study.with_name(study.name + ".lock")
        self._descriptor: int | None = None

    def take(self) -> None:
        """Raises :class:`UserError` naming the process that holds the lock."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = self._holder(descriptor)
            os.close(descriptor)
            raise UserError(
                f"The study is open for writing in another medreview ({holder}). "
                "Leave that one first, or look at this one with `medreview review --read-only`."
            ) from None
        me = {"pid": os.getpid(), "host": socket.gethostname(), "since": datetime.now().strftime("%d %b %H:%M")}
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(me).encode(), 0)
        self._descriptor = descriptor

    def release(self) -> None:
        """Let another writer in. Does nothing when the lock is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    @staticmethod
    def _holder(descriptor: int) -> str:
        try:
            it = json.loads(os.pread(descriptor, 4096, 0))
            return f"process {it['pid']} on {it['host']}, since {it['since']}"
        except (ValueError, KeyError, TypeError):
            return "a process that did not leave its name"
