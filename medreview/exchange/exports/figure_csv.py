"""CSV files of reports: a row for each figure; before and after of assisted runs; cost and key facts; conflicts."""

import csv
import io
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from types import SimpleNamespace
from typing import Final

from medreview.exchange.files.columns import Cell, Column, cells, levels_of
from medreview.labels import HALLUCINATION
from medreview.review.conflicts import Conflict
from medreview.stats.formulas.estimate import figure_rows
from medreview.stats.reports.provenance import Provenance
from medreview.stats.units.hallucination_detection import SHOWN, AssistedReport
from medreview.units.registry import unit_name
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
    Column("clusters", "integer", "What these lie in, where that is the unit of resampling; empty for single items."),
    Column(
        "cluster", "text", "What one of them is: question, response, case, ...", made=lambda row: row.cluster or None
    ),
    Column("left_out", "integer", "Items left out, because a judgement or a label is missing."),
    Column("reason", "text", "Why there is no value, or no interval."),
    Column("notes", "text", "Cautions.", made=lambda row: row.notes or None),
    Column("seed", "integer", "Of the resampling."),
    Column(
        "replicates", "integer", "Of the resampling.", made=lambda row: None if row.seed is None else row.replicates
    ),
    Column("study_id", "text", "The study."),
    Column("event_head", "text", "Hash of its newest event: with the same one, the same decisions stand."),
    Column("where", "text", "The filter that chose the part of the study; empty for all of it."),
    Column("version", "text", "Of medreview."),
    Column("made_at", "time", "When.", unit="UTC"),
)


def figures_text(figures: object, origin: Provenance) -> str:
    """The same rows as text for standard output: plain, and without anything that could steer a terminal."""
    written = io.StringIO()
    rows = csv.writer(written, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    rows.writerow([column.name for column in FIGURES])
    for row in figure_cells(figures, origin):
        rows.writerow([visible_line(cell) if isinstance(cell, str) else cell for cell in row])
    return written.getvalue()


def figure_cells(figures: object, origin: Provenance) -> Iterator[Sequence[Cell]]:
    """A row for every figure of a report."""
    state = asdict(origin)
    for row in figure_rows(figures):
        yield cells(FIGURES, SimpleNamespace(**state | row._asdict()))


_HALLUCINATION_TYPES: Final = levels_of(HALLUCINATION)
ASSISTED: Final = (
    Column("judge", "text", "The judge."),
    Column("model", "text", "Its model."),
    Column("response_id", "text", "The response."),
    Column("record_id", "text", "Its id in the file it came from."),
    Column("origin", "text", "Where the question came from."),
    Column("type_before", "text", "What it found by itself; empty when it abstained.", levels=_HALLUCINATION_TYPES,
           made=lambda row: row.before),
    Column("type_after", "text", "What it found with an expert's remarks; empty when it abstained.",
           levels=_HALLUCINATION_TYPES, made=lambda row: row.after),
    Column("shown", "text", "What of the expert's words it was shown then.", levels=SHOWN),
    Column("reviewer_label", "text", "The reviewers' label of the answer; empty without one, or where they differ.",
           levels=_HALLUCINATION_TYPES, made=lambda row: row.reviewer),
    Column("gold_label", "text", "The right label; empty when none is known, or while it is silent.",
           levels=_HALLUCINATION_TYPES, made=lambda row: row.gold),
)  # fmt: skip


def assisted_rows(report: AssistedReport) -> Iterator[Sequence[Cell]]:
    """The rows, by judge and response."""
    return (cells(ASSISTED, row) for row in report.responses)


TRADE_OFF: Final = (
    Column("system", "text", "The model of the responses."),
    Column("model", "text", "The model that wrote them here; empty where they came in a file."),
    Column("strategy", "text", "How it wrote them."),
    Column("texts", "integer", "Responses that key facts are held against; one for each case."),
    Column("cost_per_case", "number", "All calls for a text, mean over texts; empty when not known of all of them.",
           made=lambda one: one.cost),
    Column("seconds_per_case", "number", "The time of these calls, one after the other, mean.", unit="s",
           made=lambda one: one.seconds),
    Column("presence", "number", "The share of key facts that the texts say.", unit="0 to 1",
           made=lambda one: one.presence.value),
    Column("presence_low", "number", "The lower end of its interval over cases.", unit="0 to 1",
           made=lambda one: one.presence.low),
    Column("presence_high", "number", "The upper end.", unit="0 to 1", made=lambda one: one.presence.high),
    Column("facts", "integer", "Facts that the share is of.", made=lambda one: one.presence.n),
    Column("no_cost", "text", "Why the cost is not known.", made=lambda one: one.no_cost or None),
    Column("no_time", "text", "Why the time is not known.", made=lambda one: one.no_time or None),
)  # fmt: skip

CONFLICTS: Final = (
    Column("unit_id", "text", "The unit.", made=lambda one: one.unit),
    Column("unit_name", "text", "What the screen calls it."),
    Column("kind", "text", "Which kind of unit it is."),
    Column("axis", "text", "The axis on which the labels differ."),
    Column("open", "boolean", "1: it waits for a word that settles it."),
    Column("reviewer_id", "text", "Who gave the label of this row.", made=lambda one: one.reviewer),
    Column("label", "text", "The label."),
    Column("mode", "text", "blind or assisted."),
    Column("independent", "boolean", "1: no other reviewer's label or note had been seen before it."),
    Column("given_utc", "time", "When it was given.", made=lambda one: one.at_utc),
    Column("reason_code", "text", "Why it differs from the machines'.", made=lambda one: one.reason or None),
    Column("note", "text", "The reviewer's note on the unit.", made=lambda one: one.note or None),
    Column("text", "text", "The text that goes with the label.", made=lambda one: one.text or None),
    Column("adjudicated_label", "text", "The label that settled it last.",
           made=lambda one: one.settled and one.settled.label),
    Column("adjudicated_by", "text", "By a third reviewer, or by agreement.",
           made=lambda one: one.settled and one.settled.by),
    Column("adjudicator_id", "text", "Who recorded that.", made=lambda one: one.settled and one.settled.reviewer),
    Column("adjudicated_utc", "time", "When.", made=lambda one: one.settled and one.settled.at_utc),
)  # fmt: skip


def conflict_rows(reader: sqlite3.Connection, found: Iterable[Conflict]) -> Iterator[Sequence[Cell]]:
    """The rows by :data:`CONFLICTS`."""
    for one in found:
        about = {"unit": one.unit, "kind": one.kind, "axis": one.axis, "open": one.open, "settled": one.settled}
        for given in one.labels:
            yield cells(CONFLICTS, SimpleNamespace(**about, **asdict(given), unit_name=unit_name(reader, one.unit)))
