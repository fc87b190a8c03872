"""One SQLite file, written once by sqlite-utils: tables by their columns, views, indexes and full-text search."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from medreview.atomic_output import create
from medreview.errors import UserError
from medreview.exchange.exports.sqlite_schema import KEYS, PYTHON_TYPES, Tables, in_order, reading_order, references
from medreview.exchange.files.columns import Column
from medreview.exchange.files.event_payload import Cell

if TYPE_CHECKING:
    from sqlite_utils.db import Table

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
        from sqlite_utils import Database

        self.path = path
        self.tables = tables
        self.rows = dict.fromkeys(tables, 0)
        self._pending: dict[str, list[Sequence[Cell]]] = {name: [] for name in tables}
        create(path).close()  # SQLite's own would be readable by everybody
        self._connection = sqlite3.connect(path)
        self._database = Database(self._connection, execute_plugins=False)
        with self._written():
            self._database.execute("PRAGMA foreign_keys = OFF")  # rows come file by file, labels before statements
            self._database.begin()
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
            self._database.create_view(name, sql)

    def add_indexes(self, table: str, indexes: Iterable[Sequence[str]]) -> None:
        """Index a table by these lists of columns and by its foreign keys, where no index begins with them yet."""
        with self._written():
            target = self._table(table)
            wanted = [*indexes, *([column] for column in references(table, self.tables))]
            for columns in wanted:
                if not any(index.columns[: len(columns)] == list(columns) for index in target.indexes):
                    target.create_index(columns)

    def add_search(self, table: str, columns: Sequence[str]) -> list[str]:
        """Make columns searchable by words, matched by English stems; the names of the tables that it takes."""
        with self._written():
            before = set(self._database.table_names())
            self._table(table).enable_fts(columns, fts_version="FTS5", tokenize="porter")
            return [name for name in self._database.table_names() if name not in before]

    def commit(self) -> None:
        """Make all of it last."""
        with self._written():
            self._database.analyze()
            self._database.commit()

    def __enter__(self) -> Self:
        """The open file."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def _create(self, name: str) -> None:
        columns = {column.name: PYTHON_TYPES[column.type] for column in reading_order(name, self.tables[name])}
        foreign = [(column, other, KEYS[other][0]) for column, other in references(name, self.tables).items()]
        self._database.create_table(name, columns, pk=KEYS.get(name), foreign_keys=foreign, strict=True)

    def _insert(self, table: str) -> None:
        held = self._pending[table]
        if not held:
            return
        key = KEYS.get(table, ())
        columns = [(column, column.name in key) for column in self.tables[table]]
        rows = [[_stored(cell, *column) for cell, column in zip(row, columns, strict=True)] for row in held]
        with self._written():
            try:
                self._insert_all(table, rows)
            except sqlite3.IntegrityError as error:
                if "cannot store" not in str(error):
                    raise
                self._table(table).transform(strict=False)
                self._insert_all(table, rows)
        self.rows[table] += len(rows)
        held.clear()

    def _insert_all(self, table: str, rows: list[list[Cell]]) -> None:
        names: list[Cell] = [column.name for column in self.tables[table]]
        with self._database.atomic():
            self._table(table).insert_all([names, *rows])

    def _table(self, name: str) -> "Table":
        return self._database.table(name)

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
    return cell if fits and PYTHON_TYPES[column.type] is not str else str(cell)
