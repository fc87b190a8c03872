"""Units that are annotated twice: by the same reviewer (second pass, intra-rater) or by a second one (inter-rater).

The share is drawn by the permanent numbers of the study; the first label is hidden until the second is given.
"""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from medreview.errors import UserError
from medreview.study import Study
from medreview.study.audit_frame import permanent_number
from medreview.study.ids import STATEMENT
from medreview.study.study_acts import newest_act, write_act
from medreview.units.label_comparisons import PASS_NO, labelled_twice
from medreview.units.registry import KINDS

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
    """The setting; a share of 0 without one."""
    act = newest_act(reader, "pass_rate")
    return SecondPass(**{name: act.said[name] for name in ("share", "after_days", "seed")}) if act else SecondPass()


def set_second_pass(
    study: Study, reviewer: str, *, share: float | None = None, after_days: int | None = None, seed: str | None = None
) -> SecondPass:
    """Change the given values, keep the rest; no change is no event. Raises :class:`UserError` for invalid ones."""
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


SHARE_RATE: Final = "share_rate"

_RATES: Final = "SELECT payload FROM event_live WHERE kind = 'share_rate' ORDER BY event_id"
_STATEMENTS: Final = "SELECT statement_id AS unit FROM statement_standing ORDER BY rowid"

# What was left out of a copy for a colleague is known by who decided it, not by how.
_DECIDED: Final = """SELECT DISTINCT unit FROM standing
WHERE reviewer <> ?1 AND pass = 1 AND state = 'decided' AND unit IN (SELECT value FROM json_each(?2))
UNION SELECT unit FROM withheld WHERE decides AND reviewer <> ?1 AND unit IN (SELECT value FROM json_each(?2))"""


@dataclass(frozen=True, slots=True)
class RepeatShare:
    """How much of a kind of unit is annotated a second time: a ``rate`` of 0 (nothing) to 1, drawn by a ``seed``."""

    kind: str
    rate: float
    seed: int


@dataclass(frozen=True, slots=True)
class ShareProgress:
    """Units ``drawn`` of all ``units`` of a kind; for a reviewer those that another has ``ready`` (decided), those of
    them that ``wait`` for this reviewer, and those that both have decided."""

    kind: str
    rate: float
    seed: int
    units: int
    drawn: int
    ready: int
    waiting: int
    twice: int


def shares(reader: sqlite3.Connection) -> dict[str, RepeatShare]:
    """The share of each kind that has one: the highest that was ever set, by any reviewer in any copy."""
    found: dict[str, RepeatShare] = {}
    for (payload,) in reader.execute(_RATES):
        said = json.loads(payload)
        one = RepeatShare(said["kind"], said["rate"], said["seed"])
        if one.kind not in found or one.rate > found[one.kind].rate:
            found[one.kind] = one
    return found


def set_share(study: Study, reviewer: str, kind: str, rate: float, seed: int | None = None) -> RepeatShare:
    """Set the share of a kind, or raise it; the same again is no event.

    Raises :class:`UserError` for an unknown kind, a rate that is invalid or lower than before, and another seed once
    something is drawn.
    """
    if kind not in (STATEMENT, *KINDS):
        raise UserError(f"There is no kind of unit {kind!r}; there are {', '.join((STATEMENT, *KINDS))}.")
    if not 0 < rate <= 1:
        raise UserError("A share is a number above 0 and up to 1, 0.45 for 45 of a hundred.")
    before = shares(study.reader).get(kind)
    if before and rate < before.rate:
        raise UserError(
            f"The share of {kind} is {before.rate:g} and is only ever raised: nobody who is drawn drops out."
        )
    if before and seed not in (None, before.seed):
        raise UserError(f"The share of {kind} is drawn with the seed {before.seed}: another one would draw others.")
    new = RepeatShare(kind, rate, before.seed if before else seed or 0)
    if new != before:
        write_act(study, reviewer, SHARE_RATE, {"kind": kind, "rate": rate, "seed": new.seed})
    return new


def drawn(reader: sqlite3.Connection, study_id: str, share: RepeatShare) -> list[str]:
    """The units of a share, in the order of their numbers."""
    query = _STATEMENTS if share.kind == STATEMENT else f"SELECT unit FROM ({KINDS[share.kind].rows})"
    # Not the numbers of the audit: else the same units would be drawn by both.
    seed = f"{study_id}/second annotator/{share.seed}"
    numbers = ((permanent_number(seed, row["unit"]), row["unit"]) for row in reader.execute(query))
    return [unit for number, unit in sorted(one for one in numbers if one[0] < share.rate)]


def ready_units(reader: sqlite3.Connection, study_id: str, kind: str, reviewer: str) -> list[str]:
    """The units of a kind's share that another reviewer has decided, in the order of their numbers."""
    share = shares(reader).get(kind)
    if share is None:
        return []
    found = drawn(reader, study_id, share)
    decided = {row[0] for row in reader.execute(_DECIDED, (reviewer, json.dumps(found)))}
    return [unit for unit in found if unit in decided]


def share_progress(reader: sqlite3.Connection, study_id: str, share: RepeatShare, reviewer: str) -> ShareProgress:
    """How far a reviewer is with the share of a kind."""
    query = _STATEMENTS if share.kind == STATEMENT else KINDS[share.kind].rows
    units = reader.execute(f"SELECT count(*) FROM ({query})").fetchone()[0]
    ready = ready_units(reader, study_id, share.kind, reviewer)
    own = "SELECT unit FROM standing WHERE reviewer = ? AND pass = 1 AND state = 'decided'"
    mine = {row[0] for row in reader.execute(own, (reviewer,))}
    waiting = sum(unit not in mine for unit in ready)
    return ShareProgress(
        share.kind, share.rate, share.seed, units, len(drawn(reader, study_id, share)), len(ready), waiting,
        len(ready) - waiting,
    )  # fmt: skip
