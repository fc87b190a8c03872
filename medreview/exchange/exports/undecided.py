"""An export for who is not done with the blind labels: without what machines say of statements that are not decided."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_KEPT: Final = "statement_id NOT IN (SELECT statement_id FROM temp.undecided)"
_SHADOWS: Final = {
    **{
        table: f"SELECT * FROM main.{table} WHERE {_KEPT}"
        for table in ("judgement", "merged_judgement", "verdict", "evidence")
    },
    "hallucination_finding": """SELECT * FROM main.hallucination_finding WHERE response_id NOT IN (
        SELECT response_id FROM temp.undecided JOIN main.statement USING (statement_id))""",
    # Which page opens is shown in a blind queue, too; the score that it is chosen by is not.
    "source_order": f"""SELECT statement_id, source_id, snapshot_id, first, cited, readable,
        iif({_KEPT}, unsupported, NULL) AS unsupported, turn, opens FROM main.source_order""",
}
"""Tables and views of what machines say, each with what may be read of it."""


@contextmanager
def without_judges(reader: sqlite3.Connection, reviewer: str) -> Iterator[None]:
    """While it lasts, nothing that is read here says what machines think of statements the reviewer has not decided.

    Temporary views of the same names stand before the tables, so that no reader of rows can forget to ask.
    """
    reader.execute("CREATE TEMPORARY TABLE undecided (statement_id TEXT PRIMARY KEY) WITHOUT ROWID")
    try:
        reader.execute(
            """INSERT INTO temp.undecided SELECT statement_id FROM statement
               WHERE statement_id NOT IN (SELECT unit FROM standing WHERE reviewer = ? AND state = 'decided')""",
            (reviewer,),
        )
        for name, allowed in _SHADOWS.items():
            reader.execute(f"CREATE TEMPORARY VIEW {name} AS {allowed}")
        yield
    finally:
        for name in _SHADOWS:
            reader.execute(f"DROP VIEW IF EXISTS temp.{name}")
        reader.execute("DROP TABLE temp.undecided")
