"""What the judges' opinion on one unit tells of another: a statement's of its pairs, a response's of its statements.

Who has seen the judges of a statement knows their votes on its pairs, and the other way round; a response's roll-up
names the statements that fail. What the rules say of a reference is a flag of the statements that cite it, stands above
its sources beside every statement of the response, and on the pairs with them. A label that is given after that is an
assisted one, whatever the queue.
"""

import sqlite3
from collections.abc import Iterable
from typing import Final

from medreview.study.unit_ids import PAIR, REFERENCE, STATEMENT, ids_of, kind_of, unit_id

_RESPONSE: Final = "response"
_SEEN: Final = "SELECT 1 FROM judges_shown WHERE unit = ? AND reviewer = ? LIMIT 1"
_SEEN_AMONG: Final = "SELECT 1 FROM judges_shown WHERE unit >= ? AND unit < ? AND reviewer = ? LIMIT 1"
_STATEMENTS: Final = "SELECT statement_id FROM statement WHERE response_id = ?"
_RESPONSE_OF: Final = "SELECT response_id FROM statement WHERE statement_id = ?"
_CITED: Final = "SELECT reference_id FROM statement_reference WHERE statement_id = ?"
_CITING: Final = "SELECT statement_id FROM statement_reference WHERE reference_id = ?"
_NAMING: Final = """SELECT f.reference_id FROM statement AS s JOIN reference AS f USING (response_id)
JOIN reference_source AS n USING (reference_id) WHERE s.statement_id = ? AND n.source_id = ?"""
_BESIDE: Final = """SELECT s.statement_id, n.source_id
FROM reference AS f JOIN reference_source AS n USING (reference_id) JOIN statement AS s USING (response_id)
WHERE f.reference_id = ?"""


def saw_elsewhere(reader: sqlite3.Connection, unit: str, reviewer: str) -> bool:
    """Whether a reviewer has seen the judges on a unit that tells of this one; also taken back, and in any pass."""
    kind = kind_of(unit)
    if kind == STATEMENT:
        cited = _references(reader, _CITED, unit)
        return (
            _saw_pairs(reader, unit, reviewer)
            or _saw_response(reader, unit, reviewer)
            or _saw_any(reader, cited, reviewer)
        )
    if kind == PAIR:
        statement_id, *_ = ids_of(unit)
        told = [statement_id, *_references(reader, _NAMING, *ids_of(unit))]
        return _saw_any(reader, told, reviewer) or _saw_response(reader, statement_id, reviewer)
    if kind == REFERENCE:
        beside = reader.execute(_BESIDE, ids_of(unit)).fetchall()
        told = [unit_id(PAIR, *row) for row in beside]
        told += dict.fromkeys([*_citing(reader, unit), *(row["statement_id"] for row in beside)])
        return _saw_any(reader, told, reviewer)
    if kind == _RESPONSE:
        statements = [row[0] for row in reader.execute(_STATEMENTS, ids_of(unit))]
        return any(
            reader.execute(_SEEN, (each, reviewer)).fetchone() or _saw_pairs(reader, each, reviewer)
            for each in statements
        )
    return False


def kept_with(reader: sqlite3.Connection, unit: str) -> tuple[str, ...]:
    """The unit itself, and those whose blindness it shares, which may be of the audit: of a pair its statement, of a
    reference the statements that cite it."""
    if kind_of(unit) == PAIR:
        return (unit, ids_of(unit)[0])
    return (unit, *_citing(reader, unit)) if kind_of(unit) == REFERENCE else (unit,)


def _citing(reader: sqlite3.Connection, unit: str) -> list[str]:
    return [row[0] for row in reader.execute(_CITING, ids_of(unit))]


def _references(reader: sqlite3.Connection, query: str, *ids: str) -> list[str]:
    return [unit_id(REFERENCE, row[0]) for row in reader.execute(query, ids)]


def _saw_any(reader: sqlite3.Connection, units: Iterable[str], reviewer: str) -> bool:
    return any(reader.execute(_SEEN, (each, reviewer)).fetchone() for each in units)


def _saw_pairs(reader: sqlite3.Connection, statement_id: str, reviewer: str) -> bool:
    first = unit_id(PAIR, statement_id, "")
    return reader.execute(_SEEN_AMONG, (first, first[:-1] + ";", reviewer)).fetchone() is not None


def _saw_response(reader: sqlite3.Connection, statement_id: str, reviewer: str) -> bool:
    row = reader.execute(_RESPONSE_OF, (statement_id,)).fetchone()
    return bool(row) and reader.execute(_SEEN, (unit_id(_RESPONSE, row[0]), reviewer)).fetchone() is not None
