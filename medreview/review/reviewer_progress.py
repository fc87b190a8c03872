"""How every unit of a kind stands for one reviewer: decided, deferred, open. Held in memory, so that no key counts the
study again."""

import sqlite3
from collections import Counter
from collections.abc import Mapping
from typing import Final

from medreview.review.blind_block import ByUnit
from medreview.study.counts import OF_KIND, Counts, count_statements, load_states, prefix_of
from medreview.study.ids import STATEMENT
from medreview.units.registry import count_units

_STANDING: Final = f"SELECT unit, state, label FROM standing WHERE reviewer = ? AND pass = ? AND {OF_KIND}"
_STALE: Final = """SELECT EXISTS (SELECT 1 FROM decision_stale WHERE event_id = (
    SELECT event_id FROM standing WHERE reviewer = ? AND pass = ? AND unit = ?))"""
_OPEN: Final = ("open", None)

_Standing = tuple[str, str | None]
"""State and label."""


class ReviewerProgress:
    """The state of every unit of a kind in one pass: decided, deferred or open, whichever came last.

    ``total`` is how many units of the kind there are; ``states`` how many stand as decided and as deferred, where that
    was counted already. The units themselves are read when they are asked for, or all by :meth:`read_all`.
    """

    def __init__(
        self,
        reader: sqlite3.Connection,
        reviewer: str,
        pass_no: int,
        kind: str = STATEMENT,
        *,
        states: Mapping[str, int] | None = None,
    ) -> None:
        self._reader = reader
        self._who = (reviewer, pass_no, prefix_of(kind))
        self._standing = ByUnit(self._one, self._every)
        self._stale: dict[str, bool] = {}
        self._total = count_statements(reader) if kind == STATEMENT else count_units(reader, kind)
        self.counts = Counts.of(self._total, load_states(reader, reviewer, kind, pass_no) if states is None else states)

    def state_of(self, unit: str) -> str:
        """``"decided"``, ``"deferred"`` or ``"open"``."""
        return self._here(unit)[0]

    def label_of(self, unit: str) -> str | None:
        """The label on a unit that is decided."""
        return self._here(unit)[1]

    def stale(self, unit: str) -> bool:
        """Whether it was decided on a page whose text has changed since."""
        if self.state_of(unit) != "decided":
            return False
        if unit not in self._stale:  # one by one: among many decisions only those in sight are asked for
            reviewer, pass_no, _ = self._who
            (stale,) = self._reader.execute(_STALE, (reviewer, pass_no, unit)).fetchone()
            self._stale[unit] = bool(stale)
        return self._stale[unit]

    def read_all(self) -> None:
        """Read how all units stand, so that neither an act nor a jump has to."""
        self._standing.read_all()

    @property
    def whole(self) -> bool:
        """Whether that was read."""
        return self._standing.whole

    def update(self, unit: str) -> None:
        """Read again where a unit stands, after an act on it."""
        self._stale.pop(unit, None)
        if not self._standing.whole:  # how it stood before the act may not be known
            self.counts = Counts.of(self._total, Counter(here[0] for here in self._standing.all().values() if here))
            return
        before, now = self.state_of(unit), self._standing.renew(unit) or _OPEN
        parts = self.counts._asdict()
        parts[before] -= 1
        parts[now[0]] += 1
        self.counts = Counts(**parts)

    def _here(self, unit: str) -> _Standing:
        return self._standing.get(unit) or _OPEN

    def _one(self, unit: str) -> _Standing | None:
        row = self._reader.execute(f"{_STANDING} AND unit = ?", (*self._who, unit)).fetchone()
        return (row[1], row[2]) if row else None

    def _every(self) -> dict[str, _Standing]:
        same: dict[_Standing, _Standing] = {}  # of many thousands of units there are a handful of states and labels
        found = {}
        for unit, state, label in self._reader.execute(_STANDING, self._who):
            here = (state, label)
            found[unit] = same.setdefault(here, here)
        return found
