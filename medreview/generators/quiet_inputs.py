"""Inputs of which something is made without a question, kept in their place among those that models are asked about.

What is made first has the lowest numbers, and a reviewer sees these. Made at once, answers that nobody had to be asked
for would be told by their numbers. So each waits until work on a later input has ended, or on all inputs before it.
"""

from collections.abc import Iterable, Sequence


class QuietInputs:
    """Which of them wait; ``order`` are all inputs, ``quiet`` those without a question."""

    def __init__(self, order: Sequence[str], quiet: Iterable[str]) -> None:
        self._place = {one: place for place, one in enumerate(order)}
        self._quiet = frozenset(quiet)
        self._waiting: list[str] = []
        self._open: dict[str, None] = {}

    def begin(self, waiting: Iterable[str]) -> None:
        """These inputs have not ended."""
        still = sorted(waiting, key=self._place.__getitem__)
        self._waiting = [one for one in still if one in self._quiet]
        self._open = dict.fromkeys(one for one in still if one not in self._quiet)

    def is_early(self, one: str) -> bool:
        """Whether an input without a question still has its turn before it."""
        if one not in self._quiet:
            return False
        if one not in self._waiting:
            return True  # it is on its way with another one
        first = next(iter(self._open), None)
        return first is not None and self._place[first] < self._place[one]

    def ended(self, one: str) -> list[str]:
        """Work on an input has ended; those before it whose turn has come with that."""
        self._open.pop(one, None)
        if one in self._waiting:
            self._waiting.remove(one)
        due = [other for other in self._waiting if self._place[other] < self._place[one]]
        self._waiting = self._waiting[len(due) :]
        return due
