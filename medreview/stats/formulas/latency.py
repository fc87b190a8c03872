"""How long responses took: percentiles, and how sure the median and the 95th percentile are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from medreview.stats.formulas.estimate import LEVEL, Estimate

NO_LATENCY: Final = "No response says how long it took."
METHOD: Final = "order statistics"


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds. Percentiles by linear interpolation (type 7 of Hyndman & Fan 1996); ``n`` 0: all are ``None``.

    ``median`` and ``p95`` have intervals between two of the values themselves.
    """

    n: int
    missing: int
    least: float | None
    median: Estimate
    p90: float | None
    p95: Estimate
    p99: float | None
    most: float | None


def latency(seconds: Sequence[float], missing: int = 0, level: float = LEVEL) -> Latency:
    """The latency of responses that tell it; ``missing`` counts those that do not."""
    values = sorted(seconds)
    return Latency(
        n=len(values),
        missing=missing,
        least=values[0] if values else None,
        median=percentile_figure("median latency", values, 0.5, missing=missing, level=level),
        p90=percentile(values, 0.9),
        p95=percentile_figure("95th percentile of latency", values, 0.95, missing=missing, level=level),
        p99=percentile(values, 0.99),
        most=values[-1] if values else None,
    )


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """The percentile of ascending values by linear interpolation (type 7); ``None`` of no values."""
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def ranks(n: int, share: float, level: float = LEVEL) -> tuple[int, int] | None:
    """Ranks (from 1) of the two ordered values that hold a percentile between them with at least this level.

    Distribution-free (Hahn & Meeker 1991, section 5.2), at most half of what is left on each side. ``None`` when so few
    values cannot give both ends.
    """
    tail = (1 - level) / 2
    low = high = 0
    below = 0.0
    for k, weight in enumerate(_binomial(n, share)):
        # ``below`` is P(fewer than k of n lie under the percentile).
        if below <= tail:
            low = k
        if high == 0 and below >= 1 - tail - 1e-12:
            high = k
        below += weight
    return (low, high) if low and high else None


def least_n(share: float, level: float = LEVEL) -> int:
    """The fewest values that give an interval."""
    outer = max(share, 1 - share)
    return math.ceil(math.log((1 - level) / 2) / math.log(outer))


def percentile_figure(
    name: str,
    values: Sequence[float],
    share: float,
    *,
    missing: int = 0,
    level: float = LEVEL,
    nothing: str = NO_LATENCY,
) -> Estimate:
    """A percentile of ascending seconds with its distribution-free interval; ``nothing``: the sentence without any."""
    value = percentile(values, share)
    if value is None:
        return Estimate(name, None, None, None, METHOD, 0, None, missing, nothing, level, scale="seconds")
    found = ranks(len(values), share, level)
    low, high = (values[rank - 1] for rank in found) if found else (None, None)
    why = None
    if found is None:
        why = f"No interval: {len(values):,} are too few, {least_n(share, level)} are needed."
    elif low == high:
        why, low, high = "No interval: the two values that would be its ends are equal.", None, None
    return Estimate(name, value, low, high, METHOD, len(values), None, missing, why, level, scale="seconds")


def _binomial(n: int, share: float) -> list[float]:
    """P(k of n) for k = 0..n."""
    whole = math.lgamma(n + 1)
    yes, no = math.log(share), math.log1p(-share)
    return [
        math.exp(whole - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * yes + (n - k) * no) for k in range(n + 1)
    ]
