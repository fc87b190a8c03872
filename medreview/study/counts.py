"""How far a reviewer is: decided, deferred and open units of a study."""

import sqlite3
from collections.abc import Mapping
from typing import Final, NamedTuple

from medreview.study.ids import STATEMENT

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
