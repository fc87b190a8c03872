"""Files of clinical notes, one a record: the notes of one case become one record of it.

A case of which one note cannot be used is left out as a whole: a text on the rest of its notes would be on another one.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from medreview.exchange.imports.field_mapping import Fields, name_of, normalise_column, text_of
from medreview.exchange.imports.rows import BadRecord, Row

NOTE_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "kind": ("kind", "note_type", "type"),
    "at": ("at", "date", "time", "datetime", "timestamp"),
    "author": ("author", "service", "written_by"),
    "text": ("text", "note", "note_text"),
}
"""Fields of a note that is a record of its own -> the column names that are recognised without ``--map``."""

_OF_CASE: Final = ("question", "title", "reference")


def is_notes(present: Collection[str], columns: Collection[str]) -> bool:
    """Whether a file has a note in each record: its text, the case that it is of, and a kind or a date."""
    names_case = "id" in present and not {"case", "case_id", "id"}.isdisjoint(columns)
    return names_case and "text" in present and "notes" not in present and not {"kind", "at"}.isdisjoint(present)


def cases_of_notes(rows: Iterator[Row | BadRecord], fields: Fields) -> Iterator[Row | BadRecord]:
    """The same rows, those of notes joined to one for each case, at the line of its first note.

    A case's question, title and reference text are the first that one of its notes has; without a question it is asked
    for the hospital course. Its other columns stay beside, so that what is not used is named.
    """
    cases: dict[str, Row] = {}
    broken: set[str] = set()
    for row in rows:
        if isinstance(row, BadRecord) or not _is_note(row, fields):
            yield row
            continue
        values = fields.values(row)
        try:
            case = _case_of(row, values, fields)
        except ValueError as error:
            yield BadRecord(row.line, str(error))
            continue
        first = cases.setdefault(case, Row(row.line, {"id": case, "notes": []}))
        try:
            notes = [*first.values["notes"], _note(values)]
        except ValueError as error:
            broken.add(case)
            yield BadRecord(row.line, f"{error}, so that the case {case} would not be whole")
            continue
        cases[case] = Row(first.line, {**_beside(row, fields), **_parts(values), **first.values, "notes": notes})
    for case, row in cases.items():
        if case not in broken:
            yield Row(row.line, {"question": f"Write the hospital course of the case {case}.", **row.values})


def _is_note(row: Row, fields: Fields) -> bool:
    return not fields.has_column(row, "notes") and any(fields.has_column(row, name) for name in NOTE_FIELDS)


def _case_of(row: Row, values: Mapping[str, Any], fields: Fields) -> str:
    """Which case a note is of; an ``id`` beside it is the note's own."""
    named = fields.columns(row).get("id", [])
    column = next((name for name in named if normalise_column(name) != "id"), next(iter(named), ""))
    case = name_of({"case": row.values[column]}, "case") if column else name_of(values, "id")
    if not case:
        raise ValueError("has no case that the note is of")
    return case


def _note(values: Mapping[str, Any]) -> dict[str, Any]:
    text = text_of(values, "text").strip()
    if not text:
        raise ValueError("has no text")
    return {name: values[name] for name in NOTE_FIELDS if name in values} | {"text": text}


def _parts(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in _OF_CASE if values.get(name)}


def _beside(row: Row, fields: Fields) -> dict[str, Any]:
    """The columns of a note that are no field."""
    known = {column for columns in fields.columns(row).values() for column in columns}
    return {column: value for column, value in row.values.items() if column not in known}
