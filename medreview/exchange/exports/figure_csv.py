"""Figures as CSV files: a row for each figure of a report; before and after of assisted runs; cost and key facts."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output, check_own
from medreview.exchange.files.columns import Column, levels_of
from medreview.exchange.files.csv_file import Cell, CsvFile, sign_of
from medreview.labels import HALLUCINATION
from medreview.stats.formulas.estimate import figure_rows
from medreview.stats.reports.provenance import Provenance
from medreview.stats.units.fact_report import TradeOff
from medreview.stats.units.hallucination_detection import AssistedReport
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
        return file.add_all(_figure_cells(figures, origin)).rows


def figures_text(figures: object, origin: Provenance) -> str:
    """The same rows as text for standard output: plain, and without anything that could steer a terminal."""
    written = io.StringIO()
    rows = csv.writer(written, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    rows.writerow([column.name for column in FIGURES])
    for row in _figure_cells(figures, origin):
        rows.writerow([visible_line(cell) if isinstance(cell, str) else cell for cell in row])
    return written.getvalue()


def _figure_cells(figures: object, origin: Provenance) -> Iterator[Sequence[Cell]]:
    state = (origin.study_id, origin.event_head, origin.where, origin.version, origin.made_at)
    for row in figure_rows(figures):
        drawn = None if row.seed is None else origin.replicates
        counted = (row.n, row.clusters, row.left_out, row.reason, row.notes or None, row.seed, drawn)
        estimate = (row.statistic, row.value, row.low, row.high, row.level, row.method)
        yield (row.path, row.context, *estimate, *counted, *state)


_HALLUCINATION_TYPES: Final = levels_of(HALLUCINATION)
ASSISTED: Final = (
    Column("judge", "text", "The judge."),
    Column("model", "text", "Its model."),
    Column("response_id", "text", "The response."),
    Column("record_id", "text", "Its id in the file it came from."),
    Column("origin", "text", "Where the question came from."),
    Column("type_before", "text", "What it found by itself; empty when it abstained.", levels=_HALLUCINATION_TYPES),
    Column("type_after", "text", "What it found with an expert's remarks; empty when it abstained.",
           levels=_HALLUCINATION_TYPES),
    Column("reviewer_label", "text", "The reviewers' label of the answer; empty without one, or where they differ.",
           levels=_HALLUCINATION_TYPES),
    Column("gold_label", "text", "The right label; empty when none is known, or while it is silent.",
           levels=_HALLUCINATION_TYPES),
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


TRADE_OFF: Final = (
    Column("system", "text", "The model of the responses."),
    Column("model", "text", "The model that wrote them here; empty where they came in a file."),
    Column("strategy", "text", "How it wrote them."),
    Column("texts", "integer", "Responses that key facts are held against; one for each case."),
    Column("cost_per_case", "number", "All calls for a text, mean over texts; empty when not known of all of them."),
    Column("seconds_per_case", "number", "The time of these calls, one after the other, mean.", unit="s"),
    Column("presence", "number", "The share of key facts that the texts say.", unit="0 to 1"),
    Column("presence_low", "number", "The lower end of its interval over cases.", unit="0 to 1"),
    Column("presence_high", "number", "The upper end.", unit="0 to 1"),
    Column("facts", "integer", "Facts that the share is of."),
    Column("no_cost", "text", "Why the cost is not known."),
    Column("no_time", "text", "Why the time is not known."),
)

TRADE_OFF_SIGN: Final = sign_of(TRADE_OFF)
"""How the file begins."""


def write_trade_off_csv(found: Sequence[TradeOff], path: Path) -> None:
    """Write a row for each system to a new file in a workplace, in the dialect for Excel, since names of models come
    from outside. Raises ``OSError``."""
    rows = (
        (
            one.system, one.model, one.strategy, one.texts, one.cost, one.seconds, one.presence.value,
            one.presence.low, one.presence.high, one.presence.n, one.no_cost or None, one.no_time or None,
        )
        for one in found
    )  # fmt: skip
    with CsvFile(path, TRADE_OFF, "excel") as file:
        file.add_all(rows)
