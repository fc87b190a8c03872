"""Where each statement stands for a reviewer while reviewing: held, so that no key has to count the study anew."""

import sqlite3
from collections import Counter
from typing import Final

from medreview.study.counts import Counts, count_statements

_STANDING: Final = "SELECT unit, state, label, event_id FROM standing WHERE reviewer = ? AND pass = ?"
_OPEN: Final = ("open", None, "")


class ReviewerProgress:
    """The state of every statement in one pass: decided, deferred or open, whichever came last."""

    def __init__(self, reader: sqlite3.Connection, reviewer: str, pass_no: int) -> None:
        self._reader = reader
        self._who = (reviewer, pass_no)
        rows = reader.execute(_STANDING, self._who)
        self._standing: dict[str, tuple[str, str | None, str]] = {row[0]: row[1:] for row in rows}
        self._stale: dict[str, bool] = {}
        self.counts = Counts.of(count_statements(reader), Counter(here[0] for here in self._standing.values()))

    def state_of(self, statement_id: str) -> str:
        """``"decided"``, ``"deferred"`` or ``"open"``."""
        return self._standing.get(statement_id, _OPEN)[0]

    def label_of(self, statement_id: str) -> str | None:
        """The evidence label on a statement that is decided."""
        return self._standing.get(statement_id, _OPEN)[1]

    def stale(self, statement_id: str) -> bool:
        """Whether it was decided on a page whose text has changed since."""
        state, _, event = self._standing.get(statement_id, _OPEN)
        if state != "decided":
            return False
        if event not in self._stale:  # one by one: among many decisions only those in sight are asked for
            found = self._reader.execute("SELECT 1 FROM decision_stale WHERE event_id = ?", (event,)).fetchone()
            self._stale[event] = found is not None
        return self._stale[event]

    def update(self, statement_id: str) -> None:
        """Read anew where a statement stands, after an act on it."""
        before = self.state_of(statement_id)
        row = self._reader.execute(f"{_STANDING} AND unit = ?", (*self._who, statement_id)).fetchone()
        if row:
            self._standing[statement_id] = tuple(row)[1:]
        else:
            self._standing.pop(statement_id, None)
        parts = self.counts._asdict()
        parts[before] -= 1
        parts[self.state_of(statement_id)] += 1
        self.counts = Counts(**parts)
