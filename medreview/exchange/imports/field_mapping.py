"""Mapping of the columns of a file to the fields of a record, and the columns that nothing was made of."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self

from medreview.errors import UserError
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.json_rows import kind_of
from medreview.storable import is_damaged
from medreview.text import normalise_newlines

AS_NAMED: Final[Mapping[str, str]] = MappingProxyType({})
"""No renaming of columns."""

_PEEKED_ROWS: Final = 100
Unfold = Callable[[Iterator[NamedRow | BadRecord], "Fields"], Iterator[NamedRow | BadRecord]]


class Fields:
    """Finds the values of fields in rows.

    ``names``: field -> its possible column names, preferred first. ``mapping``: column -> field, as given with
    ``--map``; it takes precedence over the names, and a mapped column has no other meaning. Case, spaces and hyphens in
    column names are ignored. An entry ``FIELD:`` -> text (``--map judge:=RefChecker``) is a constant for every row.
    Raises :class:`UserError` for a mapping to an unknown field.
    """

    def __init__(self, names: Mapping[str, Sequence[str]], mapping: Mapping[str, str] = AS_NAMED) -> None:
        for column, target in mapping.items():
            if (field := field_of(column, target)) not in names:
                raise UserError(f"--map {column}={target}: there is no field {field}; there are {', '.join(names)}.")
        self._constants = {field_of(column, text): text for column, text in mapping.items() if is_constant(column)}
        self._typed = [column for column in mapping if not is_constant(column)]
        self.mapped = {normalise_column(column): mapping[column] for column in self._typed}
        self._columns = {
            field: [
                *(column for column, target in self.mapped.items() if target == field),
                *(name for name in known if name not in self.mapped),
            ]
            for field, known in names.items()
        }

    @classmethod
    def among(cls, names: Mapping[str, Sequence[str]], mapping: Mapping[str, str]) -> Self:
        """The same, with the entries of ``mapping`` that are of these fields; others are left out."""
        return cls(names, {column: to for column, to in mapping.items() if field_of(column, to) in names})

    def values(self, row: NamedRow) -> dict[str, Any]:
        """Field -> value, for the fields that the row has."""
        return {field: row.values[columns[0]] for field, columns in self.columns(row).items()} | self._constants

    def columns(self, row: NamedRow) -> dict[str, list[str]]:
        """Field -> the columns of the row that hold a value for it, as they are named there, preferred first."""
        named = {normalise_column(column): column for column, value in row.values.items() if value not in (None, "")}
        found = {
            field: [named[column] for column in known if column in named] for field, known in self._columns.items()
        }
        return {field: columns for field, columns in found.items() if columns}

    def has_column(self, row: NamedRow, field: str) -> bool:
        """Whether the row has a column for a field, be it empty."""
        return field in self._constants or not {normalise_column(name) for name in row.values}.isdisjoint(
            self._columns[field]
        )

    def present(self, columns: Iterable[str]) -> set[str]:
        """The fields that a file with these columns can have."""
        existing = {normalise_column(column) for column in columns}
        found = {field for field, names in self._columns.items() if existing.intersection(names)}
        return found | self._constants.keys()

    def check(
        self, rows: Iterator[NamedRow | BadRecord], path: Path, required: Sequence[str], unfold: Unfold | None = None
    ) -> Iterator[NamedRow | BadRecord]:
        """The same rows, after a check of the first hundred; ``unfold`` makes several of one that nests them.

        Raises :class:`UserError` without any rows, for a missing column of a required field, and for a missing column
        of ``--map``.
        """
        first, rows = peek(rows)
        if not first:
            raise UserError(
                f"{path} holds no records (of a table, the first line names the columns); there is nothing to import."
            )
        found = columns_of(first)
        if unfold is not None:
            first, rows = peek(unfold(rows, self))
            found = list(dict.fromkeys([*found, *columns_of(first)]))
        if not found:
            return rows
        shown = ", ".join(found[:20]) + (", ..." if len(found) > 20 else "")
        existing = {normalise_column(column) for column in found}
        for column in self._typed:
            if normalise_column(column) not in existing:
                raise UserError(f"{path} has no column {column} to map; it has {shown}.")
        for field in required:
            if field not in self.present(columns_of(first)):
                raise UserError(
                    f"{path} has no column for the {field} (it has {shown}); say which with --map COLUMN={field}."
                )
        return rows


def is_constant(column: str) -> bool:
    """Whether an entry of ``--map`` is a constant, without a column: ``judge:``."""
    return column.endswith(":")


def field_of(column: str, target: str) -> str:
    """The field of an entry of ``--map``."""
    return column.removesuffix(":").strip() if is_constant(column) else target


def peek(rows: Iterator[NamedRow | BadRecord]) -> tuple[list[NamedRow | BadRecord], Iterator[NamedRow | BadRecord]]:
    """The first hundred rows, and an iterator over all rows."""
    first = list(islice(rows, _PEEKED_ROWS))
    return first, chain(first, rows)


def columns_of(rows: Iterable[NamedRow | BadRecord]) -> list[str]:
    """The column names that occur, in order."""
    return list(dict.fromkeys(column for row in rows if isinstance(row, NamedRow) for column in row.values))


@lru_cache(maxsize=4_096)
def normalise_column(column: str) -> str:
    """A column name for comparison: ``Citation URL`` is ``citation_url``. The same few stand in every row of a file."""
    return re.sub(r"[\W_]+", "_", column.casefold()).strip("_")


def text_of(values: Mapping[str, Any], field: str) -> str:
    """A field's text with LF line ends, ``""`` when it is missing. Raises ``ValueError``, which says what is wrong."""
    value = values.get(field, "")
    if not isinstance(value, str):
        raise ValueError(f"has {kind_of(value)} as its {field}, not text")
    if is_damaged(value):
        raise ValueError(f"has a NUL or half a character in its {field}")
    return normalise_newlines(value)


def name_of(values: Mapping[str, Any], field: str) -> str:
    """Like :func:`text_of`, without surrounding white space; a number is accepted, as ids often are numbers.

    ``7.0`` is 7, as a column of numbers is written in which one is missing.
    """
    value = values.get(field, "")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return text_of(values, field).strip()


RESPONSE: Final = ("response", "answer", "output", "completion", "text")
"""The columns that are the response without ``--map``."""
LIKE: Final[Mapping[str, re.Pattern[str]]] = {
    "citations": re.compile(
        r"cit(?:ed|ation|es)|ref(?:s|erence)|source|link|url|doi|pmid|bibliograph|attribut|evidence"
    ),
    "question": re.compile(r"question|prompt|query|instruction"),
    "response": re.compile(r"response|answer|output|completion|generat"),
    "model": re.compile(r"model|system|llm|engine|assistant"),
    "origin": re.compile(r"dataset|domain|topic|category|specialt|subject|field"),
    "id": re.compile(r"(?:\b|_)(?:id|uid|uuid|key|index)\Z|\A[qs]id\Z"),
    "facts": re.compile(r"fact|must_have|rubric|criteri"),
}
"""Field -> the column names that speak for it."""

_CITES: Final = re.compile(r"(?:https?|\bftp)://|\bwww\.|\b10\.\d{4,9}/|\bpmc?(?:id)?[\s:]*\d|\barxiv\b", re.IGNORECASE)
_SNIPPETS: Final = ("reference", "reference_text", "reference_snippet")
_PROSE: Final = 12
"""Words; a longer text in such a column says something, and is no single work or address."""
_SHORT: Final = 200
"""Characters; a longer text names neither a model nor an origin."""


@dataclass(frozen=True, slots=True)
class UnusedColumn:
    """A column that no field was made of; ``field``: the one that it looks like, ``""`` for none that is missing."""

    column: str
    field: str


class UnusedColumns:
    """Collects the columns with a value that no record used. ``fields``: those that a column could be mapped to."""

    def __init__(self, fields: Collection[str]) -> None:
        self._fields = fields
        self._values: dict[str, Any] = {}
        self._used: set[str] = set()
        self._filled: set[str] = set()

    def add(self, row: NamedRow, used: Collection[str], filled: Collection[str]) -> None:
        """Take up a record, the columns that it used, and the fields that it has now."""
        self._used.update(used)
        self._filled.update(filled)
        for column, value in row.values.items():
            if value in (None, "", [], {}) or column in self._used:
                continue
            if column not in self._values or (
                _fits("citations", value) and not _fits("citations", self._values[column])
            ):
                self._values[column] = value

    def found(self) -> list[UnusedColumn]:
        """Columns that were never used, in their order."""
        rest = {column: value for column, value in self._values.items() if column not in self._used}
        found, taken = [], set(self._filled)
        for column, value in rest.items():
            field = self._field(column, value, taken)
            found.append(UnusedColumn(column, field))
            taken.update({field} - {"citations"})  # these may be in several columns, anything else in one
        return found

    def _field(self, column: str, value: Any, taken: Collection[str]) -> str:
        name = normalise_column(column)
        for field, pattern in LIKE.items():
            if field in self._fields and field not in taken and pattern.search(name) and _fits(field, value):
                return "" if field == "citations" and _is_snippet(name, value) else field
        return ""


def _is_snippet(name: str, value: Any) -> bool:
    """Whether a column holds the text to compare an answer with, which may name addresses (``medreview citations``)."""
    return name in _SNIPPETS and isinstance(value, str) and len(value.split()) > _PROSE


def _fits(field: str, value: Any) -> bool:
    if field == "citations":
        return _CITES.search(str(value)) is not None
    if field == "facts":
        return isinstance(value, list)
    if field in ("question", "response"):
        return isinstance(value, str)
    return isinstance(value, str | int) and not isinstance(value, bool) and len(str(value)) <= _SHORT
