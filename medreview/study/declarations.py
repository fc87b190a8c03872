"""The declarations that a journal asks for: ethics, funding, registration, conflicts of interest and others.

Each change is an event on the study as a whole, with who said it and when. So declarations merge, are exported and go
with every copy. The newest word on a field counts; an empty one takes it back.
"""

import sqlite3
from dataclasses import dataclass
from typing import Final, NamedTuple

from medreview.errors import UserError
from medreview.storable import is_damaged
from medreview.study.study import Study
from medreview.study.study_acts import study_acts, write_act


class Field(NamedTuple):
    """``name``: of the option and in files; ``title``: in a report."""

    name: str
    title: str


FIELDS: Final = (
    Field("ethics", "Ethics approval and consent"),
    Field("privacy", "Protection of patient data"),
    Field("funding", "Funding"),
    Field("conflicts", "Conflicts of interest"),
    Field("registration", "Registration"),
    Field("protocol", "Protocol"),
    Field("data", "Data availability"),
    Field("code", "Code availability"),
    Field("patients", "Patient and public involvement"),
)
_DECLARE: Final = "declare"
LONGEST: Final = 4_000
"""Characters of a declaration, at the most."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What stands in a field; ``by`` whom and when (``at``, UTC) it was said; ``changes``: how often it was said."""

    field: str
    title: str
    text: str
    by: str
    at: str
    changes: int


def declarations(reader: sqlite3.Connection) -> list[Declaration]:
    """Those that stand, in the order of :data:`FIELDS`; fields that nobody filled are left out."""
    acts = study_acts(reader, _DECLARE)
    found = []
    for field in FIELDS:
        said = [act for act in acts if act.said["field"] == field.name]
        if said and said[-1].said["text"]:
            newest = said[-1]
            found.append(
                Declaration(field.name, field.title, newest.said["text"], newest.reviewer, newest.at_utc, len(said))
            )
    return found


def declare(study: Study, reviewer: str, field: str, text: str) -> bool:
    """Record a field's text, ``""`` to take it back; whether that changed anything.

    Raises :class:`UserError` for a field that there is not, and for a text that cannot be stored.
    """
    if field not in (one.name for one in FIELDS):
        raise UserError(f"There is no field {field!r}; there are {', '.join(one.name for one in FIELDS)}.")
    text = text.strip()
    if len(text) > LONGEST or is_damaged(text):
        raise UserError(f"The text of {field} cannot be stored; give up to {LONGEST:,} characters of plain text.")
    if text == next((one.text for one in declarations(study.reader) if one.field == field), ""):
        return False
    write_act(study, reviewer, _DECLARE, {"field": field, "text": text})
    return True
