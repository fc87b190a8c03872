"""What edits of statements come to in the study: the statements they make, and those that are retired.

Rows of the table ``statement`` stay as they are: what an edit that stands replaced or excluded is in the table
``retired_statement``, and so is what an edit made that does not stand. That table is made from the record
(:func:`settle`) whenever an edit of a response is added, taken back or brought in.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.study.statement_edits import (
    EDITS,
    EXCLUDE,
    NOT_MEDICAL,
    Edit,
    Made,
    all_edits,
    edits_of,
    fold,
    made_by,
    replaced_by,
    statement_id_of,
)  # fmt: skip
from medreview.text import Span, check_span, joined, sha256


def make_statements(connection: sqlite3.Connection, kind: str, unit: str, payload: Mapping[str, Any]) -> None:
    """Insert the statements of an edit after the last of its response; those that are there already stay as they are.

    By which sources the one it was made from is judged, these are, too. Raises ``ValueError`` when the response does
    not hold a text at its place.
    """
    response_id = payload["response"]
    found = connection.execute("SELECT text FROM response WHERE response_id = ?", (response_id,)).fetchone()
    if found is None:
        raise ValueError(f"the response {response_id} is not in this study")
    replaced = replaced_by(kind, payload)
    beside = _places(connection, replaced[:1]).get(replaced[0]) if replaced else None
    for one in made_by(kind, unit, payload):
        _check(found["text"], response_id, one)
        last = connection.execute("SELECT max(ordinal) FROM statement WHERE response_id = ?", (response_id,))
        row = {
            "statement_id": one.statement_id,
            "response_id": response_id,
            "ordinal": 1 + (last.fetchone()[0] or 0),
            "start": one.parts[0].start if len(one.parts) == 1 else None,
            "end": one.parts[0].end if len(one.parts) == 1 else None,
            "parts": json.dumps(one.parts if len(one.parts) > 1 else []),
            "in_place_of": beside,
            "text_sha256": sha256(one.text),
            "text": one.text,
        }
        if insert(connection, "statement", [row]):
            connection.executemany(
                "INSERT OR IGNORE INTO listed_pair SELECT ?, source_id FROM listed_pair WHERE statement_id = ?",
                [(one.statement_id, each) for each in replaced],
            )


def settle(connection: sqlite3.Connection, response_id: str) -> None:
    """Make what is retired of a response anew from its edits, and what is left out of it.

    The response is looked through for markers again.
    """
    edits = edits_of(connection, response_id)
    if not edits:
        return
    outcome = fold(edits)
    rows = {
        row["statement_id"]: row
        for row in connection.execute("SELECT * FROM statement WHERE response_id = ?", (response_id,))
    }
    connection.executemany("DELETE FROM retired_statement WHERE statement_id = ?", [(each,) for each in rows])
    retired = {each: told for each, told in outcome.retired.items() if each in rows}
    insert(
        connection,
        "retired_statement",
        ({"statement_id": each, "how": how, "event_id": event_id} for each, (how, event_id) in retired.items()),
    )
    standing = [part for each, row in rows.items() if each not in retired for part in _parts(row)]
    excluded = [part for each, (how, _) in retired.items() if how == EXCLUDE for part in _parts(rows[each])]
    _settle_left_out(connection, response_id, edits, excluded, standing)
    connection.execute("UPDATE response SET marked = NULL WHERE response_id = ?", (response_id,))


def settle_after(connection: sqlite3.Connection, undone: str) -> None:
    """The same for the response of an edit that was taken back or done again; nothing if it was something else."""
    row = connection.execute("SELECT * FROM event WHERE event_id = ?", (undone,)).fetchone()
    while row is not None and row["undoes_event"] is not None:
        row = connection.execute("SELECT * FROM event WHERE event_id = ?", (row["undoes_event"],)).fetchone()
    if row is not None and row["kind"] in EDITS:
        settle(connection, json.loads(row["payload"])["response"])


def retired_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """A sentence for each statement that is retired though the record says otherwise, or the other way round."""
    here = {row[0]: (row[1], row[2]) for row in connection.execute("SELECT * FROM retired_statement")}
    told: dict[str, tuple[str, str]] = {}
    for edits in all_edits(connection).values():
        told |= fold(edits).retired
    for statement_id, how in here.items():
        if told.get(statement_id) != how:
            yield f"Statement {statement_id} is retired otherwise than the record of its edits says."
    for statement_id in told.keys() - here.keys():
        if connection.execute("SELECT 1 FROM statement WHERE statement_id = ?", (statement_id,)).fetchone():
            yield f"Statement {statement_id} is retired by the record of its edits, and stands."


def number_edited(connection: sqlite3.Connection) -> None:
    """Number what edits made in each response by when they made it, whoever did it in whichever copy.

    After a merge: each takes the last place in the copy that it comes to.
    """
    for response_id, edits in all_edits(connection).items():
        first = fold(edits).first
        rows = _ordinals(connection, response_id)
        made = [one.statement_id for edit in edits for one in edit.made if first.get(one.statement_id) is edit]
        made = [each for each in dict.fromkeys(made) if each in rows]
        places = sorted(rows[each] for each in made)
        moved = [(place, each) for place, each in zip(places, made, strict=True) if place != rows[each]]
        for sign in (-1, 1):  # no two have one place meanwhile
            connection.executemany(
                "UPDATE statement SET ordinal = ? WHERE statement_id = ?",
                [(sign * place, each) for place, each in moved],
            )
        for each in made:
            beside = _places(connection, first[each].replaced[:1]).get(next(iter(first[each].replaced), ""))
            connection.execute(
                "UPDATE statement SET in_place_of = ? WHERE statement_id = ? AND in_place_of IS NOT ?",
                (beside, each, beside),
            )


def _check(text: str, response_id: str, one: Made) -> None:
    for part in one.parts:
        check_span(text, part, text[part.start : part.end])
    if one.parts and joined(text, one.parts) != one.text:
        raise ValueError(f"the ranges of {one.statement_id} do not hold the text {one.text[:40]!r}")
    if one.statement_id != statement_id_of(response_id, one.parts[0].start if one.parts else None, one.text):
        raise ValueError(f"{one.statement_id} is not the id of what is made")


def _places(reader: sqlite3.Connection, units: Iterable[str]) -> dict[str, int]:
    """The place in its response in which each of these is read."""
    query = "SELECT coalesce(in_place_of, ordinal) FROM statement WHERE statement_id = ?"
    found = ((unit, reader.execute(query, (unit,)).fetchone()) for unit in units)
    return {unit: row[0] for unit, row in found if row is not None}


def _ordinals(reader: sqlite3.Connection, response_id: str) -> dict[str, int]:
    rows = reader.execute("SELECT statement_id, ordinal FROM statement WHERE response_id = ?", (response_id,))
    return {row[0]: row[1] for row in rows}


def _parts(statement: sqlite3.Row) -> list[Span]:
    if statement["start"] is not None:
        return [Span(statement["start"], statement["end"])]
    return [Span(*part) for part in json.loads(statement["parts"])]


def _settle_left_out(
    connection: sqlite3.Connection,
    response_id: str,
    edits: Sequence[Edit],
    excluded: Sequence[Span],
    standing: Sequence[Span],
) -> None:
    """What is left out: what is excluded, what was promoted and is no statement any more; nothing that a statement
    holds."""
    connection.execute("DELETE FROM left_out WHERE response_id = ? AND reason = ?", (response_id, NOT_MEDICAL))
    left = {(part, NOT_MEDICAL) for part in excluded}
    left |= {edit.left_out for edit in edits if edit.left_out and edit.left_out[1] != NOT_MEDICAL}
    rows = [
        {"left_out_id": content_id("l", response_id, *part), "response_id": response_id, "start": part.start,
         "end": part.end, "reason": reason}
        for part, reason in sorted(left)
    ]  # fmt: skip
    insert(connection, "left_out", rows)
    connection.executemany(
        'DELETE FROM left_out WHERE response_id = ? AND "start" < ? AND "end" > ?',
        [(response_id, part.end, part.start) for part in standing],
    )
