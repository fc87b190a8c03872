"""What an export has of pairs beside their labels: the label of each statement as it follows from one reviewer's."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from medreview.units.derived_label import derived_labels
from medreview.units.kind import Cell, Table

_COLUMNS: Final = (
    ("unit_id", "text", "The statement."),
    ("response_id", "text", "The response that it is part of: the unit to resample."),
    ("reviewer_id", "text", "Who labelled its pairs."),
    ("pass_no", "integer", "Which time this reviewer went through the study, from 1."),
    ("mode", "text", "blind: all of these labels were given before anything of the judges' opinion on their pairs had "
     "been seen; else assisted."),
    ("label_from_pairs", "text", "What they come to on the evidence axis, each as it is now; empty until all pairs are "
     "labelled, unless one supports, and where some only tell supported from not."),
    ("supported_from_pairs", "boolean", "The same two-way; empty where the reviewer could not tell."),
    ("counting_label_from_pairs", "text", "As label_from_pairs, of blind labels the first."),
    ("pairs_labelled", "integer", "Pairs of the statement with a label of this reviewer on the page as it is."),
    ("pairs", "integer", "All pairs of the statement."),
)  # fmt: skip


def _rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    responses = dict(reader.execute("SELECT statement_id, response_id FROM statement").fetchall())
    for one in derived_labels(reader):
        supported = None if one.current.supported is None else int(one.current.supported)
        yield (
            one.statement_id, responses[one.statement_id], one.reviewer, one.pass_no, one.mode, one.current.label,
            supported, one.counting.label, one.current.labelled, one.current.pairs,
        )  # fmt: skip


_ABOUT: Final = "The label of a statement as it follows from one reviewer's labels on its pairs."

FROM_PAIRS: Final = Table("labels_from_pairs.csv", _COLUMNS, _rows, _ABOUT)
"""A row for each statement, reviewer and pass with a labelled pair."""
