"""A share of a whole study from an audit: a sample of its statements with known probabilities."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from medreview.stats.formulas.audit_sample import (
    Sampled,
    hajek_mean,
    left_over,
    too_few,
    variances,
    weights,
    wilson_on,
    within_cells,
)
from medreview.stats.formulas.estimate import LEVEL, Estimate

STUDY: Final = "Wilson, variance of the draw"
LARGE: Final = "Wilson, variance over responses"
STRATIFIED: Final = "Wilson, variance within strata"
LEAST_IN_STRATUM: Final = 10
"""Audited statements below which a stratum is joined with the others that have fewer."""
OTHERS: Final = "others"
"""The name of the strata that were joined."""
ONE_RESPONSE: Final = "One response cannot show how responses differ."


class AuditedStratum(NamedTuple):
    """A part of the study: how many statements it has, and those of them that were audited."""

    size: int
    sampled: tuple[Sampled, ...]


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
    return _figure(name, hajek_mean(sampled), _of_this_study(sampled, size, level), STUDY, sampled, missing, level)


def share_at_large(name: str, sampled: Sequence[Sampled], *, missing: int = 0, level: float = LEVEL) -> Estimate:
    """The share in answers like these: the same value, with the interval of a sample of responses.

    The variance is that over responses, linearised, without a correction, one degree of freedom less than there are
    responses. Undefined as :func:`audit_share`; without an interval when all are of one response.
    """
    reason = too_few([one.value for one in sampled])
    if reason:
        return _figure(name, None, None, LARGE, sampled, missing, level, reason)
    mean, responses = hajek_mean(sampled), len({one.cluster for one in sampled})
    if responses < 2:
        return _figure(name, mean, None, LARGE, sampled, missing, level, ONE_RESPONSE)
    variance = variances(sampled, len(sampled)).responses
    return _figure(name, mean, wilson_on(mean, variance, responses - 1, level), LARGE, sampled, missing, level)


def stratified_share(
    name: str, strata: Mapping[str, AuditedStratum], *, missing: int = 0, level: float = LEVEL
) -> Estimate:
    """The share in a study, post-stratified: the mean of each stratum, weighted by its size in the study.

    Strata with fewer than 10 audited statements are joined, and if they have too few even so, with the smallest of the
    others; a note says which. The variance is that within the strata, each with its own finite-population correction
    (Cochran 1977, 5A.9, given the numbers that were audited). Undefined as :func:`audit_share`, and where fewer than
    two strata are left.
    """
    everyone = [one for stratum in strata.values() for one in stratum.sampled]
    reason = too_few([one.value for one in everyone])
    used, joined = _joined(strata)
    if not reason and len(used) < 2:
        reason = f"Two strata with {LEAST_IN_STRATUM} audited statements each are needed."
    if reason:
        return _figure(name, None, None, STRATIFIED, everyone, missing, level, reason)
    size = sum(stratum.size for stratum in used.values())
    sampled = [one for stratum in used.values() for one in stratum.sampled]
    cells = [label for label, stratum in used.items() for _ in stratum.sampled]
    shares = [stratum.size / size * share for stratum in used.values() for share in weights(stratum.sampled)]
    left = [share for stratum in used.values() for share in left_over(stratum.sampled, stratum.size)]
    value = sum(share * one.value for share, one in zip(shares, sampled, strict=True))
    variance = within_cells([one.value for one in sampled], cells, shares, left)
    ends = wilson_on(value, variance, len(sampled) - len(used), level)
    notes = (f"joined to “{OTHERS}”, with too few audited statements each: {', '.join(joined)}",) if joined else ()
    return _figure(name, value, ends, STRATIFIED, sampled, missing, level, notes=notes)


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
    weight, exact, mean = known_size / size, sum(known) / len(known), hajek_mean(sampled)
    low, high = _of_this_study(sampled, size - known_size, level)
    value, low, high = (weight * exact + (1 - weight) * part for part in (mean, low, high))
    return _figure(name, value, (low, high), STUDY, sampled, missing, level, more=len(known))


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
    notes: tuple[str, ...] = (),
) -> Estimate:
    low, high = ends or (None, None)
    responses = len({one.cluster for one in sampled})
    return Estimate(
        name, value, low, high, method, len(sampled) + more, responses, missing, reason, level, notes=notes,
        scale="share",
    )  # fmt: skip


def _joined(strata: Mapping[str, AuditedStratum]) -> tuple[dict[str, AuditedStratum], list[str]]:
    """The strata as they are used, and the names of those that were joined."""
    by_number = sorted(strata, key=lambda label: (len(strata[label].sampled), label))
    joined = [label for label in by_number if len(strata[label].sampled) < LEAST_IN_STRATUM]
    while joined and len(joined) < len(strata) and _audited(strata, joined) < LEAST_IN_STRATUM:
        joined.append(by_number[len(joined)])
    used = {label: stratum for label, stratum in strata.items() if label not in joined}
    if joined and _audited(strata, joined) >= LEAST_IN_STRATUM:
        size = sum(strata[label].size for label in joined)
        used[OTHERS] = AuditedStratum(size, tuple(one for label in joined for one in strata[label].sampled))
    return used, sorted(joined)


def _audited(strata: Mapping[str, AuditedStratum], labels: Sequence[str]) -> int:
    return sum(len(strata[label].sampled) for label in labels)


def _of_this_study(sampled: Sequence[Sampled], size: int, level: float) -> tuple[float, float]:
    n = len(sampled)
    none = sum(left_over(sampled, size)) / n**2
    return wilson_on(hajek_mean(sampled), variances(sampled, size).draw, n - 1, level, none=none)
