"""Statements in their order of which many are alike: what is to be known of them is worked out once for each kind."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import numpy as np

from medreview.stats.formulas.bootstrap import Ints

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Alike(Generic[K]):
    """A column of statements: of which response each is, and of which kind.

    ``kinds`` has each kind once, in the order in which they first came; ``codes`` (n) the place of each statement's
    kind among them, and ``responses`` (n) the response of each.
    """

    def __init__(self) -> None:
        self.responses: list[str] = []
        self.codes: list[int] = []
        self._place: dict[K, int] = {}

    def add(self, response_id: str, kind: K) -> None:
        """Take up one statement."""
        self.responses.append(response_id)
        self.codes.append(self._place.setdefault(kind, len(self._place)))

    @property
    def kinds(self) -> list[K]:
        """Each kind once, in the order in which they first came."""
        return list(self._place)

    @property
    def counts(self) -> list[int]:
        """How many statements are of each kind."""
        found: Ints = np.bincount(np.array(self.codes, dtype=np.int64), minlength=len(self._place))
        return [int(count) for count in found]

    def told(self, of: Callable[[K], T | None]) -> list[tuple[str, T]]:
        """The response of each statement and what ``of`` tells of its kind, where that is not ``None``."""
        said = [of(kind) for kind in self._place]
        rows = zip(self.responses, self.codes, strict=True)
        return [(response_id, what) for response_id, code in rows if (what := said[code]) is not None]
