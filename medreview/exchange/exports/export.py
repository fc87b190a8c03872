"""The study as a set of flat files that any program reads: labels first, and everything they rest on.

For who is not done with the blind labels (``export --blind``) it leaves out what machines say of units that are not
decided, and who wrote them.
"""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import medreview
from medreview.errors import UserError
from medreview.exchange.exports import annotations, label_lines, reference_rows, task_rows, unit_rows
from medreview.exchange.exports.deposit import RECORD as NO_PART
from medreview.exchange.exports.deposit import Deposit
from medreview.exchange.exports.label_rows import LABELS, REVIEWERS, UNIT_LABELS, labels_file
from medreview.exchange.exports.pair_rows import PAIRS
from medreview.exchange.exports.sqlite_database import DatabaseSummary, ExportDatabase, check_name
from medreview.exchange.exports.study_rows import (
    CITATIONS,
    EVENT_FILES,
    JUDGEMENTS,
    LEFT_OUT,
    RESPONSES,
    SCORES,
    SPANS,
    STATEMENTS,
)
from medreview.exchange.exports.wide_labels import wide_files
from medreview.exchange.files.columns import CODEBOOK, EXCEL, EXPORT_VERSION, Cell, Column, ExportFile
from medreview.exchange.files.csv_file import CsvFile, Dialect
from medreview.exchange.files.export_folder import WrittenFile, digest, new_folder, write_lines, write_manifest
from medreview.labels import LABEL_SET_VERSION
from medreview.progress import SILENT, Progress
from medreview.references.study_references import register as register_verdicts
from medreview.study import Study
from medreview.study.connection import undone_after
from medreview.units.item_answers import ANSWERS_FILE
from medreview.units.left_out_reviewers import reviewers_left_out
from medreview.units.registry import KINDS, register

_KEPT: Final = "statement_id NOT IN (SELECT statement_id FROM temp.undecided)"
_DECIDED: Final = "IN (SELECT unit FROM temp.decided)"
_NAMED: Final = f"{_DECIDED} AND unit_id NOT IN (SELECT unit FROM temp.in_open_block)"
"""Of a unit: who wrote it may be told. The same models write in the whole block."""
_UNNAMED: Final = f"""INSERT INTO temp.unnamed SELECT response_id FROM main.response AS r
    WHERE EXISTS (SELECT 1 FROM main.statement_standing AS s WHERE s.response_id = r.response_id
        AND (s.statement_id IN (SELECT statement_id FROM temp.undecided)
             OR s.statement_id IN (SELECT unit FROM temp.in_open_block)))
    OR 'answer:' || response_id IN (SELECT unit FROM temp.in_open_block)
    OR 'response:' || response_id IN (SELECT unit FROM temp.in_open_block)
    OR (NOT EXISTS (SELECT 1 FROM main.statement_standing AS s WHERE s.response_id = r.response_id)
        AND NOT 'answer:' || response_id {_DECIDED})"""
"""Responses of which it may not be told who wrote them: one with a statement that is not decided or lies in an open
block, and an answer without statements that is not decided."""
_NOT_TOLD: Final = """text IN (SELECT question FROM main.reference_answer)
        AND text NOT IN (SELECT question FROM temp.reference_answer)"""
"""Of a question: that its correct answer is left out, since an answer to it is not decided."""
_GENERATION: Final = (
    "generation_run", "generation", "generation_attempt", "generation_product", "generation_dropped",
)  # fmt: skip
"""What models were asked to write, and what came of it: it shows who wrote what, and the key of it."""
_TOLD: Final = f"'reference:' || reference_id {_DECIDED}"
_CHECKS: Final = f"""SELECT check_id, reference_id, iif({_TOLD}, verdict, NULL) AS verdict, rules, library, online,
        checked_at, iif({_TOLD}, result, without_verdict(result)) AS result FROM main."""
"""Of checks of references: what authorities have stays, what the rules make of it does not."""
_SHADOWS: Final = {
    **{table: f"SELECT * FROM main.{table} WHERE 0" for table in _GENERATION},
    **{
        table: f"SELECT * FROM main.{table} WHERE {_KEPT}"
        for table in ("judgement", "merged_judgement", "verdict", "evidence")
    },
    # Ids, files and other columns of a record often name the model, as its sentences may the machine that made them.
    "response": """SELECT response_id, ordinal, iif(u.id IS NULL, record_id, '') AS record_id,
        iif(u.id IS NULL, model, '') AS model, origin, imported_at,
        iif(u.id IS NULL, imported_from, '') AS imported_from, cited,
        iif(u.id IS NULL OR parser IS NULL, parser, 'given') AS parser, dropped, listed, text_sha256,
        question, text, marked, left_out_by, invalid, references_by, iif(u.id IS NULL, producer, '') AS producer,
        iif(u.id IS NULL, created_at, '') AS created_at, iif(u.id IS NULL, finish, '') AS finish, question_id,
        iif(u.id IS NULL, extra, '{}') AS extra, ranges
        FROM main.response LEFT JOIN temp.unnamed AS u ON u.id = response_id""",
    "opinion": f"SELECT * FROM main.opinion WHERE unit {_DECIDED}",
    # Right labels are shown when a block is done, not before.
    "gold": f"""SELECT * FROM main.gold WHERE unit {_DECIDED} AND unit NOT IN (SELECT unit FROM temp.in_open_block)""",
    # A finding tells of every statement of its response, and of the response as an answer.
    "hallucination_finding": f"""SELECT * FROM main.hallucination_finding WHERE 'answer:' || response_id {_DECIDED}
        AND response_id NOT IN (SELECT response_id FROM temp.undecided JOIN main.statement USING (statement_id))""",
    # A correct answer is nearly the right label, unless the study shows it from the start.
    "reference_answer": f"""SELECT * FROM main.reference_answer AS c
        WHERE EXISTS (SELECT 1 FROM main.study WHERE key = 'correct_answer' AND value = 'shown') OR NOT EXISTS (
            SELECT 1 FROM main.response AS r
            WHERE r.question = c.question AND NOT 'answer:' || r.response_id {_DECIDED})""",
    "key_fact_vote": f"SELECT * FROM main.key_fact_vote WHERE 'fact:' || response_id || ':' || key_fact_id {_DECIDED}",
    "unit": f"""SELECT unit_id, kind, ordinal, record_id, origin, iif(unit_id {_NAMED}, model, '') AS model,
        belongs_to, text, CASE WHEN kind = 'question' AND {_NOT_TOLD}
        THEN json_set(content, '$.answer', '', '$.quote', '') WHEN unit_id {_NAMED} THEN content
        ELSE without_models(kind, content) END AS content, content_sha256,
        iif(unit_id {_NAMED}, made_by, '{{}}') AS made_by, imported_at, imported_from FROM main.unit""",
    **{table: _CHECKS + table for table in ("reference_check", "reference_checked")},
    "source_reference": f"""SELECT response_id, source_id, reference_id, iif({_TOLD}, verdict, NULL) AS verdict
        FROM main.source_reference""",
    # Which page opens is shown in a blind queue, too; the score that it is chosen by is not.
    "source_order": f"""SELECT statement_id, source_id, snapshot_id, first, cited, readable,
        iif({_KEPT}, unsupported, NULL) AS unsupported, turn, opens FROM main.source_order""",
}
"""Tables and views of what machines say, each with what may be read of it."""


@contextmanager
def without_judges(reader: sqlite3.Connection, reviewer: str) -> Iterator[Collection[str]]:
    """While it lasts, nothing that is read here says what machines think of units the reviewer has not decided.

    Temporary views of the same names stand before the tables, so that no reader of rows can forget to ask; it yields
    the units that are decided, for what is read by the study's own views.
    """
    register(reader)
    register_verdicts(reader)
    with undone_after(reader):
        reader.execute("CREATE TEMPORARY TABLE undecided (statement_id TEXT PRIMARY KEY) WITHOUT ROWID")
        reader.execute("CREATE TEMPORARY TABLE decided (unit TEXT PRIMARY KEY) WITHOUT ROWID")
        reader.execute("CREATE TEMPORARY TABLE in_open_block (unit TEXT PRIMARY KEY) WITHOUT ROWID")
        reader.execute(
            """INSERT INTO temp.decided
               SELECT DISTINCT unit FROM standing WHERE reviewer = ? AND state = 'decided'""",
            (reviewer,),
        )
        reader.execute(
            """INSERT INTO temp.in_open_block SELECT DISTINCT unit FROM kept_blind
               WHERE reviewer = ? AND act = 'decide' AND NOT seen""",
            (reviewer,),
        )
        reader.execute(
            """INSERT INTO temp.undecided SELECT statement_id FROM statement
               WHERE statement_id NOT IN (SELECT unit FROM temp.decided)"""
        )
        reader.execute("CREATE TEMPORARY TABLE unnamed (id TEXT PRIMARY KEY) WITHOUT ROWID")
        reader.execute(_UNNAMED)
        for name, allowed in _SHADOWS.items():
            reader.execute(f"CREATE TEMPORARY VIEW {name} AS {allowed}")
        yield {row[0] for row in reader.execute("SELECT unit FROM temp.decided")}


def exported_for(reader: sqlite3.Connection, blind_for: str | None) -> AbstractContextManager[Collection[str] | None]:
    """What is read while it lasts is for everybody, or for a reviewer with blind labels to give (``without_judges``).

    It yields the units of which that reviewer may know what machines say; ``None`` for everybody, who may know all.
    """
    return nullcontext() if blind_for is None else without_judges(reader, blind_for)


T = TypeVar("T")


def _codebook(files: Iterable[ExportFile], extra: Sequence[Column] = ()) -> Iterator[Sequence[Cell]]:
    for file in files:
        for column in (*file.columns, *extra):
            yield file.file, column.name, column.type, column.unit, " ".join(column.levels), column.meaning


_OF_KINDS: Final = tuple(table for kind in KINDS.values() for table in kind.tables)
FILES: Final[dict[str, ExportFile]] = {
    file.file: file
    for file in (
        LABELS, SPANS, PAIRS, JUDGEMENTS, *EVENT_FILES, RESPONSES, STATEMENTS, LEFT_OUT, CITATIONS, *task_rows.FILES,
        REVIEWERS, UNIT_LABELS, *unit_rows.FILES, *_OF_KINDS, *unit_rows.GENERATION_FILES, ANSWERS_FILE,
        *reference_rows.FILES, SCORES,
    )
}  # fmt: skip
"""Every CSV file of an export whose columns are the same in all studies, but for the code book; in their order."""


def export_files(reader: sqlite3.Connection, deposit: Deposit | None = None) -> dict[str, ExportFile]:
    """Every CSV file of an export of a study, in their order: the last ones are of its reviewers, and the code book."""
    wide = wide_files(reader, deposit.alias if deposit else str)
    partial = bool(reviewers_left_out(reader))
    files = {
        file.file: file
        for file in (*FILES.values(), labels_file(reader), *wide)
        if not ((deposit or partial) and file.file in NO_PART)
    }
    book = ExportFile(
        "codebook.csv", CODEBOOK, lambda _: _codebook(files.values()),
        "The columns of the CSV files that these tables were made with.",
        key=("file", "column"), facets=("file",),
    )  # fmt: skip
    files[book.file] = book
    return files


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """Rows of each file, and of all together; ``database`` when one was asked for."""

    files: dict[str, int]
    total: int
    database: DatabaseSummary | None = None


def export(
    study: Study,
    folder: Path,
    dialect: Dialect = "analysis",
    progress: Progress = SILENT,
    *,
    database: str = "",
    jsonl: bool = False,
    page_text: bool = True,
    blind_for: str | None = None,
    for_deposit: bool = False,
) -> ExportSummary:
    """Write the study into a folder; an earlier, unchanged export of the same study there is replaced.

    ``database`` names an SQLite file in the folder that gets the same rows, whatever the dialect, and the pages of the
    sources (without their texts unless ``page_text``), with metadata for Datasette beside it. ``jsonl`` adds
    ``labels.jsonl`` (:mod:`medreview.exchange.exports.label_lines`), with passages of the pages on that condition.

    ``blind_for``: a reviewer with blind labels to give. Every file leaves out what machines say of units that this
    reviewer has not decided, which models wrote them, and their right labels.

    While reviewers are left out (``medreview.units.left_out_reviewers``) no file has their labels, the manifest names
    them, and the record of events, whose hashes are of everybody's, is not written.

    ``for_deposit``: for a repository (:mod:`medreview.exchange.exports.deposit`); not with a database or the dialect
    for Excel.

    The files agree with each other: all are read in one transaction. They depend on the study only, so that the same
    study gives the same bytes. Raises :class:`UserError` when the folder holds anything else or cannot be written.
    """
    if database:
        check_name(database)
    if for_deposit and (database or dialect == "excel"):
        raise UserError("A deposit is made of plain CSV files: leave out the database and the dialect for Excel.")
    reader = study.reader
    deposit = Deposit(reader) if for_deposit else None
    study_id = deposit.study_id if deposit else study.meta("study_id")
    written: dict[str, CsvFile | WrittenFile] = {}
    with (
        new_folder(folder, study_id) as place,
        undone_after(reader),
        exported_for(reader, blind_for) as told,
        labels_once(reader),
        ExitStack() as stack,
    ):
        files = export_files(reader, deposit)
        copy = stack.enter_context(ExportDatabase(place, database, files.values())) if database else None
        counted = [reader.execute(f"SELECT count(*) FROM {file.counted}") for file in files.values() if file.counted]
        progress.begin("export", sum(count.fetchone()[0] for count in counted))
        for name, of_file in files.items():
            rows = of_file.read(reader)
            if told is not None and of_file in _OF_KINDS:
                rows = _allowed(rows, of_file, told)
            if deposit:
                rows = deposit.masked(of_file, rows)
            if of_file.counted:
                rows = _told(rows, progress)
            if copy:
                rows = copy.copied(of_file.table, rows)
            if name == "codebook.csv" and dialect == "excel":  # two columns more, which the database does not have
                list(rows)
                rows = _codebook(files.values(), EXCEL)
            with CsvFile(place / name, of_file.columns, dialect) as file:
                written[name] = file.add_all(rows)
        named = deposit.alias if deposit else str
        written[annotations.FILE] = annotations.write_annotations(place / annotations.FILE, reader, study_id, named)
        if jsonl:
            shown = page_text and deposit is None
            lines = label_lines.LabelLines(reader, page_text=shown, told=told, named=named)
            written[label_lines.FILE] = write_lines(place / label_lines.FILE, lines)
        manifest = _manifest(reader, dialect, written) | ({} if blind_for is None else {"blind_for": blind_for})
        made = None
        if copy:
            made = copy.finish(reader, manifest, progress, page_text=page_text)
            manifest["database"] = {name: {"sha256": digest(place / name)} for name in (made.file, made.metadata)}
        if left := reviewers_left_out(reader):
            manifest |= {
                "event_head": "",
                "left_out": [asdict(one) | {"reviewer": named(one.reviewer)} for one in left],
            }
        if deposit:
            manifest |= {"study_id": deposit.study_id, "event_head": "", "deposit": True}
            newest = reader.execute("SELECT max(at_utc) FROM event").fetchone()[0] or manifest["created_at"]
            written |= deposit.describe(place, manifest, files, newest)
            manifest["files"] = _written(written)
        write_manifest(place, manifest)
    counts = {name: file.rows for name, file in written.items()}
    return ExportSummary(counts, sum(counts.values()), made)


@contextmanager
def labels_once(reader: sqlite3.Connection) -> Iterator[None]:
    """While it lasts, ``axis_label`` is a table of what the view of this name gave when it began.

    The rows lie in SQLite's temporary file and in no memory of their number. Whoever reads in it is in one transaction,
    so that the view would give the same; the study's own views go on with the view itself.
    """
    with undone_after(reader):
        reader.execute("CREATE TEMPORARY TABLE axis_label_once AS SELECT * FROM axis_label")
        reader.execute("CREATE INDEX temp.axis_label_of_unit ON axis_label_once (unit, reviewer, pass, axis)")
        reader.execute("DROP VIEW IF EXISTS temp.axis_label")  # that of left_out_reviewers
        reader.execute("CREATE TEMPORARY VIEW axis_label AS SELECT * FROM temp.axis_label_once")
        yield


def _told(rows: Iterable[T], progress: Progress) -> Iterator[T]:
    count = 0
    for row in rows:
        yield row
        count += 1
        if count % 1000 == 0:
            progress.step(1000)
    progress.step(count % 1000)


def _allowed(rows: Iterable[Sequence[Cell]], file: ExportFile, told: Collection[str]) -> Iterator[Sequence[Cell]]:
    """The rows on units of which the reader may know what machines say: of a file that names no unit, none."""
    names = [column.name for column in file.columns]
    if "unit_id" not in names:
        return iter(())
    place = names.index("unit_id")
    return (row for row in rows if row[place] in told)


def _manifest(
    reader: sqlite3.Connection, dialect: Dialect, written: Mapping[str, CsvFile | WrittenFile]
) -> dict[str, Any]:
    study = dict(reader.execute("SELECT key, value FROM study").fetchall())
    head = reader.execute("SELECT hash FROM event ORDER BY event_id DESC LIMIT 1").fetchone()
    return {
        "export_version": EXPORT_VERSION,
        "dialect": dialect,
        "study_id": study["study_id"],
        "title": study["title"],
        "created_at": study["created_at"],
        "app_version": medreview.__version__,
        "label_set_version": LABEL_SET_VERSION,
        "event_head": head["hash"] if head else "",
        "files": _written(written),
    }


def _written(files: Mapping[str, CsvFile | WrittenFile]) -> dict[str, Any]:
    return {name: {"rows": file.rows, "sha256": file.sha256} for name, file in files.items()}
