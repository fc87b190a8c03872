"""Figures as a CSV file: a row for each, with the state of the study that it is of."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output, check_own
from medreview.exchange.files.columns import Column
from medreview.exchange.files.csv_file import CsvFile, sign_of
from medreview.exchange.files.event_payload import Cell
from medreview.stats.reports.figure_rows import figure_rows
from medreview.stats.reports.provenance import Provenance
from medreview.visible import visible_line

FIGURES: Final = (
    Column("path", "text", "Where the figure stands in the JSON of the same command."),
    Column("context", "text", "What it is of: names and choices that stand around it, NAME=VALUE; NAME=VALUE."),
    Column("statistic", "text", "Its name."),
    Column("value", "number", "Shares are fractions; empty when it is undefined."),
    Column("low", "number", "Where its interval begins; empty where there is none."),
    Column("high", "number", "Where it ends."),
    Column("level", "number", "Of the interval: 0.95."),
    Column("method", "text", "How the interval was made; count: a plain number."),
    Column("n", "integer", "Items that it rests on."),
    Column("responses", "integer", "Responses that these are in, where they are the unit of resampling."),
    Column("left_out", "integer", "Items left out, because a judgement or a label is missing."),
    Column("reason", "text", "Why there is no value, or no interval."),
    Column("notes", "text", "Cautions."),
    Column("seed", "integer", "Of the resampling."),
    Column("replicates", "integer", "Of the resampling."),
    Column("study_id", "text", "The study."),
    Column("event_head", "text", "Hash of its newest event: with the same one, the same decisions stand."),
    Column("where", "text", "The filter that chose the part of the study; empty for all of it."),
    Column("version", "text", "Of medreview."),
    Column("made_at", "time", "When.", unit="UTC"),
)


def check_figures(path: Path) -> None:
    """Raise :class:`UserError` where :func:`write_figures` would: before the work, not after it."""
    check_own(path, sign_of(FIGURES))


def write_figures(figures: object, origin: Provenance, path: Path) -> int:
    """Write every figure of a report, in the dialect for Excel; gives their number.

    Raises :class:`UserError` when ``path`` is another file, or cannot be written.
    """
    with (
        atomic_output(path, sign_of(FIGURES)) as place,
        CsvFile(place, FIGURES, "excel") as file,
    ):
        return file.add_all(_cells(figures, origin)).rows


def figures_text(figures: object, origin: Provenance) -> str:
    """The same rows as text for standard output: plain, and without anything that could steer a terminal."""
    written = io.StringIO()
    rows = csv.writer(written, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    rows.writerow([column.name for column in FIGURES])
    for row in _cells(figures, origin):
        rows.writerow([visible_line(cell) if isinstance(cell, str) else cell for cell in row])
    return written.getvalue()


def _cells(figures: object, origin: Provenance) -> Iterator[Sequence[Cell]]:
    state = (origin.study_id, origin.event_head, origin.where, origin.version, origin.made_at)
    for row in figure_rows(figures):
        drawn = None if row.seed is None else origin.replicates
        counted = (row.n, row.clusters, row.left_out, row.reason, row.notes or None, row.seed, drawn)
        estimate = (row.statistic, row.value, row.low, row.high, row.level, row.method)
        yield (row.path, row.context, *estimate, *counted, *state)
