"""Records of key facts in files: what a good response to a question must contain, written by a clinician."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from medreview.errors import UserError
from medreview.exchange.imports.field_mapping import AS_NAMED, Fields, name_of, peek, text_of
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.open_rows import open_rows

LISTS: Final = ("facts", "key_facts")
"""The columns with a list of facts (texts, or objects with fact and category) that belong to one record."""

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "fact": ("fact", "key_fact", "text"),
    "facts": LISTS,
    "category": ("category",),
    "question": ("question",),
    "case": ("case", "case_id"),
    "response": ("response", "response_id", "id"),
}
"""Field -> the column names that are recognised without ``--map``. A fact belongs to a question, given as text, by the
case that it is about, or by a response to it."""


@dataclass(frozen=True, slots=True)
class FactRecord:
    """One key fact; ``question`` is the text, ``case`` the id of the case that it is about, or ``response`` the id of a
    response to it."""

    line: int
    fact: str
    category: str
    question: str
    response: str
    case: str = ""


class FactLabel(NamedTuple):
    """What a person (``reviewer``) said of a key fact in a response: ``label`` is a level of
    ``medreview.labels.PRESENCE``."""

    fact: str
    reviewer: str
    label: str


def read_facts(path: Path, mapping: Mapping[str, str] = AS_NAMED) -> Iterator[FactRecord | BadRecord]:
    """The key facts in a .json, .jsonl, .ndjson, .csv or .tsv file; an invalid record becomes a :class:`BadRecord`.

    Raises :class:`UserError` when the whole file cannot be used.
    """
    first, rows = peek(open_rows(path)[0])
    if first and isinstance(first[0], NamedRow) and first[0].values.get("unit") == "case":
        raise UserError(f"{path} holds cases. `medreview import` brings them, with their key facts to be chosen from.")
    fields = Fields(FIELDS, mapping)
    return (_record(row, fields) for row in fields.check(rows, path, ["fact"], _unfolded))


def facts_of(row: NamedRow, columns: Mapping[str, list[str]], values: Mapping[str, Any]) -> tuple[FactRecord, ...]:
    """The key facts that the record of an answer has beside it; nothing without a question that they belong to.

    ``columns``: field -> its columns in the row. Raises ``ValueError`` for an invalid fact.
    """
    question = text_of(values, "question").strip()
    named = columns.get("facts", [])
    if not question or not named or not isinstance(row.values[named[0]], list):
        return ()
    facts = (
        _record(NamedRow(row.line, {"question": question, **item}), _PLAIN) for item in _items(row.values[named[0]])
    )
    found = []
    for fact in facts:
        if isinstance(fact, BadRecord):
            raise ValueError(f"{fact.reason} in its list of facts")
        found.append(fact)
    return tuple(found)


def _unfolded(rows: Iterator[NamedRow | BadRecord], fields: Fields) -> Iterator[NamedRow | BadRecord]:
    """The same rows; one for each fact of a record with a list of them."""
    for row in rows:
        if isinstance(row, BadRecord):
            yield row
            continue
        named = fields.columns(row)
        listing = [*named.get("facts", []), *named.get("fact", [])]
        column = next((column for column in listing if isinstance(row.values[column], list)), None)
        if column is None:
            yield row
            continue
        shared = {name: value for name, value in row.values.items() if name != column}
        yield from (NamedRow(row.line, {**shared, **item}) for item in _items(row.values[column]))


def _items(facts: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    return (item if isinstance(item, dict) else {"fact": item} for item in facts)


def _record(row: NamedRow | BadRecord, fields: Fields) -> FactRecord | BadRecord:
    if isinstance(row, BadRecord):
        return row
    values = fields.values(row)
    try:
        record = FactRecord(
            line=row.line,
            fact=text_of(values, "fact").strip(),
            category=name_of(values, "category").casefold().replace("-", "_").replace(" ", "_") or "other",
            question=text_of(values, "question").strip(),
            response=name_of(values, "response"),
            case=name_of(values, "case"),
        )
    except ValueError as error:
        return BadRecord(row.line, str(error))
    if not record.fact:
        return BadRecord(row.line, "has no fact")
    if not record.question and not record.response and not record.case:
        return BadRecord(row.line, "names neither a question nor a case nor a response")
    return record


_PLAIN: Final = Fields(FIELDS)
