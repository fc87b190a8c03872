"""The frame of the audit: its strata, and what is taken over from another copy of a study."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Stratum:
    """A stratum as it is named in the frame: its statements, how many of them are members, and at which rate."""

    name: str
    statements: int
    members: int
    rate: float


def strata(reader: sqlite3.Connection) -> list[Stratum]:
    """The strata of the audit, by name; a stratum whose statements came in at different rates has a row for each."""
    rows = reader.execute(
        """SELECT stratum, count(*), sum(number < rate), rate FROM audit_frame GROUP BY stratum, rate
           ORDER BY stratum, rate"""
    )
    return [Stratum(*row) for row in rows]


def join_frame(connection: sqlite3.Connection, rows: Iterable[Mapping[str, Any]]) -> None:
    """Take over rows of the table ``audit_frame`` of a copy, on statements that this study has.

    The higher of two rates holds, with its stratum, so that no member of either drops out; of two strata at the same
    rate the first by name, so that copies come to the same in whatever order they meet. Numbers are permanent.
    """
    connection.executemany(
        """INSERT INTO audit_frame (statement_id, number, stratum, rate)
           SELECT statement_id, :number, :stratum, :rate FROM statement WHERE statement_id = :statement_id
           ON CONFLICT (statement_id) DO UPDATE SET stratum = excluded.stratum, rate = excluded.rate
           WHERE excluded.rate > rate OR (excluded.rate = rate AND excluded.stratum < stratum)""",
        rows,
    )
