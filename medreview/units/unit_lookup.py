"""Finding a unit by what people and files call it."""

import re
import sqlite3
from typing import Final

from medreview.study.unit_ids import STATEMENT, kind_of, unit_id
from medreview.units.registry import KINDS

_NAME: Final = re.compile(r"R0*(\d+)[ /:]*S0*(\d+)", re.IGNORECASE)


def find_unit(reader: sqlite3.Connection, name: str) -> str:
    """The unit with an id, with the name that the screen gives a statement (``R07 S3``), or with the id of its record.

    ``KIND:`` before the id of a record says which kind is meant: ``qa:q12``, ``response:a17``. Raises ``LookupError``
    with half a sentence when there is none, or more than one.
    """
    name = name.strip()
    if _is_unit(reader, name):
        return name
    if found := _NAME.fullmatch(name):
        row = reader.execute(
            """SELECT s.statement_id FROM statement AS s JOIN response AS r USING (response_id)
               WHERE r.ordinal = ? AND s.ordinal = ?""",
            (int(found[1]), int(found[2])),
        ).fetchone()
        if row:
            return str(row[0])
    kind, colon, record = name.partition(":")
    wanted = [KINDS[kind]] if colon and kind in KINDS else list(KINDS.values())
    record = record if colon and kind in KINDS else name
    units = [
        row[0]
        for one in wanted
        for row in reader.execute(f"SELECT unit FROM ({one.rows}) WHERE record_id = ? AND record_id <> ''", (record,))
    ]
    return _only(units, f"unit {name!r}")


def find_statement(reader: sqlite3.Connection, response: str, statement: str) -> str:
    """A statement by the id of its response (in its file or in the study), and its text or its place (``3``).

    White space in the text does not matter. Raises ``LookupError`` with half a sentence.
    """
    responses = reader.execute(
        "SELECT response_id FROM response WHERE record_id = ?1 OR response_id = ?1", (response,)
    ).fetchall()
    response_id = _only([row[0] for row in responses], f"response {response!r}")
    rows = reader.execute(
        "SELECT statement_id, ordinal, text FROM statement WHERE response_id = ? ORDER BY ordinal", (response_id,)
    ).fetchall()
    words = statement.split()
    units = [row["statement_id"] for row in rows if row["text"].split() == words]
    units = units or [row["statement_id"] for row in rows if str(row["ordinal"]) == statement.strip()]
    return unit_id(STATEMENT, _only(units, f"statement {statement[:60]!r} in the response {response!r}"))


def _only(units: list[str], what: str) -> str:
    if len(units) == 1:
        return units[0]
    raise LookupError(f"there is more than one {what}" if units else f"there is no {what} in the study")


def _is_unit(reader: sqlite3.Connection, name: str) -> bool:
    if kind_of(name) == STATEMENT:
        return reader.execute("SELECT 1 FROM statement WHERE statement_id = ?", (name,)).fetchone() is not None
    if kind_of(name) not in KINDS:
        return False
    try:
        KINDS[kind_of(name)].load(reader, name)
    except (LookupError, ValueError):
        return False
    return True
