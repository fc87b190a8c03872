"""Where each unit of a kind stands for a reviewer while reviewing: held, so that no key has to count the study anew."""

import sqlite3
from collections import Counter
from typing import Final

from medreview.study.counts import OF_KIND, Counts, count_statements, prefix_of
from medreview.study.unit_ids import STATEMENT
from medreview.units.registry import count_units

_STANDING: Final = f"SELECT unit, state, label, event_id FROM standing WHERE reviewer = ? AND pass = ? AND {OF_KIND}"
_OPEN: Final = ("open", None, "")


class ReviewerProgress:
    """The state of every unit of a kind in one pass: decided, deferred or open, whichever came last.

    ``total`` is how many units of the kind there are.
    """

    def __init__(self, reader: sqlite3.Connection, reviewer: str, pass_no: int, kind: str = STATEMENT) -> None:
        self._reader = reader
        self._who = (reviewer, pass_no, prefix_of(kind))
        rows = reader.execute(_STANDING, self._who)
        self._standing: dict[str, tuple[str, str | None, str]] = {row[0]: row[1:] for row in rows}
        self._stale: dict[str, bool] = {}
        total = count_statements(reader) if kind == STATEMENT else count_units(reader, kind)
        self.counts = Counts.of(total, Counter(here[0] for here in self._standing.values()))

    def state_of(self, unit: str) -> str:
        """``"decided"``, ``"deferred"`` or ``"open"``."""
        return self._standing.get(unit, _OPEN)[0]

    def label_of(self, unit: str) -> str | None:
        """The label on a unit that is decided."""
        return self._standing.get(unit, _OPEN)[1]

    def stale(self, unit: str) -> bool:
        """Whether it was decided on a page whose text has changed since."""
        state, _, event = self._standing.get(unit, _OPEN)
        if state != "decided":
            return False
        if event not in self._stale:  # one by one: among many decisions only those in sight are asked for
            found = self._reader.execute("SELECT 1 FROM decision_stale WHERE event_id = ?", (event,)).fetchone()
            self._stale[event] = found is not None
        return self._stale[event]

    def update(self, unit: str) -> None:
        """Read anew where a unit stands, after an act on it."""
        before = self.state_of(unit)
        row = self._reader.execute(f"{_STANDING} AND unit = ?", (*self._who, unit)).fetchone()
        if row:
            self._standing[unit] = tuple(row)[1:]
        else:
            self._standing.pop(unit, None)
        parts = self.counts._asdict()
        parts[before] -= 1
        parts[self.state_of(unit)] += 1
        self.counts = Counts(**parts)
