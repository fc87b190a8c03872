"""One CSV file of an export, in one of two dialects.

``analysis`` is RFC 4180 in UTF-8 with LF and nothing changed. ``excel`` has a byte order mark and CRLF; a text that a
spreadsheet would take for a formula, a number or a day gets a leading ``'``, one that does not fit in a cell is cut,
and both are said in columns of their own. Text is quoted always, numbers never; a missing value is an empty cell.
"""

import csv
import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

from medreview.atomic_output import create
from medreview.exchange.files.columns import EXCEL, Column
from medreview.exchange.files.event_payload import Cell
from medreview.visible import visible

Dialect = Literal["analysis", "excel"]

CELL_LIMIT: Final = 32_767
"""Characters that a cell of Excel holds, in UTF-16 code units."""

_TOGETHER: Final = 256
"""Rows that are encoded, hashed and written at once."""

_FORMULA: Final = frozenset("=+-@＝＋－＠﹦﹢﹣﹫")
_BREAKS: Final = ("\t", "\r", "\n")
_REWRITTEN: Final = re.compile(
    r"0\d+|\d{16,}|\d+(?:\.\d+)?E[+-]?\d+|\d{1,4}([-/])\d{1,2}(?:\1\d{1,4})?|\d{1,2}\.\d{1,2}\.\d{4}|\d+:\d\d(?::\d\d)?",
    re.IGNORECASE,
)
"""A text that a spreadsheet would take for a number, a day or a time, and write otherwise: 007, 1e5, 3-12."""


class CsvFile:
    """Writes rows as a stream and knows at the end how many they were and what the file's SHA-256 is."""

    def __init__(self, path: Path, columns: Sequence[Column], dialect: Dialect) -> None:
        self.columns = (*columns, *EXCEL) if dialect == "excel" else tuple(columns)
        self.rows = 0
        self._excel = dialect == "excel"
        self._waiting: list[str] = []
        self._names = [column.name for column in columns]
        self._hash = hashlib.sha256()
        self._file = create(path)
        self._writer = csv.writer(
            self, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n" if self._excel else "\n", doublequote=True
        )
        if self._excel:
            self.write("\ufeff")
        self._writer.writerow([column.name for column in self.columns])

    def write(self, text: str) -> int:
        """For the CSV writer: take a piece of text, to be written with those after it."""
        self._waiting.append(text)
        if len(self._waiting) == _TOGETHER:
            self._flush()
        return len(text)

    def _flush(self) -> None:
        if not self._waiting:
            return
        data = "".join(self._waiting).encode()
        self._waiting.clear()
        self._hash.update(data)
        self._file.write(data)

    def add(self, row: Sequence[Cell]) -> None:
        """Write one row; it has a cell for every column that was given."""
        if len(row) != len(self._names):
            raise ValueError(f"a row of {len(row)} cells for {len(self._names)} columns")
        self._writer.writerow(self._for_excel(row) if self._excel else row)
        self.rows += 1

    def add_all(self, rows: Iterable[Sequence[Cell]]) -> Self:
        """Write many rows."""
        for row in rows:
            self.add(row)
        return self

    @property
    def sha256(self) -> str:
        """Hex digest of what was written."""
        self._flush()
        return self._hash.hexdigest()

    def __enter__(self) -> Self:
        """The open file."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._flush()
        finally:
            self._file.close()
        del self._writer  # it keeps its buffer

    def _for_excel(self, row: Sequence[Cell]) -> list[Cell]:
        cells: list[Cell] = []
        guarded, truncated = [], []
        for name, value in zip(self._names, row, strict=True):
            cell = value
            if isinstance(cell, str):
                if _is_formula(cell) or _REWRITTEN.fullmatch(cell):
                    cell = "'" + cell
                    guarded.append(name)
                # A character takes at most two units: only a text over half the limit is worth the exact count.
                if len(cell) * 2 > CELL_LIMIT and _units(cell) > CELL_LIMIT:
                    cell = _cut(cell)
                    truncated.append(name)
            cells.append(cell)
        return [*cells, " ".join(guarded), " ".join(truncated)]


def sign_of(columns: Sequence[Column]) -> bytes:
    """How a file of these columns begins in the dialect for Excel."""
    return ("\ufeff" + ",".join(f'"{column.name}"' for column in columns)).encode()


def _is_formula(cell: str) -> bool:
    """Whether a spreadsheet could take it for one: white space and what is not seen before the sign are passed over."""
    if cell[:1].isalnum():
        return False
    first = next((sign for sign in cell if not sign.isspace() and visible(sign) == sign), "")
    return first in _FORMULA or cell.startswith(_BREAKS)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _cut(text: str) -> str:
    room = CELL_LIMIT - len(f"…[+{len(text)}]")
    kept = text.encode("utf-16-le")[: room * 2].decode("utf-16-le", "ignore")
    return f"{kept}…[+{len(text) - len(kept)}]"
