"""What an export has of units that came as such, a row for each: its content in columns of its kind."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from medreview.units.kind import Cell, Table
from medreview.units.stored import StoredUnit, load_unit

_COMMON: Final = (
    ("unit_id", "text", "The unit."),
    ("record_id", "text", "Its id in the file that it came in."),
    ("origin", "text", "Where it comes from: a stratum."),
    ("model", "text", "Which model wrote it; empty when nobody said."),
)


def content_table(
    kind: str, file: str, columns: Sequence[tuple[str, str, str]], cells: Callable[[StoredUnit], Sequence[Cell]]
) -> Table:
    """The table of a kind: what all units have, then the kind's own ``columns``, which ``cells`` fills."""

    def rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
        query = "SELECT unit_id FROM unit WHERE kind = ? ORDER BY ordinal"
        for (unit,) in reader.execute(query, (kind,)).fetchall():
            stored = load_unit(reader, unit)
            yield (stored.unit, stored.record_id, stored.origin, stored.model, *cells(stored))

    return Table(file, (*_COMMON, *columns), rows)
