"""Which units a study has: asked of every event that comes in from another file, and by the check."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, Final

from medreview.study.case_facts import facts_made
from medreview.study.statement_edits import units_made
from medreview.study.unit_ids import is_here

_IDS: Final = {
    "statement": "statement_id", "response": "response_id", "source": "source_id", "key_fact": "key_fact_id",
    "reference": "reference_id",
}  # fmt: skip


class UnitsHere:
    """The units of a study, read once; ``unit in units`` asks for one. The study itself counts as one of them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        def ids(column: str, table: str) -> set[str]:
            return {row[0] for row in connection.execute(f"SELECT {column} FROM {table}")}

        self._connection = connection
        self._parts = {table: ids(column, table) for table, column in _IDS.items()}
        study = connection.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()
        self._units = self._parts["statement"] | ids("unit_id", "unit") | ({study[0]} if study else set())

    def __contains__(self, unit: str) -> bool:
        return is_here(unit, self._units, self._parts)

    def add_made(self, events: Iterable[tuple[str, str, Mapping[str, Any]]]) -> None:
        """Count in what events of (kind, unit, payload), by time, will make when they are written."""
        known = list(events)
        made = units_made(known, self._parts["statement"], self._parts["response"])
        added, facts = facts_made(self._connection, known)
        self._parts["statement"] |= made
        self._parts["key_fact"] |= facts
        self._units |= made | added
