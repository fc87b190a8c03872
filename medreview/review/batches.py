"""Batches: the units of a draw shared out to named reviewers, with a designed overlap and equal loads.

One event says who reviews what, in which order; the newest one on a draw is in force. Nothing in it depends on what
anybody said of a unit: each unit goes to those who have the fewest units so far, then to those who have met each other
and its stratum least, and a keyed hash of seed, unit and name settles the rest.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, Final, Literal

from medreview.errors import UserError
from medreview.review.draws import UnitDraw, allotted, draw_named, frame_of, strata_of
from medreview.review.queue_kinds import ROWS, QueueKind
from medreview.review.unit_queues import MINE, unit_rows
from medreview.storable import is_damaged
from medreview.study import Study
from medreview.study.audit_frame import permanent_number
from medreview.study.ids import STATEMENT
from medreview.study.package import package_of
from medreview.study.study_acts import write_act
from medreview.text import counted
from medreview.units.registry import KINDS

ASSIGN: Final = "assign"
"""The kind of event."""
Order = Literal["own", "same"]
"""The order of a batch: each reviewer's own, by chance, or that of the draw for all."""
_LONGEST: Final = 100
"""Characters of a reviewer's name."""
MOST_REVIEWERS: Final = 200


@dataclass(frozen=True, slots=True)
class UnitBatches:
    """Who reviews which units of a draw, each in their order; by whom and when that was set.

    ``each``: how many reviewers a unit has; ``overlap``: the share of the units that one more has, 0 to 1. ``by``: what
    the loads are balanced over beside their size.
    """

    draw: str
    to: tuple[str, ...]
    each: int
    overlap: float
    order: Order
    by: tuple[str, ...]
    seed: str
    batches: Mapping[str, tuple[str, ...]]
    reviewer: str = ""
    at_utc: str = ""

    @property
    def words(self) -> str:
        """How they were made: ``each unit to 1 of 12 reviewers, 45% to one more``."""
        more = f", {100 * self.overlap:.3g}% to one more" if self.overlap else ""
        order = "one order for all" if self.order == "same" else "each in an order of their own"
        return f"each unit to {self.each} of {counted(len(self.to), 'reviewer')}{more}; {order}"


def batches(reader: sqlite3.Connection) -> dict[str, UnitBatches]:
    """Those in force, by the name of the draw."""
    rows = reader.execute("SELECT payload, reviewer, at_utc FROM batch_standing ORDER BY event_id")
    found = (_of(json.loads(row[0]), row[1], row[2]) for row in rows)
    return {one.draw: one for one in found}


def _of(said: Mapping[str, Any], reviewer: str, at_utc: str) -> UnitBatches:
    lists = {"to": tuple(said["to"]), "by": tuple(said["by"])}
    held = {name: tuple(units) for name, units in said["batches"].items()}
    return UnitBatches(**{**said, **lists, "batches": held}, reviewer=reviewer, at_utc=at_utc)


_OWN: Final = """SELECT b.unit FROM batch_unit AS b JOIN draw_standing AS d USING (name)
WHERE b.reviewer = ? AND d.kind = ? AND ? IN ('', b.name) ORDER BY b.event_id, b.place"""


def own_units(reader: sqlite3.Connection, kind: str, reviewer: str) -> list[str]:
    """The units of a kind in all batches of a reviewer, batch after batch, each in its order.

    In a copy for one batch those of that one, also where it has units of another.
    """
    copy = package_of(reader)
    values = reviewer, kind, copy.batch if copy else ""
    return list(dict.fromkeys(row[0] for row in reader.execute(_OWN, values)))


_KINDS: Final = """SELECT DISTINCT d.kind FROM batch_unit AS b JOIN draw_standing AS d USING (name)
WHERE b.reviewer = ?"""


def own_batches(reader: sqlite3.Connection, reviewer: str, pass_no: int = 1) -> list[tuple[QueueKind, dict[str, int]]]:
    """The queues of a reviewer's batches, with how many units are decided, deferred and ``open`` in each.

    A queue of which the study has no unit is left out: a copy for one batch knows of the others.
    """
    kinds = {row[0] for row in reader.execute(_KINDS, (reviewer,))}
    found = []
    for queue in (one for one in MINE if one.unit in kinds):
        rows = ROWS if queue.unit == STATEMENT else unit_rows(queue.unit)
        query = f"""SELECT coalesce(mine.state, 'open'), count(*) {rows}
                    WHERE {queue.column} IN (SELECT value FROM json_each(?)) GROUP BY 1"""
        units = json.dumps(own_units(reader, queue.unit, reviewer))
        if states := dict(reader.execute(query, (reviewer, pass_no, units)).fetchall()):
            found.append((queue, states))
    return found


def own_queue(reader: sqlite3.Connection, reviewer: str) -> QueueKind:
    """The queue of the first of a reviewer's batches in which something waits; where nothing does, the first."""
    held = own_batches(reader, reviewer)
    waiting = (queue for queue, states in held if states.keys() - {"decided"})
    return next(waiting, held[0][0] if held else MINE[0])


_DECIDED: Final = """SELECT reviewer, unit FROM standing
WHERE pass = 1 AND state = 'decided' AND unit IN (SELECT value FROM json_each(?))"""


def assign(
    study: Study,
    reviewer: str,
    name: str,
    to: Sequence[str],
    *,
    each: int = 1,
    overlap: float = 0.0,
    order: Order = "own",
    by: Sequence[str] = (),
    seed: str = "",
    again: bool = False,
) -> UnitBatches:
    """Share out the units of a draw; the same twice is no event.

    ``by``: as the draw is stratified when empty. ``again``: share out once more what is shared out already. Whoever has
    decided a unit keeps it then, also one who is not named any more, and it counts as one of those that the unit is to
    have. Raises :class:`UserError` for a draw that there is not or that nobody can review, for invalid names, numbers
    and strata, and for a draw that is shared out otherwise already, without ``again``.
    """
    reader = study.reader
    drawn = draw_named(reader, name)
    if drawn.kind not in (STATEMENT, *KINDS):
        raise UserError(f"{name!r} is a draw of {drawn.noun}s, which nobody reviews one by one: there are no batches.")
    names = _names(to)
    if not 1 <= each <= len(names) or (overlap and each == len(names)):
        raise UserError(f"Each unit cannot go to {each + bool(overlap)} of {counted(len(names), 'reviewer')}.")
    if not 0 <= overlap < 1:
        raise UserError("An overlap is above 0% and below 100%: 45%. For every unit twice, give each unit to 2.")
    before = batches(reader).get(name)
    seed = seed or (before.seed if before else f"{drawn.seed}/batches")
    by = tuple(by) or drawn.by
    plan = UnitBatches(name, names, each, overlap, order, by, seed, {})
    if before and not again:
        if replace(before, batches={}, reviewer="", at_utc="") == plan:
            return before
        raise UserError(
            f"{name!r} is shared out already ({before.words}). With --again, reviewers keep what they have decided, "
            "and the rest is shared out."
        )
    kept = _decided(reader, before) if before else {}
    made = replace(plan, batches=_shared_out(reader, drawn, plan, kept))
    said = {key: value for key, value in asdict(made).items() if key not in ("reviewer", "at_utc")}
    write_act(study, reviewer, ASSIGN, said)
    return batches(study.reader)[name]


def _names(to: Sequence[str]) -> tuple[str, ...]:
    names = tuple(name.strip() for name in to)
    if not names or len(set(names)) < len(names) or len(names) > MOST_REVIEWERS:
        raise UserError(f"Name 1 to {MOST_REVIEWERS} reviewers, each once: --to anna,ben.")
    for name in names:
        if not name or len(name) > _LONGEST or is_damaged(name):
            raise UserError(f"A reviewer has a name of 1 to {_LONGEST} characters, not {name!r}.")
    return names


def _decided(reader: sqlite3.Connection, before: UnitBatches) -> dict[str, tuple[str, ...]]:
    """What reviewers have decided of their batches, in the order of these."""
    units = sorted({unit for own in before.batches.values() for unit in own})
    done = {(row[0], row[1]) for row in reader.execute(_DECIDED, (json.dumps(units),))}
    held = {who: tuple(unit for unit in own if (who, unit) in done) for who, own in before.batches.items()}
    return {who: own for who, own in held.items() if own}


def _shared_out(
    reader: sqlite3.Connection,
    drawn: UnitDraw,
    plan: UnitBatches,
    kept: Mapping[str, tuple[str, ...]],
) -> dict[str, tuple[str, ...]]:
    of = strata_of(reader, frame_of(drawn), plan.by) if plan.by else {}
    stratum = {unit: of.get(unit, ()) for unit in drawn.units}
    more = _twice(drawn.units, stratum, plan.overlap, plan.seed)
    copies = {unit: plan.each + (unit in more) for unit in drawn.units}
    given = shared_out(copies, stratum, plan.to, plan.seed, kept)
    place = {unit: turn for turn, unit in enumerate(drawn.units)}

    def turn(who: str, unit: str) -> float:
        return place[unit] if plan.order == "same" else permanent_number(f"{plan.seed}/order/{who}", unit)

    return {who: tuple(sorted(units, key=lambda unit: turn(who, unit))) for who, units in given.items()}


def _twice(units: Sequence[str], stratum: Mapping[str, tuple[str, ...]], overlap: float, seed: str) -> Collection[str]:
    """The units that one more reviewer gets: the same share of each stratum, by their numbers."""
    held: dict[tuple[str, ...], list[tuple[float, str]]] = {}
    for unit in units:
        held.setdefault(stratum[unit], []).append((permanent_number(f"{seed}/overlap", unit), unit))
    names = sorted(held)
    sizes = allotted(round(overlap * len(units)), [len(held[one]) for one in names], "share") if overlap else []
    return {unit for one, size in zip(names, sizes, strict=False) for _, unit in sorted(held[one])[:size]}


def shared_out(
    copies: Mapping[str, int],
    stratum: Mapping[str, tuple[str, ...]],
    names: Sequence[str],
    seed: str,
    kept: Mapping[str, Sequence[str]],
) -> dict[str, list[str]]:
    """Who gets which units: each goes to as many as ``copies`` says, by whom it is ``kept`` included.

    Loads differ by at most one where nothing is kept. Units for several come first, stratum by stratum, so that each
    two reviewers share about as many, and each reviewer has about as many of every stratum.
    """
    given: dict[str, list[str]] = {who: [] for who in names} | {who: list(units) for who, units in kept.items()}
    holders: dict[str, list[str]] = {}
    beside: Counter[tuple[str, str]] = Counter()
    met: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for who, units in kept.items():
        for unit in units:
            holders.setdefault(unit, []).append(who)
            met[who, stratum[unit]] += 1
    for has in holders.values():
        beside.update(combinations(sorted(has), 2))
    # The order of the draw within a stratum: it is random already.
    for unit in sorted(copies, key=lambda one: (-copies[one], stratum[one])):
        has = holders.setdefault(unit, [])
        while len(has) < copies[unit] and (free := [who for who in names if who not in has]):
            who = min(
                free,
                key=lambda one: (
                    len(given[one]),
                    sum(beside[min(one, other), max(one, other)] for other in has),
                    met[one, stratum[unit]],
                    permanent_number(f"{seed}/{one}", unit),
                ),
            )
            beside.update((min(who, other), max(who, other)) for other in has)
            met[who, stratum[unit]] += 1
            given[who].append(unit)
            has.append(who)
    return given


_PERCENT: Final = re.compile(r"(\d{1,2}(?:\.\d+)?)\s?%|(0?\.\d+)")


def share_named(text: str) -> float:
    """``45%`` or ``0.45`` as a fraction. Raises :class:`UserError` for anything else."""
    found = _PERCENT.fullmatch(text.strip())
    if not found:
        raise UserError(f"An overlap is a share such as 45%, not {text!r}.")
    return float(found[1]) / 100 if found[1] else float(found[2])
