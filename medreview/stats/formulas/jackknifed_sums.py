"""A figure that is finished on a sum of counts, with the jackknife's interval over what the counts are from.

Without numpy, and for any number of clusters: each is left out in turn, and the figure finished on what remains.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from medreview.stats.formulas.estimate import LEVEL, Estimate, Scale, percent
from medreview.stats.formulas.intervals import (
    clopper_pearson,
    jackknife,
    jackknife_over,
    left_out_interval,
    too_few,
    two_sided,
)

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
