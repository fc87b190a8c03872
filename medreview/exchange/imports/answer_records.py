"""Answers of language models as they come in files: records with a question, a response and what was cited."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from medreview.exchange.imports.field_mapping import AS_NAMED, Fields, name_of, plain, text_of
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
"""Field -> the column names that mean it without ``--map``."""

_NAMED: Final[Mapping[str, str]] = {
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
"""Member of a citation given as an object -> the label without which its value is not known for what it is."""

_CITED: Final = re.compile(r"(?:(?:pmid|pmcid|doi|arxiv)[ \t]*:?[ \t]+)?\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One answer. ``citations`` are those listed beside the text, as written; ``line`` is where it begins."""

    line: int
    question: str
    response: str
    citations: tuple[str, ...]
    model: str
    origin: str
    record_id: str


def read_records(path: Path, mapping: Mapping[str, str] = AS_NAMED) -> Iterator[AnswerRecord | BadRecord]:
    """The answers in a .json, .jsonl, .ndjson, .csv, .tsv, .txt or .md file (see ``open_rows``).

    ``mapping``: column -> field of :data:`FIELDS`. JSON lines and tables are read as a stream. A record that is
    broken or has no response becomes a :class:`BadRecord`. Raises :class:`UserError` at once when the file as a
    whole cannot be used.
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
    named = {plain(name): value for name, value in item.items() if value is not None}
    for name, label in _NAMED.items():
        if value := name_of(named, name):
            return label + value
    raise ValueError(f"has an object among its citations that names none of {', '.join(_NAMED)}")


def citations_of(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Listed citations, blanks folded: a list of texts, or one text parted at semicolons, line ends and blanks.

    An object stands for what it names as ``url`` (or ``doi``, ``pmid``, ...), as chat interfaces return them.
    A label stays with its number: ``PMID: 123`` is one. ``ValueError`` says what is wrong.
    """
    value = values.get("citations", "")
    if isinstance(value, dict):
        value = [value]
    if isinstance(value, list):
        parts = [text_of({"citations": _cited(item)}, "citations") for item in value]
    else:
        parts = [found for part in re.split(r"[;\n]", text_of(values, "citations")) for found in _CITED.findall(part)]
    return tuple(folded for part in parts if (folded := " ".join(part.split())))
