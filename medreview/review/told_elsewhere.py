"""What the judges' opinion on one unit tells of another: a statement's of its pairs, a response's of its statements.

Who has seen the judges of a statement knows their votes on its pairs, and the other way round; a response's roll-up
names the statements that fail. A label that is given after that is an assisted one, whatever the queue.
"""

import sqlite3
from typing import Final

from medreview.study.unit_ids import PAIR, STATEMENT, ids_of, kind_of, unit_id

_RESPONSE: Final = "response"
_SEEN: Final = "SELECT 1 FROM judges_shown WHERE unit = ? AND reviewer = ? LIMIT 1"
_SEEN_AMONG: Final = "SELECT 1 FROM judges_shown WHERE unit >= ? AND unit < ? AND reviewer = ? LIMIT 1"
_STATEMENTS: Final = "SELECT statement_id FROM statement WHERE response_id = ?"
_RESPONSE_OF: Final = "SELECT response_id FROM statement WHERE statement_id = ?"


def saw_elsewhere(reader: sqlite3.Connection, unit: str, reviewer: str) -> bool:
    """Whether a reviewer has seen the judges on a unit that tells of this one; also taken back, and in any pass."""
    kind = kind_of(unit)
    if kind == STATEMENT:
        return _saw_pairs(reader, unit, reviewer) or _saw_response(reader, unit, reviewer)
    if kind == PAIR:
        statement_id = ids_of(unit)[0]
        seen = reader.execute(_SEEN, (statement_id, reviewer)).fetchone() is not None
        return seen or _saw_response(reader, statement_id, reviewer)
    if kind == _RESPONSE:
        statements = [row[0] for row in reader.execute(_STATEMENTS, ids_of(unit))]
        return any(
            reader.execute(_SEEN, (each, reviewer)).fetchone() or _saw_pairs(reader, each, reviewer)
            for each in statements
        )
    return False


def kept_with(unit: str) -> tuple[str, ...]:
    """The unit itself, and the one whose blindness it shares: of a pair its statement, which may be of the audit."""
    return (unit, ids_of(unit)[0]) if kind_of(unit) == PAIR else (unit,)


def _saw_pairs(reader: sqlite3.Connection, statement_id: str, reviewer: str) -> bool:
    first = unit_id(PAIR, statement_id, "")
    return reader.execute(_SEEN_AMONG, (first, first[:-1] + ";", reviewer)).fetchone() is not None


def _saw_response(reader: sqlite3.Connection, statement_id: str, reviewer: str) -> bool:
    row = reader.execute(_RESPONSE_OF, (statement_id,)).fetchone()
    return bool(row) and reader.execute(_SEEN, (unit_id(_RESPONSE, row[0]), reviewer)).fetchone() is not None
