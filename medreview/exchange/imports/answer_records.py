"""Answers of language models in files: records with question, response, citations and metadata."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from medreview.exchange.imports.field_mapping import AS_NAMED, Fields, name_of, normalise_column, text_of
from medreview.exchange.imports.json_rows import kind_of
from medreview.exchange.imports.open_rows import open_rows
from medreview.exchange.imports.rows import BadRecord, Row

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "question": ("question",),
    "response": ("response", "answer", "output", "completion", "text"),
    "citations": ("citations",),
    "model": ("model",),
    "origin": ("origin",),
    "id": ("id",),
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
    """One answer. ``citations`` is the structured list beside the text, as written; ``line`` is its first line."""

    line: int
    question: str
    response: str
    citations: tuple[str, ...]
    model: str
    origin: str
    record_id: str


def read_records(path: Path, mapping: Mapping[str, str] = AS_NAMED) -> Iterator[AnswerRecord | BadRecord]:
    """The answers in a .json, .jsonl, .ndjson, .csv, .tsv, .txt or .md file (see ``open_rows``).

    ``mapping``: column -> field of :data:`FIELDS`. JSON Lines and tables are streamed. A record that is invalid or has
    no response becomes a :class:`BadRecord`. Raises :class:`UserError` at once when the whole file cannot be used.
    """
    rows, _ = open_rows(path)
    fields = Fields(FIELDS, mapping)
    return (_record(row, fields) for row in fields.check(rows, path, ["response"]))


def _record(row: Row | BadRecord, fields: Fields) -> AnswerRecord | BadRecord:
    if isinstance(row, BadRecord):
        return row
    values = fields.values(row)
    try:
        response = text_of(values, "response")
        if not response.strip():
            return BadRecord(row.line, "has no response")
        return AnswerRecord(
            line=row.line,
            question=text_of(values, "question").strip(),
            response=response,
            citations=citations_of(values),
            model=name_of(values, "model"),
            origin=name_of(values, "origin"),
            record_id=name_of(values, "id"),
        )
    except ValueError as error:
        return BadRecord(row.line, str(error))


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
