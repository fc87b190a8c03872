"""Idempotent bulk inserts for the tables that the pipeline fills."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any


def insert(connection: sqlite3.Connection, table: str, rows: Iterable[Mapping[str, Any]]) -> int:
    """Insert rows that all have the keys of the first; duplicates (by primary or unique key) are skipped.

    Table and column names come from this program only; values are bound. Returns the number of new rows.
    """
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return 0
    columns = list(first)
    names = ", ".join(f'"{column}"' for column in columns)
    statement = f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))}) ON CONFLICT DO NOTHING"

    def values() -> Iterable[list[Any]]:
        yield [first[column] for column in columns]
        for row in rows:
            yield [row[column] for column in columns]

    return connection.executemany(statement, values()).rowcount  # what triggers change is not counted
