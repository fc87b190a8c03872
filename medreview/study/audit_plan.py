"""The plan of an audit: when to stop, set before the labels are seen; and its option of randomised assistance.

Both are acts on the study as a whole (``study_acts``): they merge, are exported, and all of them stay in the record.
"""

import sqlite3
from dataclasses import dataclass
from typing import Final, Literal

from medreview.errors import UserError
from medreview.study.audit_frame import seed_of_draws
from medreview.study.package import without_judges
from medreview.study.study import Study
from medreview.study.study_acts import newest_act, study_acts, write_act
from medreview.text import sha256

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
