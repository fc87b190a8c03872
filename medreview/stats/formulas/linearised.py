"""Intervals over responses without numpy and without resampling, for a screen that answers at once.

Of few responses it is the jackknife of the reports, to the digit; of many, where these resample, the interval that
follows from what each response does to the value, to first order.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from medreview.stats.formulas.estimate import LEVEL, Estimate, Scale
from medreview.stats.formulas.few_responses import interval, jackknife, jackknife_over, too_few
from medreview.stats.formulas.student import student
from medreview.stats.formulas.thresholds import JACKKNIFE_BELOW

METHOD: Final = "linearised over responses"

_ONE: Final = "One {0} cannot show how {0}s differ."
_STILL: Final = "It is the same whichever {} is left out."


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
        reason = (_ONE if groups < 2 else _STILL).format(unit) if found is None or groups < 2 else too_few(groups, unit)
        return Estimate(name, value, None, None, method, n, groups, reason=reason, level=level, scale=scale)
    return Estimate(name, value, *interval(found, scale, level), method, n, groups, level=level, scale=scale)


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
    ``nothing``: why there is none without items."""
    held = [(so, items) for so, items in counts if items]
    top, n, groups = sum(so for so, _ in held), sum(items for _, items in held), len(held)
    if not n:
        return Estimate(name, None, None, None, jackknife_over(unit), 0, 0, dropped, nothing, level, scale="share")
    value = top / n
    if groups < JACKKNIFE_BELOW:
        left_out = [(top - so) / (n - items) if n > items else math.nan for so, items in held]
        found = left_out_interval(name, value, left_out, n, "share", level, unit)
    else:
        spread = math.sqrt(math.fsum(((so - value * items) / n) ** 2 for so, items in held))
        found = linearised(name, value, spread, groups, n, "share", level=level, unit=unit)
    return replace(found, dropped=dropped)


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
    """A value of ``n`` items with the interval that follows from what each of ``groups`` responses does to it.

    ``spread`` is the root of the sum of the squared effects: how far the value moves with each response's weight, to
    first order. Student's t, one degree of freedom less than there are responses; the interval stays within the ends of
    ``scale``, that of a share or of a coefficient.
    """
    method = METHOD.replace("response", unit)
    if groups < 2 or spread < 1e-12:
        reason = (_ONE if groups < 2 else _STILL).format(unit)
        return Estimate(name, value, None, None, method, n, groups, reason=reason, level=level, scale=scale)
    least = 0.0 if scale == "share" else -1.0
    half = student(level, groups - 1) * spread * math.sqrt(groups / (groups - 1))
    low, high = max(least, value - half), min(1.0, value + half)
    return Estimate(name, value, low, high, method, n, groups, level=level, scale=scale)
