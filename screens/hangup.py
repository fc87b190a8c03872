"""Leaving in order when the terminal goes away: SIGHUP, SIGTERM, or the other end closed."""

import asyncio
import os
import select
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final, Self

GRACE_S: Final = 3.0
"""Every decision is saved already, so nothing is worth waiting for longer than this in a process nobody can see."""

_SIGNALS: Final = (signal.SIGHUP, signal.SIGTERM)


class HangUp:
    """Calls ``leave`` on the event loop when the terminal is lost, and ends the process if that does not help.

    Plain signal handlers, not the loop's: they also run while the loop waits for a terminal that takes no more output.
    A lost terminal is noticed by a thread that sleeps in ``poll``, because Textual reads an end of file for ever.
    """

    def __init__(self, leave: Callable[[], object], terminal: int) -> None:
        self._leave = leave
        self._terminal = terminal
        self._loop = asyncio.get_running_loop()
        self._before = {number: signal.getsignal(number) for number in _SIGNALS}
        self._wake_read, self._wake_write = os.pipe()
        self._watcher = threading.Thread(target=self._watch, name="hang-up", daemon=True)
        self._grace = threading.Timer(GRACE_S, os._exit, (129,))
        self._grace.daemon = True

    def start(self) -> Self:
        """Begin to watch."""
        for number in _SIGNALS:
            signal.signal(number, self._signalled)
        self._watcher.start()
        return self

    def stop(self) -> None:
        """Stop watching: the workbench has ended, by itself or because it was told to."""
        self._grace.cancel()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.write(self._wake_write, b"x")
        self._watcher.join()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _signalled(self, _number: int, _frame: FrameType | None) -> None:
        self._lost()

    def _watch(self) -> None:
        poll = select.poll()
        poll.register(self._terminal, 0)  # nothing but errors and the hang-up, which need not be asked for
        poll.register(self._wake_read, select.POLLIN)
        gone = {descriptor for descriptor, _ in poll.poll()}
        if self._wake_read not in gone:
            self._lost()

    def _lost(self) -> None:
        if not self._grace.is_alive():
            self._grace.start()
        self._loop.call_soon_threadsafe(self._leave)
