"""The interval of a figure that rests on few responses: a jackknife with Student's t, on a scale without ends.

With 15 to 30 responses a percentile interval holds the truth in 85 to 90% of studies instead of 95%: the resamples vary
too little, and as if the figure could not be lopsided. This one leaves out each response in turn (Tukey 1958), takes t
with as many degrees of freedom as these differences support (Satterthwaite 1946), and is made on the logit of a share,
or on Fisher's z of a coefficient, whose ends it then cannot pass. Measured in docs/statistics.md.

No numpy: the workbench's panel asks here, too, so that it shows the interval of the report.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from medreview.stats.formulas.estimate import LEVEL, Scale
from medreview.stats.formulas.student import student
from medreview.stats.formulas.thresholds import FEWEST_CLUSTERS
from medreview.words import counted

_LEAST_FREEDOM: Final = 4.0
"""Where one response does nearly all, the squares say less of their own spread than they seem to; fewer widens the
intervals of such figures and lets them cover no more in simulation."""
_STILL: Final = 1e-12
_FARTHEST: Final[dict[Scale, float]] = {"share_difference": 1.0, "coefficient_difference": 2.0}
"""How far two figures can be apart."""


@dataclass(frozen=True, slots=True)
class Jackknife:
    """How a value varies with its responses: its standard error, and the degrees of freedom that this has."""

    value: float
    error: float
    freedom: float


def jackknife_over(unit: str) -> str:
    """The name of an interval that leaves out each cluster in turn; ``unit`` names one of them."""
    return f"jackknife over {unit}s"


def too_few(clusters: int, unit: str = "response") -> str:
    """Why so few clusters have no interval; ``""`` where they have one."""
    if clusters >= FEWEST_CLUSTERS:
        return ""
    return f"No interval: of {counted(clusters, unit)}; it takes {FEWEST_CLUSTERS} to see how {unit}s differ."


def jackknife(value: float, left_out: Sequence[float]) -> Jackknife | None:
    """The delete-one jackknife of a value, ``left_out`` being what it is without each of its responses.

    ``None`` with fewer than two, where one of them is ``nan``, and when none moves the value. The variance is the
    sum of the squared differences, without Tukey's factor 1 - 1 / number, which makes it small of few. The degrees
    of freedom are those of a sum of squares that spread as the squared differences do: four at least, where there
    are so many responses, and at most one less than there are.
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
