"""What leads of a kind of unit: by each reviewer's labels, and by each machine, the one share that the kind names."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from medreview.labels import AXES, scale_of
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import pooled_share, proportion
from medreview.stats.units.kind_labels import (
    CANNOT,
    FINAL,
    RULES,
    UnitScale,
    clusters_of,
    folded,
    item_of,
    kind_labels,
    scales_of,
)
from medreview.units.kind import Headline
from medreview.units.reference import RULES as OF_REFERENCES
from medreview.units.registry import KINDS

_WELL: Final = "well"
_NOTHING: Final = "No label has a place in this share."


@dataclass(frozen=True)
class RaterShare:
    """One rater of a kind: ``labels`` on so many items, ``blind`` of a reviewer's first given blind. ``share``: of
    those with a place in the headline, the items of which the rater speaks well. ``machine``: no person; ``rules``: nor
    a model: words were compared."""

    rater: str
    machine: bool
    rules: bool
    labels: int
    blind: int
    share: Estimate


@dataclass(frozen=True)
class UnitHeadline:
    """``units`` of a kind, ``labelled`` of them by somebody; ``words``: what the share of each of the ``raters`` is,
    people first. Items are units, or what is labelled of them (outputs of a ranking); figures resample the
    ``cluster``."""

    kind: str
    title: str
    noun: str
    words: str
    cluster: str
    units: int
    labelled: int
    raters: tuple[RaterShare, ...]

    @property
    def people(self) -> tuple[RaterShare, ...]:
        """The reviewers."""
        return tuple(one for one in self.raters if not one.machine)


def unit_headline(
    reader: sqlite3.Connection, kind: str, reviewers: Collection[str] | None = None, *, machines: bool = True
) -> UnitHeadline:
    """That of a kind of ``registry.KINDS``; ``reviewers``: whose labels are taken, everybody's without it.

    Without ``machines`` it has no word of these, and may be read by who must not know it.
    """
    asked = KINDS[kind]
    labels = kind_labels(reader, kind, reviewers, alone=True)
    scale = _scale(asked.headline)
    said: dict[str, list[tuple[str, str, str]]] = {}
    units: dict[str, str] = {}
    for rating in asked.machine_ratings(reader) if machines else ():
        item = item_of(rating.unit, rating.axis)
        units[item] = rating.unit
        said.setdefault(rating.rater, []).append((scale_of(rating.axis), item, rating.value))
    of_units = dict(clusters_of(reader, kind, {unit for unit in units.values() if unit not in labels.clusters}))
    clusters = {
        **{item: of_units.get(unit) or labels.clusters[unit] for item, unit in units.items()},
        **labels.clusters,
    }

    def share(items: Mapping[str, str], given: int) -> Estimate:
        return _share(asked.headline.words, items, given - len(items), clusters, scales_of(kind).cluster)

    def by_people() -> Iterator[RaterShare]:
        for name in labels.reviewers:
            mine = [one for one in labels.given if one.reviewer == name and one.axis in scale.folds]
            blind = sum(one.mode == "blind" for one in mine)
            of_scale = labels.of(name, FINAL, scale)
            yield RaterShare(name, False, False, len(mine), blind, share(of_scale, len(mine)))

    def by_machines() -> Iterator[RaterShare]:
        for name, words in said.items():
            mine = [word for word in words if word[0] in scale.folds]
            rules = name in (RULES, OF_REFERENCES)
            yield RaterShare(name, True, rules, len(mine), 0, share(folded(scale, mine), len(mine)))

    return UnitHeadline(
        kind=kind,
        title=asked.title,
        noun=asked.noun,
        words=asked.headline.words,
        cluster=scales_of(kind).cluster,
        units=len(labels.units),
        labelled=len({one.unit for one in labels.given}),
        raters=(*by_people(), *sorted(by_machines(), key=lambda one: (one.rules, one.rater))),
    )


def headlines(reader: sqlite3.Connection, reviewers: Collection[str] | None = None) -> tuple[UnitHeadline, ...]:
    """Of every kind that the study uses, in the order of the first screen."""
    return tuple(unit_headline(reader, kind, reviewers) for kind in KINDS if KINDS[kind].in_use(reader))


def _scale(headline: Headline) -> UnitScale:
    """The labels that speak well of a unit, and all others of their axes; "cannot judge" has no place here either."""
    return UnitScale(
        headline.words,
        headline.words,
        (_WELL, "other"),
        {
            axis: {each.level: _WELL if each.level in well else "other" for each in AXES[axis] if each.level != CANNOT}
            for axis, well in headline.speaks_well.items()
        },
    )


def _share(name: str, items: Mapping[str, str], left: int, clusters: Mapping[str, str], cluster: str) -> Estimate:
    """Over what the items come from; by Wilson where each comes from another."""
    counts: dict[str, tuple[int, int]] = {}
    for item, word in items.items():
        so, of = counts.get(clusters[item], (0, 0))
        counts[clusters[item]] = so + (word == _WELL), of + 1
    if all(of == 1 for _, of in counts.values()):
        return proportion(name, sum(so for so, _ in counts.values()), len(counts), dropped=left, nothing=_NOTHING)
    return pooled_share(name, counts.values(), nothing=_NOTHING, dropped=left, unit=cluster)
