"""Acts on the study as a whole, and one of them: who its reviewers say that they are.

The unit of these events is the study's id, so that they merge and are exported. The newest background counts.
"""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from medreview.study.events import NewEvent, Receipt, Recorder
from medreview.study.study import Study


class StudyAct(NamedTuple):
    """One of them, as it stands."""

    event_id: str
    at_utc: str
    reviewer: str
    said: dict[str, Any]
    pass_no: int


def study_acts(reader: sqlite3.Connection, kind: str, reviewer: str | None = None) -> list[StudyAct]:
    """All acts of a kind that stand, oldest first; those of one reviewer where one is named."""
    rows = reader.execute(
        """SELECT event_id, at_utc, reviewer, payload, pass FROM event_live
           WHERE kind = ?1 AND unit = (SELECT value FROM study WHERE key = 'study_id')
           AND (?2 IS NULL OR reviewer = ?2) ORDER BY event_id""",
        (kind, reviewer),
    )
    return [StudyAct(row[0], row[1], row[2], json.loads(row[3]), row[4]) for row in rows]


def newest_act(reader: sqlite3.Connection, kind: str, reviewer: str | None = None) -> StudyAct | None:
    """The newest of them, or ``None``."""
    found = study_acts(reader, kind, reviewer)
    return found[-1] if found else None


def write_act(study: Study, reviewer: str, kind: str, said: Mapping[str, Any], pass_no: int = 1) -> Receipt:
    """Record an act. Raises :class:`UserError` when it cannot be written."""
    event, recorder = NewEvent(kind, study.meta("study_id"), said), Recorder(reviewer, pass_no=pass_no)
    # Blind: it shows nothing of what judges say.
    return study.write(lambda connection: recorder.append(connection, event, block=kind, mode="blind"))


LAY_ROLES: Final = frozenset({
    "lay", "lay person", "layperson", "laypeople", "lay reader", "non-expert", "patient", "carer", "crowd worker",
    "crowdworker", "member of the public",
})  # fmt: skip
"""Roles that make a reviewer a layperson; any other role that is said makes an expert."""


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


def is_asked(reader: sqlite3.Connection, reviewer: str) -> bool:
    """Whether the question was answered or passed over: it is not put again."""
    return newest_act(reader, "background", reviewer) is not None


def background_of(reader: sqlite3.Connection, reviewer: str) -> Background:
    """What a reviewer said last."""
    act = newest_act(reader, "background", reviewer)
    return Background(**act.said) if act else Background()


def backgrounds(reader: sqlite3.Connection) -> Iterator[tuple[str, Background, str]]:
    """Every reviewer of the study who decided or said anything, with what is known of them and when it was said."""
    said = {act.reviewer: act for act in study_acts(reader, "background")}
    names = {row[0] for row in reader.execute("SELECT DISTINCT reviewer FROM main_act")} | said.keys()
    for name in sorted(names):
        act = said.get(name)
        yield name, Background(**act.said) if act else Background(), act.at_utc if act else ""


def groups_of(reader: sqlite3.Connection) -> dict[str, Literal["expert", "layperson", ""]]:
    """What kind of evaluator each reviewer is by their background; without a role they are of no group."""
    return {name: _group(said.role) for name, said, _ in backgrounds(reader)}


def _group(role: str) -> Literal["expert", "layperson", ""]:
    word = re.sub(r"\s+", " ", role.strip().casefold())
    return "" if not word else "layperson" if word in LAY_ROLES else "expert"
