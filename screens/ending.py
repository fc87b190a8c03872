"""How the workbench ends when nobody asked it to: signals, a lost terminal, an error; exit code, sentence, log."""

import asyncio
import itertools
import os
import select
import signal
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Final, Self

from medreview.errors import UserError
from medreview.study.state_folder import made_state_folder, state_folder
from medreview.visible import visible

FAILED: Final = 70
"""The exit code after an error of the workbench's own (EX_SOFTWARE of sysexits.h)."""

BY_SIGNAL: Final = 128
"""What is added to the number of the signal that ended it, as shells do."""

_LARGEST_LOG: Final = 1_000_000
_KEPT: Final = "Every decision is saved, and a line that you were typing is kept as a draft."


class WorkbenchEnded(UserError):
    """The workbench ended without having been asked to; ``exit_code`` says by what."""

    def __init__(self, sentence: str, exit_code: int) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


def ended_by_signal(number: int, lost: str = "") -> WorkbenchEnded:
    """By SIGHUP, which a lost terminal counts as, SIGTERM or SIGINT: exit code 128 and the signal's number.

    ``lost`` says what could not be kept.
    """
    name = signal.Signals(number).name
    why = "the terminal is gone" if number == signal.SIGHUP else f"the system sent {name}"
    log = _write(f"ended by {name}")
    return WorkbenchEnded(f"The workbench ended because {why}. {lost or _KEPT} {_place(log)}", BY_SIGNAL + number)


def ended_by_error(error: BaseException, lost: str = "") -> WorkbenchEnded:
    """By an error of its own, or of the file; the traceback goes into the log, without the values of variables."""
    log = _write("ended by an error\n" + "".join(traceback.format_exception(error)))
    what = f": {error}" if isinstance(error, UserError) else " on an error of its own."
    return WorkbenchEnded(f"The workbench ended{what} {lost or _KEPT} {_place(log)}", FAILED)


def log_path() -> Path:
    """The log: ``workbench.log`` in the user's state folder."""
    return state_folder() / "workbench.log"


def _place(log: Path | None) -> str:
    return f"The details are in {log}." if log else f"The details could not be written to {log_path()}."


def _write(told: str) -> Path | None:
    """Append to the log, which its owner alone can read; a log that has grown large is cleared."""
    import medreview

    path = log_path()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = f"{now} medreview {medreview.__version__}: {visible(told).rstrip()}\n"
    try:
        made_state_folder()
        if path.exists() and path.stat().st_size > _LARGEST_LOG:
            path.unlink()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(path, flags, 0o600), "a", encoding="utf-8", errors="backslashreplace") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(entry)
    except OSError:
        return None
    return path


GRACE_S: Final = 3.0
"""Seconds for the shutdown; every decision is saved already, so that the process can be killed after that."""

_SIGNALS: Final = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)


class HangUp:
    """Calls ``leave`` with a signal's number on the event loop, and ends the process if that does not help.

    A lost terminal counts as SIGHUP.

    Plain signal handlers, not the loop's: they also run while the loop is blocked writing to the terminal. Every
    signal, Textual's for a stopped program as well, wakes the loop: the system may hand it to another thread, and
    Python then runs its handler only when the main thread has something else to do. A lost terminal is detected by a
    thread that blocks in ``poll``, because Textual keeps reading at end of file.
    """

    def __init__(self, leave: Callable[[int], object], terminal: int) -> None:
        self._leave = leave
        self._terminal = terminal
        self._number = int(signal.SIGHUP)
        self._told = itertools.count()
        self._loop = asyncio.get_running_loop()
        self._before = {number: signal.getsignal(number) for number in _SIGNALS}
        self._wake_read, self._wake_write = os.pipe()
        self._signal_read, self._signal_write = os.pipe()
        for end in (self._signal_read, self._signal_write):
            os.set_blocking(end, False)
        self._woken_before = -1
        self._watcher = threading.Thread(target=self._watch, name="hang-up", daemon=True)
        self._grace = threading.Timer(GRACE_S, lambda: os._exit(BY_SIGNAL + self._number))
        self._grace.daemon = True

    def start(self) -> Self:
        """Install the signal handlers and start the thread."""
        self._loop.add_reader(self._signal_read, os.read, self._signal_read, 4096)
        self._woken_before = signal.set_wakeup_fd(self._signal_write, warn_on_full_buffer=False)
        for number in _SIGNALS:
            signal.signal(number, self._signalled)
        self._watcher.start()
        return self

    def stop(self) -> None:
        """Restore the signal handlers and end the thread."""
        self._grace.cancel()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._woken_before)
        self._loop.remove_reader(self._signal_read)
        os.write(self._wake_write, b"x")
        self._watcher.join()
        for end in (self._wake_read, self._wake_write, self._signal_read, self._signal_write):
            os.close(end)

    def _signalled(self, number: int, _frame: FrameType | None) -> None:
        self._end(number)

    def _watch(self) -> None:
        poll = select.poll()
        poll.register(self._terminal, 0)  # only POLLERR and POLLHUP, which are always reported
        poll.register(self._wake_read, select.POLLIN)
        ready = {descriptor for descriptor, _ in poll.poll()}
        if self._wake_read not in ready:
            self._end(signal.SIGHUP)

    def _end(self, number: int) -> None:
        if next(self._told) == 0:  # a lost terminal is reported by a signal and by the thread, at once
            self._number = number
            self._grace.start()
        self._loop.call_soon_threadsafe(self._leave, self._number)
