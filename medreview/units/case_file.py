"""Files of clinical cases: a record each, with notes, the text that a human wrote, and suggested key facts; or notes.

Of files of notes, one a record, the notes of one case become one record of it. A case of which one note cannot be used
is left out as a whole: a text on the rest of its notes would be on another one.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from medreview.exchange.imports.field_mapping import Fields, name_of, normalise_column, text_of
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.labels import SUGGESTION, is_label
from medreview.study import Study
from medreview.text import sha256
from medreview.units.cases import NewCase, NewNote, asked_for, case_of_question, suggested
from medreview.units.kind import Gold
from medreview.units.new_units import ImportRecord, unknown_label
from medreview.units.stored import NewUnit
from medreview.units.unit_format import UnitFormat, list_in

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


def cases_of_notes(rows: Iterator[NamedRow | BadRecord], fields: Fields) -> Iterator[NamedRow | BadRecord]:
    """The same rows, those of notes joined to one for each case, at the line of its first note.

    A case's question, title and reference text are the first that one of its notes has; without a question it is asked
    for the hospital course. Its other columns stay beside, so that what is not used is named.
    """
    cases: dict[str, NamedRow] = {}
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
        first = cases.setdefault(case, NamedRow(row.line, {"id": case, "notes": []}))
        try:
            notes = [*first.values["notes"], _note(values)]
        except ValueError as error:
            broken.add(case)
            yield BadRecord(row.line, f"{error}, so that the case {case} would not be whole")
            continue
        cases[case] = NamedRow(first.line, {**_beside(row, fields), **_parts(values), **first.values, "notes": notes})
    for case, row in cases.items():
        if case not in broken:
            yield NamedRow(row.line, {"question": asked_for(case), **row.values})


def _is_note(row: NamedRow, fields: Fields) -> bool:
    return not fields.has_column(row, "notes") and any(fields.has_column(row, name) for name in NOTE_FIELDS)


def _case_of(row: NamedRow, values: Mapping[str, Any], fields: Fields) -> str:
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


def _beside(row: NamedRow, fields: Fields) -> dict[str, Any]:
    """The columns of a note that are no field."""
    known = {column for columns in fields.columns(row).values() for column in columns}
    return {column: value for column, value in row.values.items() if column not in known}


_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("id", "case_id", "case"),
    "title": ("title",),
    "question": ("question", "prompt", "task"),
    "reference": ("reference", "reference_text", "hospital_course", "discharge_summary"),
    "notes": ("notes",),
    "facts": ("key_facts", "facts", "suggested_facts"),
    "suggested_by": ("suggested_by",),
    **NOTE_FIELDS,
}
_ANSWERS: Final = frozenset({"response", "answer", "output", "completion"})
"""Columns of a file of answers, which may have key facts beside them too."""

_KINDS: Final[Mapping[str, str]] = {
    "hp": "hp", "handp": "hp", "historyandphysical": "hp", "admission": "hp", "admissionnote": "hp",
    "progress": "progress", "progressnote": "progress",
    "allied": "allied", "alliedhealth": "allied", "alliedhealthnote": "allied",
    "other": "other", "": "other",
}  # fmt: skip
"""Kinds of notes as files write them, without case, spaces and signs."""


def _read(values: Mapping[str, Any], study: Study) -> ImportRecord:
    warnings: list[str] = []
    case = NewCase(
        record_id=name_of(values, "id"),
        title=text_of(values, "title").strip(),
        question=text_of(values, "question").strip(),
        reference=text_of(values, "reference").strip(),
        notes=_in_order(list(_notes(values, warnings))),
    )
    if not case.reference and not case.notes:
        raise ValueError("has neither a reference text nor notes")
    here = case_of_question(study.reader, sha256(case.question))
    if here is not None and here.case_id != case.case_id:
        raise ValueError(
            f"asks what the case {here.name} ({here.record_id or here.title}) of this study asks and is another case; "
            "responses belong to a case by its question, so that each needs its own"
        )
    facts = list(_facts(values, case, warnings))
    return ImportRecord(
        cases=(case,),
        units=tuple(unit for unit, _ in facts),
        gold=tuple((unit.unit, gold) for unit, gold in facts if gold is not None),
        warnings=tuple(warnings),
    )


def _notes(values: Mapping[str, Any], warnings: list[str]) -> Iterator[NewNote]:
    for number, one in enumerate(list_in(values, "notes"), 1):
        if not isinstance(one, dict):
            raise ValueError(f"has a note {number} that is not an object with kind, at, author and text")
        given = name_of(one, "kind")
        kind = _KINDS.get("".join(sign for sign in given.casefold() if sign.isalnum()))
        if kind is None:
            warnings.append(f"has a note {number} of the kind {given!r}, stored as other")
        at = next((name_of(one, name) for name in ("at", "date", "time") if one.get(name) is not None), "")
        text = text_of(one, "text").strip()
        if not text:
            raise ValueError(f"has a note {number} without a text")
        if at:
            _date(at, number)
        yield NewNote(kind or "other", at, name_of(one, "author"), text)


def _date(at: str, number: int) -> datetime:
    try:
        return datetime.fromisoformat(at)
    except ValueError:
        raise ValueError(
            f"has a note {number} with the date {at!r}; dates are written 2031-04-09 or 2031-04-09T08:30"
        ) from None


def _in_order(notes: Sequence[NewNote]) -> tuple[NewNote, ...]:
    """By their dates; as they stand where none has one."""
    dated = [note for note in notes if note.at]
    if dated and len(dated) < len(notes):
        raise ValueError("has notes with and notes without a date, so that their order cannot be known")
    try:
        return tuple(sorted(notes, key=lambda note: _date(note.at, 0))) if dated else tuple(notes)
    except TypeError:
        raise ValueError("has dates with and dates without a time zone, so that their order cannot be known") from None


def _facts(values: Mapping[str, Any], case: NewCase, warnings: list[str]) -> Iterator[tuple[NewUnit, Gold | None]]:
    for number, one in enumerate(list_in(values, "facts"), 1):
        fact = {"fact": one} if isinstance(one, str) else one
        if not isinstance(fact, dict):
            raise ValueError(f"has a key fact {number} that is neither text nor an object")
        text = next((text_of(fact, name).strip() for name in ("fact", "key_fact", "text") if fact.get(name)), "")
        if not text:
            raise ValueError(f"has a key fact {number} without a text")
        given = name_of(fact, "category").casefold().replace("-", "_").replace(" ", "_")
        category = given if is_label("category", given) else "other"
        if given and category != given:
            warnings.append(f"has a key fact {number} of the category {given!r}, stored as other")
        model = name_of(fact, "suggested_by") or name_of(values, "suggested_by")
        yield suggested(case, text, category, text_of(fact, "quote").strip(), model), _gold(fact, number)


def _gold(fact: Mapping[str, Any], number: int) -> Gold | None:
    level = name_of(fact, "gold").casefold()
    if not level:
        return None
    if not is_label("suggestion", level):
        raise unknown_label(f"{level!r} as the gold label of key fact {number}", SUGGESTION)
    why = text_of(fact, "gold_why").strip()
    return Gold("suggestion", level, why=why, attention=fact.get("attention") is True)


def _once(rows: Iterator[NamedRow | BadRecord], fields: Fields) -> Iterator[NamedRow | BadRecord]:
    """The cases of the rows; a second one with the same question is a bad record."""
    met: dict[str, NamedRow] = {}
    for row in cases_of_notes(rows, fields):
        if isinstance(row, NamedRow):
            question = str(fields.values(row).get("question", "")).strip()
            first = met.setdefault(question, row)
            if question and first.values != row.values:
                yield BadRecord(row.line, f"asks what the case in line {first.line} asks; each needs its own question")
                continue
        yield row


def _is_case(columns: Collection[str], records: Sequence[Mapping[str, Any]]) -> bool:
    present = Fields(_FIELDS).present(columns)
    is_case = "question" in present and ("notes" in present or {"reference", "facts"} <= present)
    return _ANSWERS.isdisjoint(columns) and (is_case or is_notes(present, columns))


CASE_FILES: Final = UnitFormat(
    name="case",
    fields=_FIELDS,
    characteristic=(),
    required=("question",),
    read=_read,
    tells=_is_case,
    unfold=_once,
)
