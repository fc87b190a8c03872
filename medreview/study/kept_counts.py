"""Counts of a large study kept from one opening to the next: the first screen counts again only what has changed.

Only numbers, names of states and ids are kept, never a text of the study, in the user's state folder. They are of one
state of the file, told by which file it is, its size and its times, and are dropped with the first commit after it,
whoever made it; what was asked is asked once more when the study is closed, so that the next opening has it of the file
as it is then. What follows from a part of the study alone outlasts them: it is kept with what tells of that part.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from medreview.bounded_file import read_bounded
from medreview.study.connection import data_version
from medreview.study.kept_of_study import file_state, keep_of_study, kept_file
from medreview.study.migrations import NEWEST

_COUNTS: Final = "counts"
MOST: Final = 20
"""Studies whose counts are kept."""
_LARGEST: Final = 16_000_000
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
        self._version = data_version(self.connection)
        self._rows: dict[str, list[list[Any]]] = {}
        self._lasting: dict[str, tuple[str, list[list[Any]]]] = {}
        self._asks: dict[str, Callable[[], list[list[Any]]]] = {}
        self._new = False
        state = file_state(self._path) if self._path else None
        if self._path and state is not None and state[1] >= _SMALL:
            found = _read(kept_file(_COUNTS, self._path))
            if found.get("state") == list(state) and data_version(self.connection) == self._version:
                self._rows = found["rows"]
            self._lasting = found.get("lasting", {})

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[list[Any]]:
        """The rows that a query gives now: kept ones where nothing was committed since."""
        return self.found(repr((sql, tuple(values))), lambda: self._asked(sql, values))

    def found(self, name: str, ask: Callable[[], list[list[Any]]]) -> list[list[Any]]:
        """The same of what several queries come to: the rows that ``ask`` makes, whose ``name`` nothing else has."""
        self._look()
        self._asks[name], key = ask, _key(name)
        if key not in self._rows:
            self._rows[key], self._new = ask(), True
        return self._rows[key]

    def lasting(self, sql: str, of: str) -> list[list[Any]]:
        """The columns of a query that follows from a part of the study alone, whatever else was committed since; ``of``
        tells one state of that part from every other. Columns, since it may have very many rows."""
        key = _key(sql)
        if self._lasting.get(key, ("", []))[0] != of:
            asked = self.connection.execute(sql)
            rows = asked.fetchall()
            self._lasting[key] = of, [[row[place] for row in rows] for place in range(len(asked.description))]
            self._new = True
        return self._lasting[key][1]

    def _asked(self, sql: str, values: Sequence[Any]) -> list[list[Any]]:
        return [list(row) for row in self.connection.execute(sql, values).fetchall()]

    def _look(self) -> None:
        if (now := data_version(self.connection)) != self._version:
            self._version, self._rows = now, {}

    def current(self) -> bool:
        """Whether there is anything to keep that was not kept before; what is not of the file as it is now is asked
        once more.

        There is nothing to keep of a small file, nor of one that cannot be read any more.
        """
        state = file_state(self._path) if self._path else None
        if state is None or state[1] < _SMALL:
            return False
        try:
            self._look()
            for name, ask in self._asks.items():
                self.found(name, ask)
        except sqlite3.Error:
            return False
        return self._new and bool(self._rows or self._lasting)

    def keep(self) -> None:
        """Keep them for the next opening, of the file as it is; who calls this knows that they are :meth:`current`.

        Where nothing can be kept, everything is counted again.
        """
        state = file_state(self._path) if self._path else None
        if self._path is None or state is None or state[1] < _SMALL:
            return
        told = {"medreview": "counts of a study", "state": list(state), "rows": self._rows, "lasting": self._lasting}
        keep_of_study(_COUNTS, self._path, json.dumps(told), MOST)
        self._new = False


def _key(name: str) -> str:
    return hashlib.sha256(f"{NEWEST} {name}".encode()).hexdigest()


def _read(file: Path) -> dict[str, Any]:
    """What was kept; nothing where that is damaged."""
    try:
        told: Any = json.loads(read_bounded(file, _LARGEST)[0])
        lasting = [columns for _, columns in told["lasting"].values()]
        whole = all(isinstance(each, list) for rows in (*told["rows"].values(), *lasting) for each in rows)
        whole = whole and all(len({*map(len, columns)}) == 1 for columns in lasting)
        return told if whole and isinstance(told["state"], list) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
