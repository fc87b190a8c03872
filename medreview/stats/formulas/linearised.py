"""Intervals linearised over responses: without numpy and without resampling, for a screen that answers at once."""

import math
from collections.abc import Collection, Hashable, Sequence
from statistics import NormalDist
from typing import Final

from medreview.stats.formulas.estimate import LEVEL, Estimate

METHOD: Final = "linearised over responses"

_NOTHING: Final = "There is nothing that both labelled."


def linearised(
    name: str, value: float, effects: Collection[float], n: int, *, least: float = 0.0, level: float = LEVEL
) -> Estimate:
    """A value of ``n`` items with the interval that follows from what each response does to it.

    ``effects`` has an entry per response: how far the value moves with the response's weight, to first order. They
    add up to 0. Student's t, one degree of freedom less than there are responses; the interval stays within
    ``least`` and 1.
    """
    groups = len(effects)
    spread = math.sqrt(sum(effect**2 for effect in effects))
    if groups < 2 or spread < 1e-12:
        reason = "One response cannot show how responses differ." if groups < 2 else "No response differs from another."
        return Estimate(name, value, None, None, METHOD, n, groups, reason=reason, level=level)
    half = student(level, groups - 1) * spread * math.sqrt(groups / (groups - 1))
    return Estimate(name, value, max(least, value - half), min(1.0, value + half), METHOD, n, groups, level=level)


def linearised_share(
    name: str, hits: Sequence[bool], clusters: Sequence[Hashable], *, nothing: str = _NOTHING, level: float = LEVEL
) -> Estimate:
    """The share of items that are hits, ``clusters`` being their responses; ``nothing``: the sentence for no item."""
    n = len(hits)
    if n == 0:
        return Estimate(name, None, None, None, METHOD, 0, 0, reason=nothing, level=level)
    share = sum(hits) / n
    effects: dict[Hashable, float] = dict.fromkeys(clusters, 0.0)
    for hit, cluster in zip(hits, clusters, strict=True):
        effects[cluster] += (hit - share) / n
    return linearised(name, share, effects.values(), n, level=level)


def student(level: float, freedom: int) -> float:
    """The two-sided quantile of Student's t: exact for 1 and 2 degrees of freedom, else within 1% (Abramowitz & Stegun
    26.7.5)."""
    tail = 1 - level
    if freedom == 1:
        return 1 / math.tan(tail * math.pi / 2)
    if freedom == 2:
        return math.sqrt(2 / (tail * (2 - tail)) - 2)
    z = NormalDist().inv_cdf(1 - tail / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, 1))
