"""Answers for the report on citations: from a file, from standard input, or the responses of a study.

Fields besides those of ``answer_records``: ``reference``, a reference text that the response should agree with, and the
latency: ``latency_ms`` in milliseconds, ``latency_s`` or ``latency`` in seconds.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.errors import UserError
from medreview.exchange.imports import answer_records
from medreview.exchange.imports.answer_records import one_by_one
from medreview.exchange.imports.beside_answers import BESIDE, seconds_of, told_beside
from medreview.exchange.imports.field_mapping import AS_NAMED, Fields, name_of, peek, text_of
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.foreign_files import refuse_foreign, refuse_foreign_text
from medreview.exchange.imports.listed_citations import citations_of
from medreview.exchange.imports.open_rows import open_rows
from medreview.labels import Invalid, invalid_as
from medreview.text import normalise_newlines

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    **answer_records.FIELDS,
    **BESIDE,
}
"""Field -> the column names that are recognised without ``--map``."""

STDIN: Final = "standard input"


@dataclass(frozen=True, slots=True)
class CitingAnswer:
    """One response. ``line``: its first line in a file, or its number in the study. ``listed``: its list of citations.
    ``invalid``: why it is no response, ``""`` when it is one.

    ``latency_s`` is ``None`` when it is missing or not a number of seconds from 0.
    """

    line: int
    answer_id: str
    model: str
    origin: str
    text: str
    listed: tuple[str, ...] = ()
    reference: str = ""
    latency_s: float | None = None
    invalid: Invalid = ""
    question: str = ""
    question_id: str = ""


def file_answers(path: Path, mapping: Mapping[str, str] = AS_NAMED) -> Iterator[CitingAnswer | BadRecord]:
    """The answers of a .json, .jsonl, .ndjson, .csv, .tsv, .txt or .md file.

    A record that is invalid or has no field for the response becomes a :class:`BadRecord`; one whose response is empty
    is an invalid response. Raises :class:`UserError` at once when the whole file cannot be used.
    """
    first, rows = peek(open_rows(path)[0])
    fields = Fields(FIELDS, mapping)
    refuse_foreign(path, first, fields)
    return (_answer(row, fields) for row in fields.check(rows, path, ["response"], one_by_one))


def stream_answers(data: bytes, mapping: Mapping[str, str] = AS_NAMED) -> Iterator[CitingAnswer | BadRecord]:
    """The answers on standard input: JSON Lines when every line is an object with a response, else one response.

    Raises :class:`UserError` for empty input, and for bytes that are not UTF-8.
    """
    try:
        text = normalise_newlines(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UserError(f"Standard input is not UTF-8 (byte {error.start:,} is 0x{data[error.start]:02X}).") from error
    if not text.strip():
        raise UserError("Standard input is empty; give a response, or responses as JSON lines.")
    fields = Fields(FIELDS, mapping)
    rows = _lines(text)
    if rows is None or not all("response" in fields.values(row) for row in rows):
        if "\0" in text:
            raise UserError("Standard input is binary, not text.")
        refuse_foreign_text(Path(STDIN), text)
        return iter([CitingAnswer(1, "", "", "", text)])
    return (_answer(row, fields) for row in fields.check(iter(rows), Path(STDIN), ["response"], one_by_one))


def study_answers(reader: sqlite3.Connection) -> Iterator[CitingAnswer]:
    """The responses of a study in order, with the id of their record in the imported file where it had one.

    Reference and latency are what else that record said of them.
    """
    for row in reader.execute(
        """SELECT ordinal, response_id, record_id, model, origin, text, listed, invalid, question, question_id, extra
           FROM response ORDER BY ordinal"""
    ):
        beside = told_beside(row["extra"])
        reference = beside.get("reference")
        yield CitingAnswer(
            line=row["ordinal"],
            answer_id=row["record_id"] or row["response_id"],
            model=row["model"],
            origin=row["origin"],
            text=row["text"],
            listed=tuple(json.loads(row["listed"] or "[]")),
            reference=reference.strip() if isinstance(reference, str) else "",
            latency_s=seconds_of(beside),
            invalid=row["invalid"],
            question=row["question"],
            question_id=row["question_id"],
        )


def _lines(text: str) -> list[NamedRow] | None:
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                return None
            if not isinstance(value, dict):
                return None
            rows.append(NamedRow(number, value))
    return rows


def _answer(row: NamedRow | BadRecord, fields: Fields) -> CitingAnswer | BadRecord:
    if isinstance(row, BadRecord):
        return row
    values = fields.values(row)
    try:
        if "response" not in values and not fields.has_column(row, "response"):
            return BadRecord(row.line, "has no response")
        text = text_of(values, "response")
        return CitingAnswer(
            line=row.line,
            answer_id=name_of(values, "id"),
            model=name_of(values, "model"),
            origin=name_of(values, "origin"),
            text=text,
            listed=citations_of(values),
            reference=text_of(values, "reference").strip(),
            latency_s=seconds_of(values),
            invalid=invalid_as(text),
            question=text_of(values, "question"),
            question_id=name_of(values, "question_id"),
        )
    except ValueError as error:
        return BadRecord(row.line, str(error))
