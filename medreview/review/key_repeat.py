"""A key that is held down decides once."""

from typing import Final

REPEAT_S: Final = 0.15
"""Nobody reads and judges a statement in this time; a keyboard's auto-repeat is faster."""


class KeyRepeat:
    """Tells auto-repeat from key presses: the same key again, too soon after it was seen last."""

    def __init__(self) -> None:
        self._key = ""
        self._seen = float("-inf")

    def repeats(self, key: str, now: float) -> bool:
        """Whether a key at a time (in seconds, of any clock) is the last one held; also notes it."""
        again = key == self._key and now - self._seen < REPEAT_S
        self._key, self._seen = key, now
        return again
