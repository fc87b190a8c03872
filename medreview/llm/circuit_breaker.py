"""A circuit breaker: no further requests to a judge that keeps failing, so that it does not delay the others."""

from typing import Final

FAILURES: Final = 5
"""Consecutive failed requests after which the circuit opens."""


class CircuitBreaker:
    """Counts consecutive failures; an open circuit stays open until the judge is opened again."""

    def __init__(self) -> None:
        self._consecutive = 0
        self.reason = ""
        """Why the circuit is open, as a sentence; ``""`` while it is closed."""

    def record_success(self) -> None:
        """The model answered, whatever the answer."""
        self._consecutive = 0

    def record_failure(self, sentence: str, *, permanent: bool = False) -> None:
        """A request failed after all its retries; ``permanent``: every other one would fail, too."""
        self._consecutive += 1
        if not self.reason and (permanent or self._consecutive >= FAILURES):
            self.reason = sentence if permanent else f"{FAILURES} requests in a row failed. The last one: {sentence}"
