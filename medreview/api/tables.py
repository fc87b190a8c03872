"""Tables of a study: rows with types, which become a DataFrame where pandas is installed.

``docs/reference/api.md`` and the codebook describe the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from medreview.errors import UserError
from medreview.exchange.files.columns import Cell, Column, columns_of

if TYPE_CHECKING:
    import pandas


Row = TypeVar("Row", bound=tuple[Any, ...])


class Table(Sequence[Row], Generic[Row]):
    """The rows of one table, read when it was made, and what its ``columns`` mean; a sequence.

    A cell is text, a whole number, a number, a truth value or a time in UTC, as its column says; ``None`` is missing.
    """

    def __init__(self, columns: tuple[Column, ...], rows: Iterable[Row]) -> None:
        self.columns = columns
        self._rows = tuple(rows)

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        """A row by its place from 0, or several by a slice."""
        return self._rows[place]

    def __iter__(self) -> Iterator[Row]:
        """The rows in their order."""
        return iter(self._rows)

    def __repr__(self) -> str:
        """Short enough for a notebook."""
        return f"<Table of {len(self)} rows: {', '.join(column.name for column in self.columns[:4])}, ...>"

    def to_frame(self) -> pandas.DataFrame:
        """The table as a DataFrame of the same columns; missing is ``NA``.

        Columns with few levels are categories in the protocol's order, also those that do not occur. Raises
        ``UserError`` when pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise UserError("A DataFrame needs pandas: install medreview[pandas], or pandas itself.") from None
        return pandas.DataFrame(
            {
                column.name: _series([row[place] for row in self._rows], column)
                for place, column in enumerate(self.columns)
            }
        )


def table_of(record: type[Row], rows: Iterable[Sequence[Cell]]) -> Table[Row]:
    """The table of a row record, whose fields say its columns, from the cells of an export."""
    make = cast("Callable[..., Row]", record)
    # Without their functions, so that a table can be pickled.
    columns = tuple(replace(column, sql="", made=None) for column in columns_of(record))
    kinds = [column.type for column in columns]
    return Table(columns, (make(*map(_value, row, kinds)) for row in rows))


def _value(cell: Cell, kind: str) -> str | int | float | bool | datetime | None:
    """A cell of an export as Python has it; what would be an empty cell there is missing here."""
    if cell is None or cell == "":
        return None
    if kind == "boolean":
        return bool(cell)
    return datetime.fromisoformat(str(cell)) if kind == "time" else cell


_DTYPES = {"text": "string", "integer": "Int64", "number": "float64", "boolean": "boolean"}


def _series(values: list[Any], column: Column) -> pandas.Series[Any]:
    import pandas

    if column.levels:
        others = sorted({value for value in values if value is not None and value not in column.levels})
        return pandas.Series(pandas.Categorical(values, categories=[*column.levels, *others]))
    if column.type == "time":
        return pandas.Series(pandas.to_datetime(values, utc=True))
    return pandas.Series(values, dtype=_DTYPES[column.type])
