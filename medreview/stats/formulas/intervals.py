"""Intervals of a share that need no resampling: Wilson, and Clopper-Pearson as a guaranteed bound."""

import math
from statistics import NormalDist

from medreview.stats.formulas.estimate import LEVEL, Estimate


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
