"""What is known of single units: asked one by one while few are in sight, of all at once when many are."""

from collections.abc import Callable, Mapping
from typing import Final, Generic, TypeVar

T = TypeVar("T")

FEW: Final = 64
"""Units that are asked one by one: more than are in sight, far less than a large study has."""


class ByUnit(Generic[T]):
    """``one`` reads what is known of a unit, ``None`` for nothing; ``every`` the same of all units that have any."""

    def __init__(self, one: Callable[[str], T | None], every: Callable[[], Mapping[str, T]]) -> None:
        self._one = one
        self._every = every
        self._known: dict[str, T | None] = {}
        self.whole = False
        """Whether all of them were read."""

    def get(self, unit: str) -> T | None:
        """What is known of a unit."""
        if unit not in self._known and not self.whole:
            if len(self._known) >= FEW:
                self.read_all()
            else:
                self._known[unit] = self._one(unit)
        return self._known.get(unit)

    def all(self) -> Mapping[str, T | None]:
        """What is known of every unit; those of which nothing is may be missing."""
        self.read_all()
        return self._known

    def read_all(self) -> None:
        """Read all that was not read yet."""
        if not self.whole:
            self._known, self.whole = dict(self._every()), True

    def renew(self, unit: str) -> T | None:
        """Read anew what is known of a unit, after an act on it; what that is."""
        self._known[unit] = found = self._one(unit)
        return found
