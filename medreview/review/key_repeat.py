"""Keys that are held down: one that has decided something decides no more until it was let go."""

import time
from collections.abc import Callable
from typing import Final

PAUSE_S: Final = 1.2
"""Seconds of silence after which a key counts as pressed again. Keyboards wait up to 1 s before they repeat a key, and
repeat it faster from then on."""

ENTER_PAUSE_S: Final = 0.15
"""The same of Enter: only keys that come as fast as a keyboard repeats them are one that is held down."""


class KeyRepeat:
    """Tells the key that decided last, still held down, from a key that is pressed.

    Keyboards repeat a held key at rates of their own, after delays of their own, so that no interval between two key
    presses tells one from the other. What tells is silence: the same key after :data:`PAUSE_S` in which neither it came
    nor the screen changed. Any other key ends it too. ``clock`` gives seconds, and is that of the keys' times.

    Enter goes on with what the last rows ask, and gives no verdict: pressed again, it is never taken for a held key. A
    held one goes on once more when its keyboard begins to repeat it, and not with each repeat (:data:`ENTER_PAUSE_S`).
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._key = ""
        self._until = float("-inf")

    def is_held(self, key: str, at: float) -> bool:
        """Whether a key at a time is the one that decided last, still down."""
        if key == self._key and at < self._until:
            self._until = max(self._until, at + _pause(key))
            return True
        self._key = ""
        return False

    def decided(self, key: str) -> None:
        """A key decided something, and the screen shows now what came of it."""
        self._key, self._until = key, self._clock() + _pause(key)


def _pause(key: str) -> float:
    return ENTER_PAUSE_S if key == "enter" else PAUSE_S
