"""Orderly shutdown when the terminal is lost or the workbench is told to end: SIGHUP, SIGTERM, SIGINT, a hang-up."""

import asyncio
import itertools
import os
import select
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final, Self

from medreview.screens.ending import BY_SIGNAL

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
        if next(self._told) == 0:  # a lost terminal is told of by a signal and by the thread, at once
            self._number = number
            self._grace.start()
        self._loop.call_soon_threadsafe(self._leave, self._number)
