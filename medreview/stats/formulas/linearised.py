"""Intervals over responses without numpy and without resampling, for a screen that answers at once.

Of few responses it is the jackknife of the reports, to the digit; of many, where these resample, the interval that
follows from what each response does to the value, to first order.
"""

import math
from collections.abc import Sequence
from typing import Final

from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.few_responses import Scale, interval, jackknife, jackknife_over, too_few
from medreview.stats.formulas.student import student

METHOD: Final = "linearised over responses"

_ONE: Final = "One response cannot show how responses differ."
_STILL: Final = "It is the same whichever response is left out."


def left_out_interval(
    name: str, value: float, left_out: Sequence[float], n: int, scale: Scale, level: float = LEVEL
) -> Estimate:
    """A value of ``n`` items with the interval of a jackknife: ``left_out`` is the value without each response."""
    groups, method = len(left_out), jackknife_over("response")
    found = jackknife(value, left_out)
    if found is None or too_few(groups):
        reason = _ONE if groups < 2 else _STILL if found is None else too_few(groups)
        return Estimate(name, value, None, None, method, n, groups, reason=reason, level=level)
    return Estimate(name, value, *interval(found, scale, level), method, n, groups, level=level)


def linearised(
    name: str, value: float, spread: float, groups: int, n: int, *, least: float = 0.0, level: float = LEVEL
) -> Estimate:
    """A value of ``n`` items with the interval that follows from what each of ``groups`` responses does to it.

    ``spread`` is the root of the sum of the squared effects: how far the value moves with each response's weight, to
    first order. Student's t, one degree of freedom less than there are responses; the interval stays within ``least``
    and 1.
    """
    if groups < 2 or spread < 1e-12:
        reason = _ONE if groups < 2 else _STILL
        return Estimate(name, value, None, None, METHOD, n, groups, reason=reason, level=level)
    half = student(level, groups - 1) * spread * math.sqrt(groups / (groups - 1))
    return Estimate(name, value, max(least, value - half), min(1.0, value + half), METHOD, n, groups, level=level)
