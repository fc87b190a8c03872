"""Seals: a short hash over every stored column of every row, so that a row that something else changed is found.

Triggers keep the table ``row_seal``. They are made from the schema, and call functions that only connections of this
program have (:func:`register`): another program's write to a study is refused, or leaves a row that its seal does not
fit. A seal is no signature: this program's users can make one.
"""

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Final, NamedTuple

_SEAL_BYTES: Final = 16
_KEY_BYTES: Final = 8
_TABLE: Final = "row_seal"
_TRIGGERS: Final = "seal_"

Stored = bytes | int | float | None


def register(connection: sqlite3.Connection) -> None:
    """Give a connection the functions that the triggers call."""
    connection.create_function("seal_of_row", -1, _seal, deterministic=True)
    connection.create_function("key_of_row", -1, _key, deterministic=True)


def _seal(*values: Stored) -> bytes:
    return blake2b(_encoded(values), digest_size=_SEAL_BYTES).digest()


def _key(*values: Stored) -> int:
    return int.from_bytes(blake2b(_encoded(values), digest_size=_KEY_BYTES).digest(), "big", signed=True)


def _encoded(values: Sequence[Stored]) -> bytes:
    """Values as bytes, each with its type and a text with its length, so that no two rows give the same."""
    parts: list[bytes] = []
    for value in values:
        if value is None:
            parts.append(b"n")
        elif isinstance(value, bytes):
            parts += (b"b%d:" % len(value), value)
        elif isinstance(value, int):
            parts.append(b"i%d:" % value)
        else:
            parts.append(b"f%s:" % (value + 0.0).hex().encode())  # SQLite may give -0.0 back as 0.0
    return b"".join(parts)


class SealedTable(NamedTuple):
    """A table as its seals see it: its number in ``row_seal``, its stored columns and those of its primary key, as SQL.

    A text is hashed as the bytes that are stored, so that one that cannot be decoded has a hash, too.
    """

    name: str
    number: int
    columns: tuple[str, ...]
    key: tuple[str, ...]

    def seal(self, row: str) -> str:
        """The seal of a row of the table, as an SQL expression."""
        return f"seal_of_row({self._listed(self.columns, row)})"

    def row_key(self, row: str) -> str:
        """The key of a row's seal, as an SQL expression."""
        return f"key_of_row({self._listed(self.key, row)})"

    @staticmethod
    def _listed(columns: Sequence[str], row: str) -> str:
        return ", ".join(column.format(row=row) for column in columns)

    def triggers(self) -> Iterator[str]:
        """The statements that make its triggers.

        A seal follows only a row that it fitted: a change of what was wrong already does not make it right.
        """
        name, trigger = _quoted(self.name), f"CREATE TRIGGER {_TRIGGERS}{{}}_of_{self.name} AFTER"
        new = f"{self.number}, {self.row_key('NEW')}, {self.seal('NEW')}"
        yield f"{trigger.format('insert')} INSERT ON {name}\nBEGIN INSERT OR REPLACE INTO {_TABLE} VALUES ({new}); END"
        old = f"of_table = {self.number} AND row_key = {self.row_key('OLD')}"
        yield f"{trigger.format('delete')} DELETE ON {name}\nBEGIN DELETE FROM {_TABLE} WHERE {old}; END"
        was, fits = self._listed(self.key, "OLD"), f"{old} AND seal = {self.seal('OLD')}"
        for act, same, change in (
            ("update", "IS", f"seal = {self.seal('NEW')}"),
            ("rename", "IS NOT", f"row_key = {self.row_key('NEW')}, seal = {self.seal('NEW')}"),
        ):
            when = f"({was}) {same} ({self._listed(self.key, 'NEW')})"
            body = f"BEGIN UPDATE OR REPLACE {_TABLE} SET {change} WHERE {fits}; END"
            yield f"{trigger.format(act)} UPDATE ON {name} WHEN {when}\n{body}"


def sealed_tables(connection: sqlite3.Connection) -> list[SealedTable]:
    """All tables whose rows have seals, by name: every one that has a primary key, but that of the seals.

    All tables of this program have one; without a key, rows of another program's table cannot be distinguished.
    """
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> ?"
        " ORDER BY name",
        (_TABLE,),
    ).fetchall()
    return [table for row in names if (table := _table(connection, row[0])).key]


def _table(connection: sqlite3.Connection, name: str) -> SealedTable:
    columns, key = [], {}
    found = connection.execute("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)", (name,))
    for column, kind, place, hidden in found:
        if hidden:  # generated from the others
            continue
        stored = "{row}." + _quoted(column).replace("{", "{{").replace("}", "}}")
        columns.append(f"CAST({stored} AS BLOB)" if kind == "TEXT" else stored)
        if place:
            key[place] = columns[-1]
    return SealedTable(name, table_number(name), tuple(columns), tuple(key[place] for place in sorted(key)))


def table_number(name: str) -> int:
    """The number of a table in ``row_seal``: three bytes that depend on its name only."""
    return zlib.crc32(name.encode()) & 0x7FFFFF


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Misfit(NamedTuple):
    """A row and a seal that do not belong together.

    ``key`` is the row's primary key as text, the parts joined by a blank, and ``""`` where only the seal is left;
    ``seal`` is what stands in ``row_seal``, and ``None`` where nothing does.
    """

    table: str
    key: str
    row_key: int
    seal: bytes | None


def is_sealed(connection: sqlite3.Connection) -> bool:
    """Whether the file has seals at all; files before version 4 have none."""
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (_TABLE,))
    return found.fetchone() is not None


def misfits(connection: sqlite3.Connection, table: SealedTable, where: str = "1") -> Iterator[Misfit]:
    """Rows of a table that do not fit their seal or have none, then the seals that have no row.

    With a condition ``where`` on the row ``t``, only such rows, and no seals without one.
    """
    shown = ", ".join(f"CAST({column.format(row='t')} AS BLOB)" for column in table.key)
    query = f"""SELECT s.seal, {table.row_key("t")}, {shown} FROM {_quoted(table.name)} AS t
                LEFT JOIN {_TABLE} AS s ON s.of_table = {table.number} AND s.row_key = {table.row_key("t")}
                WHERE s.seal IS NOT {table.seal("t")} AND {where}"""
    without = 0
    for seal, row_key, *key in connection.execute(query):
        without += seal is None
        shown_key = " ".join(bytes(part or b"").decode("utf-8", "backslashreplace") for part in key)
        yield Misfit(table.name, shown_key, row_key, seal)
    if where == "1":
        yield from _seals_left_over(connection, table, without)


def all_misfits(connection: sqlite3.Connection) -> list[Misfit]:
    """Those of all tables."""
    return [one for table in sealed_tables(connection) for one in misfits(connection, table)]


def _seals_left_over(connection: sqlite3.Connection, table: SealedTable, without: int) -> Iterator[Misfit]:
    name = _quoted(table.name)
    (rows,) = connection.execute(f"SELECT count(*) FROM {name}").fetchone()
    (seals,) = connection.execute(f"SELECT count(*) FROM {_TABLE} WHERE of_table = ?", (table.number,)).fetchone()
    if seals == rows - without:
        return  # else the keys of all rows are held in memory, to find those that are in no row
    here = {row[0] for row in connection.execute(f"SELECT {table.row_key('t')} FROM {name} AS t")}
    for row_key, seal in connection.execute(f"SELECT row_key, seal FROM {_TABLE} WHERE of_table = ?", (table.number,)):
        if row_key not in here:
            yield Misfit(table.name, "", row_key, seal)


def seal_all(connection: sqlite3.Connection, kept: Sequence[Misfit] = ()) -> None:
    """Make the triggers of all tables, and the seals of all rows as they are.

    ``kept`` did not fit before the schema was changed: they get back what they had, so that they are still found.
    """
    connection.execute(f"DELETE FROM {_TABLE}")
    for table in sealed_tables(connection):
        row = f"{table.number}, {table.row_key('t')} AS row_key, {table.seal('t')}"
        connection.execute(f"INSERT INTO {_TABLE} SELECT {row} FROM {_quoted(table.name)} AS t ORDER BY row_key")
        for statement in table.triggers():
            connection.execute(statement)
    for old in kept:
        place = (table_number(old.table), old.row_key)
        connection.execute(f"DELETE FROM {_TABLE} WHERE of_table = ? AND row_key = ?", place)
        if old.seal is not None:
            connection.execute(f"INSERT INTO {_TABLE} VALUES (?, ?, ?)", (*place, old.seal))


def triggers_dropped(connection: sqlite3.Connection) -> list[str]:
    """The statements that drop the triggers of all seals, in a transaction that ends with :func:`seal_all`."""
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB ?", (f"{_TRIGGERS}*",)
    )
    return [f"DROP TRIGGER {_quoted(row[0])}" for row in names]
