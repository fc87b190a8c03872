"""Two arms between which a coin decided, statement by statement: the share of each, and what the arm makes of it."""

import math
from collections.abc import Sequence
from typing import Final

from medreview.stats.formulas.audit_sampling import Sampled, hajek_mean, weights, wilson_on
from medreview.stats.formulas.estimate import LEVEL, Estimate

LEAST_OF_ARM: Final = 15
"""Statements of an arm below which nothing is said of it."""
ARM: Final = "Wilson, variance of the draw and the coin"
DIFFERENCE: Final = "Newcombe, from the Wilson intervals of both arms"


def arm_share(name: str, sampled: Sequence[Sampled], *, missing: int = 0, level: float = LEVEL) -> Estimate:
    """The share in one arm, weighted by 1 / probability (Hajek 1971). Undefined below 15 statements.

    Wilson's interval with Student's t, without a correction for a finite study: what the arms are for is an effect on
    any such statement. The coin falls for each statement alone, so that their likeness within a response adds nothing.
    """
    n, responses = len(sampled), len({one.cluster for one in sampled})
    if n < LEAST_OF_ARM:
        reason = f"{LEAST_OF_ARM} statements of each kind are needed: {n} so far."
        return Estimate(name, None, None, None, ARM, n, responses, missing, reason, level, scale="share")
    mean = hajek_mean(sampled)
    pulls = ((one.value - mean) * weight for one, weight in zip(sampled, weights(sampled), strict=True))
    variance = sum(pull**2 for pull in pulls) * n / (n - 1)
    low, high = wilson_on(mean, variance, n - 1, level, none=1 / n)
    return Estimate(name, mean, low, high, ARM, n, responses, missing, level=level, scale="share")


def arms_difference(name: str, first: Estimate, second: Estimate) -> Estimate:
    """The share of the first arm minus that of the second, as fractions.

    The interval is made of those of both (Newcombe, Stat. Med. 17:873, 1998, method 10): it stays within -1 and 1, and
    is right for few statements and shares near 1. Undefined where one of the arms is.
    """
    n, dropped = first.n + second.n, first.dropped + second.dropped
    shares = [(each.value, each.low, each.high) for each in (first, second)]
    (a, a_low, a_high), (b, b_low, b_high) = shares
    if a is None or b is None or a_low is None or a_high is None or b_low is None or b_high is None:
        reason = first.reason or second.reason
        return Estimate(
            name, None, None, None, DIFFERENCE, n, None, dropped, reason, first.level, scale="share_difference"
        )
    low = a - b - math.hypot(a - a_low, b_high - b)
    high = a - b + math.hypot(a_high - a, b - b_low)
    return Estimate(name, a - b, low, high, DIFFERENCE, n, None, dropped, level=first.level, scale="share_difference")
