"""The board of a study's draws: who has what, how far each is, agreement so far, what is to be done next.

Progress counts decisions and says no label. Agreement does: it is withheld from whoever still has units of the draw
before them, and while a blind block of theirs is open (:func:`hidden_from`).
"""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

from medreview.labels import axis_words, same_label
from medreview.next_step import command
from medreview.review.batches import UnitBatches, batches
from medreview.review.blind_block import blind_block_open
from medreview.review.draws import DrawStratum, UnitDraw, draws, strata_now
from medreview.study.ids import STATEMENT
from medreview.text import counted, name_list
from medreview.units.registry import KINDS
from medreview.units.statement import STATEMENT_ASKS

_STATES: Final = """SELECT b.reviewer, coalesce(s.state, 'open') AS state, count(*) AS units, max(e.at_utc) AS at_utc
FROM batch_unit AS b LEFT JOIN standing AS s ON s.unit = b.unit AND s.reviewer = b.reviewer AND s.pass = 1
LEFT JOIN event AS e ON e.event_id = s.event_id
WHERE b.name = ? GROUP BY 1, 2"""
_SHARED: Final = """SELECT reviewer, count(*) FROM batch_unit WHERE name = ?1 AND unit IN (
    SELECT unit FROM batch_unit WHERE name = ?1 GROUP BY unit HAVING count(*) > 1) GROUP BY 1"""
_LABELS: Final = """SELECT unit, reviewer, label FROM compared_label
WHERE pass = 1 AND axis = ?2 AND unit IN (SELECT unit FROM drawn_unit WHERE name = ?1) ORDER BY unit, reviewer"""
_CONFLICTS: Final = """SELECT c.unit, c.axis FROM conflict AS c
LEFT JOIN adjudicated AS a ON a.unit = c.unit AND a.axis = c.axis AND a.stands
WHERE a.unit IS NULL AND c.unit IN (SELECT unit FROM drawn_unit WHERE name = ?)"""


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a reviewer is: ``units`` in the batch, ``shared`` with somebody; ``last``: the newest act, UTC."""

    reviewer: str
    units: int
    shared: int
    decided: int
    deferred: int
    open: int
    last: str


@dataclass(frozen=True, slots=True)
class AgreementSoFar:
    """Of the units that two or more have decided, on how many all labels are the same; of each two labels on a unit,
    how many are; all that on one ``axis``. ``conflicts``: units that wait to be settled, ``differ`` those of each axis,
    flags included. ``labels``: how many each reviewer gave."""

    axis: str
    units: int
    same: int
    pairs: int
    same_pairs: int
    conflicts: int
    differ: Mapping[str, int]
    labels: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class DrawBoard:
    """A draw: its units, how they are shared out, and how far that is. ``unassigned``: units that nobody is to review.

    ``agreement`` is ``None`` where it is ``withheld``, a sentence, or where nobody reviews such units. ``next``: what
    to do now, each a sentence.
    """

    name: str
    kind: str
    words: str
    units: int
    drawn_by: str
    drawn_at: str
    strata: tuple[DrawStratum, ...]
    batches: str
    reviewers: tuple[BatchProgress, ...]
    unassigned: int
    agreement: AgreementSoFar | None
    withheld: str
    next: tuple[str, ...]


def plan_board(reader: sqlite3.Connection, study: Path, asking: Sequence[str]) -> list[DrawBoard]:
    """Every draw, oldest first. ``asking``: who may be reading this, as far as known."""
    shared = batches(reader)
    return [_board(reader, study, one, shared.get(one.name), asking) for one in draws(reader).values()]


def hidden_from(reader: sqlite3.Connection, drawn: UnitDraw, progress: Sequence[BatchProgress], who: str) -> str:
    """Why the agreement on a draw is hidden from a reviewer, as a sentence; ``""`` when it may be seen."""
    own = next((one for one in progress if one.reviewer == who), None)
    if own is not None and own.open + own.deferred:
        return f"Agreement is hidden from {who} until all of the batch is decided."
    if blind_block_open(reader, who, drawn.kind):
        return f"Agreement is hidden from {who} while a blind block is open."
    return ""


def _board(
    reader: sqlite3.Connection, study: Path, drawn: UnitDraw, shared: UnitBatches | None, asking: Sequence[str]
) -> DrawBoard:
    progress = _progress(reader, shared) if shared else ()
    held = {unit for own in shared.batches.values() for unit in own} if shared else set()
    unassigned = len(drawn.units) - len(held)
    reviewed = drawn.kind in (STATEMENT, *KINDS)
    withheld = next(filter(None, (hidden_from(reader, drawn, progress, who) for who in asking)), "") if reviewed else ""
    agreement = _agreement(reader, drawn) if reviewed and not withheld else None
    return DrawBoard(
        drawn.name, drawn.kind, drawn.words, len(drawn.units), drawn.reviewer, drawn.at_utc,
        tuple(strata_now(reader, drawn)), shared.words if shared else "", progress, unassigned, agreement, withheld,
        tuple(_next(study, drawn, progress, agreement, unassigned if reviewed else 0)),
    )  # fmt: skip


def _progress(reader: sqlite3.Connection, shared: UnitBatches) -> tuple[BatchProgress, ...]:
    counts: dict[tuple[str, str], int] = {}
    last: dict[str, str] = {}
    for row in reader.execute(_STATES, (shared.draw,)):
        counts[row["reviewer"], row["state"]] = row["units"]
        last[row["reviewer"]] = max(last.get(row["reviewer"], ""), row["at_utc"] or "")
    with_others = dict(reader.execute(_SHARED, (shared.draw,)).fetchall())
    return tuple(
        BatchProgress(
            who, len(units), with_others.get(who, 0),
            counts.get((who, "decided"), 0), counts.get((who, "deferred"), 0), counts.get((who, "open"), 0),
            last.get(who, ""),
        )
        for who, units in shared.batches.items()
    )  # fmt: skip


def _agreement(reader: sqlite3.Connection, drawn: UnitDraw) -> AgreementSoFar:
    axis = STATEMENT_ASKS.axis if drawn.kind == STATEMENT else KINDS[drawn.kind].axis
    said: dict[str, list[str]] = {}
    labels: dict[str, int] = {}
    for unit, who, label in reader.execute(_LABELS, (drawn.name, axis)):
        said.setdefault(unit, []).append(label)
        labels[who] = labels.get(who, 0) + 1
    several = [given for given in said.values() if len(given) > 1]
    alike = [[same_label(axis, one, other) for one, other in combinations(given, 2)] for given in several]
    waiting = reader.execute(_CONFLICTS, (drawn.name,)).fetchall()
    differ = dict(sorted(Counter(row["axis"] for row in waiting).items()))
    return AgreementSoFar(
        axis,
        len(several),
        sum(map(all, alike)),
        sum(map(len, alike)),
        sum(map(sum, alike)),
        len({row["unit"] for row in waiting}),
        differ,
        labels,
    )


def _next(
    study: Path, drawn: UnitDraw, progress: Sequence[BatchProgress], agreement: AgreementSoFar | None, unassigned: int
) -> list[str]:
    found = []
    if unassigned:
        share = command("plan", "assign", study, drawn.name, "--to", "NAME,NAME")
        found.append(f"{counted(unassigned, drawn.noun)} nobody is to review yet. Share them out: {share}")
    waiting = [one.reviewer for one in progress if one.open + one.deferred]
    if waiting:
        queue = "mine" if drawn.kind == STATEMENT else f"mine_{KINDS[drawn.kind].queue_name}"
        opens = command("review", study, "--reviewer", waiting[0], "--queue", queue)
        found.append(f"Still at work: {name_list(waiting)}. A batch opens with: {opens}")
    if agreement and agreement.conflicts:
        name = "conflicts" if drawn.kind == STATEMENT else f"conflicts_{KINDS[drawn.kind].queue_name}"
        settle = command("review", study, "--queue", name, "--filter", f"drawn={drawn.name}")
        on = ", ".join(f"{axis_words(axis)} {number:,}" for axis, number in agreement.differ.items())
        found.append(f"{counted(agreement.conflicts, 'conflict')} to settle ({on}): {settle}")
    if agreement and agreement.labels and drawn.kind in (STATEMENT, *KINDS):
        unit = () if drawn.kind == STATEMENT else ("--unit", "key_fact" if drawn.kind == "fact" else drawn.kind)
        found.append(f"Its figures: {command('stats', study, *unit, '--where', f'drawn={drawn.name}')}")
    return found
