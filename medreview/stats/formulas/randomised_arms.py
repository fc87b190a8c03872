"""The share in one of two arms between which a coin decided, statement by statement."""

from collections.abc import Sequence
from typing import Final

from medreview.stats.formulas.audit_sampling import Sampled, hajek_mean, weights, wilson_on
from medreview.stats.formulas.estimate import LEVEL, Estimate

LEAST_OF_ARM: Final = 15
"""Statements of an arm below which nothing is said of it."""
ARM: Final = "Wilson, variance of the draw and the coin"


def arm_share(
    name: str, sampled: Sequence[Sampled], *, missing: int = 0, unit: str = "response", level: float = LEVEL
) -> Estimate:
    """The share in one arm, weighted by 1 / probability (Hajek 1971). Undefined below 15 statements.

    Wilson's interval with Student's t, without a correction for a finite study: what the arms are for is an effect on
    any such statement. The coin falls for each statement alone, so that their likeness within a ``unit`` adds nothing.
    """
    n, clusters = len(sampled), len({one.cluster for one in sampled})
    if n < LEAST_OF_ARM:
        reason = f"{LEAST_OF_ARM} statements of each kind are needed: {n} so far."
        return Estimate(name, None, None, None, ARM, n, clusters, missing, reason, level, scale="share", cluster=unit)
    mean = hajek_mean(sampled)
    pulls = ((one.value - mean) * weight for one, weight in zip(sampled, weights(sampled), strict=True))
    variance = sum(pull**2 for pull in pulls) * n / (n - 1)
    low, high = wilson_on(mean, variance, n - 1, level, none=1 / n)
    return Estimate(name, mean, low, high, ARM, n, clusters, missing, level=level, scale="share", cluster=unit)
