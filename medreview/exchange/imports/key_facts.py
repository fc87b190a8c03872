"""Records of key facts in files: what a good response to a question must contain, written by a clinician."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.exchange.imports.field_mapping import AS_NAMED, Fields, name_of, text_of
from medreview.exchange.imports.open_rows import open_rows
from medreview.exchange.imports.rows import BadRecord, Row

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "fact": ("fact", "key_fact", "text"),
    "category": ("category",),
    "question": ("question",),
    "response": ("response", "response_id", "id"),
}
"""Field -> the column names that are recognised without ``--map``. A fact belongs to a question, given as text or by a
response to it."""


@dataclass(frozen=True, slots=True)
class FactRecord:
    """One key fact; ``question`` is the text, or ``response`` the id of a response to it."""

    line: int
    fact: str
    category: str
    question: str
    response: str


def read_facts(path: Path, mapping: Mapping[str, str] = AS_NAMED) -> Iterator[FactRecord | BadRecord]:
    """The key facts in a .json, .jsonl, .ndjson, .csv or .tsv file; an invalid record becomes a :class:`BadRecord`.

    Raises :class:`UserError` when the whole file cannot be used.
    """
    rows, _ = open_rows(path)
    fields = Fields(FIELDS, mapping)
    return (_record(row, fields) for row in fields.check(rows, path, ["fact"]))


def _record(row: Row | BadRecord, fields: Fields) -> FactRecord | BadRecord:
    if isinstance(row, BadRecord):
        return row
    values = fields.values(row)
    try:
        record = FactRecord(
            line=row.line,
            fact=text_of(values, "fact").strip(),
            category=name_of(values, "category").casefold().replace("-", "_").replace(" ", "_") or "other",
            question=text_of(values, "question"),
            response=name_of(values, "response"),
        )
    except ValueError as error:
        return BadRecord(row.line, str(error))
    if not record.fact:
        return BadRecord(row.line, "has no fact")
    if not record.question and not record.response:
        return BadRecord(row.line, "names neither a question nor a response")
    return record
