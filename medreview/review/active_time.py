"""How long a reviewer worked on a statement: pauses do not count as work."""

import time

_IDLE_MS = 60_000


class ActiveTime:
    """Counts keys and milliseconds on one statement. A gap between keys counts for a minute at most."""

    def __init__(self) -> None:
        self.keys = 0
        self._active = 0.0
        self._last = time.monotonic()

    def touch(self) -> None:
        """A key was pressed."""
        now = time.monotonic()
        self._active += min((now - self._last) * 1000, _IDLE_MS)
        self._last = now
        self.keys += 1

    def start(self) -> None:
        """Another statement is on the screen."""
        self.keys = 0
        self._active = 0.0
        self._last = time.monotonic()

    @property
    def active_ms(self) -> int:
        """Milliseconds of work until now."""
        return round(self._active + min((time.monotonic() - self._last) * 1000, _IDLE_MS))
