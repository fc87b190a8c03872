"""Ratios of sums over responses, or over cases, all from one resample of whole ones."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    Floats,
    Resampling,
    bootstrap_figure,
    contributions,
    draw,
    over_clusters,
    resampled,
    wholly,
    without_each,
)
from medreview.stats.formulas.coefficients import ratio
from medreview.stats.formulas.estimate import Estimate, Scale


class ResponseSample:
    """Named amounts of each response (one row each), drawn once: all figures of a group come from the same draws.

    ``unit``: what a row is, where it is no response. ``sums`` (replicates x columns) are the resamples, where a whole
    view shares them.
    """

    def __init__(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[float]] | Floats,
        resampling: Resampling = DEFAULT,
        unit: str = "response",
        sums: Floats | None = None,
    ) -> None:
        self._unit = unit
        self._place = {name: place for place, name in enumerate(columns)}
        self._units = np.array(rows, dtype=np.float64).reshape(-1, len(columns))
        if sums is not None:
            self._sums = sums
        else:
            self._sums = draw(contributions(self._units), resampling) if len(rows) else self._units
        self._resampling = resampling

    def total(self, column: str) -> int:
        """The sum of a column of counts."""
        return int(self._units[:, self._place[column]].sum())

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
        resample gives the same value, the responses of which all, or none, are so are told. The interval of a share
        that is more than 1 in any row is made as that of an amount.
        """
        n = self.total(under)
        if n == 0:
            return Estimate(
                name, None, None, None, over_clusters(self._unit), 0, 0, dropped, undefined, self._resampling.level,
                scale=scale,
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
