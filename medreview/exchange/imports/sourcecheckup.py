"""Import of tables written by SourceCheckup: one row for every statement x source pair, with a decision and its reason.

Decisions are binary. "Not found" includes what is only partly supported (SourceCheckup's verification prompt), so it is
never mapped to a finer label: the raw label is kept, and ``medreview.judges.votes`` maps it. The reason of a
"found" pair is the direct quote from the source (SourceCheckup, Methods, "Source verification").
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from medreview.exchange.imports.answer_records import FIELDS as RECORD_FIELDS
from medreview.exchange.imports.answer_records import AnswerRecord, add_responses, add_to_list, response_row
from medreview.exchange.imports.field_mapping import (
    AS_NAMED,
    Fields,
    UnusedColumn,
    UnusedColumns,
    name_of,
    normalise_column,
    text_of,
)
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.judgements import JudgementRecord
from medreview.exchange.imports.listed_citations import encoded
from medreview.exchange.imports.open_rows import open_rows
from medreview.progress import SILENT, Progress
from medreview.storable import storable_text
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import sha256

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "statement": ("statement", "claim", "fact"),
    "source": ("citation_url", "citation", "source_url", "source", "url"),
    "decision": ("decision",),
    "reason": ("reason",),
    "quote": ("quote",),
    "judge": ("judge",),
    "judge_model": ("judge_model",),
    "question": RECORD_FIELDS["question"],
    "response": RECORD_FIELDS["response"],
    "model": ("model",),
    "origin": ("origin",),
    "id": ("id",),
}
"""Field -> the column names that are recognised without ``--map``."""

REQUIRED: Final = ("statement", "source", "decision")
PARSER: Final = "given"
"""The stored parser name of a response whose statements were imported with it."""

_BATCH: Final = 500
_DECISIONS: Final = ("found", "not found", "yes", "no", "supported", "not supported", "unsupported")
_FOUND: Final = ("found", "yes", "supported")


@dataclass(frozen=True, slots=True)
class TableSummary:
    """Counts: rows read, responses added and known, statements added. ``decisions`` are to be stored once the pages are
    fetched; ``bad`` are the rejected rows; ``missing`` is a sentence on what the rows had to be grouped without."""

    read: int
    added: int
    known: int
    statements: int
    decisions: list[JudgementRecord]
    bad: list[BadRecord]
    unused: list[UnusedColumn]
    missing: str


@dataclass(slots=True)
class _Answer:
    """One response of the table with its statements and sources, in order of first occurrence."""

    line: int
    content: tuple[str, str, str, str, str]
    statements: dict[str, None] = field(default_factory=dict)
    sources: dict[str, None] = field(default_factory=dict)
    decisions: list[tuple[NamedRow, dict[str, Any]]] = field(default_factory=list)

    def shares(self, statement: str, source: str) -> bool:
        """Whether one of the two occurred in it."""
        return statement in self.statements or source in self.sources


def import_sourcecheckup(
    study: Study, path: Path, mapping: Mapping[str, str] = AS_NAMED, progress: Progress = SILENT
) -> TableSummary:
    """Import the responses of a SourceCheckup table with their lists of citations, and its statements; idempotent.

    Rows belong to one response when id, question, response, model and origin are equal. Where a row has none of the
    first three, it belongs to the response of the row above as long as they share model and origin, and its statement
    or its source occurs there. Without a response column the statements, one a line, are the response. A statement gets
    a span in the response when it occurs there verbatim. The decisions are returned for
    ``medreview.judges.import_judgements.store_judgements``, which needs the pages.
    Raises :class:`UserError` when the whole file cannot be used.
    """
    rows, lines = open_rows(path)
    fields = Fields(FIELDS, mapping)
    answers = _Answers()
    unused = UnusedColumns(FIELDS)
    bad: list[BadRecord] = []
    read = 0
    for row in fields.check(rows, path, REQUIRED):
        read += 1
        if (problem := _take(row, fields, answers, unused)) is not None:
            bad.append(problem)
    progress.begin("responses", lines)
    added = statements = 0
    decisions: list[JudgementRecord] = []
    waiting = iter(answers.all)
    while batch := list(islice(waiting, _BATCH)):
        prepared = [(answer, response_row(_record(answer), storable_text(path.name))) for answer in batch]
        new, parsed = study.write(lambda connection, prepared=prepared: _store(connection, prepared))  # type: ignore[misc]
        added += new
        statements += parsed
        decisions += [
            _decision(row, values, response) for answer, response in prepared for row, values in answer.decisions
        ]
    progress.step(lines)
    return TableSummary(
        read,
        added,
        len(answers.all) - added,
        statements,
        sorted(decisions, key=lambda d: d.line),
        bad,
        unused.found(),
        answers.missing(),
    )


class _Answers:
    """A table's responses, distinguished as well as its columns allow."""

    def __init__(self) -> None:
        self.all: list[_Answer] = []
        self._named: dict[tuple[str, ...], _Answer] = {}
        self._last: _Answer | None = None
        self._runs = 0

    def of(self, line: int, content: tuple[str, str, str, str, str], statement: str, source: str) -> _Answer:
        """The response that a row belongs to."""
        if any(content[:3]):
            answer = self._named.get(content)
            if answer is None:
                answer = self._named[content] = self._new(line, content)
        else:
            answer = self._last
            if answer is None or answer.content != content or not answer.shares(statement, source):
                answer = self._new(line, content)
                self._runs += 1
        self._last = answer
        return answer

    def _new(self, line: int, content: tuple[str, str, str, str, str]) -> _Answer:
        self.all.append(_Answer(line, content))
        return self.all[-1]

    def missing(self) -> str:
        """A sentence on what would distinguish the responses or is shown in their place; ``""`` for nothing."""
        if self._runs:
            many = "1 response" if self._runs == 1 else f"{self._runs:,} responses"
            return (
                "no row says which question or response it belongs to: neighbouring rows that share a statement or a "
                f"source were taken together, as {many}; in a new study, name the column: --map COLUMN=question "
                "(or response, id)"
            )
        if self.all and not any(answer.content[2].strip() for answer in self.all):
            return "no text of the responses: the statements of each stand for it; name it with --map COLUMN=response"
        return ""


def _take(row: NamedRow | BadRecord, fields: Fields, answers: _Answers, unused: UnusedColumns) -> BadRecord | None:
    if isinstance(row, BadRecord):
        return row
    values = fields.values(row)
    try:
        statement, source = text_of(values, "statement").strip(), " ".join(text_of(values, "source").split())
        if any("url" in normalise_column(column) for column in fields.columns(row).get("source", ())[:1]):
            source = encoded(source)
        decision = name_of(values, "decision")
        content = (
            name_of(values, "id"),
            text_of(values, "question").strip(),
            text_of(values, "response"),
            name_of(values, "model"),
            name_of(values, "origin"),
        )
        details = {name: text_of(values, name) for name in ("reason", "quote")}
        details |= {name: name_of(values, name) for name in ("judge", "judge_model")}
    except ValueError as error:
        return BadRecord(row.line, str(error))
    for name, value in (("statement", statement), ("source", source), ("decision", decision)):
        if not value:
            return BadRecord(row.line, f"has no {name}")
    if _normalised(decision) not in _DECISIONS:
        return BadRecord(row.line, f"has the decision {decision[:40]!r}; known are {', '.join(_DECISIONS)}")
    unused.add(row, [columns[0] for columns in fields.columns(row).values()], values)
    answer = answers.of(row.line, content, statement, source)
    answer.statements[statement] = None
    answer.sources[source] = None
    answer.decisions.append((row, {**details, "statement": statement, "source": source, "decision": decision}))
    return None


def _record(answer: _Answer) -> AnswerRecord:
    record_id, question, text, model, origin = answer.content
    response = text if text.strip() else "\n".join(answer.statements)
    return AnswerRecord(answer.line, question, response, tuple(answer.sources), model, origin, record_id)


def _decision(row: NamedRow, values: Mapping[str, str], response: Mapping[str, Any]) -> JudgementRecord:
    reason_is_quote = _normalised(values["decision"]) in _FOUND and not values["quote"]
    return JudgementRecord(
        judge=values["judge"] or "SourceCheckup",
        model=values["judge_model"],
        prompt="",
        response=response["response_id"],
        statement=values["statement"],
        source=values["source"],
        label=values["decision"],
        confidence=None,
        reason="" if reason_is_quote else values["reason"],
        said={"quotes": [values["reason"] if reason_is_quote else values["quote"]]},
        line=row.line,
    )


def _store(connection: sqlite3.Connection, prepared: Sequence[tuple[_Answer, dict[str, Any]]]) -> tuple[int, int]:
    """(responses added, statements added)."""
    added = add_responses(connection, (row for _, row in prepared))
    statements = 0
    for answer, row in prepared:
        found = connection.execute(
            "SELECT parser FROM response WHERE response_id = ?", (row["response_id"],)
        ).fetchone()
        add_to_list(connection, row["response_id"], list(answer.sources))
        if found["parser"] in (None, PARSER):
            statements += _parse(connection, row, list(answer.statements))
    return added, statements


def _parse(connection: sqlite3.Connection, response: Mapping[str, Any], statements: Sequence[str]) -> int:
    response_id = response["response_id"]
    known = {
        row["text"] for row in connection.execute("SELECT text FROM statement WHERE response_id = ?", (response_id,))
    }
    rows = []
    for ordinal, text in enumerate((text for text in statements if text not in known), len(known) + 1):
        found = response["text"].find(text)
        start = found if found >= 0 else None
        rows.append(
            {
                "statement_id": content_id("s", response_id, start, text),
                "response_id": response_id,
                "ordinal": ordinal,
                "start": start,
                "end": None if start is None else start + len(text),
                "text_sha256": sha256(text),
                "text": text,
            }
        )
    connection.execute("UPDATE response SET parser = ?, marked = NULL WHERE response_id = ?", (PARSER, response_id))
    return insert(connection, "statement", rows)


def _normalised(decision: str) -> str:
    return " ".join(decision.replace("_", " ").replace("-", " ").lower().split())
