"""Intervals without resampling and without numpy: Wilson, Clopper-Pearson, jackknife of few clusters, linearised.

The first screen and the workbench's panel ask here as reports do, so that both show the same interval.

With 15 to 30 clusters a percentile interval holds the truth in 85 to 90% of studies instead of 95%: the resamples vary
too little, and as if the figure could not be lopsided. The jackknife leaves out each cluster in turn (Tukey 1958),
takes t with as many degrees of freedom as these differences support (Satterthwaite 1946), and is made on the logit of a
share, or on Fisher's z of a coefficient, whose ends it then cannot pass. Measured in docs/explanation/validation.md. Of
many clusters, where reports resample, the linearised interval follows from what each does to the value, to first order.
Figures that are finished on a sum of counts (``jackknifed``) have it for any number of clusters.
"""

import math
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist
from typing import Final

from medreview.stats.formulas.estimate import FEWEST_CLUSTERS, JACKKNIFE_BELOW, LEVEL, Estimate, Scale, percent
from medreview.text import counted


@lru_cache(maxsize=1 << 12)
def student(level: float, freedom: float) -> float:
    """The two-sided quantile of Student's t, of any degrees of freedom above 0: that of ``qt`` in R. Of infinitely many
    it is the normal quantile.

    Newton's steps on the tail, from the first terms of the expansion around the normal quantile (Fisher & Cornish
    1960). It starts below the quantile or close to it, and the tail is convex, so that the steps only come nearer.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    if math.isinf(freedom):
        return z
    t = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    for _ in range(100):
        density = scale * math.exp(-(freedom + 1) / 2 * math.log1p(t * t / freedom))
        step = (_both_tails(t, freedom, density) - (1 - level)) / (2 * density)
        t += step
        if abs(step) < 1e-13 * t:
            break
    return t


def _both_tails(t: float, freedom: float, density: float) -> float:
    """P(|T| > t) of Student's t with this density at ``t``: an incomplete beta function by its continued fraction
    (Lentz's method), which is of the smaller part."""
    x = freedom / (freedom + t * t)
    # x^a (1 - x)^b / B(a, b) with a half of the freedom and b one half, from the density.
    front = density * t
    if x < (freedom + 2) / (freedom + 5):
        return front / (freedom / 2) * _beta_fraction(x, freedom / 2, 0.5)
    return 1 - front / 0.5 * _beta_fraction(t * t / (freedom + t * t), 0.5, freedom / 2)


def _beta_fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, 10_000):
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + part * d)
            c = 1 + part / c
            found *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return found


def wilson(k: int, n: int, level: float = LEVEL) -> tuple[float, float] | None:
    """The Wilson score interval of ``k`` in ``n``, as fractions (Wilson 1927); ``None`` when ``n`` is 0.

    ``k`` = 0 gives a lower limit of exactly 0, ``k`` = ``n`` an upper limit of exactly 1.
    """
    _check(k, n)
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = k / n
    centre = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if k == 0 else (centre - half) / scale
    high = 1.0 if k == n else (centre + half) / scale
    return low, high


def jeffreys(k: float, n: float, level: float = LEVEL) -> tuple[float, float]:
    """Jeffreys' interval of ``k`` in ``n`` > 0, as fractions (Brown, Cai & DasGupta, Stat. Sci. 16:101, 2001).

    The numbers need not be whole: of a weighted sample ``n`` is how many equal items would vary as much. Near the ends
    of the scale it is narrower than Wilson's. ``k`` = 0 gives a lower limit of exactly 0, ``k`` = ``n`` an upper limit
    of exactly 1.
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(k + 0.5, n - k + 0.5, tail)) if k > 0 else 0.0
    high = float(betaincinv(k + 0.5, n - k + 0.5, 1 - tail)) if k < n else 1.0
    return low, high


def clopper_pearson(k: int, n: int, level: float = LEVEL) -> tuple[float, float] | None:
    """The exact binomial interval of ``k`` in ``n`` (Clopper & Pearson 1934); ``None`` when ``n`` is 0.

    Conservative: it covers with at least the level. The limits are found by bisection on the binomial tail.
    """
    _check(k, n)
    if n == 0:
        return None
    alpha = (1 - level) / 2
    # The upper limit of k is the lower limit of n - k, mirrored.
    return _lower_limit(k, n, alpha), 1 - _lower_limit(n - k, n, alpha)


def proportion(name: str, k: int, n: int, *, level: float = LEVEL, dropped: int = 0, nothing: str) -> Estimate:
    """The share ``k`` of ``n`` with its Wilson interval; ``nothing`` is the sentence for ``n`` = 0."""
    limits = wilson(k, n, level)
    if limits is None:
        return Estimate(name, None, None, None, "Wilson", 0, None, dropped, nothing, level, scale="share")
    return Estimate(name, k / n, *limits, "Wilson", n, dropped=dropped, level=level, scale="share")


def _check(k: int, n: int) -> None:
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is not a share")


def _lower_limit(k: int, n: int, alpha: float) -> float:
    """The share at which ``k`` or more of ``n`` have the probability ``alpha``."""
    if k == 0:
        return 0.0
    low, high = 0.0, k / n
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if _upper_tail(k, n, middle) < alpha:
            low = middle
        else:
            high = middle


def _upper_tail(k: int, n: int, share: float) -> float:
    """P(X >= k) for a binomial with ``share`` < k/n, where the terms only fall, so that few of them count."""
    odds = share / (1 - share)
    log_first = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    log_first += k * math.log(share) + (n - k) * math.log1p(-share)
    term = total = 1.0
    for successes in range(k, n):
        term *= (n - successes) / (successes + 1) * odds
        total += term
        if term < 1e-17 * total:
            break
    return total * math.exp(log_first)


_LEAST_FREEDOM: Final = 4.0
"""Where one cluster does nearly all, the squares say less of their own spread than they seem to; fewer widens the
intervals of such figures and lets them cover no more in simulation."""
_STILL: Final = 1e-12
_FARTHEST: Final[dict[Scale, float]] = {"share_difference": 1.0, "coefficient_difference": 2.0}
"""How far two figures can be apart."""


@dataclass(frozen=True, slots=True)
class Jackknife:
    """How a value varies with its clusters: its standard error, and the degrees of freedom that this has."""

    value: float
    error: float
    freedom: float


def jackknife_over(unit: str) -> str:
    """The name of an interval that leaves out each cluster in turn; ``unit`` names one of them."""
    return f"jackknife over {unit}s"


def linearised_over(unit: str) -> str:
    """The name of an interval that follows from what each cluster does to the value; ``unit`` names one of them."""
    return f"linearised over {unit}s"


def too_few(clusters: int, unit: str = "response") -> str:
    """Why so few clusters have no interval; ``""`` where they have one."""
    if clusters >= FEWEST_CLUSTERS:
        return ""
    return f"No interval: of {counted(clusters, unit)}; it takes {FEWEST_CLUSTERS} to see how {unit}s differ."


def jackknife(value: float, left_out: Sequence[float]) -> Jackknife | None:
    """The delete-one jackknife of a value, ``left_out`` being what it is without each of its clusters.

    ``None`` with fewer than two, where one of them is ``nan``, and when none moves the value. The variance is the
    sum of the squared differences, without Tukey's factor 1 - 1 / number, which makes it small of few. The degrees
    of freedom are those of a sum of squares that spread as the squared differences do: four at least, where there
    are so many clusters, and at most one less than there are.
    """
    count = len(left_out)
    if count < 2 or not all(map(math.isfinite, left_out)):
        return None
    mean = math.fsum(left_out) / count
    squares = [(each - mean) ** 2 for each in left_out]
    total = math.fsum((each - value) ** 2 for each in left_out)
    if total < _STILL**2:
        return None
    usual = math.fsum(squares) / count
    spread = math.fsum((square - usual) ** 2 for square in squares) / (count - 1)
    freedom = max(_LEAST_FREEDOM, 2 * count * usual**2 / spread) if spread > 0 else count - 1
    return Jackknife(value, math.sqrt(total), min(count - 1, freedom))


def below(found: Jackknife, bound: float) -> float:
    """The one-sided p of a value that may be ``bound`` or less: below half of what the level leaves, just where the
    interval on the plain scale lies above ``bound``."""
    from scipy.special import stdtr

    return float(stdtr(found.freedom, (bound - found.value) / found.error))


def two_sided(found: Jackknife) -> float:
    """The two-sided p of a value that may be 0, never 0 itself."""
    from scipy.special import stdtr

    return max(sys.float_info.min, 2 * float(stdtr(found.freedom, -abs(found.value) / found.error)))


def interval(found: Jackknife, scale: Scale, level: float = LEVEL) -> tuple[float, float]:
    """The interval of a value, made on the scale that fits it.

    It is cut at the ends of a scale where it is made on the figure's own: of a difference, and of a value at the end.
    """
    half = student(level, found.freedom) * found.error
    if scale == "plain" or scale in _FARTHEST:
        most = _FARTHEST.get(scale, math.inf)
        return max(-most, found.value - half), min(most, found.value + half)
    if scale in ("amount", "seconds"):
        if found.value <= 0:
            return max(0.0, found.value - half), found.value + half
        factor = math.exp(min(half / found.value, 700.0))
        return found.value / factor, found.value * factor
    least = -1.0 if scale == "coefficient" else 0.0
    width = 1 - least
    share = (found.value - least) / width
    if not 0 < share < 1:
        return max(min(least, found.value), found.value - half), min(max(1.0, found.value), found.value + half)
    half /= width * share * (1 - share)
    logit = math.log(share / (1 - share))
    return least + width * _logistic(logit - half), least + width * _logistic(logit + half)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


_ONE: Final = "One {0} cannot show how {0}s differ."
SAME_WITHOUT: Final = "It is the same whichever {} is left out."


def left_out_interval(
    name: str,
    value: float,
    left_out: Sequence[float],
    n: int,
    scale: Scale,
    level: float = LEVEL,
    unit: str = "response",
) -> Estimate:
    """A value of ``n`` items with the interval of a jackknife: ``left_out`` is the value without each response, or
    without each of what ``unit`` names."""
    groups, method = len(left_out), jackknife_over(unit)
    found = jackknife(value, left_out)
    if found is None or too_few(groups, unit):
        reason = (
            (_ONE if groups < 2 else SAME_WITHOUT).format(unit)
            if found is None or groups < 2
            else too_few(groups, unit)
        )
        return Estimate(
            name, value, None, None, method, n, groups, reason=reason, level=level, scale=scale, cluster=unit
        )
    ends = interval(found, scale, level)
    return Estimate(name, value, *ends, method, n, groups, level=level, scale=scale, cluster=unit)


def pooled_share(
    name: str,
    counts: Iterable[tuple[int, int]],
    *,
    nothing: str,
    dropped: int = 0,
    unit: str = "response",
    level: float = LEVEL,
) -> Estimate:
    """The share of items that are so, ``counts`` being (so, items) of each ``unit``, with an interval over these;
    ``nothing``: the reason without items."""
    held = [(so, items) for so, items in counts if items]
    top, n, groups = sum(so for so, _ in held), sum(items for _, items in held), len(held)
    if not n:
        return Estimate(
            name, None, None, None, jackknife_over(unit), 0, 0, dropped, nothing, level, scale="share", cluster=unit
        )
    value = top / n
    if groups < JACKKNIFE_BELOW:
        left_out = [(top - so) / (n - items) if n > items else math.nan for so, items in held]
        found = left_out_interval(name, value, left_out, n, "share", level, unit)
    else:
        spread = math.sqrt(math.fsum(((so - value * items) / n) ** 2 for so, items in held))
        found = linearised(name, value, spread, groups, n, "share", level=level, unit=unit)
    return replace(found, dropped=dropped)


def share_of(
    name: str,
    counts: Sequence[tuple[int, int]],
    *,
    nothing: str,
    dropped: int = 0,
    unit: str = "response",
    level: float = LEVEL,
) -> Estimate:
    """The same, by Wilson where each ``unit`` has one item: there is nothing to cluster then."""
    if all(items <= 1 for _, items in counts):
        so, of = (sum(column) for column in zip((0, 0), *counts, strict=True))
        return proportion(name, so, of, level=level, dropped=dropped, nothing=nothing)
    return pooled_share(name, counts, nothing=nothing, dropped=dropped, unit=unit, level=level)


def linearised(
    name: str,
    value: float,
    spread: float,
    groups: int,
    n: int,
    scale: Scale,
    *,
    level: float = LEVEL,
    unit: str = "response",
) -> Estimate:
    """A value of ``n`` items with the interval that follows from what each of ``groups`` clusters does to it.

    ``spread`` is the root of the sum of the squared effects: how far the value moves with each cluster's weight, to
    first order. Student's t, one degree of freedom less than there are clusters; the interval stays within the ends of
    ``scale``, that of a share or of a coefficient.
    """
    method = linearised_over(unit)
    if groups < 2 or spread < 1e-12:
        reason = (_ONE if groups < 2 else SAME_WITHOUT).format(unit)
        return Estimate(
            name, value, None, None, method, n, groups, reason=reason, level=level, scale=scale, cluster=unit
        )
    least = 0.0 if scale == "share" else -1.0
    half = student(level, groups - 1) * spread * math.sqrt(groups / (groups - 1))
    low, high = max(least, value - half), min(1.0, value + half)
    return Estimate(name, value, low, high, method, n, groups, level=level, scale=scale, cluster=unit)


NEWCOMBE: Final = "Newcombe, from the intervals of both"


def share_difference(name: str, first: Estimate, second: Estimate) -> Estimate:
    """The first share minus the second, of samples that are independent of each other, as fractions.

    The interval is made of those of both (Newcombe, Stat. Med. 17:873, 1998, method 10; Zou & Donner, Stat. Med.
    27:1693, 2008; of Jeffreys' intervals Laud, Pharm. Stat. 16:334, 2017): on each side the squares of the two
    distances from value to limit are added, as variances are. It stays within -1 and 1, and is right for few items and
    shares near 1. Undefined where one of the two is.
    """
    n, dropped = first.n + second.n, first.dropped + second.dropped
    clusters = None if first.clusters is None or second.clusters is None else first.clusters + second.clusters
    value, low, high, reason = None, None, None, first.reason or second.reason
    if first.value is not None and second.value is not None:
        value = first.value - second.value
    if value is not None and None not in (first.low, first.high, second.low, second.high):
        down, up = _distances(first)
        other_down, other_up = _distances(second)
        low, high, reason = value - math.hypot(down, other_up), value + math.hypot(up, other_down), None
    return Estimate(
        name,
        value,
        low,
        high,
        NEWCOMBE,
        n,
        clusters,
        dropped,
        reason,
        first.level,
        scale="share_difference",
        cluster=first.cluster if clusters is not None else "",
    )


def _distances(figure: Estimate) -> tuple[float, float]:
    """From the value down to the lower limit and up to the upper one."""
    assert figure.value is not None
    assert figure.low is not None
    assert figure.high is not None
    return figure.value - figure.low, figure.high - figure.value


Finish = Callable[[Sequence[float]], float | None]
"""A figure from sums; ``None`` where it is undefined."""

_LOST: Final = "No interval: without one {} there is no value."


def summed(items: Iterable[tuple[Hashable, Sequence[float]]]) -> dict[Hashable, list[float]]:
    """The counts of items (cluster, counts), added up by cluster."""
    found: dict[Hashable, list[float]] = {}
    for cluster, counts in items:
        held = found.setdefault(cluster, [0.0] * len(counts))
        for place, count in enumerate(counts):
            held[place] += count
    return found


def quotient(top: int = 0, bottom: int = 1) -> Finish:
    """The sum in one place over that in another."""
    return lambda sums: sums[top] / sums[bottom] if sums[bottom] else None


def difference_of_quotients(first: tuple[int, int], second: tuple[int, int]) -> Finish:
    """One quotient (places of its top and bottom) minus another."""
    one, other = quotient(*first), quotient(*second)

    def finish(sums: Sequence[float]) -> float | None:
        a, b = one(sums), other(sums)
        return None if a is None or b is None else a - b

    return finish


def jackknifed(
    name: str,
    sums: Mapping[Hashable, Sequence[float]],
    finish: Finish,
    *,
    n: int,
    scale: Scale,
    nothing: str,
    dropped: int = 0,
    unit: str = "response",
    level: float = LEVEL,
) -> Estimate:
    """The figure of ``n`` items with its interval over clusters, which ``unit`` names; ``nothing``: why it has no
    value."""
    value, left_out = _values(sums, finish)
    if value is None:
        groups, method = len(sums), jackknife_over(unit)
        return Estimate(name, None, None, None, method, n, groups, dropped, nothing, level, scale=scale, cluster=unit)
    if any(map(math.isnan, left_out)):
        method = jackknife_over(unit)
        reason = too_few(len(sums), unit) or _LOST.format(unit)
        groups = len(sums)
        return Estimate(name, value, None, None, method, n, groups, dropped, reason, level, scale=scale, cluster=unit)
    found = replace(left_out_interval(name, value, left_out, n, scale, level, unit), dropped=dropped)
    if found.low is None and scale == "share" and value in (0, 1) and not too_few(len(sums), unit):
        return replace(found, reason=throughout(value == 1, len(sums), unit, level))
    return found


def throughout(so: bool, clusters: int, unit: str, level: float) -> str:
    """What is known of a share of nothing or of all: it may be otherwise in some of the clusters that are not here."""
    low, high = clopper_pearson(clusters * so, clusters, level) or (0.0, 1.0)
    known = f"of all such {unit}s {f'at least {percent(low)}' if so else f'at most {percent(high)}'}"
    return f"No interval: it is so in {'all' if so else 'none'} of {clusters:,} {unit}s; by Clopper-Pearson, {known}."


def p_of_zero(figure: Estimate, sums: Mapping[Hashable, Sequence[float]], finish: Finish) -> float | None:
    """The two-sided p of such a ``figure`` that may be 0; ``None`` where it has no interval."""
    value, left_out = _values(sums, finish) if figure.low is not None else (None, [])
    found = None if value is None else jackknife(value, left_out)
    return None if found is None else two_sided(found)


def _values(sums: Mapping[Hashable, Sequence[float]], finish: Finish) -> tuple[float | None, list[float]]:
    total = [math.fsum(column) for column in zip(*sums.values(), strict=True)]
    value = finish(total) if total else None
    if value is None:
        return None, []
    without = (finish([all_ - own for all_, own in zip(total, held, strict=True)]) for held in sums.values())
    return value, [math.nan if each is None else each for each in without]
