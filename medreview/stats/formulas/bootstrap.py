"""The resampling engine: one multinomial bootstrap over summed count vectors serves every statistic.

Every statistic here is a function of a sum of per-unit count vectors (a unit is an item, or a response with all its
items). So the data shrink to their distinct vectors with multiplicities; a bootstrap sample of the R units is one
multinomial draw of R over those multiplicities, its sum one row of a matrix product, and a statistic is finished on
all sums at once. This is exactly the bootstrap of R units; the cost follows the distinct vectors, not the items.

Draw once per view and finish everything on the same sums: a difference of two figures then has an interval too. Where
few responses are resampled, a figure is finished on the sums without each of them, too, and its interval made of these.
"""

from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray
from threadpoolctl import ThreadpoolController

from medreview.stats.formulas.estimate import (
    FEW_CLUSTERS,
    FEW_FOR_PERCENTILES,
    JACKKNIFE_BELOW,
    LEVEL,
    UNDEFINED_LIMIT,
    Estimate,
    Scale,
    percent,
)
from medreview.stats.formulas.intervals import clopper_pearson, interval, jackknife, jackknife_over, too_few
from medreview.text import counted


def one_thread() -> AbstractContextManager[Any]:
    """Let the linear algebra of this process use one thread until the block ends."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looks through all loaded libraries: once


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Statistic = Callable[[Floats], Floats]
"""Finishes a statistic on sums, one value per row, ``nan`` where it is undefined."""

REPLICATES = 9_999
SEED = 1
TOO_FEW_OF_A_LABEL = "too few of one label"

# The data of one batch stay in the processor's cache.
_CELLS_PER_BATCH = 1 << 16
# Drawing how often a vector comes, one binomial, costs about as much as drawing this many units by number.
_OFTEN = 30
_WHOLE_IN_FLOAT32 = 1 << 24


@dataclass(frozen=True)
class Contributions:
    """The distinct per-unit vectors (D x K) and how many units have each (D)."""

    vectors: Floats
    multiplicity: Ints

    @property
    def units(self) -> int:
        """The number of resampled units R."""
        return int(self.multiplicity.sum())

    @property
    def total(self) -> Floats:
        """The sum over all units, as a batch of one (1 x K): what the observed value is finished on."""
        return np.asarray(self.multiplicity[None, :] @ self.vectors, dtype=np.float64)


@dataclass(frozen=True)
class Resampling:
    """The choices that make a bootstrap repeatable; stored with its results.

    ``interval``: of clusters, ``by_number`` is the jackknife below ``JACKKNIFE_BELOW`` of them and percentiles from
    there on; ``percentile`` always takes the percentiles. ``cluster``: what is resampled, in the singular
    (``medreview.stats.clusters``).
    """

    level: float = LEVEL
    replicates: int = REPLICATES
    seed: int = SEED
    interval: Literal["by_number", "percentile"] = "by_number"
    cluster: str = "response"

    def over(self, cluster: str) -> "Resampling":
        """The same over others: questions, cases, passages, each a ``cluster``."""
        return replace(self, cluster=cluster)


DEFAULT = Resampling()


@dataclass(frozen=True)
class Percentile:
    """A percentile interval of the defined resamples; ends are ``None`` when none of them is defined.

    ``constant``: every defined resample gives the same value, so that the interval would claim certainty.
    """

    low: float | None
    high: float | None
    undefined_share: float
    constant: bool


def cluster_codes(clusters: Sequence[Hashable]) -> tuple[Ints, int]:
    """Numbers 0..R-1 for cluster names in order of appearance, and R."""
    seen: dict[Hashable, int] = {}
    codes = [seen.setdefault(cluster, len(seen)) for cluster in clusters]
    return np.array(codes, dtype=np.int64), len(seen)


def shared(clusters: Sequence[str]) -> list[str] | None:
    """The clusters of items; none where each item has one of its own."""
    return list(clusters) if len(set(clusters)) < len(clusters) else None


def sum_by_cluster(vectors: Floats, clusters: Sequence[Hashable] | None) -> Floats:
    """Per-item vectors (n x K) added up per cluster (R x K); unchanged without clusters."""
    if clusters is None:
        return vectors
    codes, count = cluster_codes(clusters)
    sums = np.zeros((count, vectors.shape[1]))
    np.add.at(sums, codes, vectors)
    return sums


def count_cells(cells: Ints, width: int, clusters: Sequence[Hashable] | None) -> Floats:
    """Counts per unit (R x ``width``) of items that fall in one cell each; the unit is the item or the cluster."""
    if clusters is None:
        return np.asarray(np.eye(width)[cells], dtype=np.float64)
    codes, count = cluster_codes(clusters)
    flat = np.bincount(codes * width + cells, minlength=count * width)
    return flat.reshape(count, width).astype(np.float64)


def contributions(units: Floats) -> Contributions:
    """Distinct vectors of the units (R x K), sorted, so that the order of the items does not change a digit."""
    if len(units) == 0:
        return Contributions(units, np.zeros(0, dtype=np.int64))
    if (units.sum(axis=1) == 1).all() and (units.max(axis=1) == 1).all() and (units >= 0).all():
        # One item a unit: its cell says all, and there is nothing to sort.
        counts = units.sum(axis=0).astype(np.int64)
        held = np.flatnonzero(counts)[::-1]
        return Contributions(np.eye(units.shape[1])[held], counts[held])
    vectors, multiplicity = np.unique(units, axis=0, return_counts=True)
    return Contributions(vectors, multiplicity.astype(np.int64))


def draw(data: Contributions, resampling: Resampling = DEFAULT) -> Floats:
    """Sums of the bootstrap samples (replicates x K); the same data and seed give the same digits.

    Raises ``ValueError`` when there is no unit to resample.
    """
    units = data.units
    if units == 0:
        raise ValueError("there is nothing to resample")
    rng = np.random.default_rng(resampling.seed)
    often = data.multiplicity >= _OFTEN
    kind = _exact_kind(data)
    common = data.vectors[often].astype(kind)
    rare = np.repeat(data.vectors[~often], data.multiplicity[~often], axis=0).astype(kind)
    # A resample is a multinomial draw: how often each common vector, how many of the others; then which of these.
    shares = np.append(data.multiplicity[often], len(rare)) / units
    numbers = np.uint16 if len(rare) <= 1 << 16 else np.int64
    sums = np.empty((resampling.replicates, data.vectors.shape[1]))
    batch = max(1, _CELLS_PER_BATCH // (len(common) + len(rare)))
    with one_thread():
        for start in range(0, resampling.replicates, batch):
            size = min(batch, resampling.replicates - start)
            counts = rng.multinomial(units, shares, size=size)
            found = counts[:, :-1].astype(kind) @ common
            if len(rare):
                picks = rng.integers(0, len(rare), size=counts[:, -1].sum(), dtype=numbers).astype(np.int64)
                picks += np.repeat(np.arange(size) * len(rare), counts[:, -1])
                weights = np.bincount(picks, minlength=size * len(rare)).reshape(size, len(rare))
                found += weights.astype(kind) @ rare
            sums[start : start + size] = found
    return sums


def _exact_kind(data: Contributions) -> DTypeLike:
    """Single precision where every sum is a whole number that it holds exactly."""
    vectors = data.vectors
    largest = np.abs(vectors).max(initial=0.0) * data.units
    return np.float32 if largest < _WHOLE_IN_FLOAT32 and (vectors == np.rint(vectors)).all() else np.float64


def resampled(units: Floats, sums: Floats, size: Floats, resampling: Resampling = DEFAULT) -> Floats:
    """The resamples of a figure that has items in some of a view's units only.

    ``units`` (R x K) and the shared ``sums`` (replicates x K) are the columns of the figure, ``size`` (K) the weights
    that make them a number of items. Where a shared resample drew none of them, units that have some are drawn alone.
    """
    if (sums @ size > 0).all():
        return sums
    return draw(contributions(units[units @ size > 0]), resampling)


def percentile(draws: Floats, level: float = LEVEL) -> Percentile:
    """The percentile interval of a statistic's resamples, ``nan`` being an undefined one.

    Limits are order statistics at (B+1)p, which 9,999 replicates hit exactly.
    """
    defined = draws[~np.isnan(draws)]
    undefined_share = (len(draws) - len(defined)) / len(draws) if len(draws) else 1.0
    if len(defined) == 0:
        return Percentile(None, None, undefined_share, constant=True)
    constant = bool(np.ptp(defined) <= 1e-12)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2], method="weibull")
    return Percentile(float(low), float(high), undefined_share, constant)


def medians(histograms: Floats, values: Floats) -> Floats:
    """The median of each histogram (B x D) over ascending ``values`` (D); ``nan`` for an empty one."""
    reached = histograms.cumsum(axis=1)
    size = reached[:, -1:]
    lower = values[(reached >= np.ceil(size / 2)).argmax(axis=1)]
    upper = values[(reached >= np.floor(size / 2) + 1).argmax(axis=1)]
    return np.where(size[:, 0] > 0, (lower + upper) / 2, np.nan)


def wholly(numerator: Floats, denominator: Floats, what: str, unit: str, level: float = LEVEL) -> str:
    """A sentence on the units in which all items ``what`` (agree, are supported), with Clopper-Pearson limits.

    ``unit`` names one of them; ``numerator`` and ``denominator`` are counts of each. It stands in for an interval that
    would claim certainty.
    """
    used = denominator > 0
    n = int(used.sum())
    k = int((numerator[used] == denominator[used]).sum())
    limits = clopper_pearson(k, n, level)
    if limits is None:
        return ""
    return (
        f"{what} in {k} of {counted(n, unit)} (Clopper-Pearson {percent(level, 0)}: "
        f"{percent(limits[0])} to {percent(limits[1])})"
    )


def over_clusters(unit: str) -> str:
    """The name of an interval that resamples whole clusters; ``unit`` names one of them."""
    return f"percentile bootstrap over {unit}s"


def over_few_clusters(clusters: int, resampling: Resampling = DEFAULT) -> bool:
    """Whether so few clusters have the interval of a jackknife."""
    return clusters < JACKKNIFE_BELOW and resampling.interval == "by_number"


def without_each(units: Floats, finish: Statistic, resampling: Resampling = DEFAULT) -> Floats | None:
    """A statistic finished on the sums of all clusters (R x K) but one, for each of them: what a jackknife takes.

    Give the clusters that have items of the figure only. ``None`` where there are so many that none is made.
    """
    return finish(units.sum(axis=0) - units) if over_few_clusters(len(units), resampling) else None


def undefined_figure(
    name: str, why: str, *, scale: Scale, resampling: Resampling, clusters: int | None = 0, dropped: int = 0
) -> Estimate:
    """A figure of nothing: no item, and ``why``. ``clusters``: ``None`` where items are taken as independent."""
    cluster = "" if clusters is None else resampling.cluster
    return Estimate(
        name, None, None, None, "none", 0, clusters, dropped, why, resampling.level, scale=scale, cluster=cluster
    )


def bootstrap_figure(
    name: str,
    observed: float,
    draws: Floats,
    *,
    n: int,
    clusters: int | None,
    undefined: str,
    instead: str | Callable[[], str],
    scale: Scale,
    left_out: Floats | None = None,
    resampling: Resampling = DEFAULT,
    dropped: int = 0,
    notes: tuple[str, ...] = (),
    rare: str = TOO_FEW_OF_A_LABEL,
) -> Estimate:
    """A value and its resamples as a figure, by the rules for what may not be shown as an interval.

    Of few clusters (``over_few_clusters``) the interval is that of a jackknife on ``scale``: ``left_out`` has the value
    without each cluster that bears on it (``without_each``). Without these (a median does not move smoothly) it is the
    percentile interval, with a caution.

    No interval when more than 5% of the resamples are undefined, when all (``instead``, or what it gives when it is
    asked, then says what is known) or nearly all give the same value, when there is one cluster only, or, for a
    jackknife, two. ``undefined`` is the sentence for a value of ``nan``; ``rare`` says why a resample has none.
    """
    unit = resampling.cluster
    few = clusters is not None and left_out is not None and over_few_clusters(clusters, resampling)
    method = "percentile bootstrap" if clusters is None else jackknife_over(unit) if few else over_clusters(unit)
    value = None if np.isnan(observed) else float(observed)
    found = percentile(draws, resampling.level)
    low, high = found.low, found.high
    reason: str | None = None
    if value is None:
        reason = undefined
    elif clusters == 1:
        reason = f"All items come from one {unit}, which cannot show how {unit}s differ: no interval."
    elif found.undefined_share > UNDEFINED_LIMIT:
        reason = f"No interval: {percent(found.undefined_share)} of the resamples have no value, {rare}."
    elif found.constant:
        reason = "Every resample gives the same value, and an interval from them would claim certainty"
        known = instead if isinstance(instead, str) else instead()
        reason += f"; instead: {known}." if known else "."
    elif few and too_few(clusters or 0, unit):
        reason = too_few(clusters or 0, unit)
    elif few and left_out is not None:
        varying = jackknife(value, left_out.tolist())
        if varying is None:
            lost = not np.isfinite(left_out).all()
            reason = f"without one {unit} there is no value" if lost else f"no {unit} alone moves the value"
            reason = f"No interval: {reason}."
        else:
            low, high = interval(varying, scale, resampling.level)
    if reason is None and low == high:
        reason = "Nearly every resample gives the same value, and an interval from them would claim certainty."
    if clusters is not None and reason is None:
        if clusters < FEW_CLUSTERS:
            notes = (*notes, f"Only {clusters} {unit}s: below {FEW_CLUSTERS} even this interval can be too narrow.")
        elif not few and clusters < FEW_FOR_PERCENTILES:
            said = f"below {FEW_FOR_PERCENTILES} a percentile interval is too narrow"
            notes = (*notes, f"Only {clusters} {unit}s: {said}.")
    return Estimate(
        name,
        value,
        low if reason is None else None,
        high if reason is None else None,
        method,
        n,
        clusters=clusters,
        dropped=dropped,
        reason=reason,
        level=resampling.level,
        seed=resampling.seed,
        undefined_share=found.undefined_share,
        notes=notes,
        scale=scale,
        cluster="" if clusters is None else unit,
    )
