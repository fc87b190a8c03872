"""The before/after table of an assisted run as a file: a row for each judge and response."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output
from medreview.exchange.files.columns import Column, levels_of
from medreview.exchange.files.csv_file import CsvFile, sign_of
from medreview.exchange.files.event_payload import Cell
from medreview.labels import HALLUCINATION
from medreview.stats.reports.assisted_runs import AssistedReport

_TYPES: Final = levels_of(HALLUCINATION)
ASSISTED: Final = (
    Column("judge", "text", "The judge."),
    Column("model", "text", "Its model."),
    Column("response_id", "text", "The response."),
    Column("record_id", "text", "Its id in the file it came from."),
    Column("origin", "text", "Where the question came from."),
    Column("type_before", "text", "What it found by itself; empty when it abstained.", levels=_TYPES),
    Column("type_after", "text", "What it found with an expert's remarks; empty when it abstained.", levels=_TYPES),
    Column("reviewer_label", "text", "The reviewers' label of the answer; empty without one, or where they differ.",
           levels=_TYPES),
    Column("gold_label", "text", "The right label; empty when none is known, or while it is silent.", levels=_TYPES),
)  # fmt: skip


def assisted_rows(report: AssistedReport) -> Iterator[Sequence[Cell]]:
    """The rows, by judge and response."""
    for row in report.responses:
        yield (
            row.judge, row.model, row.response_id, row.record_id, row.origin, row.before, row.after, row.reviewer,
            row.gold,
        )  # fmt: skip


def write_assisted(report: AssistedReport, path: Path) -> None:
    """Write them to a file; raises :class:`UserError` when it is another file, or cannot be written."""
    sign = sign_of(ASSISTED)
    with atomic_output(path, sign) as place, CsvFile(place, ASSISTED, "excel") as file:
        file.add_all(assisted_rows(report))
