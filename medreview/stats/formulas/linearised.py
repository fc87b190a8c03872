"""Intervals over responses without numpy and without resampling, for a screen that answers at once.

Of few responses it is the jackknife of the reports, to the digit; of many, where these resample, the interval that
follows from what each response does to the value, to first order.
"""

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from typing import Final

from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.few_responses import Scale, interval, jackknife, jackknife_over
from medreview.stats.formulas.student import student
from medreview.stats.formulas.thresholds import JACKKNIFE_BELOW

METHOD: Final = "linearised over responses"

_NOTHING: Final = "There is nothing that both labelled."


_ONE: Final = "One response cannot show how responses differ."
_STILL: Final = "No response differs from another."


def left_out_interval(
    name: str, value: float, left_out: Sequence[float], n: int, scale: Scale, level: float = LEVEL
) -> Estimate:
    """A value of ``n`` items with the interval of a jackknife: ``left_out`` is the value without each response."""
    groups, method = len(left_out), jackknife_over("response")
    found = jackknife(value, left_out)
    if found is None:
        reason = _ONE if groups < 2 else _STILL
        return Estimate(name, value, None, None, method, n, groups, reason=reason, level=level)
    return Estimate(name, value, *interval(found, scale, level), method, n, groups, level=level)


def linearised(
    name: str, value: float, effects: Collection[float], n: int, *, least: float = 0.0, level: float = LEVEL
) -> Estimate:
    """A value of ``n`` items with the interval that follows from what each response does to it.

    ``effects`` has an entry per response: how far the value moves with the response's weight, to first order. They
    add up to 0. Student's t, one degree of freedom less than there are responses; the interval stays within
    ``least`` and 1.
    """
    spread = math.sqrt(sum(effect**2 for effect in effects))
    return linearised_spread(name, value, spread, len(effects), n, least=least, level=level)


def linearised_spread(
    name: str, value: float, spread: float, groups: int, n: int, *, least: float = 0.0, level: float = LEVEL
) -> Estimate:
    """The same from the root of the sum of the squared effects of so many responses (``groups``)."""
    if groups < 2 or spread < 1e-12:
        reason = _ONE if groups < 2 else _STILL
        return Estimate(name, value, None, None, METHOD, n, groups, reason=reason, level=level)
    half = student(level, groups - 1) * spread * math.sqrt(groups / (groups - 1))
    return Estimate(name, value, max(least, value - half), min(1.0, value + half), METHOD, n, groups, level=level)


def linearised_share(
    name: str, hits: Sequence[bool], clusters: Sequence[Hashable], *, nothing: str = _NOTHING, level: float = LEVEL
) -> Estimate:
    """The share of items that are hits, ``clusters`` being their responses; ``nothing``: the sentence for no item."""
    n, k = len(hits), sum(hits)
    if n == 0:
        return Estimate(name, None, None, None, METHOD, 0, 0, reason=nothing, level=level)
    of: Counter[Hashable] = Counter(clusters)
    right: Counter[Hashable] = Counter(cluster for hit, cluster in zip(hits, clusters, strict=True) if hit)
    if len(of) < JACKKNIFE_BELOW:
        left_out = [(k - right[cluster]) / (n - size) for cluster, size in of.items() if size < n]
        return left_out_interval(name, k / n, left_out or [k / n], n, "share", level)
    return linearised(
        name, k / n, [(right[cluster] - size * k / n) / n for cluster, size in of.items()], n, level=level
    )
