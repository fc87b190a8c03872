"""Mapping of the columns of a file to the fields of a record."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self

from medreview.errors import UserError
from medreview.exchange.imports.json_rows import kind_of
from medreview.exchange.imports.rows import BadRecord, Row
from medreview.storable import is_damaged
from medreview.text import normalise_newlines

AS_NAMED: Final[Mapping[str, str]] = MappingProxyType({})
"""No renaming of columns."""

_PEEKED_ROWS: Final = 100
Unfold = Callable[[Iterator[Row | BadRecord], "Fields"], Iterator[Row | BadRecord]]


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
        self.mapped = {normalise_column(column): field for column, field in mapping.items() if not is_constant(column)}
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

    def values(self, row: Row) -> dict[str, Any]:
        """Field -> value, for the fields that the row has."""
        return {field: row.values[columns[0]] for field, columns in self.columns(row).items()} | self._constants

    def columns(self, row: Row) -> dict[str, list[str]]:
        """Field -> the columns of the row that hold a value for it, as they are named there, preferred first."""
        named = {normalise_column(column): column for column, value in row.values.items() if value not in (None, "")}
        found = {
            field: [named[column] for column in known if column in named] for field, known in self._columns.items()
        }
        return {field: columns for field, columns in found.items() if columns}

    def has_column(self, row: Row, field: str) -> bool:
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
        self, rows: Iterator[Row | BadRecord], path: Path, required: Sequence[str], unfold: Unfold | None = None
    ) -> Iterator[Row | BadRecord]:
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
        for column in self.mapped:
            if column not in existing:
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


def peek(rows: Iterator[Row | BadRecord]) -> tuple[list[Row | BadRecord], Iterator[Row | BadRecord]]:
    """The first hundred rows, and an iterator over all rows."""
    first = list(islice(rows, _PEEKED_ROWS))
    return first, chain(first, rows)


def columns_of(rows: Iterable[Row | BadRecord]) -> list[str]:
    """The column names that occur, in order."""
    return list(dict.fromkeys(column for row in rows if isinstance(row, Row) for column in row.values))


def normalise_column(column: str) -> str:
    """A column name for comparison: ``Citation URL`` is ``citation_url``."""
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
