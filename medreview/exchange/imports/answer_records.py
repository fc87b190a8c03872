"""Answers of language models in files, and their import into the table ``response``.

A record has question, response, citations and metadata, or several answers to one question: ``answers: {model: text}``,
or a list of models with their answers.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from medreview.exchange.imports import fact_records
from medreview.exchange.imports.fact_records import FactLabel, FactRecord, facts_of
from medreview.exchange.imports.field_mapping import (
    AS_NAMED,
    RESPONSE,
    Fields,
    UnusedColumn,
    UnusedColumns,
    name_of,
    normalise_column,
    text_of,
)
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.foreign_files import shape_of_nested
from medreview.exchange.imports.json_rows import CONTEXTS, NESTING, written_out
from medreview.exchange.imports.listed_citations import GivenPage, citations_of, given_pages
from medreview.exchange.imports.open_rows import open_rows
from medreview.labels import Finish, Invalid, invalid_as
from medreview.progress import SILENT, Progress
from medreview.storable import storable_text, unstorable
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import real_lines, sha256


def one_by_one(rows: Iterator[NamedRow | BadRecord], fields: Fields) -> Iterator[NamedRow | BadRecord]:
    """The same rows; one for each answer of a record that nests several, with what the record says of all of them.

    The key of an answer is its model. Its id is that of the record and its model (``q7-atlas-2``) or number, unless it
    has one of its own, so that every response can be named.
    """
    for row in rows:
        if isinstance(row, BadRecord):
            yield row
        else:
            yield from _answers(row, fields)


def _answers(row: NamedRow, fields: Fields) -> Iterator[NamedRow | BadRecord]:
    column = _nesting(row, fields)
    if column is None:
        yield row
        return
    if what := shape_of_nested(column, row.values, fields):
        yield BadRecord(row.line, f"looks like {what}")
        return
    shared = {name: value for name, value in row.values.items() if name != column}
    named = fields.columns(row)
    answers = _each(row.values[column], fields)
    if not answers:
        yield NamedRow(row.line, shared)
    for number, answer in enumerate(answers, 1):
        own = fields.columns(NamedRow(row.line, answer))
        values = {name: value for name, value in shared.items() if not _replaced(name, named, own)} | answer
        if len(answers) > 1 and "id" in named and "id" not in own:
            model = answer[own["model"][0]] if "model" in own else number
            values[named["id"][0]] = f"{row.values[named['id'][0]]}-{model}"
        yield NamedRow(row.line, values)


def _nesting(row: NamedRow, fields: Fields) -> str | None:
    """The column that holds several answers, or ``None``."""
    columns = fields.columns(row).get("response", [])
    if not columns:
        columns = [name for name in row.values if normalise_column(name) in NESTING]
    nests = dict | list | str if columns and normalise_column(columns[0]) in NESTING else dict | list
    return columns[0] if columns and isinstance(row.values[columns[0]], nests) else None


def _replaced(name: str, shared: Mapping[str, list[str]], own: Mapping[str, list[str]]) -> bool:
    """Whether an answer has a field of its own in place of what a column says of all answers."""
    return any(name in columns and field in own for field, columns in shared.items())


def _each(value: Any, fields: Fields) -> list[dict[str, Any]]:
    if isinstance(value, str):
        value = written_out(value)
    if isinstance(value, str):
        return [{"response": value}]
    if isinstance(value, list):
        return [item if isinstance(item, dict) else {"response": item} for item in value]
    if "response" in fields.columns(NamedRow(0, value)):
        return [value]
    return [
        {"model": model, **answer} if isinstance(answer, dict) else {"model": model, "response": answer}
        for model, answer in value.items()
    ]


FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "question": ("question", "user_input"),
    "response": RESPONSE,
    "citations": ("citations",),
    "model": ("model",),
    "origin": ("origin",),
    "id": ("id",),
    "pages": ("pages", "references", "sources", "documents", "passages", "search_results", *CONTEXTS),
    "facts": fact_records.LISTS,
    "question_id": ("question_id",),
    "created_at": ("created_at",),
    "finish": ("finish", "finish_reason", "stop_reason"),
    "turns": ("turns",),
    "correct_answer": ("correct_answer", "reference_answer", "expert_answer", "gold_answer"),
    "case": ("case", "case_id"),
}
"""Field -> the column names that are recognised without ``--map``."""


class Turn(NamedTuple):
    """What a user, an assistant or a system prompt (``role``) said before an answer."""

    role: str
    text: str


class CitedRange(NamedTuple):
    """A stretch of an answer, in code points, and the entries of its list of citations that it cites; ``quote``: the
    passage that the producer says it rests on, ``""`` for none. An empty stretch is the place of a mark."""

    start: int
    end: int
    cited: tuple[str, ...]
    quote: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One answer. ``citations`` is the structured list beside the text, as written; ``line`` is its first line.

    ``response`` is empty where the record has an empty one. ``pages`` are texts of cited pages, and ``facts`` key facts
    of the question, that the record gives as well. ``invalid``: the recorded reason why it is not a response
    (``labels.invalid_as``). ``turns`` were said before it; ``ranges`` say which stretch cites what. ``producer`` is the
    format that it was read from, ``created_at`` ISO 8601, ``finish`` how it ended, ``extra`` all else that its record
    says of it. Repeated runs of one question share ``question_id``. ``correct_answer`` is a right answer to it,
    ``graded`` what people said of its key facts in this response, and ``left`` what of the file is no part of the
    answer ("reasoning"), each time that it occurs.
    """

    line: int
    question: str
    response: str
    citations: tuple[str, ...]
    model: str
    origin: str
    record_id: str
    pages: tuple[GivenPage, ...] = ()
    facts: tuple[FactRecord, ...] = ()
    invalid: Invalid = ""
    turns: tuple[Turn, ...] = ()
    ranges: tuple[CitedRange, ...] = ()
    producer: str = ""
    created_at: str = ""
    finish: Finish = ""
    question_id: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)
    correct_answer: str = ""
    graded: tuple[FactLabel, ...] = ()
    left: tuple[str, ...] = ()


_FINISHES: Final[Mapping[Finish, tuple[str, ...]]] = {
    "complete": ("stop", "end_turn", "completed", "stop_sequence", "eos", "eos_token", "finished", "success"),
    "truncated": ("length", "max_tokens", "max_output_tokens", "incomplete", "model_length", "cut", "pause_turn",
                  "model_context_window_exceeded", "interrupted"),
    "refused": ("refusal",),
    "filtered": ("content_filter", "content_filtered", "safety", "recitation", "blocklist", "prohibited_content",
                 "spii", "error_toxic", "guardrail_intervened", "language", "blocked", "image_safety"),
    "error": ("failed", "error_limit", "malformed_function_call", "cancelled"),
    "tool_call": ("tool_calls", "tool_use", "function_call"),
}  # fmt: skip
"""How a response ended -> the words of APIs for it, in lower case."""
_SECONDS: Final = 10_000_000_000
"""A time that is a larger number is in milliseconds."""


def finish_of(word: Any) -> Finish:
    """How a response ended, by the word of an API or one of :data:`~medreview.labels.FINISHES`; ``""`` for no such."""
    said = str(word or "").casefold()
    if not said:
        return ""
    return next((finish for finish, words in _FINISHES.items() if said == finish or said in words), "")


def time_of(value: Any) -> str:
    """A moment in ISO 8601: of seconds or milliseconds since 1970 in UTC, of a text as it is; ``""`` for none."""
    if isinstance(value, str) and re.fullmatch(r"\d{9,13}(?:\.\d+)?", value):
        value = float(value)
    if isinstance(value, str):
        return value.strip() if re.match(r"\d{4}-\d\d", value.strip()) else ""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e14:
        return ""
    return datetime.fromtimestamp(value / 1000 if value > _SECONDS else value, UTC).isoformat(timespec="seconds")


def _turns(value: Any) -> tuple[Turn, ...]:
    """The turns of a list of objects with a role and a text or content."""
    if isinstance(value, str):
        value = written_out(value)
    found = []
    for item in value if isinstance(value, list) else ():
        said = item.get("text", item.get("content")) if isinstance(item, dict) else None
        if isinstance(said, str):
            found.append(Turn(name_of(item, "role") or "user", text_of({"text": said}, "text")))
    return tuple(found)


Asked = Callable[[str, str], str]
"""What was asked for an answer that names a case: from the id of the case and the question of its own record (``""``:
none). Raises ``ValueError`` where that cannot be known."""


def _as_written(case: str, question: str) -> str:
    return question


def read_records(
    path: Path,
    mapping: Mapping[str, str] = AS_NAMED,
    unused: UnusedColumns | None = None,
    asked: Asked = _as_written,
) -> Iterator[AnswerRecord | BadRecord]:
    """The answers in a file of any format of ``open_rows``.

    ``mapping``: column -> field of :data:`FIELDS`. JSON Lines and tables are streamed. A record that is invalid or has
    no response becomes a :class:`BadRecord`; ``unused`` receives the others. A record's own question is kept beside the
    answer where ``asked`` has another one. Raises :class:`UserError` at once when the whole file cannot be used.
    """
    rows, _ = open_rows(path)
    fields = Fields(FIELDS, mapping)
    return (_record(row, fields, unused, asked) for row in fields.check(rows, path, ["response"], one_by_one))


def _record(
    row: NamedRow | BadRecord, fields: Fields, unused: UnusedColumns | None, asked: Asked
) -> AnswerRecord | BadRecord:
    if isinstance(row, BadRecord):
        return row
    values = fields.values(row)
    try:
        if "response" not in values and not fields.has_column(row, "response"):
            return BadRecord(row.line, "has no response")
        response = real_lines(text_of(values, "response"))
        columns = fields.columns(row)
        own, correct = text_of(values, "question").strip(), ""
        case = name_of(values, "case") if isinstance(values.get("case"), str | int | float) else ""
        question = asked(case, own) if case else own
        if question and isinstance(values.get("correct_answer"), str):
            correct = text_of(values, "correct_answer").strip()
        apart = ("citations", "pages", "facts", "case", *(() if correct else ("correct_answer",)))
        apart = apart if question == own else (*apart, "question")
        plain = [columns[field][0] for field in columns if field not in apart]
        listed, citing = _listed(row, columns, fields)
        pages, giving = _pages(row, columns)
        facts = facts_of(row, columns, {**values, "question": question})
        named = [page for page in pages if page.address]
        more = [page.address for page in named if not any(page.address in citation for citation in listed)]
        record = AnswerRecord(
            line=row.line,
            question=question,
            response=response if response.strip() else "",
            citations=(*listed, *dict.fromkeys(more)),
            model=name_of(values, "model"),
            origin=name_of(values, "origin"),
            record_id=name_of(values, "id"),
            pages=tuple(page for page in pages if page.text),
            facts=facts,
            turns=_turns(values.get("turns")),
            created_at=time_of(values.get("created_at")),
            finish=finish_of(values.get("finish")),
            question_id=name_of(values, "question_id"),
            correct_answer=correct,
            extra=_extra(row, {*plain, *citing, *giving, *(columns.get("facts", [])[:1] if facts else ())}),
        )
    except ValueError as error:
        return BadRecord(row.line, str(error))
    if unused is not None:
        placed = columns.get("case", []) if question != own else []
        unused.add(row, {*placed, *(row.values.keys() - record.extra.keys())}, values)
    return record


def _extra(row: NamedRow, used: Collection[str]) -> dict[str, Any]:
    """The filled columns that no field was made of, but such as cannot be stored."""
    rest = {name: value for name, value in row.values.items() if name not in used and value not in (None, "", [], {})}
    if not rest or not unstorable(rest):
        return rest
    return {name: value for name, value in rest.items() if not unstorable({name: value})}


def _listed(row: NamedRow, columns: Mapping[str, list[str]], fields: Fields) -> tuple[tuple[str, ...], list[str]]:
    """The structured list of citations, and the columns that it is in: all that are mapped to it, else the first."""
    named = columns.get("citations", [])
    mapped = [column for column in named if fields.mapped.get(normalise_column(column)) == "citations"]
    chosen = mapped or named[:1]
    return tuple(item for column in chosen for item in citations_of({"citations": row.values[column]})), chosen


def _pages(row: NamedRow, columns: Mapping[str, list[str]]) -> tuple[list[GivenPage], list[str]]:
    """The pages that a record gives, and the columns that they are in."""
    found = [(column, given_pages(row.values[column], column)) for column in columns.get("pages", [])]
    return [page for _, pages in found for page in pages], [column for column, pages in found if pages]


_BATCH: Final = 500
_LABELLED: Final = re.compile(r"(\[\d{1,3}\] )?(.*)", re.DOTALL)
"""An entry of a list, and the number that it may have."""


@dataclass(slots=True)
class ImportSummary:
    """Counts: records read, responses added; ``bad`` are the rejected records.

    ``empty``: responses without a text, which are kept. ``pages`` and ``facts``: records that give some of these;
    ``correct``: those that give a correct answer to their question; ``graded``: those with people's
    labels on key facts; ``ranges``: stretches of text of which the producer
    says what they cite; ``questionless``: responses without a question; ``left``: what of the file is no part of an
    answer.
    """

    read: int = 0
    added: int = 0
    bad: list[BadRecord] = field(default_factory=list)
    empty: int = 0
    pages: int = 0
    facts: int = 0
    correct: int = 0
    graded: int = 0
    ranges: int = 0
    questionless: int = 0
    unused: list[UnusedColumn] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)

    @property
    def known(self) -> int:
        """Responses that the study had already."""
        return self.read - len(self.bad) - self.added


def import_responses(
    study: Study,
    path: Path,
    mapping: Mapping[str, str] = AS_NAMED,
    progress: Progress = SILENT,
    produced: Iterable[AnswerRecord | BadRecord] | None = None,
    asked: Asked = _as_written,
) -> ImportSummary:
    """Import a file of answers into the table ``response``, 500 per transaction; idempotent.

    ``produced``: the answers in it, where a known system wrote it; else they are read as plain records, ``asked`` as
    of :func:`read_records`. Raises :class:`UserError` before anything is stored when the whole file cannot be used.
    """
    Fields(FIELDS, mapping)
    lines = open_rows(path)[1] if produced is None else 1
    unused = UnusedColumns(FIELDS)
    records = iter(produced) if produced is not None else read_records(path, mapping, unused, asked)
    progress.begin("responses", lines)
    summary, reached = ImportSummary(), 0
    while batch := list(islice(records, _BATCH)):
        good = [record for record in batch if isinstance(record, AnswerRecord)]
        summary.bad += [record for record in batch if isinstance(record, BadRecord)]
        rows = [response_row(record, storable_text(path.name)) for record in good]
        turns = [
            turn for row, record in zip(rows, good, strict=True) for turn in turn_rows(row["response_id"], record.turns)
        ]

        def store(connection: sqlite3.Connection, rows: Any = rows, turns: Any = turns) -> int:
            new = add_responses(connection, rows)
            insert(connection, "turn", turns)
            return new

        summary.added += study.write(store)
        summary.read += len(batch)
        summary.empty += sum(row["invalid"] != "" for row in rows)
        for record in good:
            summary.pages += bool(record.pages)
            summary.facts += bool(record.facts)
            summary.correct += bool(record.correct_answer and record.question)
            summary.graded += bool(record.graded)
            summary.ranges += len(record.ranges)
            summary.questionless += not record.question
            summary.left.update(record.left)
        progress.step(batch[-1].line - reached)
        reached = batch[-1].line
    progress.step(lines - reached)
    summary.unused = unused.found()
    return summary


def response_row(record: AnswerRecord, imported_from: str) -> dict[str, Any]:
    """A row of the table ``response`` without its ordinal; the id is a hash of the content."""
    content = (record.record_id, record.question, record.response, record.model, record.origin)
    return {
        "response_id": content_id("r", *content),
        "record_id": record.record_id,
        "model": record.model,
        "origin": record.origin,
        "imported_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "imported_from": imported_from,
        "listed": json.dumps(record.citations, ensure_ascii=False) if record.citations else None,
        "invalid": invalid_as(record.response, record.invalid),
        "text_sha256": sha256(record.response),
        "question": record.question,
        "text": record.response,
        **{name: getattr(record, name) for name in _TOLD},
        "extra": json.dumps(dict(record.extra), ensure_ascii=False) if record.extra else "{}",
        "ranges": json.dumps(record.ranges, ensure_ascii=False) if record.ranges else "[]",
    }


_TOLD: Final = ("producer", "created_at", "finish", "question_id")


def turn_rows(response_id: str, turns: Iterable[Turn]) -> Iterator[dict[str, Any]]:
    """The rows of the table ``turn`` of a response."""
    for ordinal, (role, text) in enumerate(turns, 1):
        yield {"response_id": response_id, "ordinal": ordinal, "role": role, "text": text}


def add_responses(connection: sqlite3.Connection, rows: Iterable[Mapping[str, Any]]) -> int:
    """Insert the new responses, numbered after the last existing one; the number of new ones.

    A known one that comes with more citations beside its text gets these as well, and what was not known of it.
    """
    last = connection.execute("SELECT coalesce(max(ordinal), 0) FROM response").fetchone()[0]
    new: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        known = connection.execute("SELECT * FROM response WHERE response_id = ?", (row["response_id"],)).fetchone()
        if known is None:
            new.setdefault(row["response_id"], row)
            continue
        if row["listed"] and row["listed"] != known["listed"]:
            add_to_list(connection, row["response_id"], json.loads(row["listed"]))
        for name, nothing in UNTOLD.items():
            if row.get(name, nothing) != nothing and known[name] == nothing:
                connection.execute(
                    f"UPDATE response SET {name} = ?, marked = NULL WHERE response_id = ?",
                    (row[name], row["response_id"]),
                )
    return insert(connection, "response", _numbered(new.values(), last))


UNTOLD: Final = {**dict.fromkeys(_TOLD, ""), "extra": "{}", "ranges": "[]"}
"""What these columns hold of a response of which nothing is known."""


def add_to_list(connection: sqlite3.Connection, response_id: str, sources: Sequence[str]) -> None:
    """Add new entries to the citations beside a response's text, which are extracted and numbered again.

    An entry that says more of the same address or identifier takes the place of the one that had nothing else: so the
    words that an earlier version did not keep come with the file that they stand in.
    """
    found = connection.execute("SELECT listed FROM response WHERE response_id = ?", (response_id,)).fetchone()
    before = json.loads(found["listed"] or "[]")
    more = [source for source in sources if source not in before]
    kept = [next((source for source in more if _says_more(source, known)), known) for known in before]
    now = list(dict.fromkeys([*kept, *more]))
    if now != before:
        connection.execute(
            "UPDATE response SET listed = ?, cited = 0, marked = NULL, references_by = NULL WHERE response_id = ?",
            (json.dumps(now, ensure_ascii=False), response_id),
        )


def _says_more(source: str, known: str) -> bool:
    """Whether an entry has all of one that is an address or identifier alone, with the same number, and words."""
    label, bare = _LABELLED.fullmatch(known).groups("")  # type: ignore[union-attr]
    return re.fullmatch(rf"{re.escape(label)}(?!\[)(?:\S.*\s)?{re.escape(bare)}(?:[;\s].*)?", source) is not None


def _numbered(rows: Iterable[Mapping[str, Any]], last: int) -> Iterator[dict[str, Any]]:
    return ({**row, "ordinal": ordinal} for ordinal, row in enumerate(rows, last + 1))
