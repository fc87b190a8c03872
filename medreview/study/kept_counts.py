"""Counts of a large study kept from one opening to the next: the first screen counts again only what has changed.

Only numbers and names of states are kept, never a text of the study, in the user's state folder. They are of one state
of the file, told by which file it is, its size and its times, and are dropped with the first commit after it, whoever
made it.
"""

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from medreview.bounded_file import read_bounded
from medreview.study.kept_of_study import file_state, keep_of_study, kept_file
from medreview.study.migrations import NEWEST

_COUNTS: Final = "counts"
MOST: Final = 20
"""Studies whose counts are kept."""
_LARGEST: Final = 1_000_000
"""Bytes that are read of what was kept."""
_SMALL: Final = 8_000_000
"""Bytes of a study below which counting takes no longer than reading what was kept."""


class KeptCounts:
    """The answers to counting queries on one study. ``connection`` reads it, and nothing but this process's own writer
    may write to it meanwhile, or an answer may be of a commit later.

    ``path``: the study it is of; ``None`` for another file, of which nothing is kept.
    """

    def __init__(self, path: Path | None, connection: sqlite3.Connection) -> None:
        self._path = path.resolve() if path else None
        self.connection = connection
        self._version = self._now()
        self._rows: dict[str, list[list[Any]]] = {}
        self._new = False
        state = file_state(self._path) if self._path else None
        if self._path and state is not None and state[1] >= _SMALL:
            found = _read(kept_file(_COUNTS, self._path))
            if found.get("state") == list(state) and self._now() == self._version:
                self._rows = found["rows"]

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[list[Any]]:
        """The rows that a query gives now: kept ones where nothing was committed since."""
        if (now := self._now()) != self._version:
            self._version, self._rows = now, {}
        key = hashlib.sha256(repr((NEWEST, sql, tuple(values))).encode()).hexdigest()
        if key not in self._rows:
            self._rows[key] = [list(row) for row in self.connection.execute(sql, values)]
            self._new = True
        return self._rows[key]

    def current(self) -> bool:
        """Whether there is anything to keep that was not kept before, all of it of the file as it is now."""
        return self._new and bool(self._rows) and self._now() == self._version

    def keep(self) -> None:
        """Keep them for the next opening, of the file as it is; who calls this knows that they are :meth:`current`.

        Where nothing can be kept, everything is counted again.
        """
        state = file_state(self._path) if self._path else None
        if self._path is None or state is None or state[1] < _SMALL:
            return
        told = json.dumps({"medreview": "counts of a study", "state": list(state), "rows": self._rows})
        keep_of_study(_COUNTS, self._path, told, MOST)
        self._new = False

    def _now(self) -> int:
        """A number that changes with every commit of another connection, the writer's included."""
        return int(self.connection.execute("PRAGMA data_version").fetchone()[0])


def _read(file: Path) -> dict[str, Any]:
    """What was kept; nothing where that is damaged."""
    try:
        told: Any = json.loads(read_bounded(file, _LARGEST)[0])
        whole = all(isinstance(row, list) for rows in told["rows"].values() for row in rows)
        return told if whole and isinstance(told["state"], list) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
