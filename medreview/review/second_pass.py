"""The second pass: a share of what a reviewer decided comes back later, with the first label hidden (intra-rater).

The share and the time are an event of the study; the newest that stands counts. Which units come back is told by
permanent numbers, so that copies of a study agree without talking and a larger share contains the smaller one.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from medreview.errors import UserError
from medreview.study import Study
from medreview.study.permanent_numbers import permanent_number
from medreview.study.study_acts import newest_act, write_act
from medreview.units.labelled_twice import PASS_NO, labelled_twice

MOST_DAYS: Final = 3650


@dataclass(frozen=True, slots=True)
class SecondPass:
    """How much comes back: a ``share`` of 0 (nothing) to 1, days after it was decided; ``seed`` draws it."""

    share: float = 0.0
    after_days: int = 14
    seed: str = ""


@dataclass(frozen=True, slots=True)
class PassProgress:
    """One reviewer's second pass: units ``drawn`` of those decided, ``due`` now, ``later``, ``done`` in it; of these
    the ones with the ``same`` label."""

    drawn: int
    due: int
    later: int
    done: int
    same: int


def second_pass(reader: sqlite3.Connection) -> SecondPass:
    """What is set; a share of 0 when nothing is."""
    act = newest_act(reader, "pass_rate")
    return SecondPass(**{name: act.said[name] for name in ("share", "after_days", "seed")}) if act else SecondPass()


def set_second_pass(
    study: Study, reviewer: str, *, share: float | None = None, after_days: int | None = None, seed: str | None = None
) -> SecondPass:
    """Change what is given, keep the rest; the same again is no event. Raises :class:`UserError` for what cannot be."""
    before = second_pass(study.reader)
    new = SecondPass(
        before.share if share is None else share,
        before.after_days if after_days is None else after_days,
        seed or before.seed or study.meta("study_id"),
    )
    if not 0 <= new.share <= 1:
        raise UserError("A share is a number from 0 (no second pass) to 1, 0.1 for a tenth of what was decided.")
    if not 0 <= new.after_days <= MOST_DAYS:
        raise UserError(f"The days are a whole number from 0 to {MOST_DAYS}.")
    if new != before:
        write_act(study, reviewer, "pass_rate", asdict(new))
    return new


def due_units(reader: sqlite3.Connection, reviewer: str, at: datetime | None = None) -> list[str]:
    """The units that wait in the second pass at a time (now), in the order of their numbers.

    Decided in the first pass so many days before, drawn, and not decided in the second.
    """
    return _pass(reader, reviewer, at).due


def in_pass(reader: sqlite3.Connection, reviewer: str, at: datetime | None = None) -> list[str]:
    """The units of the queue: those that wait, and those that were decided in the second pass, in their order."""
    now = _pass(reader, reviewer, at)
    waiting = set(now.due)
    drawn = [unit for unit, _ in now.drawn if unit in waiting or unit in now.done]
    return [*drawn, *sorted(now.done.difference(drawn))]


def pass_progress(reader: sqlite3.Connection, reviewer: str, at: datetime | None = None) -> PassProgress:
    """How far a reviewer is in the second pass."""
    now = _pass(reader, reviewer, at)
    twice = labelled_twice(reader, reviewer)
    later = sum(unit not in now.done for unit, _ in now.drawn) - len(now.due)
    return PassProgress(len(now.drawn), len(now.due), later, len(twice), sum(one.same for one in twice))


_STANDING: Final = "SELECT unit, state FROM standing WHERE reviewer = ? AND pass = ?"

_FIRST: Final = """SELECT s.unit, e.at_utc FROM standing AS s JOIN event AS e USING (event_id)
WHERE s.reviewer = ? AND s.pass = 1 AND s.state = 'decided'
      AND (instr(s.unit, ':') OR s.unit IN (SELECT statement_id FROM statement_standing))"""


class _Pass(NamedTuple):
    """What comes back, with the time of its decision; what is decided in the second pass; what waits in it."""

    drawn: list[tuple[str, str]]
    done: set[str]
    due: list[str]


def _pass(reader: sqlite3.Connection, reviewer: str, at: datetime | None) -> _Pass:
    now = second_pass(reader)
    if not now.seed:  # never set: the first screen asks this of every study
        return _Pass([], set(), [])
    done = {row[0] for row in reader.execute(_STANDING, (reviewer, PASS_NO)) if row[1] == "decided"}
    drawn, limit = list(_drawn(reader, reviewer)), _limit(now, at)
    return _Pass(drawn, done, [unit for unit, decided_at in drawn if decided_at <= limit and unit not in done])


def _drawn(reader: sqlite3.Connection, reviewer: str) -> Iterator[tuple[str, str]]:
    """The units that come back, in the order of their numbers, and when each was decided."""
    now = second_pass(reader)
    found = []
    for unit, at in reader.execute(_FIRST, (reviewer,)) if now.share else ():
        # Not the numbers of the audit: else the same units would be drawn by both.
        number = permanent_number(f"{now.seed}/second pass", unit)
        if number < now.share:
            found.append((number, unit, at))
    return ((unit, at) for _, unit, at in sorted(found))


def _limit(now: SecondPass, at: datetime | None) -> str:
    moment = (at or datetime.now(UTC)).astimezone(UTC) - timedelta(days=now.after_days)
    return moment.isoformat(timespec="milliseconds")
