"""The frame of the audit: its strata, and what is taken over from another copy of a study."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

WITHHELD: Final = "withheld"
"""The name of a stratum in a copy for a colleague that must not know it: by flag, or by model."""


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
        """SELECT stratum, count(*), sum(number < rate), rate FROM audit_frame AS f
           WHERE NOT EXISTS (SELECT 1 FROM retired_statement AS x WHERE x.statement_id = f.statement_id)
           GROUP BY stratum, rate
           ORDER BY stratum, rate"""
    )
    return [Stratum(*row) for row in rows]


def join_frame(connection: sqlite3.Connection, rows: Iterable[Mapping[str, Any]]) -> None:
    """Take over rows of the table ``audit_frame`` of a copy, on statements that this study has.

    The higher of two rates holds, with its stratum, so that no member of either drops out; of two strata at the same
    rate the first by name. Where strata by flag count, a statement that was flagged in one copy only is both. So copies
    come to the same in whatever order they meet. Numbers are permanent. Of a stratum that a copy was not told there is
    nothing to take over.
    """
    if by_flag := _has_strata_by_flag(connection):
        connection.execute(f"UPDATE audit_frame AS f SET flagged = ({_FLAGGED_NOW}) WHERE flagged IS NULL")
    connection.executemany(
        f"""INSERT INTO audit_frame (statement_id, number, stratum, rate, flagged)
            SELECT statement_id, :number, :stratum, :rate,
                   {_joined(":flagged", f"iif({int(by_flag)}, ({_FLAGGED_NOW}), NULL)")}
            FROM statement AS f WHERE statement_id = :statement_id
            ON CONFLICT (statement_id) DO UPDATE SET
                stratum = iif({_BETTER}, excluded.stratum, stratum), rate = max(excluded.rate, rate),
                flagged = {_joined("excluded.flagged", "flagged")}
            WHERE {_BETTER} OR flagged IS NOT {_joined("excluded.flagged", "flagged")}""",
        [row for row in rows if row["stratum"] != WITHHELD],
    )


_FLAGGED_NOW: Final = "SELECT v.priority > 0 FROM verdict AS v WHERE v.statement_id = f.statement_id"
"""NULL where it was not judged yet: promoted in a copy, it is placed once it was."""
_BETTER: Final = "(excluded.rate > rate OR (excluded.rate = rate AND excluded.stratum < stratum))"


def _joined(one: str, other: str) -> str:
    """What two copies say of a flag: what either says, and 2 where they differ."""
    return f"CASE WHEN {one} IS NULL THEN {other} WHEN coalesce({other}, {one}) = {one} THEN {one} ELSE 2 END"


def _has_strata_by_flag(connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM event WHERE kind = 'audit_rate' AND json_extract(payload, '$.by') = 'flagged'"
    return connection.execute(query).fetchone() is not None
