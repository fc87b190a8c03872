"""Giving up on a judge that is dead, so that it does not hold up the others."""

from typing import Final

FAILURES: Final = 5
"""As many requests in a row without an answer of the model, and no more are sent."""


class Breaker:
    """Counts failures in a row; once broken it stays so until the judge is opened anew."""

    def __init__(self) -> None:
        self._in_a_row = 0
        self.reason = ""
        """Why nothing is sent any more; ``""`` while it is."""

    def answered(self) -> None:
        """The model wrote something, whatever it was."""
        self._in_a_row = 0

    def failed(self, sentence: str, *, for_good: bool = False) -> None:
        """A request failed after all its tries; ``for_good``: every other one would too."""
        self._in_a_row += 1
        if not self.reason and (for_good or self._in_a_row >= FAILURES):
            self.reason = sentence if for_good else f"{FAILURES} requests in a row failed. The last one: {sentence}"
