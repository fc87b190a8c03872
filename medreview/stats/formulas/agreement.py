"""Agreement figures: two raters (a judge and a reviewer, two reviewers), or many.

Categories come from the protocol, never from the data. ``None`` is a missing label. Two-rater figures use the items
both labelled and say how many were dropped; figures for many raters use every vote there is.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from medreview.stats.formulas import coefficients as c
from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    TOO_FEW_OF_A_LABEL,
    Floats,
    Ints,
    Resampling,
    Statistic,
    bootstrap_figure,
    cluster_codes,
    contributions,
    count_cells,
    draw,
    resampled,
    sum_by_cluster,
    undefined_figure,
    wholly,
    without_each,
)
from medreview.stats.formulas.estimate import RARE, Estimate, Scale
from medreview.stats.formulas.intervals import proportion
from medreview.text import counted, in_words

LEADING_PAIR: Final = ("percent_agreement", "cohen_kappa", "gwet_ac")
"""What reports print of two raters, by the keys of :data:`PAIR_NAMES`."""
LEADING_MANY: Final = ("mean_pairwise_agreement", "fleiss_kappa", "gwet_ac", "krippendorff_alpha")
"""The same of more raters, by the keys of :data:`MANY_NAMES`."""
PAIR_NAMES = {
    "percent_agreement": "percent agreement",
    "cohen_kappa": "Cohen's kappa",
    "scott_pi": "Scott's pi",
    "gwet_ac": "Gwet's AC1",
    "brennan_prediger": "Brennan-Prediger",
    "krippendorff_alpha": "Krippendorff's alpha",
}
MANY_NAMES = {
    "mean_pairwise_agreement": "mean pairwise agreement",
    "fleiss_kappa": "Fleiss' kappa",
    "gwet_ac": "Gwet's AC1",
    "brennan_prediger": "Brennan-Prediger",
    "krippendorff_alpha": "Krippendorff's alpha",
}

_NO_SHARED_ITEM = "No item was labelled by both raters."
_NO_PAIR = "No item has two votes."
_NO_CHANCE = {
    "cohen_kappa": "Both raters gave one and the same label throughout: chance agreement is 1 and kappa is 0/0.",
    "scott_pi": "Only one label was given: chance agreement is 1 and pi is 0/0.",
    "fleiss_kappa": "Only one label was given: chance agreement is 1 and kappa is 0/0.",
    "krippendorff_alpha": "Only one label was given: no disagreement can be expected and alpha is 0/0.",
}


@dataclass(frozen=True)
class PairAgreement:
    """Two raters on the same items.

    ``table`` has the first rater in rows, in the order of ``labels``. ``figures`` are the leading ones, clustered
    when clusters were given; ``unclustered`` then holds the same with items taken as independent.
    """

    labels: tuple[Hashable, ...]
    table: tuple[tuple[int, ...], ...]
    dropped: int
    figures: Mapping[str, Estimate]
    unclustered: Mapping[str, Estimate]


def encode(values: Sequence[Hashable], labels: Sequence[Hashable]) -> Ints:
    """Positions in the protocol's labels, -1 for ``None``; raises ``ValueError`` for a label outside the protocol."""
    place = {label: index for index, label in enumerate(labels)}
    if len(place) != len(labels):
        raise ValueError("a label is named twice in the protocol")
    try:
        return np.array([-1 if value is None else place[value] for value in values], dtype=np.int64)
    except KeyError as error:
        raise ValueError(f"the label {error.args[0]!r} is not in the protocol") from None


def two_raters(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    labels: Sequence[Hashable],
    *,
    clusters: Sequence[Hashable] | None = None,
    statistics: Sequence[str] = tuple(PAIR_NAMES),
    weights: c.Weights = "none",
    metric: c.Metric = "nominal",
    values: Sequence[float] | None = None,
    resampling: Resampling = DEFAULT,
) -> PairAgreement:
    """Agreement of two raters on the items both labelled, every figure from the same resamples.

    ``a``, ``b`` and ``clusters`` (the response of each item, or another ``unit``) have one entry per item. ``weights``
    applies to kappa, Gwet's and Brennan-Prediger's coefficients, ``metric`` and ``values`` to alpha. ``statistics``
    picks from ``PAIR_NAMES``. To let an item that only one labelled count in Gwet's coefficient, use ``many_raters``.
    Raises ``ValueError`` for vectors of different lengths and labels outside the protocol.
    """
    said = (a, b, labels)
    unclustered = paired(*said, None, resampling)
    lead = unclustered if clusters is None else paired(*said, clusters, resampling)
    plain = unclustered.agreement(statistics, weights, metric, values)
    return PairAgreement(
        labels=tuple(labels),
        table=lead.table,
        dropped=lead.dropped,
        figures=plain if clusters is None else lead.agreement(statistics, weights, metric, values),
        unclustered=plain,
    )


@dataclass(frozen=True)
class PairTables:
    """The tables of two raters by unit (R x q x q), the first in rows, and their sums in every resample: all figures of
    the two are finished on these.

    A unit is an item, or where they are ``clustered`` all items of a cluster. ``dropped``: items that only one of the
    two labelled.
    """

    labels: tuple[Hashable, ...]
    units: Floats
    resamples: Floats
    clustered: bool
    dropped: int
    resampling: Resampling

    @property
    def observed(self) -> Floats:
        """All items in one table (1 x q x q)."""
        return np.asarray(self.units.sum(axis=0)[None], dtype=np.float64)

    @property
    def table(self) -> tuple[tuple[int, ...], ...]:
        """The same in whole numbers."""
        return tuple(tuple(int(count) for count in row) for row in self.observed[0])

    @property
    def items(self) -> Floats:
        """How many items each unit has."""
        return np.asarray(self.units.sum(axis=(1, 2)), dtype=np.float64)

    @property
    def clusters(self) -> int | None:
        """How many clusters there are; ``None`` of items that are taken as independent."""
        return len(self.units) if self.clustered else None

    @property
    def cluster(self) -> str:
        """What a cluster is, in the singular."""
        return self.resampling.cluster

    def kappa(self) -> Estimate:
        """Cohen's kappa alone."""
        return self.agreement(("cohen_kappa",))["cohen_kappa"]

    def agreement(
        self,
        statistics: Sequence[str] = tuple(PAIR_NAMES),
        weights: c.Weights = "none",
        metric: c.Metric = "nominal",
        values: Sequence[float] | None = None,
    ) -> dict[str, Estimate]:
        """The coefficients named by ``statistics``; the other choices are those of :func:`two_raters`."""
        if not len(self.units):
            return {
                key: undefined_figure(
                    _weighted_name(key, PAIR_NAMES[key], weights), _NO_SHARED_ITEM, scale=_scale(key),
                    resampling=self.resampling, clusters=self.clusters, dropped=self.dropped,
                )
                for key in statistics
            }  # fmt: skip
        agreeing = np.trace(self.units, axis1=1, axis2=2)
        n, table, notes = int(self.items.sum()), self.observed, _rare_labels(self.observed[0], self.labels)
        what = "all labels agree" if self.clustered else "the labels agree"
        unit = self.cluster if self.clustered else "item"
        figures = {}
        for key in statistics:
            finish = _pair_coefficient(key, weights, metric, values)
            if key == "percent_agreement" and not self.clustered:
                figures[key] = proportion(
                    PAIR_NAMES[key], int(agreeing.sum()), n, level=self.resampling.level, dropped=self.dropped,
                    nothing=_NO_SHARED_ITEM,
                )  # fmt: skip
                continue
            figures[key] = bootstrap_figure(
                _weighted_name(key, PAIR_NAMES[key], weights),
                float(finish(table)[0]),
                finish(self.resamples),
                n=n,
                clusters=self.clusters,
                undefined=_NO_CHANCE.get(key, _NO_SHARED_ITEM),
                instead=partial(wholly, agreeing, self.items, what, unit, self.resampling.level),
                left_out=without_each(self.units, finish, self.resampling) if self.clustered else None,
                scale=_scale(key),
                resampling=self.resampling,
                dropped=self.dropped,
                notes=() if key == "percent_agreement" else notes,
            )
        return figures


def paired(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    labels: Sequence[Hashable],
    clusters: Sequence[Hashable] | None = None,
    resampling: Resampling = DEFAULT,
) -> PairTables:
    """The tables of the items that both labelled, drawn for themselves; raises ``ValueError`` as :func:`two_raters`."""
    rows, columns = encode(a, labels), encode(b, labels)
    if len(rows) != len(columns) or (clusters is not None and len(clusters) != len(rows)):
        raise ValueError("the two raters and the clusters need one entry per item")
    both, q = (rows >= 0) & (columns >= 0), len(labels)
    kept = None if clusters is None else [cluster for cluster, used in zip(clusters, both, strict=True) if used]
    units = count_cells(rows[both] * q + columns[both], q * q, kept)
    sums = draw(contributions(units), resampling) if len(units) else units
    shape, dropped = (-1, q, q), int((~both).sum())
    return PairTables(tuple(labels), units.reshape(shape), sums.reshape(shape), kept is not None, dropped, resampling)


def first_two(
    said: Sequence[Mapping[str, Hashable]],
    labels: Sequence[Hashable],
    clusters: Sequence[Hashable] | None,
    resampling: Resampling = DEFAULT,
) -> tuple[Estimate, ...]:
    """What reports print of two raters of steps, with quadratic weights; ``said`` has the labels of each item by rater.

    Who the two are may differ from item to item: the first two by name.
    """
    pairs = [[one[name] for name in sorted(one)[:2]] for one in said]
    first, second = ([pair[place] for pair in pairs] for place in (0, 1))
    return tuple(paired(first, second, labels, clusters, resampling).agreement(LEADING_PAIR, "quadratic").values())


def paired_in_draw(
    units: Floats, sums: Floats, labels: Sequence[Hashable], *, dropped: int = 0, resampling: Resampling = DEFAULT
) -> PairTables:
    """The tables over clusters from resamples that a whole view shares (a column block of ``bootstrap.draw``).

    ``units`` (clusters x q*q) are the tables of the clusters, ``sums`` (replicates x q*q) those of the resamples.
    ``resampling`` is what drew them.
    """
    q = len(labels)
    if units.any():
        sums = resampled(units, sums, np.ones(q * q), resampling)
    shape = (-1, q, q)
    held = units[units.any(axis=1)]
    return PairTables(tuple(labels), held.reshape(shape), sums.reshape(shape), True, dropped, resampling)


def _pair_coefficient(key: str, weights: c.Weights, metric: c.Metric, values: Sequence[float] | None) -> Statistic:
    """The formula behind a key, on tables (..., q, q)."""
    formulas: dict[str, Statistic] = {
        "percent_agreement": c.observed_agreement,
        "cohen_kappa": lambda tables: c.cohen_kappa(tables, weights),
        "scott_pi": c.scott_pi,
        "gwet_ac": lambda tables: c.gwet_ac(tables, weights),
        "brennan_prediger": lambda tables: c.brennan_prediger(tables, weights),
        "krippendorff_alpha": lambda tables: c.krippendorff_alpha(tables + np.swapaxes(tables, -1, -2), metric, values),
    }
    return formulas[key]


@dataclass(frozen=True)
class ManyAgreement:
    """Any number of raters: figures, the number of items with two votes or more, and how often each label was given."""

    labels: tuple[Hashable, ...]
    votes: Mapping[Hashable, int]
    pairable: int
    figures: Mapping[str, Estimate]


def many_raters(
    ratings: Sequence[Sequence[Hashable]],
    labels: Sequence[Hashable],
    *,
    clusters: Sequence[Hashable] | None = None,
    statistics: Sequence[str] = tuple(MANY_NAMES),
    weights: c.Weights = "none",
    metric: c.Metric = "nominal",
    values: Sequence[float] | None = None,
    resampling: Resampling = DEFAULT,
) -> ManyAgreement:
    """Agreement of any number of raters on items by raters, ``None`` where a rater gave no label.

    ``n`` of a figure counts items with two votes or more, ``dropped`` the others (a lone vote still counts in the
    label shares of Fleiss' and Gwet's coefficients). ``unit``: what a cluster is.

    Raises ``ValueError`` as ``two_raters`` does.
    """
    if clusters is not None and len(clusters) != len(ratings):
        raise ValueError("the clusters need one entry per item")
    q, level, unit = len(labels), resampling.level, resampling.cluster
    ballots = c.Ballots(q, weights)
    counts = _vote_counts(ratings, labels)
    voted = counts.sum(axis=1) >= 1
    counts = counts[voted]
    kept = None if clusters is None else [cluster for cluster, used in zip(clusters, voted, strict=True) if used]
    pairable = int((counts.sum(axis=1) >= 2).sum())
    dropped = len(ratings) - pairable
    groups = None if kept is None else cluster_codes(kept)[1]
    names = {key: _weighted_name(key, MANY_NAMES[key], weights) for key in statistics}
    votes = {label: int(count) for label, count in zip(labels, counts.sum(axis=0), strict=True)}
    if pairable == 0:
        figures = {
            key: undefined_figure(
                name, _NO_PAIR, scale=_scale(key), resampling=resampling, clusters=groups, dropped=dropped
            )
            for key, name in names.items()
        }
        return ManyAgreement(tuple(labels), votes, 0, figures)
    units = sum_by_cluster(ballots.vectors(counts), kept)
    data = contributions(units)
    sums, observed = draw(data, resampling), data.total
    what = "item" if clusters is None else unit
    instead = partial(wholly, units[:, 2], units[:, 1], "all votes agree", what, level)
    finishers = _many_coefficients(ballots, metric, values)
    rare = TOO_FEW_OF_A_LABEL if ballots.paired(sums).all() else "and no item with two votes"
    figures = {
        key: bootstrap_figure(
            name,
            float(finishers[key](observed)[0]),
            finishers[key](sums),
            n=pairable,
            clusters=groups,
            undefined=_NO_CHANCE.get(key, _NO_PAIR),
            instead=instead,
            left_out=None if groups is None else without_each(units, finishers[key], resampling),
            scale=_scale(key),
            resampling=resampling,
            dropped=dropped,
            rare=rare,
        )
        for key, name in names.items()
    }
    return ManyAgreement(tuple(labels), votes, pairable, figures)


def _many_coefficients(ballots: c.Ballots, metric: c.Metric, values: Sequence[float] | None) -> dict[str, Statistic]:
    return {
        "mean_pairwise_agreement": ballots.mean_pairwise_agreement,
        "fleiss_kappa": ballots.fleiss_kappa,
        "gwet_ac": ballots.gwet_ac,
        "brennan_prediger": ballots.brennan_prediger,
        "krippendorff_alpha": lambda sums: ballots.krippendorff_alpha(sums, metric, values),
    }


def _vote_counts(ratings: Sequence[Sequence[Hashable]], labels: Sequence[Hashable]) -> Floats:
    """Votes per item and label (n x q)."""
    flat = encode([vote for ballot in ratings for vote in ballot], labels)
    rows = np.repeat(np.arange(len(ratings)), [len(ballot) for ballot in ratings])
    given = flat >= 0
    counts = np.bincount(rows[given] * len(labels) + flat[given], minlength=len(ratings) * len(labels))
    return counts.reshape(len(ratings), len(labels)).astype(np.float64)


def _weighted_name(key: str, name: str, weights: c.Weights) -> str:
    if weights == "none" or key not in ("cohen_kappa", "gwet_ac", "brennan_prediger"):
        return name
    kind = weights if isinstance(weights, str) else "own"
    return f"{name.replace('AC1', 'AC2')} ({kind} weights)"


def _scale(key: str) -> Scale:
    return "share" if key in ("percent_agreement", "mean_pairwise_agreement") else "coefficient"


TOO_FEW: Final = "Too few of label"
"""How the caution on a rare label begins."""


def _rare_labels(table: Floats, labels: Sequence[Hashable]) -> tuple[str, ...]:
    """A caution for each label that one rater or the other used, but on fewer than ten items."""
    used = table.sum(axis=0) + table.sum(axis=1) - np.diagonal(table)
    return tuple(
        f"{TOO_FEW} {in_words(str(label))}: {counted(int(count), 'item')}."
        for label, count in zip(labels, used, strict=True)
        if 0 < count < RARE
    )
