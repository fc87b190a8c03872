"""A jackknife over questions, worked out with scipy's t and none of the program's formulas."""

import math
from collections.abc import Callable, Sequence
from statistics import fmean, variance
from typing import NamedTuple

from scipy import stats


class Jackknife(NamedTuple):
    """A figure of all questions, its standard error and the degrees of freedom."""

    value: float
    error: float
    freedom: float

    @property
    def half_width(self) -> float:
        """Half of the 95% interval."""
        return float(stats.t.ppf(0.975, self.freedom)) * self.error

    @property
    def p(self) -> float:
        """Two-sided, against nothing."""
        return 2 * float(stats.t.sf(abs(self.value) / self.error, self.freedom))


def jackknife(value: Callable[[Sequence[int]], float], questions: int) -> Jackknife:
    """``value`` of the questions that are there, left out one by one."""
    every = list(range(questions))
    whole = value(every)
    without = [value([each for each in every if each != one]) for one in every]
    error = math.sqrt(math.fsum((each - whole) ** 2 for each in without))
    squares = [(each - fmean(without)) ** 2 for each in without]
    freedom = min(questions - 1, max(4.0, 2 * questions * fmean(squares) ** 2 / variance(squares)))
    return Jackknife(whole, error, freedom)
