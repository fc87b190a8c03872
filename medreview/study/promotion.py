"""Text that was left out of the statements becomes one: an event, and what it makes in the study.

The event holds all that the statement is made of, so that a copy of the study, or an export of it, gets the same
statement with the same id from the event alone.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import Span, check_span, sha256

PROMOTE: Final = "promote"
"""The kind of these events; their unit is the new statement."""


def statement_id_of(response_id: str, start: int | None, text: str) -> str:
    """The id of a statement: the same part of the same response has the same one in every study."""
    return content_id("s", response_id, start, text)


def make_statement(connection: sqlite3.Connection, statement_id: str, payload: Mapping[str, Any]) -> None:
    """Insert the statement of a promotion after the last of its response; nothing if it is there already.

    What was left out there is left out no longer, and the response is looked through for markers again. Raises
    ``ValueError`` when the response does not hold the text at its place.
    """
    response_id, span, text = payload["response"], Span(payload["start"], payload["end"]), payload["text"]
    found = connection.execute("SELECT text FROM response WHERE response_id = ?", (response_id,)).fetchone()
    if found is None:
        raise ValueError(f"the response {response_id} is not in this study")
    check_span(found["text"], span, text)
    last = connection.execute("SELECT max(ordinal) FROM statement WHERE response_id = ?", (response_id,)).fetchone()[0]
    row = {
        "statement_id": statement_id,
        "response_id": response_id,
        "ordinal": 1 + (last or 0),
        "start": span.start,
        "end": span.end,
        "text_sha256": sha256(text),
        "text": text,
    }
    if insert(connection, "statement", [row]):
        connection.execute("UPDATE response SET marked = NULL WHERE response_id = ?", (response_id,))
    connection.execute(
        'DELETE FROM left_out WHERE response_id = ? AND "start" < ? AND "end" > ?', (response_id, span.end, span.start)
    )


def number_promotions(connection: sqlite3.Connection) -> None:
    """Number what was promoted in each response by when that was, whoever did it in whichever copy.

    After a merge: each promotion takes the last place in the copy that it comes to.
    """
    rows = connection.execute(
        """SELECT s.response_id, s.statement_id, s.ordinal
           FROM statement AS s JOIN event AS e ON e.unit = s.statement_id
           WHERE e.kind = ? GROUP BY s.statement_id ORDER BY s.response_id, min(e.event_id)""",
        (PROMOTE,),
    )
    for _, group in groupby(rows.fetchall(), key=itemgetter("response_id")):
        of_response = list(group)
        places = sorted(row["ordinal"] for row in of_response)
        moved = [
            (place, row["statement_id"])
            for place, row in zip(places, of_response, strict=True)
            if place != row["ordinal"]
        ]
        for sign in (-1, 1):  # no two have one place meanwhile
            connection.executemany(
                "UPDATE statement SET ordinal = ? WHERE statement_id = ?",
                [(sign * place, unit) for place, unit in moved],
            )


def promoted(events: Iterable[tuple[str, str, Mapping[str, Any]]], responses: set[str]) -> set[str]:
    """The statements that events of (kind, unit, payload) make of these responses."""
    return {unit for kind, unit, payload in events if kind == PROMOTE and payload["response"] in responses}
