"""A study as one SQLite file for Datasette: the tables of an export, its pages, views, search, and the metadata."""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from medreview.atomic_output import write_new
from medreview.errors import UserError
from medreview.exchange.exports.datasette_metadata import FACETS, metadata
from medreview.exchange.exports.page_rows import snapshot_rows, source_rows
from medreview.exchange.exports.sqlite_file import SqliteFile
from medreview.exchange.exports.sqlite_views import views
from medreview.exchange.files.columns import Column
from medreview.exchange.files.event_payload import Cell
from medreview.exchange.files.page_columns import SNAPSHOTS, SOURCES
from medreview.judges.votes import judges_of_support
from medreview.progress import Progress

METADATA: Final = "metadata.json"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\.(?:db|sqlite|sqlite3)")
_PAGES_AT_ONCE: Final = 8
"""A page may be megabytes of text."""
_INDEXES: Final[Mapping[str, Sequence[Sequence[str]]]] = {
    "judgements": [("statement_id", "source_id", "judge")],
    "events": [("unit",)],
}
"""For the view ``pairs``, and for what was done with one statement."""


@dataclass(frozen=True, slots=True)
class DatabaseSummary:
    """The two files, rows by table, and the names of the views."""

    file: str
    metadata: str
    tables: Mapping[str, int]
    views: Sequence[str]


class ExportDatabase:
    """The database of an export, beside its CSV files: it takes the same rows, and pages on top.

    ``name`` has passed :func:`check_name`; ``files``: name of a CSV file -> its columns. Raises :class:`UserError`
    when the file cannot be written.
    """

    def __init__(self, folder: Path, name: str, files: Mapping[str, Sequence[Column]]) -> None:
        self._folder = folder
        self._tables = {file: Path(file).stem for file in files}
        tables = {table: files[file] for file, table in self._tables.items()}
        self._file = SqliteFile(folder / name, {**tables, "sources": SOURCES, "snapshots": SNAPSHOTS})

    def add(self, file: str, row: Sequence[Cell]) -> None:
        """Take a row of a CSV file."""
        self._file.add(self._tables[file], row)

    def add_all(self, file: str, rows: Iterable[Sequence[Cell]]) -> None:
        """Take many rows of a CSV file."""
        self._file.add_all(self._tables[file], rows)

    def copied(self, file: str, rows: Iterable[Sequence[Cell]]) -> Iterator[Sequence[Cell]]:
        """The rows of a CSV file, each taken on its way."""
        for row in rows:
            self.add(file, row)
            yield row

    def finish(
        self, reader: sqlite3.Connection, provenance: Mapping[str, Any], progress: Progress, *, page_text: bool
    ) -> DatabaseSummary:
        """Add what the CSV files do not have, and write the metadata."""
        file = self._file
        file.add_all("sources", source_rows(reader))
        progress.begin("pages", reader.execute("SELECT count(*) FROM snapshot").fetchone()[0])
        file.add_all("snapshots", _counted(snapshot_rows(reader, text=page_text), progress), _PAGES_AT_ONCE)
        file.end_of_rows()
        searched = {"statements": ["text"], "snapshots": ["title", "text"] if page_text else ["title"]}
        progress.begin("indexes", len(file.tables) + len(searched))
        for table in file.tables:
            file.add_indexes(table, [*_INDEXES.get(table, ()), *([column] for column in FACETS.get(table, ()))])
            progress.step()
        hidden = []
        for table, columns in searched.items():
            hidden += file.add_search(table, columns)
            progress.step()
        judges = sorted(judges_of_support(reader), key=lambda judge: judge.offline)
        shown = views(file.tables, judges)
        for view in shown:
            file.add_view(view.name, view.sql)
        file.commit()
        newest = reader.execute("SELECT max(at_utc) FROM event").fetchone()[0]
        told = metadata(file.path.stem, file.tables, shown, hidden, {**provenance, "event_at": newest})
        write_new(self._folder / METADATA, json.dumps(told, ensure_ascii=False, indent=1) + "\n")
        return DatabaseSummary(file.path.name, METADATA, file.rows, [view.name for view in shown])

    def __enter__(self) -> Self:
        """The open database."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.__exit__(kind, error, trace)


def check_name(name: str) -> None:
    """Raise :class:`UserError` unless a database can have this name: a file name that is an address in Datasette."""
    if not _NAME.fullmatch(name):
        raise UserError(
            f"The database cannot be called {name!r}: give a name of letters, digits, '-' and '_' that ends in .db, "
            ".sqlite or .sqlite3, such as labels.db. It is made in the folder of the export."
        )


def _counted(rows: Iterable[Sequence[Cell]], progress: Progress) -> Iterator[Sequence[Cell]]:
    for row in rows:
        yield row
        progress.step()
