"""The exported files, columns and rows, of units other than statements and of what belongs to these.

The columns of unit_labels.csv, everybody's labels of every unit, stand here too; its rows are in ``unit_label_rows``.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, cast

from medreview.exchange.files.columns import CODE_POINTS, EXPOSURE, Column, Type
from medreview.exchange.files.csv_file import Cell, flatten
from medreview.labels import ADJUDICATED_BY, FLAGS
from medreview.text import sha256
from medreview.units.kind import Table
from medreview.units.registry import KINDS

_IMPORTED: Final = (
    Column("imported_at", "time", "When it was imported.", unit="UTC"),
    Column("imported_from", "text", "From which file."),
)
_QUESTION_SHA256: Final = Column("question_sha256", "text", "SHA-256 of the question's UTF-8 bytes.")
_TEXT_SHA256: Final = Column("text_sha256", "text", "SHA-256 of the text's UTF-8 bytes.")
UNIT: Final = Column("unit_id", "text", "The unit: KIND:ID, KIND:ID:ID; of a statement its id alone.")
_AXIS: Final = Column("axis", "text", "The axis of the label; quality/1, quality/2, ... of a ranking's outputs.")

UNITS: Final = (
    Column("unit_id", "text", "The unit: its kind, and a hash of its content."),
    Column("kind", "text", "Which kind of unit it is."),
    Column("ordinal", "integer", "Its number among those of its kind."),
    Column("record_id", "text", "Its id in the file it came from."),
    Column("origin", "text", "Where it came from: a stratum."),
    Column("model", "text", "The model that wrote it."),
    Column("belongs_to", "text", "The case, passage, snapshot or response that it belongs to: what to resample; "
           "empty = itself."),
    *_IMPORTED,
    Column("content", "text", "Which values its content has: name:type, parted by blanks, as in the column payload of "
           "events.csv. The values stand in unit_values.csv."),
    Column("content_sha256", "text", "SHA-256 of its content as the study stores it."),
    Column("withheld", "boolean", "1: in its content the names of what wrote it are empty, for who must not know them "
           "yet."),
    Column("made_by", "text", "Which values there are on what generated it, likewise; empty when it was given."),
    Column("text", "text", "What lists show: the question, the key fact."),
)  # fmt: skip

UNIT_VALUES: Final = (
    Column("unit_id", "text", "The unit."),
    Column("part", "text", "Whether the value is of its content, or of what generated it.",
           levels=("content", "made_by")),
    Column("name", "text", "Name of the value, as written in that column of units.csv."),
    Column("value", "text", "The value."),
)  # fmt: skip

PASSAGES: Final = (
    Column("passage_id", "text", "A text that questions, items and revisions are about."),
    Column("title", "text", "Its title."),
    Column("url", "text", "Where it came from."),
    *_IMPORTED,
    _TEXT_SHA256,
    Column("text", "text", "The text."),
)

PASSAGE_RUNS: Final = (
    Column("passage_run_id", "text", "One choice of passages from texts; of several the newest one holds."),
    Column("at_utc", "time", "When it was made first.", unit="UTC"),
    Column("entities", "text", "What found the entities: the program's term lists, or a tagger by its command."),
    Column("vectors", "text", "What compared the sentences: TF-IDF, or a model at a host."),
    Column("alike", "number", "The cosine above which two sentences are of one cluster."),
    Column("keep", "number", "The share that was to be kept; empty where the thresholds were given."),
    Column("density", "number", "The thresholds: this density at least,"),
    Column("variance", "number", "this variance at most,"),
    Column("entropy", "number", "this entropy at most.", unit="nat"),
)

PASSAGE_FEATURES: Final = (
    Column("passage_run_id", "text", "The choice."),
    Column("source", "text", "The text: a file's name, a snapshot_id, a passage_id."),
    Column("text_sha256", "text", "The hash of the text."),
    Column("start_cp", "integer", "Where in it the paragraph stands: first code point."),
    Column("end_cp", "integer", "The end of that, half-open."),
    Column("paragraph_id", "text", "The paragraph: its passage_id in passages.csv where it was kept."),
    Column("beginning", "text", "Its first words."),
    Column("tokens", "integer", "Its tokens."),
    Column("sentences", "integer", "Its sentences."),
    Column("density", "number", "Tokens of entities among all; this and the next two are empty where not measured."),
    Column("variance", "number", "Variance of the cosines of consecutive sentences."),
    Column("entropy", "number", "Entropy of the clusters of its sentences.", unit="nat"),
    Column("codes", "text", "The rules that left it out, one word after the other; empty where it was kept."),
)

CASES: Final = (
    Column("case_id", "text", "A patient's story as written for a study."),
    Column("ordinal", "integer", "Its number in the study."),
    Column("record_id", "text", "Its id in the file it came from."),
    Column("title", "text", "Its title."),
    Column("question", "text", "What models were asked to write about it."),
    _QUESTION_SHA256,
    *_IMPORTED,
    Column("reference", "text", "The text that a human wrote."),
)

CASE_NOTES: Final = (
    Column("note_id", "text", "One note of a case."),
    Column("case_id", "text", "The case."),
    Column("ordinal", "integer", "Its place among the notes of the case, by their dates, from 1."),
    Column("kind", "text", "History and physical, progress note, note of another profession, or another.",
           levels=("hp", "progress", "allied", "other")),
    Column("at", "text", "Its date."),
    Column("author", "text", "Who is said to have written it."),
    _TEXT_SHA256,
    Column("text", "text", "The note."),
)  # fmt: skip

REFERENCE_ANSWERS: Final = (
    _QUESTION_SHA256,
    Column("question", "text", "A question."),
    *_IMPORTED,
    Column("text", "text", "What a correct answer to it is."),
)

GOLD: Final = (
    UNIT,
    _AXIS,
    Column("label", "text", "The right label, known beforehand."),
    Column("why", "text", "Why it is right."),
    Column("attention", "boolean", "1: no judgement is needed to get it right, only attention."),
    Column("added_by", "text", "Who brought it in, or the file it came from."),
    Column("added_at", "time", "When it was brought in.", unit="UTC"),
)

GOLD_SPANS: Final = (
    UNIT,
    _AXIS,
    Column("ordinal", "integer", "Its number among the spans that belong to the right label, from 1."),
    Column("target", "text", "Which text of the unit it lies in: response, source:ID, passage, note:ID, output:N."),
    Column("start_cp", "integer", "Start of the half-open range.", unit=CODE_POINTS),
    Column("end_cp", "integer", "End of the half-open range.", unit=CODE_POINTS),
    Column("exact", "text", "Its words, where they were given."),
    Column("label", "text", "The level that it is marked with."),
)

OPINIONS: Final = (
    Column("opinion_id", "text", "What a machine says of a unit."),
    UNIT,
    Column("judge", "text", "Who says it."),
    Column("model", "text", "Its model."),
    Column("prompt_id", "text", "Its prompt."),
    _AXIS,
    Column("raw_label", "text", "The judge's own word, as given."),
    Column("label", "text", "The level of the axis that it is; empty when it maps to none."),
    Column("confidence", "number", "As given; empty when none.", unit="0 to 1"),
    Column("reason", "text", "The reason as given."),
    Column("quote", "text", "The quote as given."),
    Column("given_at", "time", "When it came into the study.", unit="UTC"),
    Column("imported_from", "text", "From which file."),
)

UNIT_LABELS: Final = (
    UNIT,
    Column("kind", "text", "Which kind of unit it is."),
    Column("cluster_id", "text", "The response, case or passage that it is part of, or itself: what to resample."),
    Column("record_id", "text", "Its id, or that of its response, in the file it came from."),
    Column("origin", "text", "Where it, or its response, came from: a stratum."),
    Column("model", "text", "The model that wrote it, or its response."),
    Column("reviewer_id", "text", "Who labelled."),
    Column("pass_no", "integer", "Which time this reviewer went through the study, from 1."),
    Column("axis", "text", "The axis of the label; without a label the main axis of the kind."),
    Column("mode", "text", "blind: label_first was given before anything of the machines' opinion had been seen; "
           "assisted: it had been. Never pool them. Empty without a label.", levels=("blind", "assisted")),
    Column("label_first", "text", "The label that stood when the machines' opinion was seen; where it was seen from "
           "the start, the first that still stands."),
    Column("label_final", "text", "The current label; of a ranking the outputs' numbers, best first."),
    Column("changed_after_reveal", "boolean", "1: label_first is blind and was changed once the machines' opinion had "
           "been seen."),
    Column("text", "text", "The text that the label goes with, as of a key fact that was edited."),
    Column("category", "text", "The category that the label goes with."),
    Column("via", "text", "How label_final was given."),
    Column("reason_code", "text", "Why label_final differs from the machines'."),
    Column("adjudicated_label", "text", "The label that settles a conflict of reviewers on this unit and axis, as long "
           "as it stands."),
    Column("adjudicated_by", "text", "Settled by a third reviewer, or by agreement.", levels=ADJUDICATED_BY),
    Column("adjudicator_id", "text", "Who recorded that."),
    Column("note", "text", "The reviewer's current note on the unit."),
    *(Column(f"flag_{flag.level}", "boolean", f"1: flagged. {flag.definition}") for flag in FLAGS),
    Column("deferred_times", "integer", "How often the unit was put off."),
    Column("n_spans", "integer", "Spans of the unit that stand in spans.csv."),
    *(Column(f"exposure_{part}", "text", f"Whether {words} had been seen before label_final; empty when not known.",
             levels=("no", "before")) for part, words in EXPOSURE),
    Column("shown_order", "text", "The order in which a ranking's outputs stood on the screen, by their numbers."),
    Column("seed", "integer", "The seed of that order."),
    Column("guideline_version", "text", "Version of the guidelines at label_final."),
    Column("queue_name", "text", "The queue in which label_first was given (without one: the last queue)."),
    Column("first_shown_utc", "time", "When the unit was first shown.", unit="UTC"),
    Column("first_decided_utc", "time", "When label_first was given.", unit="UTC"),
    Column("decided_utc", "time", "When label_final was given.", unit="UTC"),
    Column("active_ms", "integer", "Working time up to label_final, as the workbench measured it.", unit="ms"),
    Column("n_keys", "integer", "Keys pressed up to label_final."),
    Column("text_sha256", "text", "SHA-256 of the text that label_final is about."),
    Column("label_set_version", "text", "Version of the label set at label_final."),
    Column("first_event_id", "text", "The event of label_first."),
    Column("final_event_id", "text", "The event of label_final."),
    Column("n_events", "integer", "Events of this reviewer on the unit in this pass, retracted ones too."),
)  # fmt: skip


_UNITS: Final = "SELECT * FROM unit ORDER BY kind, ordinal"
_GOLD_SPANS: Final = "SELECT unit, axis, spans FROM gold WHERE spans <> '[]' ORDER BY unit, axis"
_TABLES: Final = {
    "passages.csv": "passage ORDER BY passage_id",
    "passage_runs.csv": "passage_run ORDER BY at_utc, passage_run_id",
    "passage_features.csv": "passage_feature ORDER BY rowid",
    "cases.csv": "clinical_case ORDER BY ordinal",
    "case_notes.csv": "case_note ORDER BY case_id, ordinal",
    "reference_answers.csv": "reference_answer ORDER BY question_sha256",
    "gold.csv": "gold ORDER BY unit, axis",
    "opinions.csv": "opinion ORDER BY unit, axis, opinion_id",
}
"""Files whose columns are those of a table, with the order of their rows."""
_OTHER_NAMES: Final = {("gold.csv", "unit_id"): "unit", ("opinions.csv", "unit_id"): "unit",
                       ("passage_features.csv", "paragraph_id"): "passage_id"}  # fmt: skip

_PARTS: Final = ("content", "made_by")
_OF_KINDS: Final = tuple(table for kind in KINDS.values() for table in kind.tables)

_Rows = Callable[[], Iterable[Sequence[Cell]]]

FILES: Final[dict[str, tuple[Column, ...]]] = {
    "units.csv": UNITS,
    "unit_values.csv": UNIT_VALUES,
    "passages.csv": PASSAGES,
    "passage_runs.csv": PASSAGE_RUNS,
    "passage_features.csv": PASSAGE_FEATURES,
    "cases.csv": CASES,
    "case_notes.csv": CASE_NOTES,
    "reference_answers.csv": REFERENCE_ANSWERS,
    "gold.csv": GOLD,
    "gold_spans.csv": GOLD_SPANS,
    "opinions.csv": OPINIONS,
    **{
        table.file: tuple(Column(name, cast(Type, kind), meaning) for name, kind, meaning in table.columns)
        for table in _OF_KINDS
    },
}
"""Every file of units with its columns; last the tables that the kinds have for themselves."""


def unit_files(reader: sqlite3.Connection, told: Collection[str] | None) -> dict[str, _Rows]:
    """Each of :data:`FILES` with what gives its rows.

    ``told``: the units of which the reader of the export may know what machines say; ``None``: of all.
    """
    files: dict[str, _Rows] = {
        "units.csv": lambda: _unit_rows(reader),
        "unit_values.csv": lambda: _value_rows(reader),
        "gold_spans.csv": lambda: _gold_span_rows(reader),
    }
    return (
        files
        | {name: partial(_table_rows, reader, name) for name in _TABLES}
        | {table.file: partial(_kind_rows, reader, table, told) for table in _OF_KINDS}
    )


def _table_rows(reader: sqlite3.Connection, name: str) -> Iterator[Sequence[Cell]]:
    columns = ", ".join(f'"{_OTHER_NAMES.get((name, column.name), column.name)}"' for column in FILES[name])
    return (tuple(row) for row in reader.execute(f"SELECT {columns} FROM {_TABLES[name]}"))


def _kind_rows(reader: sqlite3.Connection, table: Table, told: Collection[str] | None) -> Iterator[Sequence[Cell]]:
    """The rows of a table of a kind; of one that names no unit, all or, where not all may be known, none."""
    if told is None:
        return iter(table.rows(reader))
    names = [name for name, _, _ in table.columns]
    if UNIT.name not in names:
        return iter(())
    place = names.index(UNIT.name)
    return (row for row in table.rows(reader) if row[place] in told)


def _unit_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(_UNITS):
        cells: dict[str, Cell] = dict(row) | {part: flatten(json.loads(row[part]))[0] for part in _PARTS}
        cells["withheld"] = int(sha256(row["content"]) != row["content_sha256"])
        yield [cells[column.name] for column in UNITS]


def _value_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(_UNITS):
        for part in _PARTS:
            for name, value in flatten(json.loads(row[part]))[1].items():
                yield row["unit_id"], part, name, value


def _gold_span_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for unit, axis, spans in reader.execute(_GOLD_SPANS):
        for number, span in enumerate(json.loads(spans), 1):
            yield unit, axis, number, span["target"], span["start"], span["end"], span.get("exact"), span["label"]
