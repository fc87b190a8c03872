"""Import of one file, whatever it holds: answers, judgements, a SourceCheckup table, an export, key facts.

Formats are detected by the content of files, so that one command imports everything.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from medreview.citations.stage import extract_all, list_pairs
from medreview.errors import UserError
from medreview.exchange.imports import answer_records, judgements, sourcecheckup
from medreview.exchange.imports.answer_records import (
    AnswerRecord,
    import_responses,
    one_by_one,
    read_records,
    response_row,
)
from medreview.exchange.imports.document_files import read_document
from medreview.exchange.imports.field_mapping import (
    AS_NAMED,
    Fields,
    UnusedColumn,
    UnusedColumns,
    columns_of,
    is_constant,
    peek,
)
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.foreign_files import refuse_foreign, refuse_labels
from medreview.exchange.imports.headings import splitting_at_headings
from medreview.exchange.imports.import_export import import_export
from medreview.exchange.imports.judgements import JudgementRecord, read_judgements
from medreview.exchange.imports.open_rows import notes_on, open_rows
from medreview.exchange.imports.sourcecheckup import import_sourcecheckup
from medreview.judges.import_judgements import store_judgements
from medreview.progress import Progress
from medreview.references.exported import add_exported_references
from medreview.sources.stage import store_given
from medreview.storable import storable_text
from medreview.study import Study
from medreview.study.ids import unit_id
from medreview.study.unit_table import key_fact_id
from medreview.text import counted, sha256
from medreview.units.formats import FORMATS
from medreview.units.key_fact_files import asked_about, became_other, store_facts
from medreview.units.new_units import ImportedLabel, add_labels
from medreview.units.stored import add_reference
from medreview.units.unit_format import CorrectAnswers, UnitFormat, format_of, import_units

if TYPE_CHECKING:
    from medreview.exchange.producers import Produced

Kind = Literal["responses", "judgements", "sourcecheckup", "export"]

FIELDS_OF: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "judgements": judgements.FIELDS,
    "sourcecheckup": sourcecheckup.FIELDS,
    "responses": answer_records.FIELDS,
}
"""The fields of the records of each kind of file."""
_CHARACTERISTIC: Final[Mapping[Kind, tuple[str, ...]]] = {
    "judgements": ("judge", "statement", "source", "label"),
    "sourcecheckup": sourcecheckup.REQUIRED,
}


def detect_format(path: Path, mapping: Mapping[str, str] = AS_NAMED) -> Kind:
    """The format of a path.

    A folder with a manifest is an export. A file whose records have a judge, a statement, a source and a label contains
    judgements, one with statement, source and decision is a SourceCheckup table, any other contains responses.
    Raises :class:`UserError` when the file cannot be read, for another folder, and for a mapping to an unknown field.
    """
    if path.is_dir():
        if (path / "manifest.json").is_file():
            return "export"
        raise UserError(f"{path} is a folder without a manifest.json; name a file in it, or the folder of an export.")
    known = dict.fromkeys(field for names in FIELDS_OF.values() for field in names)
    Fields(dict.fromkeys(known, ()), mapping)
    if _produced(path, mapping):
        return "responses"
    rows, _ = open_rows(path)
    first, _ = peek(rows)
    columns = columns_of(first)
    for kind, characteristic in _CHARACTERISTIC.items():
        if Fields.among(FIELDS_OF[kind], mapping).present(columns).issuperset(characteristic):
            return kind
    return "responses"


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which answers are read of a file, and what the file does not say.

    ``producer`` is the format to read it as, ``""`` what it looks like. ``question`` is that of the answers without
    one; ``requests`` is a file of what was asked, by the ids of its answers. Of an export of chats ``only`` takes those
    with these words in their titles, ``since`` those from a date on, ``everything`` all of them, however many.
    ``split_at_headings`` makes of a text an answer for each heading with a question.
    """

    producer: str = ""
    question: str = ""
    requests: Path | None = None
    only: str = ""
    since: str = ""
    everything: bool = False
    split_at_headings: bool = False


_AS_FOUND: Final = Chosen()
_MOST_NAMED: Final = 20
_SHOWN: Final = 3
_WORDS: Final = ("response", "statement", "fact", "text", "answer", "quote")
"""Fields whose first words tell a person what a record is."""


@dataclass(slots=True)
class Imported:
    """The import of one file: ``kind`` of content, how much of it was new, and what was left out.

    Of an export the events are counted, of a table its responses. ``empty``: responses without a text, kept as invalid.
    ``given``: sources whose text came with the answers, ``facts``: key facts that did, ``correct``: records with a
    correct answer to their question. Of a file of units ``kind`` is that of the units, ``cases`` counts the cases that
    they are about, ``gold`` right labels, ``opinions`` what machines say of them, ``labels`` what people said, of which
    nothing else may be in a file (``known`` counts these then); ``odd`` are records that came in and are not as they
    should be. ``producer``: the format that a known system wrote it in; ``ranges``: stretches of text of which that
    says what they cite; ``left``: what of the file is no part of an answer, and how often. ``unused``: columns that no
    field was made of. ``warnings``: sentences on what is missing in the file.
    """

    file: str
    kind: str
    read: int
    added: int
    known: int
    bad: list[BadRecord] = field(default_factory=list)
    empty: int = 0
    given: int = 0
    facts: int = 0
    correct: int = 0
    cases: int = 0
    gold: int = 0
    opinions: int = 0
    labels: int = 0
    producer: str = ""
    ranges: int = 0
    left: dict[str, int] = field(default_factory=dict)
    odd: list[BadRecord] = field(default_factory=list)
    unused: list[UnusedColumn] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def brings(self) -> bool:
        """Whether anything of the file is new."""
        return any((self.added, self.given, self.facts, self.cases, self.gold, self.opinions, self.labels))


@dataclass(frozen=True, slots=True)
class Preview:
    """What a file holds, before anything of it is stored: ``kind`` as of :class:`Imported`, how many ``records``, how
    many of these are left out, and of the ``first`` ones id, question and first words; ``producer``: the format that a
    known system wrote it in; ``chats``: date and title of the conversations of an export of chats, newest first;
    ``notes``: sentences on how it is read."""

    file: str
    kind: str
    records: int
    bad: int
    first: list[tuple[str, str, str]]
    producer: str = ""
    chats: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def added(self) -> int:
        """How many records can be used."""
        return self.records - self.bad


def speaks_of_statements(path: Path, mapping: Mapping[str, str]) -> bool:
    """Whether a file can only come in when the statements it speaks of are there: judgements, people's labels on pairs.

    Raises :class:`UserError` when it cannot be read.
    """
    if _produced(path, mapping):
        return False
    form = _form(path, mapping)
    return form.on_statements if form is not None else detect_format(path, mapping) == "judgements"


def preview(path: Path, mapping: Mapping[str, str], chosen: Chosen = _AS_FOUND) -> Preview:
    """What a file would add. Raises :class:`UserError` as :func:`import_file` does before it stores anything."""
    if known := _produced(path, mapping, chosen):
        read = list(known)
        good = [(one.record_id or f"line {one.line}", one.question, one.response) for one in _records(read)]
        bad = len(read) - len(good)
        return Preview(str(path), "responses", len(read), bad, good[:_SHOWN], known.name, _chats(known))
    with splitting_at_headings(chosen.split_at_headings):
        return _preview(path, _for_file(path, mapping, chosen))


def _preview(path: Path, mapping: Mapping[str, str]) -> Preview:
    form = _form(path, mapping)
    kind = form.name if form is not None else detect_format(path, mapping)
    if kind == "export":
        return Preview(str(path), kind, 0, 0, [])
    if kind == "responses":
        _refuse_other_tables(path, mapping)
    names = form.fields if form is not None else FIELDS_OF[kind]
    unfold = form.unfold if form is not None else one_by_one if kind == "responses" else None
    fields = Fields.among({**names, "unit": ("unit",)}, mapping)
    records = bad = 0
    first: list[tuple[str, str, str]] = []
    required = form.required if form is not None else ("response",) if kind == "responses" else ()
    for row in fields.check(open_rows(path)[0], path, required, unfold):
        records += 1
        values = fields.values(row) if isinstance(row, NamedRow) else {}
        if isinstance(row, BadRecord) or (kind == "responses" and not isinstance(values.get("response", ""), str)):
            bad += 1
        elif len(first) < _SHOWN:
            words = next((values[name] for name in _WORDS if isinstance(values.get(name), str)), "")
            first.append((str(values.get("id", f"line {row.line}")), str(values.get("question", "")), words))
    return Preview(str(path), kind, records, bad, first, notes=notes_on(path))


def import_file(
    study: Study,
    path: Path,
    mapping: Mapping[str, str],
    progress: Progress,
    *,
    as_copy: bool = False,
    chosen: Chosen = _AS_FOUND,
) -> Imported:
    """Import one file or folder, whatever it holds, and extract the citations of the new responses.

    ``as_copy``: also the export of another study; ``chosen``: of answers of a known system.
    Raises :class:`UserError` when the file cannot be used as a whole.
    """
    if known := _produced(path, mapping, chosen):
        _refuse_whole_history(path, known)
        return _answers(study, path, mapping, known, progress)
    with splitting_at_headings(chosen.split_at_headings):
        done = _import(study, path, _for_file(path, mapping, chosen), progress, as_copy=as_copy)
        if done.kind != "export":
            done.warnings = [*notes_on(path), *done.warnings]
    return done


def _for_file(path: Path, mapping: Mapping[str, str], chosen: Chosen) -> Mapping[str, str]:
    """The mapping, with the question that is given for answers whose file has none. Of a document that holds prose only
    its constants: columns that it names are those of a table beside it."""
    if path.is_dir():
        return mapping
    document = read_document(path) if mapping else None
    if document is not None and document.text is not None:
        mapping = {column: to for column, to in mapping.items() if is_constant(column)}
    if not chosen.question:
        return mapping
    columns = columns_of(peek(open_rows(path)[0])[0])
    has_one = "question" in Fields.among(answer_records.FIELDS, mapping).present(columns)
    return mapping if has_one else {**mapping, "question:": chosen.question}


def _import(study: Study, path: Path, mapping: Mapping[str, str], progress: Progress, *, as_copy: bool) -> Imported:
    form = _form(path, mapping)
    if form is not None:
        return _units(study, path, form, mapping, progress)
    kind = detect_format(path, mapping)
    if kind == "judgements":
        return _judgements(study, path, mapping, progress)
    if kind == "export":
        told = import_export(study, path, progress, as_copy=as_copy, also=add_exported_references)
        done = Imported(str(path), kind, told.read, told.added, told.known)
    elif kind == "responses":
        return _answers(study, path, mapping, None, progress)
    else:
        done, decisions = import_table(study, path, mapping, progress)
        store_decisions(study, done, decisions, progress)
    extract_all(study, progress)
    return done


def _form(path: Path, mapping: Mapping[str, str]) -> UnitFormat | None:
    """The format of a file of units, ``None`` for any other; raises :class:`UserError` for one that another program
    wrote for itself."""
    if path.is_dir():
        return None
    first, _ = peek(open_rows(path)[0])
    columns = columns_of(first)
    form = format_of(path, FORMATS.values(), mapping)
    fits = form is not None and Fields.among(form.fields, mapping).present(columns).issuperset(form.required)
    if not (fits or "unit" in columns or "unit:" in mapping):
        refuse_foreign(path, first, Fields.among(answer_records.FIELDS, mapping))
    return form


def _answers(
    study: Study, path: Path, mapping: Mapping[str, str], known: "Produced | None", progress: Progress
) -> Imported:
    """The answers of a file, their citations, and what their records give beside them; ``known``: as the system that
    wrote the file has them.

    What they give is read in a second pass, since it needs the sources that the citations name.
    """
    if known is None:
        _refuse_other_tables(path, mapping)
    asked = asked_about(study)
    told = import_responses(study, path, mapping, progress, known, asked)
    if told.bad and told.read == len(told.bad):
        raise UserError(f"{path} holds no answer that can be read: line {told.bad[0].line} {told.bad[0].reason}.")
    done = Imported(str(path), "responses", told.read, told.added, told.known, told.bad, told.empty, unused=told.unused)
    done.producer, done.ranges, done.left = known.name if known else "", told.ranges, dict(told.left)
    if told.questionless and known:
        done.warnings.append(_no_question(told.questionless))
    extract_all(study, progress)
    file = storable_text(path.name)

    def again() -> Iterator[AnswerRecord]:
        return _records(known or read_records(path, mapping, asked=asked))

    if told.pages:
        given = store_given(study, (page for record in again() for page in record.pages), file, progress)
        done.given = given.stored
        if given.unnamed:
            done.warnings.append(f"texts of pages without an address or identifier, not used: {given.unnamed}")
    if told.facts:
        stored = store_facts(study, (fact for record in again() for fact in record.facts), file)
        done.facts = stored.added
        done.warnings += became_other(stored)
    if told.correct:
        done.correct = told.correct
        done.odd += _store_correct(study, again(), file)
    if told.graded:
        done.labels = study.write(lambda connection: add_labels(connection, _graded(again())))
    return done


def _graded(records: Iterable[AnswerRecord]) -> Iterator[ImportedLabel]:
    """What people said of the key facts in responses, as labels on these."""
    for record in records:
        response = response_row(record, "")
        for one in record.graded:
            yield ImportedLabel(
                unit=unit_id("fact", response["response_id"], key_fact_id(sha256(record.question), one.fact)),
                reviewer=one.reviewer,
                axis="presence",
                label=one.label,
                texts={"statement_sha256": response["text_sha256"]},
                group="expert",
            )


def _store_correct(study: Study, records: Iterable[AnswerRecord], file: str) -> list[BadRecord]:
    """Store the correct answers that records give to their questions; those that another one contradicts."""
    known, odd = CorrectAnswers(study), []
    given: dict[str, str] = {}
    for record in records:
        if record.correct_answer and record.question:
            odd += [BadRecord(record.line, why) for why in known.otherwise([(record.question, record.correct_answer)])]
            given.setdefault(record.question, record.correct_answer)

    def store(connection: sqlite3.Connection) -> None:
        for question, text in given.items():
            add_reference(connection, question, text, file)

    study.write(store)
    return odd


def _no_question(count: int) -> str:
    return (
        f"no question in the file for {counted(count, 'response')}; give it with --question TEXT, or give the file of "
        "what was asked with --requests FILE"
    )


def _produced(path: Path, mapping: Mapping[str, str], chosen: Chosen = _AS_FOUND) -> "Produced | None":
    """The answers of a file that a known system wrote; ``--map`` says that the file is one of plain records.

    Raises :class:`UserError` for a file of another producer than the one that is chosen.
    """
    from medreview.exchange.producers import produced

    if mapping or path.is_dir():
        return None
    return produced(path, chosen)


_MOST_CHATS: Final = 20
"""Conversations that come in unasked; of more, which ones is to be said: nobody means to review a whole history."""


def _refuse_whole_history(path: Path, known: "Produced") -> None:
    """Raise :class:`UserError` for an export of many chats of which nobody said which are meant."""
    chosen = known.chosen
    if chosen.everything or chosen.only or chosen.since:
        return
    chats = _chats(known)
    if len(chats) > _MOST_CHATS:
        raise UserError(
            f"{path} holds {len(chats):,} conversations; say which with --only WORDS of the title, with --since DATE, "
            f"or take all with --all-chats. The newest are: {'; '.join(chats[:_SHOWN])}. --dry-run lists them."
        )


def _chats(known: "Produced") -> list[str]:
    """Date and title of each conversation of an export of chats, newest first."""
    found = sorted(known.choices(), key=lambda one: one.created_at, reverse=True)
    return [" ".join(filter(None, (one.created_at[:10], one.title or "without a title"))) for one in found]


def is_asked(path: Path) -> bool:
    """Whether a file holds what was asked of a model, by id, and no answers: the input of a batch."""
    from medreview.exchange.producers import is_asked

    return path.is_file() and is_asked(path)


def _refuse_other_tables(path: Path, mapping: Mapping[str, str]) -> None:
    """Raise :class:`UserError` for a file with questions of which no column is known to be an answer, and for one with
    labels."""
    fields = Fields(answer_records.FIELDS, mapping)
    rows = peek(one_by_one(open_rows(path)[0], fields))[0]
    columns = columns_of(rows)
    present = fields.present(columns)
    if "question" in present and "response" not in present:
        raise UserError(
            f"{path} has questions and no column for the response (it has {', '.join(columns[:_MOST_NAMED])}); say "
            "which with --map COLUMN=response, or with --map unit:=question that nobody has answered them yet."
        )
    refuse_labels(path, rows, fields)


def _units(study: Study, path: Path, form: UnitFormat, mapping: Mapping[str, str], progress: Progress) -> Imported:
    told = import_units(study, path, form, mapping, progress)
    done = Imported(str(path), form.name, told.read, told.added, told.known, told.bad, unused=told.unused)
    done.cases, done.gold, done.opinions = told.cases, told.gold, told.opinions
    done.labels, done.odd = told.labels, told.odd
    done.warnings += form.cautions(told.bad)
    if form.on_statements:  # it brings labels alone
        done.known = told.read - told.labels
    extract_all(study, progress)
    return done


def _records(answers: Iterable[AnswerRecord | BadRecord]) -> Iterator[AnswerRecord]:
    return (record for record in answers if isinstance(record, AnswerRecord))


def import_table(
    study: Study, path: Path, mapping: Mapping[str, str], progress: Progress
) -> tuple[Imported, list[JudgementRecord]]:
    """Responses, citations and statements of a SourceCheckup table, and its decisions, which need the pages."""
    table = import_sourcecheckup(study, path, mapping, progress)
    extract_all(study, progress)
    list_pairs(study, table.decisions)
    done = Imported(str(path), "sourcecheckup", table.read, table.added, table.known, table.bad, unused=table.unused)
    done.warnings += [table.missing] if table.missing else []
    return done, table.decisions


def store_decisions(study: Study, done: Imported, decisions: Iterable[JudgementRecord], progress: Progress) -> None:
    """Store the decisions of a table as judgements; those whose page is not there are left out and named."""
    stored = store_judgements(study, decisions, progress)
    done.bad = sorted([*done.bad, *(BadRecord(*left) for left in stored.bad)], key=lambda record: record.line)


def _judgements(study: Study, path: Path, mapping: Mapping[str, str], progress: Progress) -> Imported:
    if not study.reader.execute("SELECT 1 FROM statement LIMIT 1").fetchone():
        raise UserError(
            f"{path} holds judgements, but the study has no statements yet; import answers, then `fetch` and `parse`."
        )
    bad: list[BadRecord] = []
    unused = UnusedColumns(())

    def good() -> Iterator[JudgementRecord]:
        for record in read_judgements(path, mapping, unused):
            if isinstance(record, BadRecord):
                bad.append(record)
            else:
                yield record

    summary = store_judgements(study, good(), progress)
    read = summary.read + len(bad)
    bad = sorted([*bad, *(BadRecord(*left) for left in summary.bad)], key=lambda record: record.line)
    return Imported(str(path), "judgements", read, summary.added, summary.known, bad, unused=unused.found())
