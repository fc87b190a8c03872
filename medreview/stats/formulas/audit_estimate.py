"""A share of a whole study from an audit: a sample of its statements with known probabilities."""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.linearised import student

LEAST_AUDITED: Final = 30
"""Statements below which an audit says nothing of the study."""
LEAST_OF_EACH: Final = 5
"""Statements of the rarer label below which it does not."""
STUDY: Final = "Wilson, variance of the draw"
LARGE: Final = "Wilson, variance over responses"
_ONE_RESPONSE: Final = "One response cannot show how responses differ."


@dataclass(frozen=True, slots=True)
class Sampled:
    """An audited statement: its value from 0 (no) to 1 (yes), the response it is in, and its inclusion probability."""

    value: float
    cluster: Hashable
    probability: float


def audit_share(
    name: str, sampled: Sequence[Sampled], size: int, *, missing: int = 0, level: float = LEVEL
) -> Estimate:
    """The share in this study of ``size`` statements, of which these were drawn (Hajek 1971: weights 1 / probability).

    The variance is that of the draw, with the finite-population correction. Statements are drawn one by one, so that
    their likeness within a response adds nothing to it. Wilson's interval on the number of equally likely statements
    that would vary as much, with Student's t. ``missing`` members of the sample have no value. Undefined below 30
    statements, and below 5 of either label.
    """
    reason = too_few([one.value for one in sampled])
    if reason:
        return _figure(name, None, None, STUDY, sampled, missing, level, reason)
    mean = _mean(sampled)
    return _figure(name, mean, _of_this_study(sampled, mean, size, level), STUDY, sampled, missing, level)


def share_at_large(name: str, sampled: Sequence[Sampled], *, missing: int = 0, level: float = LEVEL) -> Estimate:
    """The share in answers like these: the same value, with the interval of a sample of responses.

    The variance is that over responses, linearised, without a correction, one degree of freedom less than there are
    responses. Undefined as :func:`audit_share`; without an interval when all are of one response.
    """
    reason = too_few([one.value for one in sampled])
    if reason:
        return _figure(name, None, None, LARGE, sampled, missing, level, reason)
    mean = _mean(sampled)
    groups: dict[Hashable, float] = defaultdict(float)
    for one, pull in zip(sampled, _pulls(sampled, mean), strict=True):
        groups[one.cluster] += pull
    if len(groups) < 2:
        return _figure(name, mean, None, LARGE, sampled, missing, level, _ONE_RESPONSE)
    variance = sum(pull**2 for pull in groups.values()) * len(groups) / (len(groups) - 1)
    return _figure(name, mean, _wilson(mean, variance, len(groups) - 1, level), LARGE, sampled, missing, level)


def post_stratified_share(
    name: str,
    known: Sequence[float],
    known_size: int,
    sampled: Sequence[Sampled],
    size: int,
    *,
    missing: int = 0,
    level: float = LEVEL,
) -> Estimate:
    """The share in a study of ``size`` statements, ``known_size`` of which were all looked at and the others sampled.

    ``known`` are the values of the first part, ``sampled`` are members of the rest, whose interval alone is uncertain.
    Undefined as :func:`audit_share`, the rarer label being counted in both parts, and when one part has no label.
    """
    reason = too_few([*known, *(one.value for one in sampled)])
    if not reason and (not known or len(sampled) < 2):
        reason = "One of the two parts has no label."
    if reason:
        return _figure(name, None, None, STUDY, sampled, missing, level, reason, more=len(known))
    weight, exact, mean = known_size / size, sum(known) / len(known), _mean(sampled)
    low, high = _of_this_study(sampled, mean, size - known_size, level)
    value, low, high = (weight * exact + (1 - weight) * part for part in (mean, low, high))
    return _figure(name, value, (low, high), STUDY, sampled, missing, level, more=len(known))


def too_few(values: Sequence[float]) -> str:
    """Why an audit with these values says nothing yet, and how many more it takes; ``""`` when it does."""
    n, rarer = len(values), round(min(sum(values), len(values) - sum(values)))
    if n < LEAST_AUDITED:
        return f"{LEAST_AUDITED} statements that count are needed: {n} so far, {LEAST_AUDITED - n} more."
    if rarer < LEAST_OF_EACH:
        often = {0: "never occurred", 1: "occurred once"}.get(rarer, f"occurred {rarer} times")
        more = math.ceil((LEAST_OF_EACH - rarer) * n / rarer) if rarer else LEAST_OF_EACH * n
        return f"One of the two outcomes {often}, and {LEAST_OF_EACH} of each are needed: about {more:,} more."
    return ""


def _figure(
    name: str,
    value: float | None,
    ends: tuple[float, float] | None,
    method: str,
    sampled: Sequence[Sampled],
    missing: int,
    level: float,
    reason: str | None = None,
    *,
    more: int = 0,
) -> Estimate:
    low, high = ends or (None, None)
    responses = len({one.cluster for one in sampled})
    return Estimate(name, value, low, high, method, len(sampled) + more, responses, missing, reason, level)


def _mean(sampled: Sequence[Sampled]) -> float:
    return sum(one.value / one.probability for one in sampled) / sum(1 / one.probability for one in sampled)


def _pulls(sampled: Sequence[Sampled], mean: float) -> list[float]:
    """How far each statement moves the mean."""
    total = sum(1 / one.probability for one in sampled)
    return [(one.value - mean) / one.probability / total for one in sampled]


def _of_this_study(sampled: Sequence[Sampled], mean: float, size: int, level: float) -> tuple[float, float]:
    # What part of the study those that were looked at stand for: 1 when all of the draw was.
    looked_at = sum(1 / one.probability for one in sampled) / size
    left = [max(0.0, 1 - one.probability * looked_at) for one in sampled]
    variance = (
        sum(share * pull**2 for share, pull in zip(left, _pulls(sampled, mean), strict=True))
        * len(sampled)
        / (len(sampled) - 1)
    )
    return _wilson(mean, variance, len(sampled) - 1, level, none=sum(left) / len(sampled) ** 2)


def _wilson(
    mean: float, variance: float, freedom: int, level: float, *, none: float | None = None
) -> tuple[float, float]:
    """Wilson's interval on the number of statements that would vary as much.

    Where all values are alike there is no variance to take it from: ``none`` stands for 1 over that number then.
    """
    even = mean * (1 - mean)
    over = variance / even if even and variance else none or 0.0
    part = student(level, freedom) ** 2 * over
    half = math.sqrt(even * part + part * part / 4)
    low, high = ((mean + part / 2 + side * half) / (1 + part) for side in (-1, 1))
    return max(0.0, low), min(1.0, high)
