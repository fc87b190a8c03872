"""Files of cases: a record each, with the notes, the text that a human wrote, and suggested key facts; or of notes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from medreview.exchange.imports.field_mapping import Fields, name_of, text_of
from medreview.exchange.imports.rows import BadRecord, Row
from medreview.labels import CATEGORY, SUGGESTION
from medreview.study import Study
from medreview.text import sha256
from medreview.units.brought import Brought
from medreview.units.cases import NewCase, NewNote, case_of_question, suggested
from medreview.units.note_rows import NOTE_FIELDS, cases_of_notes, is_notes
from medreview.units.stored import NewUnit
from medreview.units.unit_format import UnitFormat
from medreview.units.view import Gold

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


def _read(values: Mapping[str, Any], study: Study) -> Brought:
    warnings: list[str] = []
    case = NewCase(
        record_id=name_of(values, "id"),
        title=text_of(values, "title").strip(),
        question=text_of(values, "question").strip(),
        reference=text_of(values, "reference").strip(),
        notes=_in_order(list(_notes(values.get("notes"), warnings))),
    )
    if not case.question:
        raise ValueError("has no question")
    if not case.reference and not case.notes:
        raise ValueError("has neither a reference text nor notes")
    here = case_of_question(study.reader, sha256(case.question))
    if here is not None and here.case_id != case.case_id:
        raise ValueError(
            f"asks what the case {here.name} ({here.record_id or here.title}) of this study asks and is another case; "
            "responses belong to a case by its question, so that each needs its own"
        )
    facts = list(_facts(values, case, warnings))
    return Brought(
        cases=(case,),
        units=tuple(unit for unit, _ in facts),
        gold=tuple((unit.unit, gold) for unit, gold in facts if gold is not None),
        warnings=tuple(warnings),
    )


def _notes(given: Any, warnings: list[str]) -> Iterator[NewNote]:
    for number, one in enumerate(_listed(given, "notes"), 1):
        if not isinstance(one, dict):
            raise ValueError(f"has a note {number} that is no object with kind, at, author and text")
        told = name_of(one, "kind")
        kind = _KINDS.get("".join(sign for sign in told.casefold() if sign.isalnum()))
        if kind is None:
            warnings.append(f"has a note {number} of the kind {told!r}, stored as other")
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
    for number, one in enumerate(_listed(values.get("facts"), "key facts"), 1):
        fact = {"fact": one} if isinstance(one, str) else one
        if not isinstance(fact, dict):
            raise ValueError(f"has a key fact {number} that is neither text nor an object")
        text = next((text_of(fact, name).strip() for name in ("fact", "key_fact", "text") if fact.get(name)), "")
        if not text:
            raise ValueError(f"has a key fact {number} without a text")
        told = name_of(fact, "category").casefold().replace("-", "_").replace(" ", "_")
        category = told if told in [label.level for label in CATEGORY] else "other"
        if told and category != told:
            warnings.append(f"has a key fact {number} of the category {told!r}, stored as other")
        model = name_of(fact, "suggested_by") or name_of(values, "suggested_by")
        yield suggested(case, text, category, text_of(fact, "quote").strip(), model), _gold(fact, number)


def _gold(fact: Mapping[str, Any], number: int) -> Gold | None:
    level = name_of(fact, "gold").casefold()
    if not level:
        return None
    known = [label.level for label in SUGGESTION]
    if level not in known:
        raise ValueError(f"has {level!r} as the gold label of key fact {number}; there are {', '.join(known)}")
    why = text_of(fact, "gold_why").strip()
    return Gold("suggestion", level, why=why, attention=fact.get("attention") is True)


def _listed(given: Any, what: str) -> Sequence[Any]:
    if given is None:
        return ()
    if not isinstance(given, list):
        raise ValueError(f"has {what} that are no list")
    return given


def _once(rows: Iterator[Row | BadRecord], fields: Fields) -> Iterator[Row | BadRecord]:
    """The cases of the rows; a second one with the question of one before it is none."""
    met: dict[str, Row] = {}
    for row in cases_of_notes(rows, fields):
        if isinstance(row, Row):
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


FORM: Final = UnitFormat(
    name="case",
    fields=_FIELDS,
    characteristic=(),
    required=("question",),
    read=_read,
    tells=_is_case,
    unfold=_once,
)
