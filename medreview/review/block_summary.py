"""What is told at the end of a block, or of a sitting: pace, gold result, and then the figures hidden so far."""

import json
import sqlite3
from collections.abc import Callable, Collection
from dataclasses import dataclass
from statistics import median
from typing import Final

from medreview.units.gold_results import GoldResult, gold_results
from medreview.units.labelled_twice import PASS_NO, Twice, labelled_twice

Agrees = Callable[[str, str], bool | None]
"""Whether the machines' label on a unit is this one; ``None`` when they have no common one."""

_ACTS: Final = """SELECT unit, kind, payload, session FROM main_live
WHERE reviewer = ? AND pass = ? AND unit = ? ORDER BY event_id"""
_LABELS: Final = """SELECT unit, axis, label, changed_after_reveal FROM reviewer_label
WHERE reviewer = ? AND pass = ? AND unit = ?"""


@dataclass(frozen=True, slots=True)
class Agreement:
    """``same`` of ``n`` labels as the machines'; ``without``: decided, and the machines have no common label."""

    same: int
    n: int
    without: int


@dataclass(frozen=True, slots=True)
class BlockSummary:
    """Some units of one reviewer and pass: ``decided``, ``deferred`` and ``open``; working time and keys.

    ``median_ms`` and ``median_keys`` are those of a decision, ``None`` where no decision has them (from Python), and
    ``active_ms`` is the time of all. ``gold`` is to be told when the block is done. ``agreement`` and ``changed``
    (labels changed after the judges were shown) are ``None`` as long as the machines' opinion is hidden. ``twice``: the
    labels of both passes, in the second.
    """

    decided: int
    deferred: int
    open: int
    active_ms: int
    median_ms: int | None
    median_keys: float | None
    gold: tuple[GoldResult, ...]
    agreement: Agreement | None
    changed: int | None
    twice: tuple[Twice, ...]

    @property
    def failed(self) -> tuple[GoldResult, ...]:
        """Checks of attention that failed."""
        return tuple(one for one in self.gold if one.gold.attention and not one.right)


def block_summary(
    reader: sqlite3.Connection,
    reviewer: str,
    units: Collection[str],
    *,
    gold: Collection[str] | None = None,
    pass_no: int = 1,
    agrees: Agrees | None = None,
) -> BlockSummary:
    """Sum up some units. ``gold``: of which of them the right label may be told, all when it is ``None``.

    ``agrees`` is given once the machines' opinion on all of them may be seen.
    """
    states = {"decided": 0, "deferred": 0, "open": 0}
    times, keys, same, n, without, changed = [], [], 0, 0, 0, 0
    for unit in units:
        acts = reader.execute(_ACTS, (reviewer, pass_no, unit)).fetchall()
        state = "open" if not acts else "deferred" if acts[-1]["kind"] == "defer" else "decided"
        states[state] += 1
        told = [json.loads(act["payload"]) for act in acts if act["kind"] == "decide"]
        times += [one["active_ms"] for one in told if "active_ms" in one]
        keys += [one["keys"] for one in told if "keys" in one]
        if agrees is None or state != "decided":
            continue
        row = reader.execute(_LABELS, (reviewer, pass_no, unit)).fetchone()
        found = agrees(unit, row["label"])
        changed += row["changed_after_reveal"]
        if found is None:
            without += 1
        else:
            n += 1
            same += found
    return BlockSummary(
        **states,
        active_ms=sum(times),
        median_ms=round(median(times)) if times else None,
        median_keys=float(median(keys)) if keys else None,
        gold=tuple(gold_results(reader, reviewer, pass_no, frozenset(units if gold is None else gold))),
        agreement=None if agrees is None else Agreement(same, n, without),
        changed=None if agrees is None else changed,
        twice=tuple(labelled_twice(reader, reviewer, frozenset(units))) if pass_no == PASS_NO else (),
    )
