"""One CSV file of an export in one of two dialects, and its cells: an event's payload made flat, and read back.

``analysis`` is RFC 4180 in UTF-8 with LF and nothing changed. ``excel`` has a byte order mark and CRLF; a text that a
spreadsheet would take for a formula, a number or a day gets a leading ``'``, one that does not fit in a cell is cut,
and both are said in columns of their own. Text is quoted always, numbers never; a missing value is an empty cell. No
JSON stands in a cell, and no hash of an event is lost.
"""

import csv
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any, Final, Literal, Self

from medreview.atomic_output import atomic_output, check_own, create
from medreview.exchange.files.columns import EXCEL, Cell, Column
from medreview.visible import visible

_SPECIAL: Final = re.compile(r"[%.:\s]")
_TYPES: Final[Mapping[type, str]] = {str: "s", bool: "b", int: "i", float: "f", type(None): "z"}


def flatten(payload: Mapping[str, Any]) -> tuple[str, dict[str, Cell]]:
    """The list of names with types that the column ``payload`` holds, and name -> value.

    A name is the path to a value with dots between the levels; ``%``, dots, colons and blanks in keys are written as
    ``%XX``.
    """
    found: list[tuple[str, str, Cell]] = []
    _walk("", payload, found)
    return " ".join(f"{name}:{kind}" for name, kind, _ in found), {
        name: value for name, kind, value in found if kind in "sbif"
    }


def names_in(name: str, meaning: str, sql: str = "") -> Column:
    """A column that holds the list of names of a stored object; ``sql`` where it is not called like the column."""
    return Column(name, "text", meaning, sql=sql or name, made=lambda row: flatten(json.loads(row[name]))[0])


def flat_rows(rows: Iterable[Sequence[Any]]) -> Iterator[list[Cell]]:
    """The rows of a file of values: of rows that end with a stored object, one for each of its values."""
    for *of, stored in rows:
        for name, value in flatten(json.loads(stored))[1].items():
            yield [*of, name, value]


def unflatten(names: str, values: Mapping[str, str]) -> dict[str, Any]:
    """The payload again. ``ValueError`` or ``LookupError`` when names and values do not belong together."""
    payload: dict[str, Any] = {}
    for item in names.split():
        name, _, kind = item.rpartition(":")
        *levels, last = name.split(".")
        place: Any = payload
        for level in levels:
            place = _enter(place, level)
        value = _read(kind, values.get(name, ""))
        if isinstance(place, list):
            place.append(value)
        else:
            place[_key(last)] = value
    return payload


def dumps(payload: Mapping[str, Any]) -> str:
    """The JSON text as events store it."""
    return json.dumps(payload, ensure_ascii=False, sort_keys=True)


def _walk(path: str, value: Any, found: list[tuple[str, str, Cell]]) -> None:
    if isinstance(value, dict) and (value or not path):
        for key, inner in value.items():
            name = "%" if not key else _SPECIAL.sub(lambda sign: f"%{ord(sign[0]):02X};", key)
            _walk(f"{path}.{name}" if path else name, inner, found)
    elif isinstance(value, list):
        found.append((path, "a", None))
        for number, inner in enumerate(value):
            # An object in a list is announced, so that the list knows where one ends and the next begins.
            if isinstance(inner, dict) and inner:
                found.append((f"{path}.{number}", "o", None))
            _walk(f"{path}.{number}", inner, found)
    elif isinstance(value, dict):
        found.append((path, "o", None))
    else:
        kind = _TYPES[type(value)]
        found.append((path, kind, int(value) if kind == "b" else value))


def _enter(place: Any, level: str) -> Any:
    return place[int(level)] if isinstance(place, list) else place.setdefault(_key(level), {})


def _key(name: str) -> str:
    return "" if name == "%" else re.sub(r"%([0-9A-F]+);", lambda found: chr(int(found[1], 16)), name)


def _read(kind: str, cell: str) -> Any:
    match kind:
        case "s":
            return cell
        case "i":
            return int(cell)
        case "f":
            return float(cell)
        case "b":
            return {"1": True, "0": False}[cell]
        case "z":
            return None
        case "o":
            return {}
        case "a":
            return []
    raise ValueError(f"{kind!r} is not a type of a value")


Dialect = Literal["analysis", "excel"]

CELL_LIMIT: Final = 32_767
"""Characters that a cell of Excel holds, in UTF-16 code units."""

_TOGETHER: Final = 32
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
            SimpleNamespace(write=self._waiting.append),
            quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n" if self._excel else "\n", doublequote=True,
        )  # fmt: skip
        if self._excel:
            self._waiting.append("\ufeff")
        self._writer.writerow([column.name for column in self.columns])

    def _flush(self) -> None:
        if not self._waiting:
            return
        data = "".join(self._waiting).encode()
        self._waiting.clear()
        self._hash.update(data)
        self._file.write(data)

    def add_all(self, rows: Iterable[Sequence[Cell]]) -> Self:
        """Write rows; each has a cell for every column that was given."""
        coming = iter(rows)
        while together := list(islice(coming, _TOGETHER)):
            for wrong in {len(row) for row in together} - {len(self._names)}:
                raise ValueError(f"a row of {wrong} cells for {len(self._names)} columns")
            self._writer.writerows(map(self._for_excel, together) if self._excel else together)
            self.rows += len(together)
            self._flush()
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


def write_report(path: Path, columns: Sequence[Column], rows: Iterable[Sequence[Cell]]) -> int:
    """Write a CSV file of a report, in place of an earlier one; gives the number of its rows.

    In the dialect for Excel: names, notes and addresses come from outside, and a spreadsheet may take them for
    formulas. Raises :class:`UserError` when ``path`` is another file, or cannot be written.
    """
    with atomic_output(path, sign_of(columns)) as place, CsvFile(place, columns, "excel") as file:
        return file.add_all(rows).rows


def check_report(path: Path, columns: Sequence[Column]) -> None:
    """Raise :class:`UserError` where :func:`write_report` would: before the work, not after it."""
    check_own(path, sign_of(columns))


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
