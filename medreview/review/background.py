"""Who a reviewer is: role, years of practice, specialty. Asked once, given or not; an event on the study."""

from dataclasses import asdict
from typing import Any, Final

from medreview.errors import UserError
from medreview.storable import is_damaged
from medreview.study import Study
from medreview.study.study_acts import Background, background_of, is_asked, write_act

MOST_YEARS: Final = 80
LONGEST: Final = 200
"""Characters of a field, at the most."""

FIELDS: Final = (
    ("role", "role (physician, nurse, student, ...)"),
    ("years", "years of practice"),
    ("specialty", "specialty"),
    ("words", "anything else that bears on the labels"),
)
"""The questions, in this order, and their words."""


def read_background(given: dict[str, str]) -> Background:
    """A background from the words that were typed for its fields. Raises :class:`UserError` for an invalid answer."""
    said: dict[str, Any] = {name: " ".join(given.get(name, "").split()) for name, _ in FIELDS}
    for name, value in said.items():
        if len(value) > LONGEST or is_damaged(value):
            raise UserError(f"The {name} cannot be stored; give up to {LONGEST} characters of plain text.")
    years = said.pop("years")
    if years and not (years.isascii() and years.isdigit() and int(years) <= MOST_YEARS):
        raise UserError(f"Years of practice are a whole number from 0 to {MOST_YEARS}, not {years!r}.")
    return Background(years=int(years) if years else None, **said)


def set_background(study: Study, reviewer: str, background: Background) -> None:
    """Record it; an empty one says that the question was skipped. An unchanged one is no event."""
    if not is_asked(study.reader, reviewer) or background_of(study.reader, reviewer) != background:
        write_act(study, reviewer, "background", asdict(background))
