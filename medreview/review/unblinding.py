"""Unblinding by other records: labels of other reviewers, and judges' opinions on other units that reveal this one's.

A statement's judges reveal those of its pairs, a response's its statements', a reference's its citing statements'. A
reviewer who saw one of them gives assisted labels on the other, in any queue.
"""

import sqlite3
from collections.abc import Iterable
from typing import Final, NamedTuple

from medreview.study.ids import PAIR, REFERENCE, STATEMENT, ids_of, kind_of, unit_id

BLOCK: Final = "conflicts"
"""The beginning of the names of the queues in which reviewers see each other's labels."""


class OthersNote(NamedTuple):
    """Another reviewer's current note on a unit, and when it was written."""

    reviewer: str
    text: str
    at_utc: str


_NOTES: Final = """SELECT reviewer, json_extract(payload, '$.text') AS text, at_utc, max(event_id) FROM event_live
WHERE unit = ?1 AND reviewer <> ?2 AND kind = 'note' AND pass = 1 GROUP BY reviewer ORDER BY reviewer"""

_OWN: Final = """SELECT EXISTS (SELECT 1 FROM standing
                WHERE unit = ?1 AND reviewer = ?2 AND pass = ?3 AND state = 'decided')
       AND NOT EXISTS (SELECT 1 FROM kept_blind WHERE unit = ?1 AND reviewer = ?2 AND pass = ?3 AND NOT seen)"""

_OTHERS_SEEN: Final = f"""SELECT EXISTS (SELECT 1 FROM event WHERE unit = ?1 AND reviewer = ?2
                AND (block GLOB '{BLOCK}*' OR kind = 'adjudicate'))
       OR EXISTS (SELECT 1 FROM event AS l JOIN event AS d ON d.unit = ?1 AND d.reviewer <> ?2
                  AND d.kind IN ('decide', 'revise', 'note') AND d.event_id < l.event_id
                  WHERE l.kind = 'look' AND l.reviewer = ?2 AND json_extract(l.payload, '$.shown') = 'labels')"""


def others_notes(reader: sqlite3.Connection, unit: str, reviewer: str, pass_no: int = 1) -> tuple[OthersNote, ...]:
    """The other reviewers' notes on a unit, by name, as far as the reviewer may see them.

    That is once the unit is decided and, if it was decided blind, its machines were shown: a note may reveal what they
    say. A study that came without notes has none.
    """
    if not reader.execute(_OWN, (unit, reviewer, pass_no)).fetchone()[0]:
        return ()
    found = reader.execute(_NOTES, (unit, reviewer)).fetchall()
    return tuple(OthersNote(row["reviewer"], row["text"], row["at_utc"]) for row in found if row["text"])


def saw_others(reader: sqlite3.Connection, unit: str, reviewer: str, pass_no: int = 1) -> bool:
    """Whether the reviewer has seen another's label or note of a unit: a label given now is not independent of it.

    In a queue of conflicts, in a list of them, or as a note beside the unit once that was decided.
    """
    if reader.execute(_OTHERS_SEEN, (unit, reviewer)).fetchone()[0]:
        return True
    return bool(others_notes(reader, unit, reviewer, pass_no))


_RESPONSE: Final = "response"
_JUDGES_SEEN: Final = "SELECT 1 FROM judges_shown WHERE unit = ? AND reviewer = ? LIMIT 1"
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
    """Whether a reviewer has seen the judges on a unit that reveals this one's; also taken back, in any pass."""
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
        revealing = [statement_id, *_references(reader, _NAMING, *ids_of(unit))]
        return _saw_any(reader, revealing, reviewer) or _saw_response(reader, statement_id, reviewer)
    if kind == REFERENCE:
        beside = reader.execute(_BESIDE, ids_of(unit)).fetchall()
        revealing = [unit_id(PAIR, *row) for row in beside]
        revealing += dict.fromkeys([*_citing(reader, unit), *(row["statement_id"] for row in beside)])
        return _saw_any(reader, revealing, reviewer)
    if kind == _RESPONSE:
        statements = [row[0] for row in reader.execute(_STATEMENTS, ids_of(unit))]
        return any(
            reader.execute(_JUDGES_SEEN, (each, reviewer)).fetchone() or _saw_pairs(reader, each, reviewer)
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
    return any(reader.execute(_JUDGES_SEEN, (each, reviewer)).fetchone() for each in units)


def _saw_pairs(reader: sqlite3.Connection, statement_id: str, reviewer: str) -> bool:
    first = unit_id(PAIR, statement_id, "")
    return reader.execute(_SEEN_AMONG, (first, first[:-1] + ";", reviewer)).fetchone() is not None


def _saw_response(reader: sqlite3.Connection, statement_id: str, reviewer: str) -> bool:
    row = reader.execute(_RESPONSE_OF, (statement_id,)).fetchone()
    return bool(row) and reader.execute(_JUDGES_SEEN, (unit_id(_RESPONSE, row[0]), reviewer)).fetchone() is not None
