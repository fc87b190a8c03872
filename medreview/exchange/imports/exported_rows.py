"""The rows of an exported file, each cell read as what its column holds; a fault is named by file, row and column."""

import csv
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from medreview.exchange.files.event_payload import unflatten
from medreview.storable import unstorable

_CELL_LIMIT: Final = 1 << 30


class ExportFault(ValueError):
    """A sentence without its end: which file, row and column, and what is wrong there."""


class ExportedRow(dict[str, str]):
    """One row as texts by column. A column that is asked for and not there is an :class:`ExportFault`."""

    def __init__(self, file: str, number: int, cells: dict[str, str]) -> None:
        super().__init__(cells)
        self._place = f"{file}, row {number}"

    def wrong(self, column: str, why: str) -> ExportFault:
        """The error to raise of a cell."""
        return ExportFault(f"{self._place}, column {column}: {why}")

    def __missing__(self, column: str) -> str:
        raise self.wrong(column, "there is no such column")

    def integer(self, column: str) -> int:
        """A whole number of 64 bits."""
        try:
            number = int(self[column])
        except ValueError:
            raise self.wrong(column, "this is no whole number") from None
        if why := unstorable(number):
            raise self.wrong(column, why)
        return number

    def integer_or_none(self, column: str) -> int | None:
        """The same; ``None`` for an empty cell."""
        return self.integer(column) if self[column] else None

    def number(self, column: str, most: float) -> float:
        """A number from 0 to ``most``."""
        try:
            number = float(self[column])
        except ValueError:
            number = math.nan
        if not 0 <= number <= most:
            raise self.wrong(column, f"this is no number from 0 to {most:g}")
        return number

    def span(self, text: str) -> tuple[int | None, int | None]:
        """A range that lies in a text, or none at all."""
        start, end = self.integer_or_none("start_cp"), self.integer_or_none("end_cp")
        if (start is None) != (end is None):
            raise self.wrong("end_cp", "a range has a start and an end, or neither")
        if start is not None and end is not None and not 0 <= start <= end <= len(text):
            raise self.wrong("start_cp", "the range lies outside the response")
        return start, end


def read_rows(path: Path) -> Iterator[ExportedRow]:
    """The rows of a file. Raises :class:`ExportFault` for one that has too few or too many cells, or is no CSV."""
    csv.field_size_limit(_CELL_LIMIT)
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, strict=True)
        number = 0
        try:
            for number, cells in enumerate(rows, 1):
                row = ExportedRow(path.name, number, cells)
                if None in cells or None in cells.values():
                    raise row.wrong(str((rows.fieldnames or [""])[-1]), "the row has too few or too many cells")
                yield row
        except (csv.Error, UnicodeDecodeError) as error:
            raise ExportFault(f"{path.name}, after row {number}: {error}") from error


def unflattened(row: ExportedRow, column: str, values: Mapping[str, str]) -> dict[str, Any]:
    """The object whose names stand in a cell and whose values in a file of values."""
    try:
        found = unflatten(row[column], values)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise row.wrong(column, f"names and values do not fit each other ({error})") from error
    if why := unstorable(found):
        raise row.wrong(column, why)
    return found
