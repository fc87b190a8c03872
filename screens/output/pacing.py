"""How much is sent ahead of what the terminal has shown: over a slow link, no frames that nobody would see."""

import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

from textual.message import Message

QUESTION: Final = "\x1b[2H\x1b[6n"
"""Asks where the cursor is, from the second row: from the first, an answer could be read as F3 with Shift or Ctrl."""

_ASK_AFTER: Final = 1024
"""Bytes since the last question from which on the next one is put."""

AHEAD: Final = 2048
"""Bytes that may be sent behind a question before its answer has come: a slow link is kept busy, and no more."""

PATIENCE_S: Final = 5.0
"""Seconds after which an answer is taken never to come."""

_LEAVING_S: Final = 2.0
"""The same for a workbench that leaves; less than the grace that a signal gives it."""


class Answered(Message, bubble=False):
    """The terminal has said where the cursor is: everything sent before the question is on the screen."""


class Pace:
    """Decides whether a frame is sent now, or held until the terminal has shown the one before.

    A frame of some size ends with a question, one at a time. Nobody waits for a terminal that has not answered before,
    and after :data:`PATIENCE_S` it counts as one that has not: it is asked again when the old answer comes after all,
    or when :meth:`look_again` says that another terminal may be there.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._nothing_asked = threading.Event()
        self._nothing_asked.set()
        self._answers = False
        self._asked_at = 0.0
        self._since_question = 0

    @property
    def patience(self) -> float:
        """Seconds until the open question counts as not answered; 0 if nobody waits for an answer."""
        return self._to_come() if self._answers else 0.0

    def may_send(self, size: int) -> bool:
        """Whether so many bytes are sent now; if not, ask again on :class:`Answered` or after :attr:`patience`."""
        if self.patience:
            return self._since_question + size <= AHEAD
        if not self._nothing_asked.is_set():
            self._answers = False
        return True

    def sending(self, size: int) -> str:
        """So many bytes are sent: the question to put behind them, or ``""``. It moves the cursor."""
        self._since_question += size
        if self._since_question < _ASK_AFTER or not self._nothing_asked.is_set():
            return ""
        self._since_question = 0
        self._asked_at = self._clock()
        self._nothing_asked.clear()
        return QUESTION

    def answered(self) -> None:
        """The terminal answered. Called by the thread that reads from it."""
        if not self._nothing_asked.is_set():
            self._answers = True
            self._nothing_asked.set()

    def look_again(self) -> None:
        """Another terminal may be there: one that did not answer is asked again."""
        if not self._answers:
            self._nothing_asked.set()

    def part(self) -> None:
        """Wait a moment for an answer that is still to come, and forget the terminal. What came later would be typed
        into the shell."""
        self._nothing_asked.wait(min(self._to_come(), _LEAVING_S))
        self._answers = False
        self._nothing_asked.set()

    def _to_come(self) -> float:
        return 0.0 if self._nothing_asked.is_set() else max(0.0, self._asked_at + PATIENCE_S - self._clock())
