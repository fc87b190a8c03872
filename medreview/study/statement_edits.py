"""Edits of statements: one is cut in two, joined with the next, excluded, or made of what was left out.

Each is an event that holds all it makes, so that a copy of the study, or an export of it, gets the same statements with
the same ids from the event alone. :func:`fold` applies the edits of a response.

Rows of the table ``statement`` stay as they are: what an edit that stands replaced or excluded is in the table
``retired_statement``, and so is what an edit made that does not stand. That table is made from the record
(:func:`settle`) whenever an edit of a response is added, taken back or merged.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple

from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import Span, check_span, joined, sha256

PROMOTE: Final = "promote"
"""Text that was left out becomes a statement, which is the event's unit."""
SPLIT: Final = "split"
JOIN: Final = "join"
EXCLUDE: Final = "exclude"
"""The unit of these is the (first) statement that they replace or exclude."""
EDITS: Final = (PROMOTE, SPLIT, JOIN, EXCLUDE)
"""Their kinds of event."""
RETIRED_HOW: Final = (SPLIT, JOIN, EXCLUDE, "undone")
"""How a statement is retired: by which kind of edit, or because the one that made it does not stand."""
NOT_MEDICAL: Final = "not_medical"
"""Why a statement is excluded."""

# As the index event_edit has it, so that SQLite can use that.
IS_EDIT: Final = f"kind IN {EDITS}"


def statement_id_of(response_id: str, start: int | None, text: str) -> str:
    """The id of a statement: the same part of the same response has the same one in every study."""
    return content_id("s", response_id, start, text)


class MadeStatement(NamedTuple):
    """A statement that an edit makes: its ranges in the response, none where the one it was cut from has none."""

    statement_id: str
    parts: tuple[Span, ...]
    text: str

    @classmethod
    def of(cls, response_id: str, parts: Sequence[Span], text: str) -> "MadeStatement":
        """With its id."""
        return cls(statement_id_of(response_id, parts[0].start if parts else None, text), tuple(parts), text)


class Edit(NamedTuple):
    """An edit of a response's statements: what it replaces or excludes, and what it makes.

    ``live``: it was not taken back. Whether it stands is another matter (:func:`fold`). ``left_out``: of a promotion,
    the part that was left out, and why.
    """

    event_id: str
    reviewer: str
    kind: str
    response_id: str
    replaced: tuple[str, ...]
    made: tuple[MadeStatement, ...]
    left_out: tuple[Span, str] | None
    live: bool


class EditOutcome(NamedTuple):
    """What the edits of a response come to.

    ``retired``: statement -> (how, event): by ``split``, ``join`` or ``exclude``, or ``undone``, made by an edit that
    does not stand. ``first``: of what edits made, the first of them. ``conflicts``: edits that were not taken back and
    do not stand, each with the edit that stands in its way, ``None`` where what it was made on does not stand.
    """

    retired: Mapping[str, tuple[str, str]]
    first: Mapping[str, Edit]
    conflicts: tuple[tuple[Edit, Edit | None], ...]


def payload_of(response_id: str, replaced: Iterable[str], made: Iterable[MadeStatement], **more: Any) -> dict[str, Any]:
    """The payload of a split, a join or an exclusion."""
    told = [
        {"statement": one.statement_id, "parts": [list(part) for part in one.parts], "text": one.text} for one in made
    ]
    return {"response": response_id, "statements": list(replaced), "made": told, **more}


def made_by(kind: str, unit: str, payload: Mapping[str, Any]) -> tuple[MadeStatement, ...]:
    """What an event makes; nothing if it is no edit."""
    if kind == PROMOTE:
        return (MadeStatement(unit, (Span(payload["start"], payload["end"]),), payload["text"]),)
    if kind not in EDITS:
        return ()
    return tuple(
        MadeStatement(one["statement"], tuple(Span(*part) for part in one["parts"]), one["text"])
        for one in payload["made"]
    )


def replaced_by(kind: str, payload: Mapping[str, Any]) -> tuple[str, ...]:
    """What an edit replaces or excludes: of what is joined, both."""
    return () if kind == PROMOTE else tuple(payload["statements"])


def units_made(events: Iterable[tuple[str, str, Mapping[str, Any]]], units: set[str], responses: set[str]) -> set[str]:
    """The statements that events of (kind, unit, payload), by time, make in a study that has these.

    A promotion needs its response, another edit the statement it is on, which an earlier one may have made.
    """
    found: set[str] = set()
    for kind, unit, payload in events:
        if (payload["response"] in responses) if kind == PROMOTE else (unit in units or unit in found):
            found |= {one.statement_id for one in made_by(kind, unit, payload)}
    return found


def edits_of(reader: sqlite3.Connection, response_id: str) -> list[Edit]:
    """The edits of a response by time, also those that were taken back."""
    return list(_edits(reader, f"{IS_EDIT} AND json_extract(payload, '$.response') = ?", response_id))


def all_edits(reader: sqlite3.Connection) -> dict[str, list[Edit]]:
    """The edits of every response that has some, by time."""
    found = sorted(_edits(reader, IS_EDIT), key=attrgetter("response_id"))
    return {response_id: list(group) for response_id, group in groupby(found, attrgetter("response_id"))}


def fold(edits: Sequence[Edit]) -> EditOutcome:
    """Take a response's edits one after the other, by the ids of their events.

    An edit stands if it was not taken back and all that it replaces or excludes stands when its turn comes. So of two
    that cannot both be the first one stands, whoever made them in whichever copies. One that does what was done already
    is no conflict. A statement that is replaced before an edit made it was there from the start.
    """
    first: dict[str, Edit] = {}
    stands: set[str] = set()
    made_last: dict[str, Edit] = {}
    for edit in edits:
        stands |= {each for each in edit.replaced if each not in first}
        for one in edit.made:
            if one.statement_id not in stands:
                first.setdefault(one.statement_id, edit)
            made_last[one.statement_id] = edit
    named = stands | first.keys()
    ended: dict[str, Edit] = {}
    conflicts: list[tuple[Edit, Edit | None]] = []
    for edit in edits:
        made = {one.statement_id for one in edit.made}
        if not edit.live:
            continue
        if stands.issuperset(edit.replaced):
            stands = stands.difference(edit.replaced) | made
            ended |= dict.fromkeys(edit.replaced, edit)
            continue
        before = next((ended[each] for each in edit.replaced if each not in stands and each in ended), None)
        if before is None or (before.kind, before.replaced, before.made) != (edit.kind, edit.replaced, edit.made):
            conflicts.append((edit, before))
    retired = {
        each: (ended[each].kind, ended[each].event_id) if each in ended else ("undone", made_last[each].event_id)
        for each in sorted(named - stands)
    }
    return EditOutcome(retired, first, tuple(conflicts))


def unit_stands(reader: sqlite3.Connection, statement_id: str) -> bool:
    """Whether a statement is not retired."""
    query = "SELECT 1 FROM retired_statement WHERE statement_id = ?"
    return reader.execute(query, (statement_id,)).fetchone() is None


def replaced_for(reader: sqlite3.Connection, statement_id: str) -> set[str]:
    """Every statement that this one was made from, by whatever edits; none for what was there from the start."""
    row = reader.execute("SELECT response_id FROM statement WHERE statement_id = ?", (statement_id,)).fetchone()
    edits = edits_of(reader, row["response_id"]) if row else []
    found, waiting = set[str](), [statement_id]
    while waiting:
        each = waiting.pop()
        before = {old for edit in edits for one in edit.made if one.statement_id == each for old in edit.replaced}
        waiting += before - found
        found |= before
    return found - {statement_id}


def origins(reader: sqlite3.Connection) -> dict[str, str]:
    """What every part and every joined statement was (first) made from, there from the start or promoted."""
    found: dict[str, str] = {}
    for edits in all_edits(reader).values():
        for statement_id, edit in fold(edits).first.items():
            if edit.replaced:
                found[statement_id] = found.get(edit.replaced[0], edit.replaced[0])
    return found


def _edits(reader: sqlite3.Connection, where: str, *values: str) -> Iterator[Edit]:
    rows = reader.execute(
        f"SELECT event_id, reviewer, kind, unit, payload FROM event WHERE {where} ORDER BY event_id", values
    )
    live = "SELECT 1 FROM event_live WHERE event_id = ?"
    for row in rows.fetchall():
        said = json.loads(row["payload"])
        yield Edit(
            event_id=row["event_id"],
            reviewer=row["reviewer"],
            kind=row["kind"],
            response_id=said["response"],
            replaced=replaced_by(row["kind"], said),
            made=made_by(row["kind"], row["unit"], said),
            left_out=_left_out(said) if row["kind"] == PROMOTE else None,
            live=reader.execute(live, (row["event_id"],)).fetchone() is not None,
        )


def _left_out(payload: Mapping[str, Any]) -> tuple[Span, str]:
    # Earlier versions named neither the part as it was listed nor, before that, the reason.
    return Span(*payload.get("left_out", (payload["start"], payload["end"]))), payload.get("reason", "fragment")


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
    """Work out again from its edits what is retired and what is left out of a response.

    The next search for markers takes it up again.
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
            yield f"Statement {statement_id} is not retired as the record of its edits says."
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


def _check(text: str, response_id: str, one: MadeStatement) -> None:
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
