"""The frame of the random audit: permanent random numbers (Ohlsson 1995), strata, and members not yet decided.

A statement has the same number in every copy of a study. This module merges the frame of another copy, and says which
statements may be listed with their judges before a reviewer has finished the audit.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from medreview.text import sha256

_HEX_DIGITS: Final = 13
"""52 bits: every such fraction is a float, and none of them is 1."""


def seed_of_draws(reader: sqlite3.Connection, reviewer: str = "") -> str:
    """What random draws and orders of a study are made from: its id, and the ``reviewer`` where each has an order of
    their own; in the sample study a word, by which everybody has the same audit and the same orders."""
    told = dict(reader.execute("SELECT key, value FROM study WHERE key IN ('study_id', 'seed')").fetchall())
    return str(told.get("seed") or (f"{told['study_id']}/{reviewer}" if reviewer else told["study_id"]))


def permanent_number(study_id: str, unit: str) -> float:
    """A number in [0, 1) that depends on nothing but the study's id, its seed, and the unit's.

    A sample of those below a rate takes each unit with that probability, a larger sample contains the smaller one,
    and units that come later enter alike.
    """
    return int(sha256(f"{study_id}/{unit}")[:_HEX_DIGITS], 16) / 16**_HEX_DIGITS


def number_given_draw(study_id: str, unit: str, rate: float, position: int | None, size: int) -> float:
    """The number of a unit in a study whose audit was drawn once, as a list, before there were such numbers.

    Given that draw the numbers of its members (at a ``position`` of 1 to ``size``) are uniform below the rate, those of
    all others (``None``) from there on. Members keep their order, so that a half of it that was done stays the first.
    """
    own = permanent_number(study_id, unit)
    return rate + (1 - rate) * own if position is None else rate * (position - 1 + own) / size


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
    come to the same in whatever order they merge. Numbers are permanent. Strata missing from a copy are not taken
    over.
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
                flagged = {_joined(":flagged", "flagged")}
            WHERE {_BETTER} OR flagged IS NOT {_joined(":flagged", "flagged")}""",
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


UNMET: Final = """SELECT a.statement_id FROM audit_item AS a
WHERE NOT EXISTS (SELECT 1 FROM audit_met AS m WHERE m.unit = a.statement_id AND m.reviewer = ?1)"""
"""Members of the audit that a reviewer has neither decided nor seen with the judges. ``?1`` is the reviewer."""

_DECIDED: Final = "SELECT unit FROM standing WHERE reviewer = ? AND pass = 1 AND state = 'decided'"
_NOT_SHOWN: Final = "SELECT unit FROM kept_blind WHERE reviewer = ? AND NOT seen"


def undecided_audit(reader: sqlite3.Connection, reviewer: str) -> int:
    """How many statements of the audit the reviewer has neither decided nor seen with their judges."""
    return int(reader.execute(f"SELECT count(*) FROM ({UNMET})", (reviewer,)).fetchone()[0])


def listable(reader: sqlite3.Connection, *reviewers: str) -> frozenset[str] | None:
    """The statements whose judges all of these reviewers may be shown one by one without harm to an audit; ``None``
    for all statements.

    A reviewer who is still at the audit may see the judges of decided statements: to see any other would spoil the
    draw. Of those decided blind, once their block is shown: a reviewer who sees the judges' errors before is no longer
    independent.
    """
    found = [listed for who in set(reviewers) if (listed := _listable(reader, who)) is not None]
    return frozenset.intersection(*found) if found else None


def _listable(reader: sqlite3.Connection, reviewer: str) -> frozenset[str] | None:
    if not undecided_audit(reader, reviewer):
        return None
    decided = frozenset(row[0] for row in reader.execute(_DECIDED, (reviewer,)))
    return decided - frozenset(row[0] for row in reader.execute(_NOT_SHOWN, (reviewer,))) if decided else None
