"""A list of conflicts as a CSV file: one row for each label of each of them."""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output
from medreview.exchange.files.columns import Cell, Column
from medreview.exchange.files.csv_file import CsvFile, sign_of
from medreview.review.conflicts import Conflict
from medreview.units.registry import unit_name

COLUMNS: Final = (
    Column("unit_id", "text", "The unit."),
    Column("unit_name", "text", "What the screen calls it."),
    Column("kind", "text", "Which kind of unit it is."),
    Column("axis", "text", "The axis on which the labels differ."),
    Column("open", "boolean", "1: it waits for a word that settles it."),
    Column("reviewer_id", "text", "Who gave the label of this row."),
    Column("label", "text", "The label."),
    Column("mode", "text", "blind or assisted."),
    Column("independent", "boolean", "1: no other reviewer's label or note had been seen before it."),
    Column("given_utc", "time", "When it was given."),
    Column("reason_code", "text", "Why it differs from the machines'."),
    Column("note", "text", "The reviewer's note on the unit."),
    Column("text", "text", "The text that goes with the label."),
    Column("adjudicated_label", "text", "The label that settled it last."),
    Column("adjudicated_by", "text", "By a third reviewer, or by agreement."),
    Column("adjudicator_id", "text", "Who recorded that."),
    Column("adjudicated_utc", "time", "When."),
)


def conflict_rows(reader: sqlite3.Connection, found: Iterable[Conflict]) -> Iterator[tuple[Cell, ...]]:
    """The rows by :data:`COLUMNS`."""
    for one in found:
        settled = one.settled
        word = (settled.label, settled.by, settled.reviewer, settled.at_utc) if settled else (None,) * 4
        for given in one.labels:
            yield (
                one.unit, unit_name(reader, one.unit), one.kind, one.axis, int(one.open), given.reviewer, given.label,
                given.mode, int(given.independent), given.at_utc, given.reason or None, given.note or None,
                given.text or None, *word,
            )  # fmt: skip


def write_conflicts(reader: sqlite3.Connection, found: Iterable[Conflict], path: Path) -> None:
    """Write them in the dialect for Excel, since notes are texts that a spreadsheet may take for formulas.

    An earlier such file is replaced. Raises :class:`UserError` for any other, or a place that cannot be written.
    """
    sign = sign_of(COLUMNS)
    with atomic_output(path, sign) as place, CsvFile(place, COLUMNS, "excel") as file:
        file.add_all(conflict_rows(reader, found))
