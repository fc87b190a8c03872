"""Answers of language models in files: records with question, response, citations and metadata."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.exchange.imports import key_facts
from medreview.exchange.imports.field_mapping import AS_NAMED, Fields, name_of, normalise_column, text_of
from medreview.exchange.imports.given_pages import GivenPage, given_pages
from medreview.exchange.imports.key_facts import FactRecord, facts_of
from medreview.exchange.imports.listed_citations import citations_of
from medreview.exchange.imports.nested_answers import one_by_one
from medreview.exchange.imports.open_rows import open_rows
from medreview.exchange.imports.rows import BadRecord, Row
from medreview.exchange.imports.unused_columns import UnusedColumns
from medreview.labels import Invalid
from medreview.text import real_lines

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "question": ("question",),
    "response": ("response", "answer", "output", "completion", "text"),
    "citations": ("citations",),
    "model": ("model",),
    "origin": ("origin",),
    "id": ("id",),
    "pages": ("pages", "references", "sources", "documents", "passages", "contexts", "search_results"),
    "facts": key_facts.LISTS,
}
"""Field -> the column names that are recognised without ``--map``."""


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One answer. ``citations`` is the structured list beside the text, as written; ``line`` is its first line.

    ``response`` is empty where the record has an empty one. ``pages`` are texts of cited pages, and ``facts`` key facts
    of the question, that the record gives as well. ``invalid``: what whoever gave it knows of why it is no response
    (``labels.invalid_as``).
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


def read_records(
    path: Path, mapping: Mapping[str, str] = AS_NAMED, unused: UnusedColumns | None = None
) -> Iterator[AnswerRecord | BadRecord]:
    """The answers in a .json, .jsonl, .ndjson, .csv, .tsv, .txt or .md file (see ``open_rows``).

    ``mapping``: column -> field of :data:`FIELDS`. JSON Lines and tables are streamed. A record that is invalid or has
    no response becomes a :class:`BadRecord`; ``unused`` is told of the others. Raises :class:`UserError` at once when
    the whole file cannot be used.
    """
    rows, _ = open_rows(path)
    fields = Fields(FIELDS, mapping)
    return (_record(row, fields, unused) for row in fields.check(rows, path, ["response"], one_by_one))


def _record(row: Row | BadRecord, fields: Fields, unused: UnusedColumns | None) -> AnswerRecord | BadRecord:
    if isinstance(row, BadRecord):
        return row
    values = fields.values(row)
    try:
        if "response" not in values and not fields.has_column(row, "response"):
            return BadRecord(row.line, "has no response")
        response = real_lines(text_of(values, "response"))
        columns = fields.columns(row)
        listed, citing = _listed(row, columns, fields)
        pages, giving = _pages(row, columns)
        facts = facts_of(row, columns, values)
        named = [page for page in pages if page.address]
        more = [page.address for page in named if not any(page.address in citation for citation in listed)]
        record = AnswerRecord(
            line=row.line,
            question=text_of(values, "question").strip(),
            response=response if response.strip() else "",
            citations=(*listed, *dict.fromkeys(more)),
            model=name_of(values, "model"),
            origin=name_of(values, "origin"),
            record_id=name_of(values, "id"),
            pages=tuple(page for page in pages if page.text),
            facts=facts,
        )
    except ValueError as error:
        return BadRecord(row.line, str(error))
    if unused is not None:
        plain = (columns[field][0] for field in columns if field not in ("citations", "pages", "facts"))
        unused.add(row, {*plain, *citing, *giving, *(columns.get("facts", [])[:1] if facts else ())}, values)
    return record


def _listed(row: Row, columns: Mapping[str, list[str]], fields: Fields) -> tuple[tuple[str, ...], list[str]]:
    """The structured list of citations, and the columns that it is in: all that are mapped to it, else the first."""
    named = columns.get("citations", [])
    mapped = [column for column in named if fields.mapped.get(normalise_column(column)) == "citations"]
    chosen = mapped or named[:1]
    return tuple(item for column in chosen for item in citations_of({"citations": row.values[column]})), chosen


def _pages(row: Row, columns: Mapping[str, list[str]]) -> tuple[list[GivenPage], list[str]]:
    """The pages that a record gives, and the columns that they are in."""
    found = [(column, given_pages(row.values[column])) for column in columns.get("pages", [])]
    return [page for _, pages in found for page in pages], [column for column, pages in found if pages]
