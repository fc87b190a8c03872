"""Several figures from one draw of whole clusters: blocks of counts, ratios of sums.

``draw_together`` resamples several counts of the same clusters (questions, responses), ``ResponseSample`` named amounts
of each.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

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


class ResponseSample:
    """Named amounts of each cluster (one row each), drawn once: all figures of a group come from the same draws.

    ``sums`` (replicates x columns) are the resamples, where a whole view shares them. ``clusters``: those of the rows,
    where a cluster has several.
    """

    def __init__(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[float]] | Floats,
        resampling: Resampling = DEFAULT,
        sums: Floats | None = None,
        clusters: Sequence[Hashable] | None = None,
    ) -> None:
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
        resample gives the same value, the reason says that all, or none, are so; of none of the clusters, where each
        has one item, it gives the limits of the share itself. The interval of a share that is more
        than 1 in any row is made as that of an amount.
        """
        n, again = self.total(under), self._resampling
        if n == 0:
            return Estimate(
                name, None, None, None, over_clusters(again.cluster), 0, 0, dropped, undefined, again.level,
                scale=scale, cluster=again.cluster,
            )  # fmt: skip
        columns = [self._place[over], self._place[under]]
        units = self._units[:, columns]
        top, bottom = units.T
        none = not top.any()
        one_each = bool((bottom <= 1).all())
        instead = f"{'' if one_each else 'none is '}{whole}" if none else f"all are {whole}"
        sums = resampled(units, self._sums[:, columns], np.array([0.0, 1.0]), again)
        figure = bootstrap_figure(
            name,
            float(top.sum()) / n,
            _quotient(sums),
            n=n,
            clusters=int((bottom > 0).sum()),
            undefined=undefined,
            instead=partial(
                wholly, bottom - top if none and not one_each else top, bottom, instead, again.cluster, again.level
            )
            if whole
            else "",
            left_out=without_each(units[bottom > 0], _quotient, again),
            scale="amount" if scale in ("share", "ratio") and (top > bottom).any() else scale,
            resampling=again,
            dropped=dropped,
        )
        return replace(figure, scale=scale)


def _quotient(sums: Floats) -> Floats:
    return ratio(sums[:, 0], sums[:, 1])
