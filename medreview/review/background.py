"""Who a reviewer is: role, years of practice, specialty. Asked once, given or not; an event on the study."""

import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from medreview.errors import UserError
from medreview.review.study_acts import newest_act, study_acts, write_act
from medreview.storable import is_damaged
from medreview.study import Study

MOST_YEARS: Final = 80
LONGEST: Final = 200
"""Characters of a field, at the most."""


@dataclass(frozen=True, slots=True)
class Background:
    """What a reviewer says of themselves; ``""`` and ``None`` where nothing is said.

    ``role``: physician, nurse, student, ... ``years`` of practice. ``words``: whatever else bears on the labels.
    """

    role: str = ""
    years: int | None = None
    specialty: str = ""
    words: str = ""

    @property
    def line(self) -> str:
        """In one line; ``""`` when nothing is said."""
        years = "" if self.years is None else f"{self.years} year{'' if self.years == 1 else 's'} of practice"
        return ", ".join(filter(None, (self.role, self.specialty, years, self.words)))


FIELDS: Final = (
    ("role", "role (physician, nurse, student, ...)"),
    ("years", "years of practice"),
    ("specialty", "specialty"),
    ("words", "anything else that bears on the labels"),
)
"""What is asked, in this order, and in which words."""


def read_background(given: dict[str, str]) -> Background:
    """A background from the words that were typed for its fields. Raises :class:`UserError` for what is no answer."""
    said: dict[str, Any] = {name: " ".join(given.get(name, "").split()) for name, _ in FIELDS}
    for name, value in said.items():
        if len(value) > LONGEST or is_damaged(value):
            raise UserError(f"The {name} cannot be stored; give up to {LONGEST} characters of plain text.")
    years = said.pop("years")
    if years and not (years.isascii() and years.isdigit() and int(years) <= MOST_YEARS):
        raise UserError(f"Years of practice are a whole number from 0 to {MOST_YEARS}, not {years!r}.")
    return Background(years=int(years) if years else None, **said)


def is_asked(reader: sqlite3.Connection, reviewer: str) -> bool:
    """Whether the question was answered or passed over: it is not put again."""
    return newest_act(reader, "background", reviewer) is not None


def background_of(reader: sqlite3.Connection, reviewer: str) -> Background:
    """What a reviewer said last."""
    act = newest_act(reader, "background", reviewer)
    return Background(**act.said) if act else Background()


def set_background(study: Study, reviewer: str, background: Background) -> None:
    """Record it; an empty one says that the question was passed over. The same again is no event."""
    if not is_asked(study.reader, reviewer) or background_of(study.reader, reviewer) != background:
        write_act(study, reviewer, "background", asdict(background))


def backgrounds(reader: sqlite3.Connection) -> Iterator[tuple[str, Background, str]]:
    """Every reviewer of the study who decided or said anything, with what is known of them and when it was said."""
    said = {act.reviewer: act for act in study_acts(reader, "background")}
    names = {row[0] for row in reader.execute("SELECT DISTINCT reviewer FROM main_act")} | said.keys()
    for name in sorted(names):
        act = said.get(name)
        yield name, Background(**act.said) if act else Background(), act.at_utc if act else ""
