"""Rows of the study's tables: inserted in bulk, as dictionaries, and two queries in one order beside each other."""

import sqlite3
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import groupby
from typing import Any, TypeVar


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


def dict_of(row: sqlite3.Row) -> dict[str, Any]:
    """``dict(row)`` at a quarter of the time: that looks every name up among all columns."""
    return dict(zip(row.keys(), row, strict=True))


R = TypeVar("R")


def rows_in_turn(rows: Iterable[R], key: Callable[[R], Hashable]) -> Callable[[Hashable], list[R]]:
    """Gives the rows of one key after another, nothing for a key that has none.

    The keys are to be asked for in the order in which the rows come. Rows of a key that nobody asks for hold up all
    that follow.
    """
    groups = groupby(rows, key=key)
    waiting = next(groups, None)

    def of(wanted: Hashable) -> list[R]:
        nonlocal waiting
        if waiting is None or waiting[0] != wanted:
            return []
        found = list(waiting[1])
        waiting = next(groups, None)
        return found

    return of
