"""The goal of a sitting, in decisions or minutes, its pace, and the active time of a reviewer, without idle time."""

import re
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from medreview.errors import UserError

_IDLE_MS = 60_000


class ActiveTime:
    """Counts key presses and active milliseconds on one statement; a pause between keys counts one minute at most."""

    def __init__(self) -> None:
        self.keys = 0
        self._active = 0.0
        self._last = time.monotonic()

    def touch(self) -> None:
        """Record a key press."""
        now = time.monotonic()
        self._active += min((now - self._last) * 1000, _IDLE_MS)
        self._last = now
        self.keys += 1

    def start(self) -> None:
        """Reset for another statement."""
        self.keys = 0
        self._active = 0.0
        self._last = time.monotonic()

    @property
    def active_ms(self) -> int:
        """Active milliseconds until now."""
        return round(self._active + min((time.monotonic() - self._last) * 1000, _IDLE_MS))


_PACE_OF: Final = 5
"""Decisions of a sitting from which its pace says how long the rest takes."""


class SittingPace:
    """How fast one sitting goes, over all of its queues: active time, also of what was put off, by decision."""

    def __init__(self) -> None:
        self._active_ms = 0
        self._decisions = 0

    def add(self, active_ms: int, *, decided: bool = True) -> None:
        """Count a unit that was decided or put off."""
        self._active_ms += active_ms
        self._decisions += decided

    def minutes(self, units: int) -> int | None:
        """Minutes that so many units take, at least one; ``None`` as long as the pace is not known."""
        if self._decisions < _PACE_OF:
            return None
        return max(1, round(self._active_ms / self._decisions * units / 60_000))


_DECISIONS: Final = re.compile(r"\d{1,5}")
_TIME: Final = re.compile(r"(?:(\d{1,2})\s*h)?\s*(?:(\d{1,4})\s*(?:m|min)?)?")
_PACE_FROM: Final = 3
"""Decisions from which a pace is shown."""


class Goal(NamedTuple):
    """Decisions or minutes, the other is 0."""

    decisions: int = 0
    minutes: int = 0


def read_goal(words: str) -> Goal | None:
    """A goal as it is written: ``60`` decisions, ``45min``, ``1h30``; ``None`` for an empty text.

    Raises :class:`UserError` for anything else, and for zero.
    """
    text = words.strip().lower()
    if not text:
        return None
    if _DECISIONS.fullmatch(text) and int(text):
        return Goal(decisions=int(text))
    found = _TIME.fullmatch(text)
    minutes = 60 * int(found[1] or 0) + int(found[2] or 0) if found and not _DECISIONS.fullmatch(text) else 0
    if not minutes:
        raise UserError(f"{words!r} is not a goal; say so many decisions (60), or a time (45min, 1h30).")
    return Goal(minutes=minutes)


class SittingGoal:
    """The goal of one sitting over all its queues. It knows the time only when it is asked: nothing runs meanwhile."""

    def __init__(self, goal: Goal, now: Callable[[], float] = time.monotonic) -> None:
        self.goal = goal
        self._now = now
        self._start = now()
        self._decided: set[str] = set()
        self._taken_back: set[str] = set()
        self._alerted = False

    @property
    def decided(self) -> int:
        """Units that were decided in this sitting."""
        return len(self._decided)

    def add(self, unit: str) -> None:
        """Count a decided unit, and only once."""
        self._decided.add(unit)

    def settle(self, unit: str, *, decided: bool) -> None:
        """Record after undo or redo of an act whether its unit is decided now."""
        if not decided and unit in self._decided:
            self._decided.remove(unit)
            self._taken_back.add(unit)
        elif decided and unit in self._taken_back:
            self._taken_back.remove(unit)
            self._decided.add(unit)

    @property
    def words(self) -> str:
        """How far it is: ``12/60 · 34 min left``, the minutes at the pace so far; ``20 decided · 12 of 45 min``."""
        minutes, goal = self._minutes, self.goal
        if goal.minutes:
            return f"{self.decided} decided · {int(minutes)} of {goal.minutes} min"
        left = goal.decisions - self.decided
        if left <= 0 or self.decided < _PACE_FROM:
            return f"{self.decided}/{goal.decisions}"
        return f"{self.decided}/{goal.decisions} · {max(1, round(minutes / self.decided * left))} min left"

    def reached(self) -> str:
        """A sentence, once, when the goal is reached; ``""`` before and afterwards."""
        minutes, goal = self._minutes, self.goal
        there = minutes >= goal.minutes if goal.minutes else self.decided >= goal.decisions
        if self._alerted or not there:
            return ""
        self._alerted = True
        return f"The goal of this sitting is reached: {self.decided} decided in {max(1, round(minutes))} min."

    @property
    def _minutes(self) -> float:
        return (self._now() - self._start) / 60


def sitting_goal(words: str) -> SittingGoal | None:
    """The goal of a sitting that begins now; ``None`` for an empty text. Raises :class:`UserError` if invalid."""
    goal = read_goal(words)
    return SittingGoal(goal) if goal else None
