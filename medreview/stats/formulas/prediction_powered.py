"""A share of a study from few labels and many verdicts: what judges say of all of it, corrected by an audit."""

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from medreview.stats.formulas.audit_sampling import (
    Sampled,
    clustered,
    in_answers_like_these,
    left_over,
    one_cluster,
    over_large,
    sampled_figure,
    too_few,
    variances,
    weighted_mean,
    weights,
    wilson_on,
    within_cells,
)
from medreview.stats.formulas.estimate import LEVEL, Estimate, percent
from medreview.stats.formulas.intervals import student

POWERED: Final = "Wilson, variance of what the verdicts leave open"
FIXED: Final = "Student's t, variance of what the verdicts leave open"
ALONE: Final = "mean of the verdicts, uncorrected"
_UNCORRECTED: Final = "No interval shows how often the verdicts are wrong."


class Said(NamedTuple):
    """Of one cluster: how many statements it has, how many of these have a verdict, how many a yes."""

    statements: int
    told: int
    yes: float

    def with_more(self, statements: int, told: int, yes: float) -> "Said":
        """The same with those of another response of the cluster."""
        return Said(self.statements + statements, self.told + told, self.yes + yes)


@dataclass(frozen=True)
class Verdicts:
    """What judges say of all statements of a study, by cluster; ``cluster``: what one of these is."""

    by_cluster: Mapping[str, Said]
    cluster: str = "response"

    @cached_property
    def size(self) -> int:
        """The statements of the study."""
        return sum(said.statements for said in self.by_cluster.values())

    @cached_property
    def told(self) -> int:
        """Those that have a verdict."""
        return sum(said.told for said in self.by_cluster.values())

    @cached_property
    def share(self) -> float | None:
        """The share of yes among them; ``None`` without any."""
        return sum(said.yes for said in self.by_cluster.values()) / self.told if self.told else None

    @cached_property
    def judged(self) -> "Verdicts":
        """The same of the statements that have a verdict alone."""
        if self.told == self.size:
            return self
        some = {cluster: Said(told, told, yes) for cluster, (_, told, yes) in self.by_cluster.items() if told}
        return Verdicts(some, self.cluster)


@dataclass(frozen=True)
class Powered:
    """The estimate for this study and for answers like these; ``weight`` (lambda) is that of the verdicts.

    ``variance_ratio`` is the variance of the estimate over that of the audit alone, both with the correction for a
    finite study; ``as_good_as`` the number of labels of which the audit alone would vary as much in this study.
    ``None``: not defined.
    """

    study: Estimate
    at_large: Estimate
    weight: float | None
    variance_ratio: float | None
    as_good_as: int | None


def prediction_powered(
    name: str,
    sampled: Sequence[Sampled],
    predicted: Sequence[float | None],
    verdicts: Verdicts,
    *,
    weight: float | None = None,
    missing: int = 0,
    refused: str = "",
    level: float = LEVEL,
) -> Powered:
    """The difference estimator: ``weight * mean of all verdicts + weighted mean of (label - weight * verdict)``.

    ``predicted`` are the verdicts on the ``sampled`` statements, 1 for a yes, ``None`` without one: such a statement
    stands at the mean of the verdicts, in the audit as in the study, so that it says nothing either way and the
    estimate stays unbiased. ``weight`` is Cov(label, verdict) / Var(verdict) on the audit, weighted by 1 / probability
    (PPI++, Angelopoulos, Duchi & Zrnic 2023, where the unlabelled statements are those not audited); 1 gives the form
    of Angelopoulos et al. (Science 382:669, 2023).

    For this study: the variance of what the verdicts leave open, with the finite-population correction, taken within
    the audited statements of each verdict, with half a yes and half a no added to each. At large: over clusters,
    linearised, all of the study's, one degree of freedom less than clusters are audited. Undefined below 30 audited
    statements and 5 of either label, where all audited statements have the same verdict, and where the judges were
    asked about the audited statements more often, or less, than chance explains; ``refused`` is a reason of the
    caller's.
    """
    reason = too_few([one.value for one in sampled]) or refused or _no_help(sampled, predicted, verdicts, weight)
    n, clusters = len(sampled), len({one.cluster for one in sampled})
    names = name, in_answers_like_these(name)
    large = over_large(verdicts.cluster)
    methods = (POWERED, large) if weight is None else (FIXED, large.replace("Wilson", "Student's t"))
    mean_verdict = verdicts.share
    if reason or mean_verdict is None:
        study, at_large = (
            sampled_figure(title, None, None, method, sampled, missing, level, verdicts.cluster, reason)
            for title, method in zip(names, methods, strict=True)
        )
        return Powered(study, at_large, None, None, None)
    fit = _fit(sampled, [mean_verdict if said is None else said for said in predicted], mean_verdict, weight)
    left = left_over(sampled, verdicts.size)
    values = [one.value for one in sampled]
    between = sum(share * pull**2 for share, pull in zip(left, fit.between, strict=True))
    draw = within_cells(values, fit.verdicts, fit.coefficients, left) + between * n / (n - 1)
    # Over clusters: all of them vary in what the judges say of them, and those audited in what this leaves open.
    linearised = clustered(*_pulls(sampled, fit, verdicts, mean_verdict))
    plain = sum(share * pull**2 for share, pull in zip(left, fit.pulls, strict=True))
    value = min(1.0, max(0.0, fit.value))
    over = max(linearised - plain, value * (1 - value) / verdicts.size) + draw
    alone = variances(sampled, verdicts.size).draw
    ratio = draw / alone if alone else None
    study, at_large = (
        _figure(
            title, value, variance, freedom, method, sampled, missing, level, verdicts.cluster, wilson=weight is None
        )
        for title, method, variance, freedom in zip(names, methods, (draw, over), (n - 2, clusters - 1), strict=True)
    )
    return Powered(study, at_large, fit.weight, ratio, _as_good_as(ratio, n, verdicts.size))


def judge_alone(name: str, verdicts: Verdicts, *, level: float = LEVEL) -> Estimate:
    """The share of yes among the verdicts of a study, uncorrected: to be printed only beside the estimates.

    There is no interval: all statements are in it, and how often the verdicts are wrong it does not know. Undefined
    without a verdict.
    """
    value = verdicts.share
    reason = "No statement has a verdict." if value is None else _UNCORRECTED
    asked = sum(1 for said in verdicts.by_cluster.values() if said.told)
    told, left = verdicts.told, verdicts.size - verdicts.told
    return Estimate(
        name, value, None, None, ALONE, told, asked, left, reason, level, scale="share", cluster=verdicts.cluster
    )


class _Fit(NamedTuple):
    """The estimate as a weighted sum of the labels: ``coefficients``; ``verdicts`` as they were used.

    ``pulls`` are what the statements leave open, weighted; ``between`` the part of it that is that of their verdict.
    """

    value: float
    weight: float
    verdicts: list[float]
    coefficients: list[float]
    pulls: list[float]
    between: list[float]


def _fit(sampled: Sequence[Sampled], verdicts: list[float], mean_verdict: float, fixed: float | None) -> _Fit:
    shares = weights(sampled)
    values = [one.value for one in sampled]
    label, verdict = weighted_mean(values, shares), weighted_mean(verdicts, shares)
    spread = sum(share * (said - verdict) ** 2 for share, said in zip(shares, verdicts, strict=True))
    weight = fixed
    coefficients = shares
    if weight is None:
        both = zip(shares, values, verdicts, strict=True)
        weight = sum(share * (value - label) * (said - verdict) for share, value, said in both) / spread
        # The weight is made of the labels, too: so much each of them counts in the whole.
        coefficients = [
            share * (1 + (mean_verdict - verdict) * (said - verdict) / spread)
            for share, said in zip(shares, verdicts, strict=True)
        ]
    open_ = [value - label - weight * (said - verdict) for value, said in zip(values, verdicts, strict=True)]
    by_verdict: dict[float, list[int]] = defaultdict(list)
    for place, said in enumerate(verdicts):
        by_verdict[said].append(place)
    of_verdict = {
        said: weighted_mean([open_[place] for place in places], [shares[place] for place in places])
        for said, places in by_verdict.items()
    }
    return _Fit(
        value=label + weight * (mean_verdict - verdict),
        weight=weight,
        verdicts=verdicts,
        coefficients=coefficients,
        pulls=[coefficient * rest for coefficient, rest in zip(coefficients, open_, strict=True)],
        between=[coefficient * of_verdict[said] for coefficient, said in zip(coefficients, verdicts, strict=True)],
    )


def _pulls(
    sampled: Sequence[Sampled], fit: _Fit, verdicts: Verdicts, mean_verdict: float
) -> tuple[list[Hashable], list[float]]:
    weight, size = fit.weight, verdicts.size
    of_all = [weight * (yes - mean_verdict * told) / size for _, told, yes in verdicts.by_cluster.values()]
    return [*(one.cluster for one in sampled), *verdicts.by_cluster], [*fit.pulls, *of_all]


def _no_help(
    sampled: Sequence[Sampled], predicted: Sequence[float | None], verdicts: Verdicts, weight: float | None
) -> str:
    """Why the verdicts cannot be used, or ``""``."""
    if verdicts.share is None:
        return "No statement has a verdict."
    shares, expected = weights(sampled), verdicts.told / verdicts.size
    told = sum(share for share, said in zip(shares, predicted, strict=True) if said is not None)
    n = 1 / sum(share**2 for share in shares)
    if abs(told - expected) > (1 + 3 * math.sqrt(n * expected * (1 - expected))) / n:
        return (
            f"There are verdicts on {percent(told, 0)} of the audited statements and on {percent(expected, 0)} of the "
            "study: the judges were not asked about both alike."
        )
    if weight is None and len({said for said in predicted if said is not None}) < 2:
        return "All audited statements have the same verdict: it does not show how the labels follow the verdicts."
    return ""


def _figure(
    name: str, value: float, variance: float, freedom: int, method: str, sampled: Sequence[Sampled], missing: int,
    level: float, unit: str, *, wilson: bool,
) -> Estimate:  # fmt: skip
    if freedom < 1:
        return sampled_figure(name, value, None, method, sampled, missing, level, unit, one_cluster(unit))
    if wilson and 0 < value < 1:
        ends = wilson_on(value, variance, freedom, level)
    else:
        half = student(level, freedom) * math.sqrt(variance)
        ends = max(0.0, value - half), min(1.0, value + half)
    return sampled_figure(name, value, ends, method, sampled, missing, level, unit)


def _as_good_as(ratio: float | None, n: int, size: int) -> int | None:
    """The labels ``m`` of which 1/m - 1/size is that of ``n`` times the ratio: both are corrected for the study."""
    return None if ratio is None or n >= size else math.floor(1 / (1 / size + (1 / n - 1 / size) * ratio))
