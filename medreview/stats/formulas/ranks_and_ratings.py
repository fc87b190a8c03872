"""Agreement of ranks and ratings: Spearman's rho, Kendall's tau-b and W, mean ranks, intraclass correlations (ICC).

``None`` is a missing rank; equal values share the mean of their ranks. Coefficients run from -1 to 1 (W from 0). The
intraclass correlations are those of Shrout & Fleiss (1979), with intervals as in McGraw & Wong (1996).
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, zip_longest
from typing import Final, Literal, NamedTuple

import numpy as np

from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    Floats,
    Ints,
    Resampling,
    bootstrap_figure,
    contributions,
    draw,
    sum_by_cluster,
    without_each,
)
from medreview.stats.formulas.coefficients import ratio
from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.hypothesis_tests import TestResult, known
from medreview.stats.formulas.shared_draws import ResponseSample
from medreview.text import counted

EXACT_UP_TO: Final = 8
"""Pairs for which all orders (40,320) are gone through; beyond, p is approximated."""

Number = float | None
_SLACK: Final = 1e-9
_TIED: Final = "On one side all values are equal: there is no order."
_APPROXIMATE: Final = "The interval supposes many values without ties."


@dataclass(frozen=True)
class RankCorrelation:
    """A coefficient with its interval, and the two-sided test that it is 0; the test's name says how p was found."""

    figure: Estimate
    test: TestResult


def spearman(
    a: Sequence[Number], b: Sequence[Number], *, level: float = LEVEL, exact_up_to: int = EXACT_UP_TO
) -> RankCorrelation:
    """Pearson's correlation of average ranks (Spearman 1904).

    p from all permutations up to ``exact_up_to`` pairs, else by Student's t; the interval by Fisher's z with the
    variance of Bonett & Wright (2000). Undefined below two pairs or where one side has no order. Raises ``ValueError``
    for sides of different length.
    """
    name = "Spearman's rho"
    x, y, dropped = _pairs(a, b)
    n = len(x)
    if (why := _no_order(x, y)) is not None:
        return _undefined(name, why, n, dropped, level)
    first, second = _centred_ranks(x), _centred_ranks(y)
    scale = math.sqrt(float((first**2).sum() * (second**2).sum()))
    value = _clipped(float(first @ second) / scale)
    if n <= exact_up_to:
        method = "all permutations"
        pvalue = float((np.abs(_orders(n, second) @ first) / scale >= abs(value) - _SLACK).mean())
    else:
        from scipy.special import stdtr

        method = "t approximation"
        apart = 1 - value**2
        pvalue = 2 * float(stdtr(n - 2, -abs(value) * math.sqrt((n - 2) / apart))) if apart > 0 and n > 2 else 0.0
        pvalue = pvalue if n > 2 else 1.0
    variance = (1 + value**2 / 2) / (n - 3) if n > 3 else None
    test = TestResult(f"{name}, {method}", value, pvalue, n - 2.0 if n > exact_up_to else None, n=(n,), dropped=dropped)
    return RankCorrelation(_fisher(name, value, variance, n, dropped, level), test)


def kendall_tau_b(a: Sequence[Number], b: Sequence[Number], *, level: float = LEVEL) -> RankCorrelation:
    """Concordant minus discordant pairs of items, over those not tied (Kendall 1945).

    p from all permutations up to eight items; above, scipy's exact or normal one. The interval by Fisher's z with the
    variance of Fieller, Hartley & Pearson (1957). Undefined, and raises, as Spearman's.
    """
    from scipy import stats

    name = "Kendall's tau-b"
    x, y, dropped = _pairs(a, b)
    n = len(x)
    if (why := _no_order(x, y)) is not None:
        return _undefined(name, why, n, dropped, level)
    found = stats.kendalltau(x, y, variant="b")
    value = _clipped(float(found.statistic))
    if n <= EXACT_UP_TO:
        method, first, second = "all permutations", _signs(x), _signs(y)
        orders = _permutations(n)
        scores = np.einsum("ij,bij->b", first, second[orders[:, :, None], orders[:, None, :]])
        pvalue = float((np.abs(scores) >= abs(float((first * second).sum())) - _SLACK).mean())
    else:
        ties = len(set(x)) < n or len(set(y)) < n
        method, pvalue = ("normal approximation" if ties else "scipy's choice by size"), float(found.pvalue)
    test = TestResult(f"{name}, {method}", value, pvalue, n=(n,), dropped=dropped)
    variance = 0.437 / (n - 4) if n > 4 else None
    return RankCorrelation(_fisher(name, value, variance, n, dropped, level), test)


def mean_kendall_tau(
    rankings: Sequence[Sequence[Number]], *, name: str = "mean Kendall's tau-b over pairs of raters"
) -> Estimate:
    """The mean tau-b of each two raters (raters x things) on the same things; ``n`` counts the pairs of raters.

    A pair in which one ties everything is left out and counted. Without interval: ``mean_tau_over_items`` has one.
    """
    taus, undefined = _pairwise(rankings)
    if not taus:
        why = _no_pair(undefined)
        return Estimate(name, None, None, None, "none", 0, None, undefined, why, scale="coefficient")
    why = "One set of things: it takes several to show how they differ."
    mean = sum(taus) / len(taus)
    return Estimate(name, mean, None, None, "none", len(taus), None, undefined, why, scale="coefficient")


def mean_tau_over_items(items: Sequence[Sequence[Sequence[Number]]], *, resampling: Resampling = DEFAULT) -> Estimate:
    """The mean tau-b over all pairs of raters of all items, each with its own things ranked; items are resampled."""
    name = "mean Kendall's tau-b over pairs of raters"
    found = [_pairwise(rankings) for rankings in items]
    undefined = sum(left for _, left in found)
    rows = [(sum(taus), len(taus)) for taus, _ in found]
    sample = ResponseSample(("tau", "pairs"), rows, resampling)
    return sample.figure(name, "tau", "pairs", undefined=_no_pair(undefined), dropped=undefined, scale="coefficient")


def kendall_w(rankings: Sequence[Sequence[Number]], *, resampling: Resampling = DEFAULT) -> RankCorrelation:
    """Kendall's W: how far several raters (raters x things) order the same things alike, 0 to 1, corrected for ties.

    Test: chi-squared = m (n - 1) W with n - 1 degrees of freedom (Kendall & Babington Smith 1939; Siegel & Castellan
    1988 for ties), rough below eight things. The interval resamples the things. A thing that lacks a rank is dropped.
    Undefined below two raters or two things, and where all raters tie everything.
    """
    from scipy.special import chdtrc

    name, test_name = "Kendall's W", "Kendall's W, chi-squared"
    if len({len(row) for row in rankings}) > 1:
        raise ValueError("every rater needs one entry per thing")
    columns = [column for column in zip(*rankings, strict=True) if all(known(value) for value in column)]
    m, n = len(rankings), len(columns)
    dropped = (len(rankings[0]) if rankings else 0) - n
    values = np.array(columns, dtype=np.float64).reshape(n, m).T
    why = None
    if m < 2 or n < 2:
        why = (
            f"It takes two raters and two things that all ranked, not {counted(m, 'rater')} and {counted(n, 'thing')}."
        )
    elif np.isnan(value := float(_concordance(values, np.ones((1, n)))[0])):
        why = "Every rater ties all things: there is no order."
    if why is not None:
        figure = Estimate(name, None, None, None, "none", n, None, dropped, why, resampling.level, scale="ratio")
        return RankCorrelation(figure, TestResult(test_name, None, None, reason=why, n=(m, n), dropped=dropped))
    rng = np.random.default_rng(resampling.seed)
    draws = np.empty(resampling.replicates)
    batch = max(1, (1 << 19) // (m * n))
    for start in range(0, resampling.replicates, batch):
        size = min(batch, resampling.replicates - start)
        draws[start : start + size] = _concordance(values, rng.multinomial(n, np.full(n, 1 / n), size).astype(float))
    figure = bootstrap_figure(
        name, value, draws, n=n, clusters=None, undefined="", instead="", scale="ratio", resampling=resampling,
        dropped=dropped, rare="for one thing was drawn throughout",
    )  # fmt: skip
    statistic = m * (n - 1) * value
    notes = (f"Only {counted(n, 'thing')}: below 8 the chi-squared distribution is a rough one.",) if n < 8 else ()
    p = float(chdtrc(n - 1, statistic))
    return RankCorrelation(figure, TestResult(test_name, statistic, p, n - 1.0, notes=notes, n=(m, n), dropped=dropped))


def mean_ranks(
    ranks: Mapping[str, Sequence[Number]],
    *,
    resampling: Resampling = DEFAULT,
    clusters: Sequence[Hashable] | None = None,
) -> Mapping[str, Estimate]:
    """The mean of the ranks given to each model, one entry per ballot (``None``: not ranked there); lower is better.

    Ballots (or the ``clusters`` they are of) are resampled, for all models at once, so that
    differences of two means are of the same draws. Undefined for a model without a rank.
    """
    ballots = list(zip_longest(*ranks.values()))
    rows = [
        [part for value in ballot for part in ((float(value), 1.0) if known(value) else (0.0, 0.0))]
        for ballot in ballots
    ]
    columns = [f"{part} {name}" for name in ranks for part in ("sum", "n")]
    sample = ResponseSample(
        columns, rows, resampling.over("ballot") if clusters is None else resampling, clusters=clusters
    )
    return {
        name: sample.figure(
            f"mean rank, {name}", f"sum {name}", f"n {name}", undefined=f"Nobody ranked {name}.",
            dropped=len(ballots) - sample.total(f"n {name}"), scale="plain",
        )
        for name in ranks
    }  # fmt: skip


def _pairs(a: Sequence[Number], b: Sequence[Number]) -> tuple[list[float], list[float], int]:
    kept = [(float(x), float(y)) for x, y in zip(a, b, strict=True) if known(x) and known(y)]
    return [x for x, _ in kept], [y for _, y in kept], len(a) - len(kept)


def _no_order(x: Sequence[float], y: Sequence[float]) -> str | None:
    if len(x) < 2:
        return f"It takes two pairs of values; there {'is' if len(x) == 1 else 'are'} {len(x)}."
    return _TIED if len(set(x)) == 1 or len(set(y)) == 1 else None


def _undefined(name: str, why: str, n: int, dropped: int, level: float) -> RankCorrelation:
    figure = Estimate(name, None, None, None, "none", n, dropped=dropped, reason=why, level=level, scale="coefficient")
    return RankCorrelation(figure, TestResult(name, None, None, reason=why, n=(n,), dropped=dropped))


def _clipped(value: float) -> float:
    """Rounding taken off the ends, so that equal orders give 1."""
    return float(round(value)) if abs(abs(value) - 1) < _SLACK else value


def _centred_ranks(values: Sequence[float]) -> Floats:
    """Average ranks around 0."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (count.cumsum() - (count - 1) / 2)[place]
    return np.asarray(ranks - ranks.mean(), dtype=np.float64)


@cache
def _permutations(n: int) -> Ints:
    return np.array(list(permutations(range(n))), dtype=np.int64)


def _orders(n: int, values: Floats) -> Floats:
    return np.asarray(values[_permutations(n)], dtype=np.float64)


def _signs(values: Sequence[float]) -> Floats:
    """Of each two, which is the larger: 1, -1, or 0 for a tie."""
    order = {value: place for place, value in enumerate(sorted(set(values)))}
    places = np.array([order[value] for value in values])
    return np.asarray(np.sign(places[:, None] - places[None, :]), dtype=np.float64)


def _fisher(name: str, value: float, variance: float | None, n: int, dropped: int, level: float) -> Estimate:
    """A coefficient with its interval on Fisher's scale."""
    from statistics import NormalDist

    method = "Fisher's z"
    if variance is None or abs(value) == 1:
        why = "The order is the same, or reversed, throughout" if abs(value) == 1 else f"Only {counted(n, 'pair')}"
        why += ": no interval."
        return Estimate(name, value, None, None, method, n, None, dropped, why, level, scale="coefficient")
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(variance)
    low, high = (math.tanh(math.atanh(value) + side * half) for side in (-1, 1))
    return Estimate(
        name, value, low, high, method, n, dropped=dropped, level=level, notes=(_APPROXIMATE,), scale="coefficient"
    )


def _pairwise(rankings: Sequence[Sequence[Number]]) -> tuple[list[float], int]:
    """The defined tau-b of each two raters, and how many have none."""
    found = [_tau(a, b) for a, b in combinations(rankings, 2)]
    return [tau for tau in found if tau is not None], found.count(None)


def _tau(a: Sequence[Number], b: Sequence[Number]) -> float | None:
    x, y, _ = _pairs(a, b)
    if _no_order(x, y) is not None:
        return None
    first, second = _signs(x), _signs(y)
    return _clipped(float((first * second).sum() / math.sqrt(np.abs(first).sum() * np.abs(second).sum())))


def _no_pair(undefined: int) -> str:
    if undefined:
        return "In every pair of raters one ties everything, or they share fewer than two things."
    return "It takes two raters of the same things."


def _concordance(values: Floats, weights: Floats) -> Floats:
    """W of each resample: ``values`` raters x things, ``weights`` (B x things) how often each thing was drawn."""
    total = weights.sum(axis=1)
    ranks = np.zeros_like(weights)
    ties = np.zeros(len(weights))
    for row in values:
        levels, place = np.unique(row, return_inverse=True)
        held = weights @ np.eye(len(levels))[place]
        middle = held.cumsum(axis=1) - (held - 1) / 2
        ranks += middle[:, place]
        ties += (held**3 - held).sum(axis=1)
    m = len(values)
    spread = (weights * (ranks - m * (total[:, None] + 1) / 2) ** 2).sum(axis=1)
    denominator = m**2 * (total**3 - total) - m * ties
    out = np.full(len(weights), np.nan)
    np.divide(12 * spread, denominator, out=out, where=denominator > _SLACK)
    return out


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
) -> Estimate:
    """One form for subjects by raters, with its F interval; with ``resampling``, that of subjects (or ``clusters``).

    Subjects that lack a rating are dropped. ICC(2,1) is the two-way random form, of
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
        low, high = _f_interval(_squares(units.sum(axis=0)[None], k), kind, level)
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
    )  # fmt: skip


def _vectors(rows: Floats) -> Floats:
    """Per subject what mean squares are made of: one, its sum squared over k, its squares, and each rater's value."""
    one = np.ones((len(rows), 1))
    subject = rows.sum(axis=1, keepdims=True) ** 2 / rows.shape[1]
    return np.concatenate([one, subject, (rows**2).sum(axis=1, keepdims=True), rows], axis=1)


def _squares(sums: Floats, k: int) -> _Squares:
    """From summed vectors (B x 3 + k). A remainder below the rounding of a subtraction is 0."""
    n, subjects, squares, columns = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
    mean = ratio(columns.sum(axis=1) ** 2, n * k)
    total = squares - mean

    def part(value: Floats) -> Floats:
        return np.where(np.abs(value) <= 1e-12 * squares, 0.0, np.maximum(value, 0.0))

    between, within = part(subjects - mean), part(squares - subjects)
    raters = part(ratio((columns**2).sum(axis=1), n) - mean)
    error = part(total - between - raters)
    return _Squares(
        ratio(between, n - 1), ratio(within, n * (k - 1)), raters / (k - 1), ratio(error, (n - 1) * (k - 1)), n, k,
    )  # fmt: skip


def _finish(of: _Squares, kind: Kind) -> Floats:
    noise = of.within if kind[4] == "1" else of.error
    level = ratio(of.k * (of.raters - of.error), of.n) if kind[4] == "2" else np.zeros(1)
    if kind[-2] == "1":
        return ratio(of.between - noise, of.between + (of.k - 1) * noise + level)
    return ratio(of.between - noise, of.between + level / of.k)


def _f_interval(of: _Squares, kind: Kind, level: float) -> tuple[float, float] | tuple[None, None]:
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
