"""Active time of a reviewer on a statement, without idle time."""

import time

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
