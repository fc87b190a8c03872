"""The statements whose judges a reviewer is not to be told one by one yet: asked wherever they are listed."""

import sqlite3
from typing import Final

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

    Who decides and is still at the audit may see those of decided statements: to see any other would spoil the draw.
    Of those decided blind, once their block is shown: who is told in its midst how the judges erred is no longer
    independent of them.
    """
    found = [listed for who in set(reviewers) if (listed := _listable(reader, who)) is not None]
    return frozenset.intersection(*found) if found else None


def _listable(reader: sqlite3.Connection, reviewer: str) -> frozenset[str] | None:
    if not undecided_audit(reader, reviewer):
        return None
    decided = frozenset(row[0] for row in reader.execute(_DECIDED, (reviewer,)))
    return decided - frozenset(row[0] for row in reader.execute(_NOT_SHOWN, (reviewer,))) if decided else None
