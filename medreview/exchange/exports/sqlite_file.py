"""An SQLite file of the tables of an export, typed, tied together and searchable; it is written once."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from graphlib import TopologicalSorter
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from medreview.atomic_output import create
from medreview.errors import UserError
from medreview.exchange.files.columns import Cell, Column, ExportFile, Type
from medreview.study.ids import MADE_OF
from medreview.units.registry import KINDS

Tables = Mapping[str, ExportFile]
"""Name of a table -> what it is."""

_SQL_TYPES: Final[Mapping[Type, str]] = {
    "text": "TEXT", "time": "TEXT", "integer": "INTEGER", "boolean": "INTEGER", "number": "REAL"
}  # fmt: skip
"""SQLite knows no booleans and no times: 0 and 1, and ISO 8601, as in the CSV files."""

_OF_KINDS: Final[Mapping[str, Collection[str]]] = {
    table.table: ("passage_id",) if name in MADE_OF else ("passage_id", "unit_id")
    for name, kind in KINDS.items()
    for table in kind.tables
}
"""Tables that kinds of unit have for themselves -> the columns that lead elsewhere; others may name what is gone."""


def references(table: str, tables: Tables) -> dict[str, str]:
    """The foreign keys of a table: name of a column -> the table whose key it holds.

    A column named like the key of another table leads there, whichever file it stands in; where several have that key,
    to the first.
    """
    file = tables[table]
    keys = {one.key[0]: name for name, one in reversed([*tables.items()]) if len(one.key) == 1}
    targets = keys | dict(file.leads)
    wanted = {column.name: targets.get(column.name, "") for column in file.columns}
    if table in _OF_KINDS:
        wanted = {name: other for name, other in wanted.items() if name in _OF_KINDS[table]}
    own = file.key
    return {name: other for name, other in wanted.items() if other in tables and not (other == table and name in own)}


def reading_order(file: ExportFile) -> list[Column]:
    """The columns of a table as the database has them: those one reads first, then the others as in the CSV file."""
    first = file.first
    return sorted(file.columns, key=lambda column: first.index(column.name) if column.name in first else len(first))


def in_order(tables: Tables) -> list[str]:
    """The names of the tables, each after those that it refers to."""
    before = {name: [other for other in references(name, tables).values() if other != name] for name in tables}
    return list(TopologicalSorter(before).static_order())


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(quoted, names))


_BATCH: Final = 500
_INTEGERS: Final = range(-(2**63), 2**63)
"""What SQLite holds as INTEGER."""


class SqliteFile:
    """A new database of these tables, in one transaction: whole after :meth:`commit`, else to be thrown away.

    Rows are added as a stream and held in batches. Tables are STRICT; one in which a value turns out not to be of its
    column's type is STRICT no more, so that every value stands as it was exported. An empty cell is NULL, except in a
    primary key. Raises :class:`UserError` when the file cannot be written.
    """

    def __init__(self, path: Path, tables: Tables) -> None:
        self.path = path
        self.tables = tables
        self.rows = dict.fromkeys(tables, 0)
        self._pending: dict[str, list[Sequence[Cell]]] = {name: [] for name in tables}
        create(path).close()  # SQLite's own would be readable by everybody
        self._connection = sqlite3.connect(path, isolation_level=None)
        with self._written():  # foreign keys are not looked at: rows come file by file, labels before statements
            self._connection.execute("BEGIN")
            for name in in_order(tables):
                self._create(name)

    def add(self, table: str, row: Sequence[Cell]) -> None:
        """Add one row; it has a cell for every column of the table."""
        self._pending[table].append(row)
        if len(self._pending[table]) >= _BATCH:
            self._insert(table)

    def add_all(self, table: str, rows: Iterable[Sequence[Cell]], batch: int = _BATCH) -> None:
        """Add many rows, at most ``batch`` of which are held at a time."""
        for row in rows:
            self.add(table, row)
            if len(self._pending[table]) >= batch:
                self._insert(table)

    def end_of_rows(self) -> None:
        """Write what is held; needed before the tables are read, searched or indexed."""
        for table in self.tables:
            self._insert(table)

    def add_view(self, name: str, sql: str) -> None:
        """Add a view."""
        with self._written():
            self._connection.execute(f"CREATE VIEW {quoted(name)} AS {sql}")

    def add_indexes(self, table: str, indexes: Iterable[Sequence[str]]) -> None:
        """Index a table by these lists of columns and by its foreign keys, where no index begins with them yet."""
        with self._written():
            there = self._indexed(table)
            for columns in [*indexes, *([column] for column in references(table, self.tables))]:
                if not any(held[: len(columns)] == list(columns) for held in there):
                    name = quoted("_".join(("idx", table, *columns)))
                    self._connection.execute(f"CREATE INDEX {name} ON {quoted(table)} ({_listed(columns)})")
                    there.append(list(columns))

    def _indexed(self, table: str) -> list[list[str]]:
        names = [row[0] for row in self._connection.execute("SELECT name FROM pragma_index_list(?)", (table,))]
        columns = "SELECT name FROM pragma_index_info(?) ORDER BY seqno"
        return [[row[0] for row in self._connection.execute(columns, (name,))] for name in names]

    def add_search(self, table: str, columns: Sequence[str]) -> list[str]:
        """Make columns searchable by words, matched by English stems; the names of the tables that it takes."""
        search, listed = quoted(f"{table}_fts"), _listed(columns)
        with self._written():
            before = self._table_names()
            self._connection.execute(
                f"CREATE VIRTUAL TABLE {search} USING FTS5 ({listed}, tokenize='porter', content={quoted(table)})"
            )
            self._connection.execute(
                f"INSERT INTO {search} (rowid, {listed}) SELECT rowid, {listed} FROM {quoted(table)}"
            )
            return [name for name in self._table_names() if name not in before]

    def _table_names(self) -> list[str]:
        return [row[0] for row in self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]

    def commit(self) -> None:
        """Make all of it last."""
        with self._written():
            self._connection.execute("ANALYZE")
            self._connection.execute("COMMIT")

    def __enter__(self) -> Self:
        """The open file."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def _create(self, name: str, called: str = "", kind: str = " STRICT") -> None:
        file = self.tables[name]
        parts = [f"{quoted(column.name)} {_SQL_TYPES[column.type]}" for column in reading_order(file)]
        if file.key:
            parts.append(f"PRIMARY KEY ({_listed(file.key)})")
        for column, other in references(name, self.tables).items():
            leads_to = f"{quoted(other)} ({quoted(self.tables[other].key[0])})"
            parts.append(f"FOREIGN KEY ({quoted(column)}) REFERENCES {leads_to}")
        self._connection.execute(f"CREATE TABLE {quoted(called or name)} ({', '.join(parts)}){kind}")

    def _insert(self, table: str) -> None:
        held = self._pending[table]
        if not held:
            return
        columns = [(column, column.name in self.tables[table].key) for column in self.tables[table].columns]
        rows = [[_stored(cell, *column) for cell, column in zip(row, columns, strict=True)] for row in held]
        with self._written():
            try:
                self._insert_all(table, rows)
            except sqlite3.IntegrityError as error:
                if "cannot store" not in str(error):
                    raise
                self._take_any_value(table)
                self._insert_all(table, rows)
        self.rows[table] += len(rows)
        held.clear()

    def _insert_all(self, table: str, rows: list[list[Cell]]) -> None:
        columns = [column.name for column in self.tables[table].columns]
        insert = f"INSERT INTO {quoted(table)} ({_listed(columns)}) VALUES ({', '.join('?' * len(columns))})"
        self._connection.execute("SAVEPOINT batch")
        try:
            self._connection.executemany(insert, rows)
        except sqlite3.IntegrityError:
            self._connection.execute("ROLLBACK TO batch")
            raise
        finally:
            self._connection.execute("RELEASE batch")

    def _take_any_value(self, table: str) -> None:
        """Put a table that is not STRICT in the place of this one, with its rows."""
        name, other = quoted(table), quoted(f"{table}_of_any_value")
        self._create(table, f"{table}_of_any_value", kind="")
        self._connection.execute(f"INSERT INTO {other} SELECT * FROM {name}")
        self._connection.execute(f"DROP TABLE {name}")
        self._connection.execute(f"ALTER TABLE {other} RENAME TO {name}")

    @contextmanager
    def _written(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise UserError(f"The database {self.path.name} could not be written ({error}).") from error


def _stored(cell: Cell, column: Column, in_key: bool) -> Cell:
    """A cell as the table holds it: NULL for what is empty, and text exactly as the CSV file has it."""
    if cell is None or (cell == "" and not in_key):
        return None
    if isinstance(cell, str):
        return cell
    fits = isinstance(cell, float) or (isinstance(cell, int) and cell in _INTEGERS)
    return cell if fits and _SQL_TYPES[column.type] != "TEXT" else str(cell)
