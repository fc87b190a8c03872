"""One line of a queue: enough to name a unit and say why it is there."""

import sqlite3
from typing import NamedTuple

from medreview.units.statement_names import statement_name
from medreview.units.statement_view import response_name


class QueueEntry(NamedTuple):
    """A unit as the queue pane names it, and its ``group`` (R07). ``badges`` and ``model`` are hidden in blind mode."""

    group: str
    model: str
    name: str
    badges: str
    text: str


def load_queue_entry(reader: sqlite3.Connection, statement_id: str) -> QueueEntry:
    """Read one line; raises ``KeyError`` when the study does not have the statement."""
    row = reader.execute(
        """SELECT r.ordinal AS response_ordinal, r.model, s.ordinal, s.response_id, coalesce(v.badges, '') AS badges,
                  substr(s.text, 1, 80) AS text
           FROM statement AS s JOIN response AS r USING (response_id) LEFT JOIN verdict AS v USING (statement_id)
           WHERE s.statement_id = ?""",
        (statement_id,),
    ).fetchone()
    if row is None:
        raise KeyError(statement_id)
    name = statement_name(reader, statement_id, row["response_id"], row["ordinal"])
    return QueueEntry(response_name(row["response_ordinal"]), row["model"], name, row["badges"], row["text"])
