"""What people and machines said of the units of one kind: consensus, agreement with it, agreement of people."""

import json
import sqlite3
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.judges.majority import majority_vote
from medreview.judges.ties import tie_rule
from medreview.judges.votes import Judge
from medreview.labels import TieRule
from medreview.stats.formulas.agreement import many_raters, two_raters
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.units.registry import KINDS

_RULES: Final = Judge("offline", True).title
Fold = Callable[[str], Hashable]
"""A stored label as one of the protocol's; ``None`` for one that has no place there (cannot judge)."""

_LABELS: Final = """SELECT reviewer, unit, axis, mode, label FROM axis_label
WHERE pass = 1 AND axis IN (SELECT value FROM json_each(?)) AND unit >= ?2 || ':' AND unit < ?2 || ';'
ORDER BY reviewer, unit, axis"""


@dataclass(frozen=True)
class Panel:
    """The labels of one kind, folded to those of a protocol. ``people`` and ``machines``: unit -> label by name.

    ``mode``: that of the people's labels here, ``blind`` where there are any such, else ``assisted``, for the two are
    never pooled; ``other_mode`` counts those of the other. ``clusters``: what to resample, by unit.
    """

    units: tuple[str, ...]
    clusters: Mapping[str, str]
    people: Mapping[str, Mapping[str, Hashable]]
    machines: Mapping[str, Mapping[str, Hashable]]
    mode: str
    other_mode: int
    protocol: tuple[Hashable, ...]
    tie: TieRule

    def consensus(self, without: str = "") -> dict[str, Hashable]:
        """The majority of the people, or of all but one, on each unit that one of them labelled; ties left out."""
        names = [name for name in self.people if name != without]
        ballots = [[self.people[name].get(unit) for name in names] for unit in self.units]
        labels = majority_vote(ballots).labels
        return {unit: label for unit, label in zip(self.units, labels, strict=True) if label is not None}

    def agreement(
        self,
        one: Mapping[str, Hashable],
        other: Mapping[str, Hashable],
        statistic: str,
        resampling: Resampling = DEFAULT,
    ) -> Estimate:
        """Two raters on the units that both labelled; intervals resample clusters."""
        both = [unit for unit in self.units if unit in one and unit in other]
        told = two_raters(
            [one[unit] for unit in both],
            [other[unit] for unit in both],
            self.protocol,
            clusters=[self.clusters[unit] for unit in both],
            statistics=(statistic,),
            resampling=resampling,
        )
        return told.figures[statistic]

    def between_people(self, statistic: str, resampling: Resampling = DEFAULT) -> Estimate:
        """Agreement of all people with each other."""
        return self._many(self.people, statistic, resampling)

    def between_machines(self, statistic: str, resampling: Resampling = DEFAULT) -> Estimate:
        """Agreement of all machines with each other."""
        return self._many(self.machines, statistic, resampling)

    def _many(self, raters: Mapping[str, Mapping[str, Hashable]], statistic: str, resampling: Resampling) -> Estimate:
        ratings: list[Sequence[Hashable]] = [[said.get(unit) for said in raters.values()] for unit in self.units]
        clusters = [self.clusters[unit] for unit in self.units]
        told = many_raters(ratings, self.protocol, clusters=clusters, statistics=(statistic,), resampling=resampling)
        return told.figures[statistic]


def panel(reader: sqlite3.Connection, kind: str, axes: Mapping[str, Fold], protocol: Sequence[Hashable]) -> Panel:
    """The labels of a kind of unit on some axes, each with how its levels fold to the protocol.

    Where a rater said something on two of the axes, the later one of ``axes`` counts.
    """
    places = {axis: place for place, axis in enumerate(axes)}
    people: dict[str, dict[str, dict[str, Hashable]]] = {"blind": {}, "assisted": {}}
    for row in sorted(reader.execute(_LABELS, (json.dumps(list(axes)), kind)), key=lambda row: places[row["axis"]]):
        label = axes[row["axis"]](row["label"])
        if label is not None:
            people[row["mode"]].setdefault(row["reviewer"], {})[row["unit"]] = label
    machines: dict[str, dict[str, Hashable]] = {}
    clusters: dict[str, str] = {}
    for rating in KINDS[kind].machine_ratings(reader):
        fold = None if rating.rater == _RULES else axes.get(rating.axis)  # rules are no rater
        label = fold(rating.value) if fold else None
        if label is not None:
            machines.setdefault(rating.rater, {})[rating.unit] = label
            clusters[rating.unit] = rating.cluster
    mode, other = ("blind", "assisted") if people["blind"] else ("assisted", "blind")
    for said in people[mode].values():
        for unit in said:
            if unit not in clusters:
                clusters[unit] = KINDS[kind].cluster(reader, unit)
    return Panel(
        units=tuple(sorted(clusters)),
        clusters=clusters,
        people=people[mode],
        machines=machines,
        mode=mode,
        other_mode=sum(map(len, people[other].values())),
        protocol=tuple(protocol),
        tie=tie_rule(reader),
    )
