"""One table of a few columns, a row for each label, where the folder of an export is too much."""

import csv
import io
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output, check_own
from medreview.exchange.exports.export import exported_for, labels_once
from medreview.exchange.exports.label_lines import LabelLines, Record
from medreview.exchange.files.columns import Cell, Column, cells_of, levels_of
from medreview.exchange.files.csv_file import CsvFile, Dialect, sign_of
from medreview.labels import HALLUCINATION, REASONS
from medreview.study import Study
from medreview.study.connection import undone_after
from medreview.study.ids import STATEMENT
from medreview.visible import visible_line

_HALLUCINATION: Final = "hallucination"
COLUMNS: Final = (
    Column("id", "text", "The id of the response's record in the file it came from; without one the response_id of the "
           "other files."),
    Column("unit", "text", "What was labelled: a statement, or another kind of unit."),
    Column("question", "text", "The question."),
    Column("model", "text", "The model that gave the response."),
    Column("text", "text", "The statement, or what else the unit says."),
    Column("source", "text", "Address of the page on the screen when the label was given."),
    Column("machine_verdict", "text", "What the judges say together, as a level or two-way; of other units each word "
           "that judges gave."),
    Column("reviewer", "text", "Who labelled."),
    Column("mode", "text", "blind: labelled before anything of the judges' opinion had been seen; assisted: after. "
           "Never pool them.", levels=("blind", "assisted")),
    Column("label", "text", "The current label on the axis of the unit; empty: none."),
    Column("hallucination", "text", "Of a statement the current label on the hallucination axis; empty: none.",
           levels=levels_of(HALLUCINATION)),
    Column("reason", "text", "Why the label differs from the judges.", levels=levels_of(REASONS)),
    Column("note", "text", "The reviewer's note on the unit."),
    Column("decided_at", "time", "When the label was given.", unit="UTC"),
)  # fmt: skip


def label_rows(reader: sqlite3.Connection, told: Collection[str] | None = None) -> Iterator[Sequence[Cell]]:
    """A row for each unit and reviewer with a label of the first pass; the units in the order of the study.

    ``told``: of which units the reader may know what machines say, where these are not all.
    """
    made = cells_of(COLUMNS)
    for record in LabelLines(reader, page_text=False, told=told).records():
        given = [label for label in record["labels"] if label["pass_no"] == 1]
        for _, labels in groupby(given, key=itemgetter("reviewer_id")):
            if row := _row(record, {label["axis"]: label for label in labels}):
                yield made(row)


def _row(record: Record, labels: dict[str, Record]) -> Record | None:
    """``None`` where the labels are on other axes, which this table has no column for."""
    main = labels.get(record["axis"])
    invented = labels.get(_HALLUCINATION) if record["kind"] == STATEMENT else None
    label = main or invented
    if label is None:
        return None
    urls = {source["source_id"]: source["url"] for source in record["sources"]}
    judges = dict.fromkeys(judge["label"] for judge in record["judges"] if judge["label"])
    return {
        "id": record["record_id"] or record["response_id"],
        "unit": record["kind"],
        **{name: record[name] for name in ("question", "model", "text")},
        "source": urls.get(label["source_id"], ""),
        "machine_verdict": record["verdict"] or record["support"] if record["kind"] == STATEMENT else "; ".join(judges),
        "reviewer": label["reviewer_id"],
        "mode": label["mode"],
        "label": main["label_final"] if main else "",
        "hallucination": invented["label_final"] if invented else "",
        "reason": label["reason_code"],
        "note": label["note"],
        "decided_at": label["decided_utc"],
    }


def write_table(study: Study, path: Path, dialect: Dialect = "analysis", *, blind_for: str | None = None) -> int:
    """Write the table to a file, in place of an earlier one; gives the number of its rows.

    ``blind_for`` as of :func:`~medreview.exchange.exports.export.export`. Raises :class:`UserError` when ``path`` is
    another file, or cannot be written.
    """
    with atomic_output(path, _sign(path)) as place, CsvFile(place, COLUMNS, dialect) as file:
        return file.add_all(_read(study, blind_for)).rows


def check_table(path: Path) -> None:
    """Raise :class:`UserError` where :func:`write_table` would: before the work, not after it."""
    check_own(path, _sign(path))


def table_lines(study: Study, *, shown: bool, blind_for: str | None = None) -> Iterator[str]:
    """The table as the lines of a CSV file, for standard output; ``shown`` on a terminal, which nothing may steer."""
    held = io.StringIO()
    writer = csv.writer(held, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    for row in chain([[column.name for column in COLUMNS]], _read(study, blind_for)):
        writer.writerow([visible_line(cell) if shown and isinstance(cell, str) else cell for cell in row])
        yield held.getvalue()
        held.seek(0)
        held.truncate()


def _read(study: Study, blind_for: str | None) -> Iterator[Sequence[Cell]]:
    reader = study.reader
    with undone_after(reader), exported_for(reader, blind_for) as told, labels_once(reader):
        yield from label_rows(reader, told)


def _sign(path: Path) -> bytes:
    """How an earlier table there begins: the dialects differ in one mark."""
    sign = sign_of(COLUMNS)
    if not path.is_file():
        return sign
    with path.open("rb") as file:
        return sign if file.read(3) == sign[:3] else sign[3:]
