"""Which column of a file is which field of a record."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from medreview.errors import UserError
from medreview.exchange.imports.json_rows import kind_of
from medreview.exchange.imports.rows import BadRecord, Row
from medreview.text import normalise_newlines

AS_NAMED: Final[Mapping[str, str]] = MappingProxyType({})
"""No renaming of columns."""

_LOOKED_AT: Final = 100
_BROKEN: Final = re.compile("[\0\ud800-\udfff]")


class Fields:
    """Finds the values of fields in rows.

    ``names``: field -> the column names that mean it, best first. ``mapping``: column -> field, as given with
    ``--map``; it goes before the names, and a column that is mapped means nothing else. Case, blanks and hyphens in
    column names do not matter. An entry ``FIELD:`` -> text (``--map judge:=RefChecker``) gives every row that text.
    """

    def __init__(self, names: Mapping[str, Sequence[str]], mapping: Mapping[str, str] = AS_NAMED) -> None:
        for column, target in mapping.items():
            if (field := field_of(column, target)) not in names:
                raise UserError(f"--map {column}={target}: there is no field {field}; there are {', '.join(names)}.")
        self._given = {field_of(column, text): text for column, text in mapping.items() if is_given(column)}
        self.mapped = {plain(column): field for column, field in mapping.items() if not is_given(column)}
        self._columns = {
            field: [
                *(column for column, target in self.mapped.items() if target == field),
                *(name for name in known if name not in self.mapped),
            ]
            for field, known in names.items()
        }

    def values(self, row: Row) -> dict[str, Any]:
        """Field -> value, for the fields that the row has."""
        here = {plain(column): value for column, value in row.values.items()}
        found = {}
        for field, columns in self._columns.items():
            for column in columns:
                if here.get(column) not in (None, ""):
                    found[field] = here[column]
                    break
        return found | self._given

    def present(self, columns: Iterable[str]) -> set[str]:
        """The fields that a file with these columns can have."""
        here = {plain(column) for column in columns}
        return {field for field, names in self._columns.items() if here.intersection(names)} | self._given.keys()

    def check(self, rows: Iterator[Row | BadRecord], path: Path, required: Sequence[str]) -> Iterator[Row | BadRecord]:
        """The same rows, after a look at the first hundred.

        Raises :class:`UserError` when there are none, when these have no column for a required field, or none that
        ``--map`` names.
        """
        first, rows = peek(rows)
        if not first:
            raise UserError(
                f"{path} holds no records (of a table, the first line names the columns); there is nothing to import."
            )
        found = columns_of(first)
        if not found:
            return rows
        shown = ", ".join(found[:20]) + (", ..." if len(found) > 20 else "")
        here = {plain(column) for column in found}
        for column in self.mapped:
            if column not in here:
                raise UserError(f"{path} has no column {column} to map; it has {shown}.")
        for field in required:
            if field not in self.present(found):
                raise UserError(
                    f"{path} has no column for the {field} (it has {shown}); say which with --map COLUMN={field}."
                )
        return rows


def is_given(column: str) -> bool:
    """Whether an entry of ``--map`` gives a text and names no column: ``judge:``."""
    return column.endswith(":")


def field_of(column: str, target: str) -> str:
    """The field that an entry of ``--map`` is about."""
    return column.removesuffix(":").strip() if is_given(column) else target


def peek(rows: Iterator[Row | BadRecord]) -> tuple[list[Row | BadRecord], Iterator[Row | BadRecord]]:
    """The first hundred rows, and all rows."""
    first = list(islice(rows, _LOOKED_AT))
    return first, chain(first, rows)


def columns_of(rows: Iterable[Row | BadRecord]) -> list[str]:
    """The column names that occur, in order."""
    return list(dict.fromkeys(column for row in rows if isinstance(row, Row) for column in row.values))


def plain(column: str) -> str:
    """A column name as it is compared: ``Citation URL`` is ``citation_url``."""
    return re.sub(r"[\W_]+", "_", column.casefold()).strip("_")


def text_of(values: Mapping[str, Any], field: str) -> str:
    """A field's text with line ends folded, ``""`` when it has none; ``ValueError`` says what is wrong with it."""
    value = values.get(field, "")
    if not isinstance(value, str):
        raise ValueError(f"has {kind_of(value)} as its {field}, not text")
    if _BROKEN.search(value):
        raise ValueError(f"has a NUL or half a character in its {field}")
    return normalise_newlines(value)


def name_of(values: Mapping[str, Any], field: str) -> str:
    """As :func:`text_of`, without blanks around it; a whole number is good too, as ids often are."""
    value = values.get(field, "")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_of(values, field).strip()
