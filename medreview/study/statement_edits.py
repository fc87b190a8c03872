"""Edits of statements: one is cut in two, joined with the next, excluded, or made of what was left out.

Each is an event that holds all it makes, so that a copy of the study, or an export of it, gets the same statements with
the same ids from the event alone. What the edits of a response come to is :func:`fold`.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple

from medreview.study.ids import content_id
from medreview.text import Span

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


class Made(NamedTuple):
    """A statement that an edit makes: its ranges in the response, none where the one it was cut from has none."""

    statement_id: str
    parts: tuple[Span, ...]
    text: str

    @classmethod
    def of(cls, response_id: str, parts: Sequence[Span], text: str) -> "Made":
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
    made: tuple[Made, ...]
    left_out: tuple[Span, str] | None
    live: bool


class Outcome(NamedTuple):
    """What the edits of a response come to.

    ``retired``: statement -> (how, event): by ``split``, ``join`` or ``exclude``, or ``undone``, made by an edit that
    does not stand. ``first``: of what edits made, the first of them. ``conflicts``: edits that were not taken back and
    do not stand, each with the edit that stands in its way, ``None`` where what it was made on does not stand.
    """

    retired: Mapping[str, tuple[str, str]]
    first: Mapping[str, Edit]
    conflicts: tuple[tuple[Edit, Edit | None], ...]


def payload_of(response_id: str, replaced: Iterable[str], made: Iterable[Made], **more: Any) -> dict[str, Any]:
    """The payload of a split, a join or an exclusion."""
    told = [
        {"statement": one.statement_id, "parts": [list(part) for part in one.parts], "text": one.text} for one in made
    ]
    return {"response": response_id, "statements": list(replaced), "made": told, **more}


def made_by(kind: str, unit: str, payload: Mapping[str, Any]) -> tuple[Made, ...]:
    """What an event makes; nothing if it is no edit."""
    if kind == PROMOTE:
        return (Made(unit, (Span(payload["start"], payload["end"]),), payload["text"]),)
    if kind not in EDITS:
        return ()
    return tuple(
        Made(one["statement"], tuple(Span(*part) for part in one["parts"]), one["text"]) for one in payload["made"]
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


def fold(edits: Sequence[Edit]) -> Outcome:
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
    return Outcome(retired, first, tuple(conflicts))


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
