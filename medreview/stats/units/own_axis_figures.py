"""Figures of the axes that a study has set for itself, on statements and on other units, and of tags.

On each axis: how often each reviewer gave each level, and how reviewers agree, by the same coefficients as on the
program's axes; as steps where the levels are ordered, and of an axis with several levels at once each level as a yes or
no. "Cannot judge" has no place on a scale. No machine speaks on these axes.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from medreview.labels import OWN
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.reports.reviewer_labels import Scale
from medreview.stats.units.kind_labels import (
    CANNOT,
    FINAL,
    OF_MODE,
    GivenLabel,
    KindLabels,
    unit_clusters,
)
from medreview.stats.units.rater_agreement import Adjudication, adjudication
from medreview.stats.units.unit_figures import ScaleFigures, reviewers_on
from medreview.study.ids import STATEMENT, kind_of
from medreview.study.own_axes import OwnAxis, own_axes
from medreview.units.registry import KINDS
from medreview.units.statement import STATEMENT_ASKS

_YES, _NO = "yes", "no"

_GIVEN: Final = f"""
SELECT l.reviewer, l.unit, l.axis, l.mode, l.label, l.current,
       l.event_id IN (SELECT event_id FROM decision_stale) AS stale
FROM axis_label AS l WHERE l.pass = 1 AND l.axis GLOB '{OWN}*' ORDER BY l.reviewer, l.unit, l.axis"""
_TAGS: Final = """
SELECT tag, reviewer, unit FROM tag_standing WHERE pass = 1 ORDER BY tag, reviewer, unit"""


@dataclass(frozen=True)
class LevelCounts:
    """On how many ``units`` a reviewer gave a label, and how often each level; ``which`` labels these are."""

    reviewer: str
    which: str
    units: int
    levels: Mapping[str, int]


@dataclass(frozen=True)
class OwnAxisFigures:
    """One axis of the study's own on one kind of unit, on the first pass.

    ``labelled``: how many units somebody gave a label on it; ``stale``: labels on a text that has changed since, which
    count nowhere. ``labels``: by reviewer and kind of labels how often each level was given; of an axis with ``many``
    at once a unit counts at each of its levels, and as ``none`` without any. ``scales``: its levels without "cannot
    judge", or of an axis with several at once each level as a yes or no. Figures resample the ``cluster``. ``about``
    (what is asked, whose scale it is) and the ``definitions`` of the ``levels`` are what the study's file says.
    """

    axis: str
    title: str
    kind: str
    noun: str
    cluster: str
    many: bool
    ordered: bool
    levels: tuple[str, ...]
    about: tuple[str, ...]
    definitions: Mapping[str, str]
    labelled: int
    stale: int
    labels: tuple[LevelCounts, ...]
    adjudication: Adjudication
    scales: tuple[ScaleFigures, ...]

    @property
    def given(self) -> list[tuple[str, int]]:
        """How many units each reviewer gave a label, as these stand."""
        return [(each.reviewer, each.units) for each in self.labels if each.which == FINAL]


@dataclass(frozen=True)
class TagCount:
    """A tag of the first pass: on how many ``units``, and by ``reviewers`` on how many each put it."""

    tag: str
    units: int
    reviewers: Mapping[str, int]


def own_axis_figures(
    reader: sqlite3.Connection,
    reviewers: Collection[str] | None = None,
    resampling: Resampling = DEFAULT,
    holds: Callable[[str], bool] = lambda _unit: True,
    *,
    compare: bool = True,
) -> tuple[OwnAxisFigures, ...]:
    """Those of each axis and kind of unit that somebody labelled; ``reviewers``: whose labels are taken, everybody's
    without it. ``holds``: whether a unit belongs to the part of the study that is asked about. Without ``compare`` no
    two reviewers stand beside each other."""
    axes = own_axes(reader)
    if not axes:
        return ()
    found: dict[tuple[str, str], list[sqlite3.Row]] = {}
    for row in reader.execute(_GIVEN):
        if row["axis"] in axes and (reviewers is None or row["reviewer"] in reviewers) and holds(row["unit"]):
            found.setdefault((row["axis"], kind_of(row["unit"])), []).append(row)
    kinds = [STATEMENT, *KINDS]
    order = sorted(found, key=lambda one: ([*axes].index(one[0]), kinds.index(one[1])))
    every = (_figures(reader, axes[axis], kind, found[axis, kind], resampling, compare) for axis, kind in order)
    return tuple(one for one in every if one.labelled or one.stale)


def tag_counts(
    reader: sqlite3.Connection,
    reviewers: Collection[str] | None = None,
    holds: Callable[[str], bool] = lambda _unit: True,
) -> tuple[TagCount, ...]:
    """The tags by name; as :func:`own_axis_figures`."""
    units: dict[str, set[str]] = {}
    by: dict[str, Counter[str]] = {}
    for tag, reviewer, unit in reader.execute(_TAGS):
        if (reviewers is None or reviewer in reviewers) and holds(unit):
            units.setdefault(tag, set()).add(unit)
            by.setdefault(tag, Counter())[reviewer] += 1
    return tuple(TagCount(tag, len(units[tag]), dict(by[tag])) for tag in units)


def _figures(
    reader: sqlite3.Connection,
    axis: OwnAxis,
    kind: str,
    rows: Collection[sqlite3.Row],
    resampling: Resampling,
    compare: bool,
) -> OwnAxisFigures:
    cluster, clusters = _clusters(reader, kind, {row["unit"] for row in rows})
    here = [row for row in rows if row["unit"] in clusters]
    given = tuple(
        GivenLabel(row["unit"], row["unit"], axis.axis, row["reviewer"], row["mode"], row["label"], row["current"])
        for row in here
        if not row["stale"]
    )
    labels = KindLabels(
        kind=kind,
        units=frozenset(clusters),
        cluster=cluster,
        clusters=clusters,
        given=given,
        stale=sum(row["stale"] for row in here),
        said={},
        gold={},
        told={},
    )
    levels = tuple(one.level for one in axis.levels)
    return OwnAxisFigures(
        axis=axis.axis,
        title=axis.title,
        kind=kind,
        noun=STATEMENT_ASKS.noun if kind == STATEMENT else KINDS[kind].noun,
        cluster=cluster,
        many=axis.many,
        ordered=axis.ordered,
        levels=(*levels, "none") if axis.many else levels,
        about=tuple(filter(None, (axis.about, axis.source))),
        definitions={one.level: one.definition for one in axis.levels},
        labelled=len({one.unit for one in given}),
        stale=labels.stale,
        labels=tuple(_counts(axis, labels)),
        adjudication=adjudication(reader, kind, axis.axis, clusters),
        scales=tuple(reviewers_on(labels.on(scale), resampling) for scale in (_scales(axis, given) if compare else ())),
    )


def _counts(axis: OwnAxis, labels: KindLabels) -> Iterator[LevelCounts]:
    for name in labels.reviewers:
        for which in (*OF_MODE.values(), FINAL):
            counted = labels.counts(name, axis.axis, which)
            by_level: Counter[str] = Counter()
            for label, count in counted.items():
                for level in axis.levels_in(label) or ("none",):
                    by_level[level] += count
            if counted:
                yield LevelCounts(name, which, counted.total(), dict(by_level))


def _scales(axis: OwnAxis, given: Collection[GivenLabel]) -> Iterator[Scale]:
    if not axis.many:
        levels = tuple(one.level for one in axis.levels if one.level != CANNOT)
        folds = {axis.axis: {level: level for level in levels}}
        yield Scale(axis.axis, axis.title, levels, levels if axis.ordered else (), folds)
        return
    said = {label for one in given for label in (one.label, one.current)}
    for level in axis.levels:
        fold = {label: _YES if level.level in axis.levels_in(label) else _NO for label in said}
        title = f"{axis.title}: {level.name}"
        yield Scale(f"{axis.axis} {level.level}", title, (_YES, _NO), folds={axis.axis: fold})


def _clusters(reader: sqlite3.Connection, kind: str, units: Collection[str]) -> tuple[str, dict[str, str]]:
    """What several units are from, in the singular, and that of each unit that is still there."""
    if kind != STATEMENT:
        units = {row[0] for row in reader.execute(f"SELECT unit FROM ({KINDS[kind].rows})")}.intersection(units)
    return unit_clusters(reader, kind, units)
