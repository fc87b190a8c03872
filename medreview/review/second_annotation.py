"""The share of units that a second reviewer annotates too, without knowing the first one's labels.

Who is drawn is told by permanent numbers of a seed: copies of a study agree without talking, and a larger share
contains the smaller one. A share is an event of the study, for each kind of unit, and is only ever raised.
"""

import json
import sqlite3
from dataclasses import dataclass
from typing import Final

from medreview.errors import UserError
from medreview.study import Study
from medreview.study.permanent_numbers import permanent_number
from medreview.study.study_acts import write_act
from medreview.study.unit_ids import STATEMENT
from medreview.units.registry import KINDS

SHARE_RATE: Final = "share_rate"

_RATES: Final = "SELECT payload FROM event_live WHERE kind = 'share_rate' ORDER BY event_id"
_STATEMENTS: Final = "SELECT statement_id AS unit FROM statement_standing ORDER BY rowid"

# What was left out of a copy for a colleague is known by who decided it, not by how.
_DECIDED: Final = """SELECT DISTINCT unit FROM standing
WHERE reviewer <> ?1 AND pass = 1 AND state = 'decided' AND unit IN (SELECT value FROM json_each(?2))
UNION SELECT unit FROM withheld WHERE decides AND reviewer <> ?1 AND unit IN (SELECT value FROM json_each(?2))"""


@dataclass(frozen=True, slots=True)
class Share:
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


def shares(reader: sqlite3.Connection) -> dict[str, Share]:
    """The share of each kind that has one: the highest that was ever set, whoever did in whichever copy."""
    found: dict[str, Share] = {}
    for (payload,) in reader.execute(_RATES):
        said = json.loads(payload)
        one = Share(said["kind"], said["rate"], said["seed"])
        if one.kind not in found or one.rate > found[one.kind].rate:
            found[one.kind] = one
    return found


def set_share(study: Study, reviewer: str, kind: str, rate: float, seed: int | None = None) -> Share:
    """Set the share of a kind, or raise it; the same again is no event.

    Raises :class:`UserError` for a kind that there is not, a rate that is none or lower than before, and another seed
    once something is drawn.
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
    new = Share(kind, rate, before.seed if before else seed or 0)
    if new != before:
        write_act(study, reviewer, SHARE_RATE, {"kind": kind, "rate": rate, "seed": new.seed})
    return new


def drawn(reader: sqlite3.Connection, study_id: str, share: Share) -> list[str]:
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


def share_progress(reader: sqlite3.Connection, study_id: str, share: Share, reviewer: str) -> ShareProgress:
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
