"""Prediction-powered means and their difference as published (PPI++), to check the program's own figures by.

Statements count as independent and equally likely to be labelled, the unlabelled ones as a second sample. The figures
to quote (``prediction_powered``) know the finite study, its responses, and how few labels show of a good judge.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final, NamedTuple

from medreview.stats.formulas.estimate import LEVEL, Estimate

PUBLISHED: Final = "PPI++, normal, variances added"


class PublishedMean(NamedTuple):
    """A mean with its weight of the verdicts (lambda) and its variance."""

    value: float
    weight: float
    variance: float


def published_mean(
    labels: Sequence[float], predicted: Sequence[float], yes: int, unlabelled: int, weight: float | None = None
) -> PublishedMean:
    """``weight * mean of the unlabelled verdicts + mean of (label - weight * verdict)``.

    ``yes`` of ``unlabelled`` verdicts on statements without a label say 1. By default ``weight`` is Cov(label, verdict)
    / ((1 + n / N) Var(verdict)), between 0 and 1, with the variance over all n + N verdicts (Angelopoulos, Duchi &
    Zrnic, arXiv 2311.01453; the covariance divides by n, that variance by n + N - 1, as the authors' program does).
    The variance is ``weight**2 Var(verdict) / N + Var(label - weight * verdict) / n``. Raises ``ValueError`` for fewer
    than two of either kind.
    """
    n = len(labels)
    if n < 2 or unlabelled < 2:
        raise ValueError("two statements with a label and two without are needed")
    label, said, share = math.fsum(labels) / n, math.fsum(predicted) / n, yes / unlabelled
    if weight is None:
        every = (math.fsum(predicted) + yes) / (n + unlabelled)
        squares = math.fsum(one**2 for one in predicted) + yes
        spread = (squares - (n + unlabelled) * every**2) / (n + unlabelled - 1)
        both = math.fsum((y - label) * (f - said) for y, f in zip(labels, predicted, strict=True)) / n
        weight = min(1.0, max(0.0, both / ((1 + n / unlabelled) * spread))) if spread else 0.0
    rest = [y - weight * f for y, f in zip(labels, predicted, strict=True)]
    mean = math.fsum(rest) / n
    of_rest = math.fsum((one - mean) ** 2 for one in rest) / (n - 1)
    of_verdicts = share * (1 - share) * unlabelled / (unlabelled - 1)
    return PublishedMean(weight * share + mean, weight, weight**2 * of_verdicts / unlabelled + of_rest / n)


def published_difference(
    name: str, first: PublishedMean, second: PublishedMean, n: int, *, level: float = LEVEL
) -> Estimate:
    """The first mean minus the second, of independent samples of ``n`` labels together: their variances are added."""
    value = first.value - second.value
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(first.variance + second.variance)
    return Estimate(name, value, value - half, value + half, PUBLISHED, n, level=level, scale="share_difference")
