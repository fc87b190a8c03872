"""Detection of keyboard auto-repeat, so that a key that is held down decides only once."""

from typing import Final

REPEAT_S: Final = 0.15
"""Seconds; nobody reads and judges a statement in this time, and auto-repeat is faster."""


class KeyRepeat:
    """Distinguishes auto-repeat from key presses: the same key again within :data:`REPEAT_S`."""

    def __init__(self) -> None:
        self._key = ""
        self._last_time = float("-inf")

    def repeats(self, key: str, now: float) -> bool:
        """Whether a key at a time (seconds of a monotonic clock) is an auto-repeat of the last one; records the key."""
        again = key == self._key and now - self._last_time < REPEAT_S
        self._key, self._last_time = key, now
        return again
