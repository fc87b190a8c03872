"""Raters of units beside each other: two reviewers, several, a machine or right labels and a reviewer.

Intervals resample what the units come from, where several come from the same; else the units themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from medreview.judges.majority import majority_vote
from medreview.stats.formulas.agreement import many_raters, two_raters
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.classification import Classification, classification
from medreview.stats.formulas.estimate import Estimate, estimate_named
from medreview.stats.formulas.hypothesis_tests import TestResult
from medreview.stats.formulas.icc import icc
from medreview.stats.formulas.rank_correlation import spearman
from medreview.stats.formulas.thresholds import FEW_CLUSTERS, FEW_ITEMS
from medreview.stats.units.kind_labels import FINAL, FIRST_BLIND, OF_MODE, RULES, KindLabels, Which
from medreview.stats.units.scales import UnitScale

SIDES: Final = ("reference", "other")
"""What sentences on precision and recall call the two."""
GOLD: Final = "the right label"
CONSENSUS: Final = "the majority of the reviewers"
_STATISTICS: Final = ("percent_agreement", "cohen_kappa", "gwet_ac")
_OF_MANY: Final = ("mean_pairwise_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac")
_LEAST_OF_MANY: Final = 2


@dataclass(frozen=True)
class UnitAgreement:
    """``first`` (rows of ``table``) beside ``second`` (columns) on the labels of a scale, in the protocol's order.

    ``which`` says which labels of reviewers these are. ``n`` items from ``clusters`` have both; ``dropped`` are those
    that the first labelled and the second has no label for. ``agreement``: percent agreement, Cohen's kappa and Gwet's
    AC1; of ordered labels, as steps of one, quadratically weighted kappa and AC2, ICC(2,1) of absolute agreement
    (Shrout & Fleiss 1979) and Spearman's rho with the test that it is 0. ``right``, where one of the two is the
    reference: accuracy, precision, recall and F1 of the second.
    """

    first: str
    second: str
    which: str
    n: int
    clusters: int
    dropped: int
    table: tuple[tuple[int, ...], ...]
    agreement: tuple[Estimate, ...]
    right: Classification | None
    cautions: tuple[str, ...]
    order_test: TestResult | None = None

    def estimate(self, name: str) -> Estimate:
        """The estimate of this name; raises ``KeyError`` that names those there are."""
        return estimate_named(self.agreement, name)


@dataclass(frozen=True)
class ManyReviewers:
    """All reviewers on one kind of labels: mean pairwise agreement, Fleiss' kappa (Fleiss 1971), Krippendorff's alpha
    (2011), Gwet's AC1 (2008), of ``items`` with two labels or more. Of ordered labels alpha is ordinal, and AC2 stands.
    """

    which: str
    reviewers: tuple[str, ...]
    items: int
    agreement: tuple[Estimate, ...]


@dataclass(frozen=True)
class Consensus:
    """The majority of the reviewers on the ``items`` with two labels or more, of which ``ties`` have none, and the
    machines beside it."""

    which: str
    reviewers: tuple[str, ...]
    items: int
    ties: int
    machines: tuple[UnitAgreement, ...]


def beside(
    first: str,
    one: Mapping[str, str],
    second: str,
    other: Mapping[str, str],
    scale: UnitScale,
    labels: KindLabels,
    *,
    which: str = "",
    reference: bool = False,
    resampling: Resampling = DEFAULT,
    cautions: tuple[str, ...] = (),
) -> UnitAgreement:
    """Two raters' labels, by item; ``reference``: the first one is what the second is held against."""
    items = sorted(one)
    rows, columns = [one[item] for item in items], [other.get(item) for item in items]
    both = [item for item in items if item in other]
    groups = {labels.clusters[item] for item in both}
    clusters = [labels.clusters[item] for item in items] if len(groups) < len(both) else None
    found = two_raters(
        rows, columns, scale.labels, clusters=clusters, statistics=_STATISTICS,
        weights="quadratic" if scale.ordered else "none", resampling=resampling, unit=labels.cluster,
    )  # fmt: skip
    right = None
    if reference:
        right = classification(
            rows, columns, scale.labels, clusters=clusters, resampling=resampling, unit=labels.cluster, sides=SIDES
        )
    figures = tuple(replace(figure, notes=()) for figure in found.figures.values())
    test = None
    if scale.ordered:
        steps = {label: float(place) for place, label in enumerate(scale.labels, 1)}
        ours, theirs = [steps[one[item]] for item in both], [steps[other[item]] for item in both]
        correlation = spearman(ours, theirs, level=resampling.level)
        of_both = [labels.clusters[item] for item in both] if clusters else None
        absolute = icc(
            list(zip(ours, theirs, strict=True)), clusters=of_both, resampling=resampling, unit=labels.cluster
        )
        figures, test = (*figures, absolute, correlation.figure), correlation.test
    rare = [note for note in found.figures["cohen_kappa"].notes if note.startswith("Too few")]
    return UnitAgreement(
        first=first,
        second=second,
        which=which,
        n=len(both),
        clusters=len(groups),
        dropped=found.dropped,
        table=found.table,
        agreement=figures,
        right=right,
        cautions=(*cautions, *_small(len(both), len(groups), labels.cluster), *rare) if both else cautions,
        order_test=test,
    )


def _small(n: int, clusters: int, cluster: str) -> tuple[str, ...]:
    found = []
    if n < FEW_ITEMS:
        found.append(f"Too few items ({n}): {FEW_ITEMS} or more are wanted before these figures are used.")
    if clusters < min(n, FEW_CLUSTERS):
        found.append(f"Too few {cluster}s ({clusters}): below {FEW_CLUSTERS} even these intervals are too narrow.")
    return tuple(found)


def between_reviewers(labels: KindLabels, scale: UnitScale, resampling: Resampling) -> tuple[UnitAgreement, ...]:
    """Each two reviewers who share an item: by the first labels that both gave blind, then by all final ones."""
    found = []
    known: dict[tuple[str, str], tuple[dict[str, tuple[str, str]], UnitAgreement]] = {}
    for which in (FIRST_BLIND, FINAL):
        said = {name: labels.of(name, which, scale) for name in labels.reviewers}
        for first, second in combinations(labels.reviewers, 2):
            both = {
                item: (said[first][item], said[second][item]) for item in sorted(said[first]) if item in said[second]
            }
            if not both:
                continue
            before, figures = known.get((first, second), ({}, None))
            if figures is None or before != both:
                mine, theirs = ({item: pair[side] for item, pair in both.items()} for side in (0, 1))
                figures = beside(first, mine, second, theirs, scale, labels, which=which, resampling=resampling)
            known[first, second] = both, figures
            found.append(replace(figures, which=which))
    return tuple(found)


def all_reviewers(labels: KindLabels, scale: UnitScale, resampling: Resampling) -> tuple[ManyReviewers, ...]:
    """Everybody together, wherever two labelled the same item: first blind labels, then final ones."""
    found = []
    for which in (FIRST_BLIND, FINAL):
        names, items, ballots = _ballots(labels, scale, which)
        twice = [place for place, ballot in enumerate(ballots) if sum(vote is not None for vote in ballot) > 1]
        if len(names) < _LEAST_OF_MANY or not twice:
            continue
        groups = [labels.clusters[item] for item in items]
        clusters = groups if len(set(groups)) < len(groups) else None
        many = many_raters(
            ballots, scale.labels, clusters=clusters, statistics=_OF_MANY,
            weights="quadratic" if scale.ordered else "none", metric="ordinal" if scale.ordered else "nominal",
            resampling=resampling, unit=labels.cluster,
        )  # fmt: skip
        found.append(ManyReviewers(which, names, len(twice), tuple(many.figures.values())))
    return tuple(found)


def _ballots(
    labels: KindLabels, scale: UnitScale, which: Which
) -> tuple[tuple[str, ...], list[str], list[list[str | None]]]:
    """Who labelled, the items, and each one's label of each item."""
    said = {name: found for name in labels.reviewers if (found := labels.of(name, which, scale))}
    items = sorted({item for found in said.values() for item in found})
    return tuple(said), items, [[found.get(item) for found in said.values()] for item in items]


def majority_of_reviewers(
    labels: KindLabels, scale: UnitScale, which: Which
) -> tuple[tuple[str, ...], int, int, dict[str, str]]:
    """Who labelled; how many items have two labels or more, and on how many of these they tie; the majority."""
    names, items, ballots = _ballots(labels, scale, which)
    twice = [
        (item, ballot) for item, ballot in zip(items, ballots, strict=True) if len(ballot) - ballot.count(None) > 1
    ]
    most = majority_vote([ballot for _, ballot in twice])
    said = {item: str(label) for (item, _), label in zip(twice, most.labels, strict=True) if label is not None}
    return names, len(twice), most.ties, said


def consensus(labels: KindLabels, scale: UnitScale, resampling: Resampling) -> tuple[Consensus, ...]:
    """The majority of the reviewers on items with two labels or more, blind and assisted apart, and each machine."""
    found = []
    for which in OF_MODE.values():
        names, items, ties, said = majority_of_reviewers(labels, scale, which)
        if items:
            machines = _machines(CONSENSUS, said, which, labels, scale, resampling)
            found.append(Consensus(which, names, items, ties, machines))
    return tuple(found)


def against_machines(labels: KindLabels, scale: UnitScale, resampling: Resampling) -> tuple[UnitAgreement, ...]:
    """Each machine beside each reviewer, blind and assisted apart."""
    return tuple(
        each
        for name in labels.reviewers
        for which in OF_MODE.values()
        for each in _machines(name, labels.of(name, which, scale), which, labels, scale, resampling)
    )


def _machines(
    first: str, mine: Mapping[str, str], which: str, labels: KindLabels, scale: UnitScale, resampling: Resampling
) -> tuple[UnitAgreement, ...]:
    if not mine:
        return ()
    return tuple(
        beside(first, mine, name, said, scale, labels, which=which, reference=True, resampling=resampling,
               cautions=_triage(name))
        for name in labels.said
        if (said := labels.machine(name, scale)).keys() & mine.keys()
    )  # fmt: skip


def against_gold(labels: KindLabels, scale: UnitScale, resampling: Resampling) -> tuple[UnitAgreement, ...]:
    """Reviewers, blind and assisted apart, and machines against the right labels that may be told."""
    gold = labels.right(scale)
    if not gold:
        return ()
    raters: list[tuple[str, str, Mapping[str, str]]] = [
        (name, which, labels.against_gold(name, which, scale))
        for name in labels.reviewers
        for which in OF_MODE.values()
    ]
    raters += [(name, "", labels.machine(name, scale)) for name in labels.said]
    return tuple(
        beside(GOLD, gold, name, said, scale, labels, which=which, reference=True, resampling=resampling,
               cautions=_triage(name))
        for name, which, said in raters
        if said.keys() & gold.keys()
    )  # fmt: skip


def _triage(name: str) -> tuple[str, ...]:
    return ("Rules alone: triage, not a verdict.",) if name == RULES else ()
