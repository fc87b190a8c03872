"""How far a reviewer is; and counts of a large study that are kept from one opening to the next.

Only numbers, names of states and ids are kept, never a text of the study, in the user's state folder. They are of one
state of the file, known by which file it is, its size and its times. The next commit, whoever makes it, drops them. On
closing the study the same queries run again, so that the next opening has the counts of the file as it is then. Results
that follow from a part of the study alone outlast them: they are kept with the state of that part, in own lines below
them, of which only those that are asked for are read.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from medreview.bounded_reading import read_bounded
from medreview.study.connection import data_version
from medreview.study.ids import STATEMENT
from medreview.study.migrations import NEWEST
from medreview.study.state_folder import file_state, keep_of_study, kept_file

DIFFERING: Final = "mine.state = 'decided' AND mine.label <> v.verdict"
"""Which rows of ``standing AS mine`` are labels other than the judges' in ``verdict AS v``."""


OF_KIND: Final = "substr(unit, 1, instr(unit, ':')) = ?"
"""Which rows are on units of one kind; its value is from :func:`prefix_of`."""


def prefix_of(kind: str) -> str:
    """What the ids of a kind of unit begin with, its colon included; ``""`` for statements."""
    return "" if kind == STATEMENT else f"{kind}:"


class Counts(NamedTuple):
    """Where a reviewer stands among all units of a kind; the three parts add up to ``total``."""

    total: int
    decided: int
    deferred: int
    open: int

    @classmethod
    def of(cls, total: int, states: Mapping[str, int]) -> "Counts":
        """From how many units stand as decided and as deferred; all others are open."""
        decided, deferred = states.get("decided", 0), states.get("deferred", 0)
        return cls(total, decided, deferred, total - decided - deferred)


def load_counts(reader: sqlite3.Connection, reviewer: str, pass_no: int = 1) -> Counts:
    """Count statements by the reviewer's last word in one pass: a decision, a deferral, or none."""
    return Counts.of(count_statements(reader), load_states(reader, reviewer, STATEMENT, pass_no))


STATES: Final = f"SELECT state, count(*) FROM standing WHERE reviewer = ? AND pass = ? AND {OF_KIND} GROUP BY state"
"""How many units of a kind stand as ``decided`` and as ``deferred`` with a reviewer; its values are from
:func:`whose_states`."""


def whose_states(reviewer: str, kind: str, pass_no: int = 1) -> tuple[str, int, str]:
    """The values of :data:`STATES`."""
    return reviewer, pass_no, prefix_of(kind)


def load_states(reader: sqlite3.Connection, reviewer: str, kind: str, pass_no: int = 1) -> dict[str, int]:
    """How many units of a kind stand as ``decided`` and as ``deferred``; what none does is not there."""
    return dict(reader.execute(STATES, whose_states(reviewer, kind, pass_no)).fetchall())


def count_statements(reader: sqlite3.Connection) -> int:
    """How many statements the study has."""
    query = "SELECT (SELECT count(*) FROM statement) - (SELECT count(*) FROM retired_statement)"
    return int(reader.execute(query).fetchone()[0])


_COUNTS: Final = "counts"
MOST: Final = 20
"""Studies whose counts are kept."""
_LASTING: Final = 4
"""Answers that outlast commits, of which those asked for last are kept of a study: nothing else tells that one is of a
query which no version asks any more."""
_LARGEST: Final = 16_000_000
"""Bytes that are read of what was kept."""
_SMALL: Final = 8_000_000
"""Bytes of a study below which counting takes no longer than reading what was kept."""


class _Listed:
    """The columns of a query that ``of`` a part of the study follow: as kept, read when they are asked for."""

    def __init__(self, of: str, columns: list[list[Any]] | None = None, kept: str = "") -> None:
        self.of = of
        self._columns = columns
        self._kept = kept

    @property
    def columns(self) -> list[list[Any]] | None:
        """``None`` where what was kept is damaged."""
        if self._columns is None:
            self._columns = _whole_columns(self._kept)
        return self._columns

    @property
    def text(self) -> str:
        """What is to be kept."""
        return self._kept or json.dumps(self._columns)


class _Read(NamedTuple):
    """What was kept: of a state of the file the rows, and what outlasts it."""

    state: list[Any]
    rows: dict[str, list[list[Any]]]
    lasting: dict[str, _Listed]


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
        self._lasting: dict[str, _Listed] = {}
        self._asks: dict[str, Callable[[], list[list[Any]]]] = {}
        self._new = False
        state = file_state(self._path) if self._path else None
        if self._path and state is not None and state[1] >= _SMALL:
            found = _read(kept_file(_COUNTS, self._path))
            if found.state == list(state) and data_version(self.connection) == self._version:
                self._rows = found.rows
            self._lasting = found.lasting

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
        held = self._lasting.pop(key, None)
        columns = held.columns if held and held.of == of else None
        if held is None or columns is None:
            asked = self.connection.execute(sql)
            rows = asked.fetchall()
            columns = [[row[place] for row in rows] for place in range(len(asked.description))]
            held, self._new = _Listed(of, columns), True
        self._lasting[key] = held  # behind those that were asked for before it
        return columns

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
        lines = [json.dumps({"medreview": "counts of a study", "state": list(state), "rows": self._rows})]
        for key, listed in islice(self._lasting.items(), max(0, len(self._lasting) - _LASTING), None):
            lines += [json.dumps([key, listed.of]), listed.text]
        keep_of_study(_COUNTS, self._path, "\n".join(lines), MOST)
        self._new = False


def _key(name: str) -> str:
    return hashlib.sha256(f"{NEWEST} {name}".encode()).hexdigest()


def _read(file: Path) -> _Read:
    """What was kept; nothing where that is damaged."""
    try:
        first, *lines = read_bounded(file, _LARGEST)[0].decode("ascii").split("\n")
        told: Any = json.loads(first)
        whole = all(isinstance(each, list) for rows in told["rows"].values() for each in rows)
        heads = [json.loads(line) for line in lines[::2]]
        lasting = {key: _Listed(of, kept=text) for (key, of), text in zip(heads, lines[1::2], strict=True)}
        if whole and isinstance(told["state"], list):
            return _Read(told["state"], told["rows"], lasting)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    return _Read([], {}, {})


def _whole_columns(text: str) -> list[list[Any]] | None:
    """Columns of one length as they were kept; ``None`` where that is damaged."""
    try:
        columns: Any = json.loads(text)
        return columns if len({*map(len, columns)}) == 1 and all(isinstance(each, list) for each in columns) else None
    except (ValueError, TypeError, RecursionError):
        return None
