"""How far a reviewer agrees with herself: the labels of the second pass beside those of the first."""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from medreview.labels import AXES
from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.study.unit_ids import STATEMENT, kind_of
from medreview.units.held_facts import Mode
from medreview.units.labelled_twice import Twice, labelled_twice
from medreview.units.registry import KINDS

FIRST: Final[dict[Mode, str]] = {
    "blind": "first labels of the first pass, given blind",
    "assisted": "labels of the first pass as they stand, given with the judges in sight",
}
SECOND: Final = "labels of the second pass, given before its judges were shown"

_SAME: Final = ("same", "another")
_STATISTICS: Final = ("percent_agreement", "cohen_kappa", "gwet_ac")
_RESPONSES: Final = "SELECT statement_id, response_id FROM statement_standing"


@dataclass(frozen=True)
class IntraRater:
    """Units of one ``kind`` that have a label of both passes on its ``axis``, the first one of a ``mode``.

    ``first`` and ``second`` say which labels these are. ``table`` has the first pass in rows, in the order of
    ``labels``; empty, and without kappa, for orders. ``same`` counts the labels that are the same.
    """

    kind: str
    axis: str
    mode: Mode
    first: str
    second: str
    same: int
    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    agreement: tuple[Estimate, ...]


def intra_rater(
    reader: sqlite3.Connection, reviewer: str, resampling: Resampling, only: Collection[str] | None = None
) -> tuple[IntraRater, ...]:
    """By kind, axis and mode of the first label; ``only``: of these units. Responses (or what else units are of) are
    resampled."""

    def group(one: Twice) -> tuple[str, str, Mode]:
        return kind_of(one.unit), one.axis, one.mode

    twice = sorted(labelled_twice(reader, reviewer, only), key=group)
    responses = dict(reader.execute(_RESPONSES)) if twice else {}
    found = []
    for (kind, axis, mode), units in groupby(twice, key=group):
        held = list(units)
        clusters = [
            responses.get(one.unit, one.unit) if kind == STATEMENT else KINDS[kind].cluster(reader, one.unit)
            for one in held
        ]
        found.append(_agreement(kind, axis, mode, held, clusters, resampling))
    return tuple(found)


def _agreement(
    kind: str, axis: str, mode: Mode, held: Sequence[Twice], clusters: Sequence[str], resampling: Resampling
) -> IntraRater:
    levels = tuple(label.level for label in AXES[axis])
    first, second = [one.first for one in held], [one.second for one in held]
    if not levels:  # of orders only whether they are the same is asked
        first, second = [_SAME[0]] * len(held), [_SAME[not one.same] for one in held]
    found = two_raters(
        first,
        second,
        levels or _SAME,
        clusters=clusters,
        statistics=_STATISTICS if levels else _STATISTICS[:1],
        resampling=resampling,
        unit="response" if kind == STATEMENT else "group",
    )
    return IntraRater(
        kind=kind,
        axis=axis,
        mode=mode,
        first=FIRST[mode],
        second=SECOND,
        same=sum(one.same for one in held),
        labels=levels,
        table=found.table if levels else (),
        agreement=tuple(found.figures.values()),
    )
