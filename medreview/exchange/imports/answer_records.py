"""Answers of language models in files: records with question, response, citations and metadata."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from medreview.exchange.imports import key_facts
from medreview.exchange.imports.field_mapping import AS_NAMED, Fields, name_of, normalise_column, text_of
from medreview.exchange.imports.given_pages import GivenPage, given_pages
from medreview.exchange.imports.json_rows import kind_of
from medreview.exchange.imports.key_facts import FactRecord, facts_of
from medreview.exchange.imports.nested_answers import one_by_one
from medreview.exchange.imports.open_rows import open_rows
from medreview.exchange.imports.rows import BadRecord, Row
from medreview.exchange.imports.unused_columns import UnusedColumns
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

_CITATION_MEMBERS: Final[Mapping[str, str]] = {
    "url": "",
    "link": "",
    "href": "",
    "uri": "",
    "doi": "",
    "pmid": "PMID: ",
    "pmcid": "PMCID: ",
    "nct": "",
    "arxiv": "arXiv:",
    "title": "",
}
"""Member of a citation object -> the label that its value needs to be recognised as an identifier."""

_CITED: Final = re.compile(r"(?:(?:pmid|pmcid|doi|arxiv)[ \t]*:?[ \t]+)?\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One answer. ``citations`` is the structured list beside the text, as written; ``line`` is its first line.

    ``response`` is empty where the record has an empty one. ``pages`` are texts of cited pages, and ``facts`` key facts
    of the question, that the record gives as well.
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
        more = [page.address for page in pages if not any(page.address in citation for citation in listed)]
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
    found = [(column, given_pages(row.values[column], _CITATION_MEMBERS)) for column in columns.get("pages", [])]
    return [page for _, pages in found for page in pages], [column for column, pages in found if pages]


def _cited(item: object) -> str:
    if isinstance(item, str):
        return item
    if not isinstance(item, dict):
        raise ValueError(f"has {kind_of(item)} among its citations, not text")
    named = {normalise_column(name): value for name, value in item.items() if value is not None}
    for name, label in _CITATION_MEMBERS.items():
        if value := name_of(named, name):
            return label + value
    raise ValueError(f"has an object among its citations that names none of {', '.join(_CITATION_MEMBERS)}")


def citations_of(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The structured list of citations, with collapsed white space: a list of texts, or one text split at semicolons,
    line ends and white space.

    Of an object its member ``url`` (or ``doi``, ``pmid``, ...) is taken, as chat interfaces return them. A label stays
    with its number: ``PMID: 123`` is one citation. Raises ``ValueError``, which says what is wrong.
    """
    value = values.get("citations", "")
    if isinstance(value, dict):
        value = [value]
    if isinstance(value, list):
        parts = [text_of({"citations": _cited(item)}, "citations") for item in value]
    else:
        parts = [found for part in re.split(r"[;\n]", text_of(values, "citations")) for found in _CITED.findall(part)]
    return tuple(collapsed for part in parts if (collapsed := " ".join(part.split())))
