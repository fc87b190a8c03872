"""Acts on the study as a whole: who its reviewers say that they are, its declarations, and the plan of its audit.

The unit of these events is the study's id, so that they merge and are exported, and all of them stay in the record. The
newest background counts, and the newest word on a field of the declarations (ethics, funding, ...), where an empty one
takes it back. Of an audit they say when to stop, set before the labels are seen, and its option of randomised
assistance.
"""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from medreview.errors import UserError
from medreview.storable import is_damaged
from medreview.study.audit_frame import seed_of_draws
from medreview.study.events import NewEvent, Receipt, Recorder
from medreview.study.package import without_judges
from medreview.study.study import Study
from medreview.text import sha256


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


class DeclaredField(NamedTuple):
    """``name``: of the option and in files; ``title``: in a report."""

    name: str
    title: str


DECLARED: Final = (
    DeclaredField("ethics", "Ethics approval and consent"),
    DeclaredField("privacy", "Protection of patient data"),
    DeclaredField("funding", "Funding"),
    DeclaredField("conflicts", "Conflicts of interest"),
    DeclaredField("registration", "Registration"),
    DeclaredField("protocol", "Protocol"),
    DeclaredField("data", "Data availability"),
    DeclaredField("code", "Code availability"),
    DeclaredField("patients", "Patient and public involvement"),
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
    """Those that stand, in the order of :data:`DECLARED`; fields that nobody filled are left out."""
    acts = study_acts(reader, _DECLARE)
    found = []
    for field in DECLARED:
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
    if field not in (one.name for one in DECLARED):
        raise UserError(f"There is no field {field!r}; there are {', '.join(one.name for one in DECLARED)}.")
    text = text.strip()
    if len(text) > LONGEST or is_damaged(text):
        raise UserError(f"The text of {field} cannot be stored; give up to {LONGEST:,} characters of plain text.")
    if text == next((one.text for one in declarations(study.reader) if one.field == field), ""):
        return False
    write_act(study, reviewer, _DECLARE, {"field": field, "text": text})
    return True


Arm = Literal["blind", "assisted"]
"""The two halves of an audit with randomised assistance."""

PLAN: Final = "audit_plan"
ASSIST: Final = "audit_assist"
"""The kinds of events: a plan is set; a coin decides which members are shown with their judges."""

_LABELLED: Final = """SELECT count(*) FROM audit_item AS a WHERE EXISTS (
    SELECT 1 FROM main_live AS m WHERE m.unit = a.statement_id AND m.pass = 1 AND m.kind <> 'defer')"""


@dataclass(frozen=True, slots=True)
class StoppingPlan:
    """When an audit is to end: at so many ``labels``, or when half of the interval is ``half_width`` (a fraction).

    Set by ``reviewer`` at ``at_utc``, when ``after`` members of the audit had a label of anybody's in that copy.
    """

    half_width: float | None
    labels: int | None
    reviewer: str
    at_utc: str
    after: int


def stopping_plans(reader: sqlite3.Connection) -> tuple[StoppingPlan, ...]:
    """All plans that were set, oldest first: the last one is in force."""
    return tuple(
        StoppingPlan(act.said["half_width"], act.said["labels"], act.reviewer, act.at_utc, act.said["after"])
        for act in study_acts(reader, PLAN)
    )


def set_stopping_plan(
    study: Study, reviewer: str, *, half_width: float | None = None, labels: int | None = None
) -> StoppingPlan:
    """Set one of the two; the plan in force, which is the last one if that says the same already."""
    before = stopping_plans(study.reader)
    if not before or (before[-1].half_width, before[-1].labels) != (half_width, labels):
        said = {"half_width": half_width, "labels": labels, "after": labelled_members(study.reader)}
        write_act(study, reviewer, PLAN, said)
    return stopping_plans(study.reader)[-1]


def labelled_members(reader: sqlite3.Connection) -> int:
    """How many members of the audit have a label of anybody's."""
    return int(reader.execute(_LABELLED).fetchone()[0])


def assists(reader: sqlite3.Connection) -> bool:
    """Whether half of each reviewer's members are shown with their judges, by a coin."""
    act = newest_act(reader, ASSIST)
    return act is not None and bool(act.said["half"])


def set_assistance(study: Study, reviewer: str, *, half: bool) -> None:
    """Have a coin decide for each reviewer and member, or not.

    Raises :class:`UserError` once members have labels: the coin has to come before them.
    """
    if assists(study.reader) == half:
        return
    if labelled := labelled_members(study.reader):
        has = "statement of the audit has" if labelled == 1 else "statements of the audit have"
        raise UserError(f"{labelled:,} {has} a label already. --assist must be set before the first label.")
    write_act(study, reviewer, ASSIST, {"half": half})


@dataclass(frozen=True, slots=True)
class Coin:
    """Which members of the audit a reviewer is to see with their judges: a keyed hash, as fair as a coin.

    Its key is the study's ``seed`` (``audit_frame.seed_of_draws``), the reviewer, and the member's permanent number,
    which the parts of an edited statement have from it. So all copies of a study agree, and nothing seen plays a part.
    """

    seed: str

    def assists(self, reviewer: str, number: float) -> bool:
        """Whether this reviewer sees the judges on the member with this number."""
        return int(sha256(f"{self.seed}/assist/{reviewer}/{number!r}")[:2], 16) < 128


def coin_of(reader: sqlite3.Connection) -> Coin | None:
    """The coin of this study; ``None`` where no assistance is set, or where there are no judges to show."""
    return Coin(seed_of_draws(reader)) if assists(reader) and not without_judges(reader) else None


def shown_by_coin(reader: sqlite3.Connection, reviewer: str) -> frozenset[str]:
    """The members of the audit that this reviewer is to see with their judges."""
    coin = coin_of(reader)
    if coin is None:
        return frozenset()
    rows = reader.execute("SELECT statement_id, number FROM audit_item")
    return frozenset(unit for unit, number in rows if coin.assists(reviewer, number))
