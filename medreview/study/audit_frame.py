"""The frame of the audit as rows: what is taken over from another copy of a study."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any


def join_frame(connection: sqlite3.Connection, rows: Iterable[Mapping[str, Any]]) -> None:
    """Take over rows of the table ``audit_frame`` of a copy, on statements that this study has.

    The higher of two rates holds, with its stratum, so that no member of either drops out. Numbers are permanent.
    """
    connection.executemany(
        """INSERT INTO audit_frame (statement_id, number, stratum, rate)
           SELECT statement_id, :number, :stratum, :rate FROM statement WHERE statement_id = :statement_id
           ON CONFLICT (statement_id) DO UPDATE SET stratum = excluded.stratum, rate = excluded.rate
           WHERE excluded.rate > rate""",
        rows,
    )
