"""Intraclass correlations of ratings on a scale of numbers (Shrout & Fleiss 1979; intervals as McGraw & Wong 1996)."""

import math
from collections.abc import Hashable, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np

from medreview.stats.formulas.bootstrap import (
    Floats,
    Resampling,
    bootstrap_figure,
    contributions,
    draw,
    sum_by_cluster,
    without_each,
)
from medreview.stats.formulas.coefficients import ratio
from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.hypothesis_tests import known

Kind = Literal["ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)"]
KINDS: Final[tuple[Kind, ...]] = ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")
"""1: each subject has raters of its own. 2: all are rated by the same raters, a sample of many; their level counts
(absolute agreement). 3: these raters only; their level does not count (consistency). ``k``: of the mean of k raters."""

_NO_VARIANCE: Final = "All ratings are alike: there is no variance to be shared out."
_NO_SUBJECTS: Final = "The subjects do not differ, and nothing else does that this form counts: it is 0/0."
_NO_ENDS: Final = "No F interval: the raters agree exactly, or the subjects do not differ."


class _Squares(NamedTuple):
    """Mean squares: between subjects, within them, between raters, and what is left; and the numbers of both."""

    between: Floats
    within: Floats
    raters: Floats
    error: Floats
    n: Floats
    k: int


def icc(
    ratings: Sequence[Sequence[float | None]],
    kind: Kind = "ICC(2,1)",
    *,
    level: float = LEVEL,
    clusters: Sequence[Hashable] | None = None,
    resampling: Resampling | None = None,
    unit: str = "response",
) -> Estimate:
    """One form for subjects by raters, with its F interval; with ``resampling``, that of subjects (or ``clusters``).

    ``unit``: what a cluster is. Subjects that lack a rating are dropped. ICC(2,1) is the two-way random form, of
    absolute agreement. Undefined below two subjects or raters, and where nothing varies. Raises ``ValueError`` for rows
    of different lengths or a kind that is not in ``KINDS``.
    """
    if kind not in KINDS:
        raise ValueError(f"no form of ICC {kind!r}; there are {', '.join(KINDS)}")
    if len({len(row) for row in ratings}) > 1 or (clusters is not None and len(clusters) != len(ratings)):
        raise ValueError("every subject needs one entry per rater, and its cluster")
    whole = [place for place, row in enumerate(ratings) if all(known(value) for value in row)]
    n, k, dropped = len(whole), len(ratings[0]) if ratings else 0, len(ratings) - len(whole)
    rows = np.array([ratings[place] for place in whole], dtype=np.float64).reshape(n, k)
    level = level if resampling is None else resampling.level

    def undefined(why: str) -> Estimate:
        return Estimate(kind, None, None, None, "none", n, None, dropped, why, level, scale="coefficient")

    reason = None
    if n < 2 or k < 2:
        reason = f"It takes two subjects that two raters rated; there {'is' if n == 1 else 'are'} {n}."
        if n >= 2:
            reason = "It takes two raters."
    elif not np.ptp(rows):
        reason = _NO_VARIANCE
    if reason is not None:
        return undefined(reason)
    # Place and unit of the scale bear on no form, but on the rounding of squares.
    rows = (rows - rows.mean()) / rows.std()
    units = _vectors(rows)
    value = float(_finish(_squares(units.sum(axis=0)[None], k), kind)[0])
    if np.isnan(value):
        return undefined(_NO_SUBJECTS)
    if resampling is None:
        low, high = _f_interval(_squares(units.sum(axis=0)[None], k), kind, value, level)
        reason = None if low is not None else _NO_ENDS
        return Estimate(kind, value, low, high, "F interval", n, None, dropped, reason, level, scale="coefficient")
    groups = None if clusters is None else [clusters[place] for place in whole]
    summed = sum_by_cluster(units, groups)

    def finish(sums: Floats) -> Floats:
        return _finish(_squares(sums, k), kind)

    return bootstrap_figure(
        kind, value, finish(draw(contributions(summed), resampling)), n=n,
        clusters=None if groups is None else len(summed), undefined=_NO_SUBJECTS, instead="",
        left_out=None if groups is None else without_each(summed, finish, resampling), scale="coefficient",
        resampling=resampling, dropped=dropped, rare="for the subjects drawn do not differ",
        unit=unit,
    )  # fmt: skip


def _vectors(rows: Floats) -> Floats:
    """Per subject what mean squares are made of: one, its sum squared over k, its squares, and each rater's value."""
    one = np.ones((len(rows), 1))
    subject = rows.sum(axis=1, keepdims=True) ** 2 / rows.shape[1]
    return np.concatenate([one, subject, (rows**2).sum(axis=1, keepdims=True), rows], axis=1)


def _squares(sums: Floats, k: int) -> _Squares:
    """From summed vectors (B x 3 + k). What is left of a subtraction below its rounding is 0."""
    n, subjects, squares, columns = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
    mean = columns.sum(axis=1) ** 2 / (n * k)
    total = squares - mean

    def part(value: Floats) -> Floats:
        return np.where(np.abs(value) <= 1e-12 * squares, 0.0, np.maximum(value, 0.0))

    between, within = part(subjects - mean), part(squares - subjects)
    raters = part((columns**2).sum(axis=1) / n - mean)
    error = part(total - between - raters)
    return _Squares(
        ratio(between, n - 1), ratio(within, n * (k - 1)), raters / (k - 1), ratio(error, (n - 1) * (k - 1)), n, k,
    )  # fmt: skip


def _finish(of: _Squares, kind: Kind) -> Floats:
    noise = of.within if kind[4] == "1" else of.error
    level = of.k * (of.raters - of.error) / of.n if kind[4] == "2" else np.zeros(1)
    if kind[-2] == "1":
        return ratio(of.between - noise, of.between + (of.k - 1) * noise + level)
    return ratio(of.between - noise, of.between + level / of.k)


def _f_interval(of: _Squares, kind: Kind, value: float, level: float) -> tuple[float, float] | tuple[None, None]:
    """Limits by the F distribution, as two-sided as ``level`` says; none where raters agree exactly."""
    from scipy.special import fdtri

    upper = (1 + level) / 2
    between, raters, error, n, k = float(of.between[0]), float(of.raters[0]), float(of.error[0]), float(of.n[0]), of.k
    if kind[4] == "2":
        single = float(_finish(of, "ICC(2,1)")[0])
        if single >= 1:
            return None, None
        a, b = k * single / (n * (1 - single)), 1 + k * single * (n - 1) / (n * (1 - single))
        weight = (a * raters) ** 2 / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1))
        if weight <= 0:
            return None, None
        df = (a * raters + b * error) ** 2 / weight
        if df <= 0:
            return None, None
        rest = k * raters + (k * n - k - n) * error
        f_low, f_high = float(fdtri(n - 1, df, upper)), float(fdtri(df, n - 1, upper))
        low = n * (between - f_low * error) / (f_low * rest + n * between)
        high = n * (f_high * between - error) / (rest + n * f_high * between)
        ends = (low, high) if kind[-2] == "1" else tuple(_of_mean(end, k) for end in (low, high))
    else:
        noise, df = (float(of.within[0]), n * (k - 1)) if kind[4] == "1" else (error, (n - 1) * (k - 1))
        if noise <= 0 or (kind[-2] == "k" and between <= 0):
            return None, None
        f_low = between / noise / float(fdtri(n - 1, df, upper))
        f_high = between / noise * float(fdtri(df, n - 1, upper))
        ends = tuple((f - 1) / (f + k - 1) if kind[-2] == "1" else 1 - 1 / f for f in (f_low, f_high))
    low, high = ends
    return (low, high) if math.isfinite(low) and math.isfinite(high) else (None, None)


def _of_mean(single: float, k: int) -> float:
    """The correlation of a mean of ``k`` ratings from that of one (Spearman-Brown); infinite at its pole."""
    below = 1 + (k - 1) * single
    return k * single / below if below > 1e-12 else -math.inf
