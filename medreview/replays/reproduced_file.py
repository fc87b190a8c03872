"""The reproduced figures as rows for a script and as a CSV file."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output
from medreview.exchange.files.columns import Column
from medreview.exchange.files.csv_file import CsvFile, sign_of
from medreview.exchange.files.event_payload import Cell
from medreview.replays.reproduced import Reproduced

COLUMNS: Final = (
    Column("paper", "text", "The paper."),
    Column("what", "text", "The figure."),
    Column("printed", "text", "As the paper prints it; empty where it does not."),
    Column("outcome", "text", "Whether ours is the same.",
           levels=("equal", "value equal", "differs", "not printed", "missing")),
    Column("value", "number", "Ours; shares are fractions."),
    Column("low", "number", "The lower end of its interval."),
    Column("high", "number", "The upper end."),
    Column("level", "number", "The level of the interval."),
    Column("method", "text", "How the interval was made."),
    Column("n", "integer", "Items that it rests on."),
    Column("clusters", "integer", "Cases or responses that these are in, where whole ones vary."),
    Column("reason", "text", "Why there is no value, or no interval."),
    Column("why", "text", "Why the two differ, and what stands beside them."),
)  # fmt: skip
_OF_ESTIMATE: Final = ("value", "low", "high", "level", "method", "n", "clusters", "reason")


def as_row(one: Reproduced) -> Mapping[str, Cell]:
    """One figure by the names of the columns."""
    about = {"paper": one.paper, "what": one.what, "printed": one.printed, "outcome": one.outcome}
    return {**about, **{name: getattr(one.ours, name, None) for name in _OF_ESTIMATE}, "why": one.why}


def write_reproduced(found: Iterable[Reproduced], path: Path) -> None:
    """Write them to a file; raises :class:`UserError` when it is another file, or cannot be written."""
    with atomic_output(path, sign_of(COLUMNS)) as place, CsvFile(place, COLUMNS, "excel") as file:
        file.add_all(_cells(as_row(one)) for one in found)


def _cells(row: Mapping[str, Cell]) -> Sequence[Cell]:
    return [row[column.name] for column in COLUMNS]
