"""Several figures from one draw of whole clusters: blocks of counts, kinds of like items, ratios of sums.

``draw_together`` resamples several counts of the same clusters (questions, responses), ``ResponseSample`` named amounts
of each. Many statements are alike: ``Alike`` works out once for each kind what is to be known of them.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    Floats,
    Ints,
    Resampling,
    bootstrap_figure,
    contributions,
    draw,
    over_clusters,
    resampled,
    sum_by_cluster,
    wholly,
    without_each,
)
from medreview.stats.formulas.coefficients import ratio
from medreview.stats.formulas.estimate import Estimate, Scale


class CountedBlock(NamedTuple):
    """One thing that is counted: the cluster of each item, and which of ``width`` cells the item falls into."""

    clusters: Sequence[str]
    cells: Ints
    width: int


class DrawnBlock(NamedTuple):
    """A block after the draw: counts per cluster of the view (R x width) and per resample (replicates x width)."""

    units: Floats
    sums: Floats


def draw_together(blocks: Sequence[CountedBlock], resampling: Resampling) -> list[DrawnBlock]:
    """Every block from the same resamples of the clusters in which any of them has an item."""
    place: dict[str, int] = {}
    for block in blocks:
        for cluster in block.clusters:
            place.setdefault(cluster, len(place))
    counted = [_per_cluster(block, place) for block in blocks]
    units = np.hstack(counted) if counted else np.zeros((0, 0))
    sums = draw(contributions(units), resampling) if len(units) else units
    ends = np.cumsum([block.width for block in blocks])
    return [
        DrawnBlock(own, sums[:, end - block.width : end]) for block, own, end in zip(blocks, counted, ends, strict=True)
    ]


def _per_cluster(block: CountedBlock, place: dict[str, int]) -> Floats:
    where = np.array([place[cluster] for cluster in block.clusters], dtype=np.int64)
    flat = np.bincount(where * block.width + block.cells, minlength=len(place) * block.width)
    return flat.reshape(len(place), block.width).astype(np.float64)


K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Alike(Generic[K]):
    """A column of statements: of which cluster each is, and of which kind.

    ``kinds`` has each kind once, in the order in which they first came; ``codes`` (n) the place of each statement's
    kind among them, and ``clusters`` (n) the cluster of each.
    """

    def __init__(self) -> None:
        self.clusters: list[str] = []
        self.codes: list[int] = []
        self._place: dict[K, int] = {}

    def add(self, cluster: str, kind: K) -> None:
        """Take up one statement."""
        self.clusters.append(cluster)
        self.codes.append(self._place.setdefault(kind, len(self._place)))

    @property
    def kinds(self) -> list[K]:
        """Each kind once, in the order in which they first came."""
        return list(self._place)

    @property
    def counts(self) -> list[int]:
        """How many statements are of each kind."""
        found: Ints = np.bincount(np.array(self.codes, dtype=np.int64), minlength=len(self._place))
        return [int(count) for count in found]

    def told(self, of: Callable[[K], T | None]) -> list[tuple[str, T]]:
        """The cluster of each statement and what ``of`` tells of its kind, where that is not ``None``."""
        said = [of(kind) for kind in self._place]
        rows = zip(self.clusters, self.codes, strict=True)
        return [(cluster, what) for cluster, code in rows if (what := said[code]) is not None]


class ResponseSample:
    """Named amounts of each cluster (one row each), drawn once: all figures of a group come from the same draws.

    ``unit``: what a row is, where that is not what ``resampling`` says. ``sums`` (replicates x columns) are the
    resamples, where a whole view shares them. ``clusters``: those of the rows, where a cluster has several.
    """

    def __init__(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[float]] | Floats,
        resampling: Resampling = DEFAULT,
        unit: str = "",
        sums: Floats | None = None,
        clusters: Sequence[Hashable] | None = None,
    ) -> None:
        self._unit = unit or resampling.cluster
        self._place = {name: place for place, name in enumerate(columns)}
        self._units = sum_by_cluster(np.array(rows, dtype=np.float64).reshape(-1, len(columns)), clusters)
        if sums is not None:
            self._sums = sums
        else:
            self._sums = draw(contributions(self._units), resampling) if len(rows) else self._units
        self._resampling = resampling

    def total(self, column: str) -> int:
        """The sum of a column of counts."""
        return int(self._units[:, self._place[column]].sum())

    def counts(self, over: str, under: str) -> list[tuple[int, int]]:
        """Two columns of counts, row by row."""
        return [(int(so), int(of)) for so, of in self._units[:, [self._place[over], self._place[under]]]]

    def share(self, name: str, over: str, under: str, *, undefined: str, whole: str = "", dropped: int = 0) -> Estimate:
        """The sum of one column over that of another as a share."""
        return self.figure(name, over, under, scale="share", undefined=undefined, whole=whole, dropped=dropped)

    def figure(
        self,
        name: str,
        over: str,
        under: str,
        *,
        scale: Scale,
        undefined: str,
        whole: str = "",
        dropped: int = 0,
    ) -> Estimate:
        """The sum of one column over that of another, a column of counts: a pooled share, or a mean per row.

        ``n`` is the sum of ``under``. ``whole`` ("allowed") is what a share is of: where each
        resample gives the same value, the reason says that all, or none, are so. The interval of a share that is more
        than 1 in any row is made as that of an amount.
        """
        n = self.total(under)
        if n == 0:
            return Estimate(
                name, None, None, None, over_clusters(self._unit), 0, 0, dropped, undefined, self._resampling.level,
                scale=scale, cluster=self._unit,
            )  # fmt: skip
        columns = [self._place[over], self._place[under]]
        units = self._units[:, columns]
        top, bottom = units.T
        none = not top.any()
        instead = f"none is {whole}" if none else f"all are {whole}"
        sums = resampled(units, self._sums[:, columns], np.array([0.0, 1.0]), self._resampling)
        figure = bootstrap_figure(
            name,
            float(top.sum()) / n,
            _quotient(sums),
            n=n,
            clusters=int((bottom > 0).sum()),
            undefined=undefined,
            instead=partial(wholly, bottom - top if none else top, bottom, instead, self._unit, self._resampling.level)
            if whole
            else "",
            left_out=without_each(units[bottom > 0], _quotient, self._resampling),
            scale="amount" if scale in ("share", "ratio") and (top > bottom).any() else scale,
            resampling=self._resampling,
            dropped=dropped,
            unit=self._unit,
        )
        return replace(figure, scale=scale)


def _quotient(sums: Floats) -> Floats:
    return ratio(sums[:, 0], sums[:, 1])
