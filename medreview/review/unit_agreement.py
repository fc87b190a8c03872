"""How often a reviewer agrees with machines, and with right labels that may be told, on units of other kinds.

They are few beside statements, so that all of them are read again when something was done since.
"""

import sqlite3
from collections import Counter
from typing import Final

from medreview.judges.votes import Judge
from medreview.labels import FLAG_AXES
from medreview.review.live_agreement import NEWEST_EVENT, GroupView
from medreview.stats.formulas.clustered_pairs import ClusteredPairs
from medreview.stats.formulas.estimate import FEW_ITEMS
from medreview.stats.reports.reviewer_labels import NO_JUDGEMENT, REVIEWER_UNSURE, Group, Scale
from medreview.stats.units.kind_labels import OF_MODE, GivenLabel, KindLabels, UnitScale, kind_labels, scales_of

GOLD: Final = Judge("the right label")
_NO_PLACE: Final = "no label on this scale"


class UnitAgreement:
    """A reviewer's labels on units of a kind, beside each machine, and beside the right labels."""

    def __init__(self, reader: sqlite3.Connection, kind: str, reviewer: str) -> None:
        self._reader = reader
        self._kind = kind
        self._reviewer = reviewer
        self._seq = -1
        axes = scales_of(kind).axes.items()
        scales = [scale for axis, of_axis in axes if axis not in FLAG_AXES for scale in of_axis]  # no machine flags
        self._folds: dict[str, UnitScale] = {scale.name: scale for scale in scales}
        self.scales = tuple(Scale(scale.name, scale.title, scale.labels) for scale in scales)
        self.take_in()

    def take_in(self) -> None:
        """Read what was written since, if anything was."""
        (newest,) = self._reader.execute(NEWEST_EVENT).fetchone()
        if newest == self._seq:
            return
        self._seq = newest
        self._labels: KindLabels = kind_labels(self._reader, self._kind, [self._reviewer])
        self._units = {one.item: one.unit for one in self._labels.given}

    @property
    def groups(self) -> tuple[Group, ...]:
        """Blind and assisted labels, as far as there are any that a scale has a place for."""
        modes = {one.mode for one in self._labels.given} if self.scales and self.columns else set()
        return tuple(Group(mode) for mode in OF_MODE if mode in modes)

    @property
    def columns(self) -> tuple[Judge | None, ...]:
        """Each machine, and the right labels where some may be told."""
        told = any(gold.labels for gold in self._labels.gold.values())
        return (*map(Judge, self._labels.said), *([GOLD] if told else []))

    def scale_of(self, group: Group) -> Scale:
        """The first scale on which anything meets."""
        met = (scale for scale in self.scales for judge in self.columns if self._pairs(group, scale, judge)[0].n)
        return next(met, self.scales[0])

    def view(self, group: Group, scale: Scale, judge: Judge | None = None) -> GroupView:
        """One group beside a machine or the right labels."""
        pairs, dropped, _ = self._pairs(group, scale, judge)
        few = pairs.n and pairs.n < FEW_ITEMS
        cautions = (f"Too few labels to lean on: {pairs.n}, and {FEW_ITEMS} or more are wanted.",) if few else ()
        left_out = tuple(sorted(dropped.items(), key=lambda one: (-one[1], one[0])))
        return GroupView(
            group, scale, judge, pairs.n + dropped.total(), pairs.table, left_out, pairs.percent_agreement(),
            pairs.cohen_kappa(), pairs.gwet_ac1(), cautions,
        )  # fmt: skip

    def in_cell(self, group: Group, scale: Scale, judge: Judge | None, mine: str, theirs: str) -> list[str]:
        """The units that are counted in one cell of the table."""
        return self._pairs(group, scale, judge)[2].get((mine, theirs), [])

    def _pairs(
        self, group: Group, scale: Scale, judge: Judge | None
    ) -> tuple[ClusteredPairs, Counter[str], dict[tuple[str, str], list[str]]]:
        """What meets, why the rest is left out, and the units of each cell."""
        fold, labels, which = self._folds[scale.name], self._labels, OF_MODE[group.mode]
        if judge == GOLD:
            mine, theirs = labels.against_gold(self._reviewer, which, fold), labels.right(fold)
        else:
            mine = labels.of(self._reviewer, which, fold)
            theirs = labels.machine(judge.name, fold) if judge and judge.name in labels.said else {}
        pairs, dropped = ClusteredPairs(scale.labels), Counter[str]()
        cells: dict[tuple[str, str], list[str]] = {}
        for one in self._given(group, fold):
            if one.item not in mine or one.item not in theirs:
                dropped[_missing(one, mine, judge)] += 1
                continue
            pair = mine[one.item], theirs[one.item]
            pairs.add(labels.clusters[one.item], *pair)
            cells.setdefault(pair, []).append(self._units[one.item])
        return pairs, dropped, cells

    def _given(self, group: Group, fold: UnitScale) -> list[GivenLabel]:
        """The labels of a group on the axes of a scale, one of each item."""
        found = {one.item: one for one in self._labels.given if one.mode == group.mode and one.axis in fold.folds}
        return list(found.values())


def _missing(one: GivenLabel, mine: dict[str, str], judge: Judge | None) -> str:
    if one.item in mine:
        return "no right label is told" if judge == GOLD else NO_JUDGEMENT
    return REVIEWER_UNSURE if one.label == "cannot_judge" else _NO_PLACE
