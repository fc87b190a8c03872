"""A share of a study from few labels and many verdicts: what judges say of all of it, corrected by an audit.

As a check, the rate that judges report corrected for how often they are wrong (Rogan & Gladen 1978): the audited labels
give the judges' sensitivity (of what is supported, the share they call so) and specificity. The share of yes among all
their verdicts then gives the true one: (share + specificity - 1) / (sensitivity + specificity - 1). Lee et al. (2025,
arXiv 2511.21140) advise it for judges that are models.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from medreview.stats.formulas.audit_sampling import (
    Sampled,
    clustered,
    hajek_mean,
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
            sampled_figure(title, None, None, method, sampled, missing, verdicts.cluster, reason)
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
        _figure(title, value, variance, freedom, method, sampled, missing, verdicts.cluster, wilson=weight is None)
        for title, method, variance, freedom in zip(names, methods, (draw, over), (n - 2, clusters - 1), strict=True)
    )
    return Powered(study, at_large, fit.weight, ratio, _as_good_as(ratio, n, verdicts.size))


def judge_alone(name: str, verdicts: Verdicts) -> Estimate:
    """The share of yes among the verdicts of a study, uncorrected: to be printed only beside the estimates.

    There is no interval: all statements are in it, and how often the verdicts are wrong it does not know. Undefined
    without a verdict.
    """
    value = verdicts.share
    reason = "No statement has a verdict." if value is None else _UNCORRECTED
    asked = sum(1 for said in verdicts.by_cluster.values() if said.told)
    told, left = verdicts.told, verdicts.size - verdicts.told
    return Estimate(
        name, value, None, None, ALONE, told, asked, left, reason, LEVEL, scale="share", cluster=verdicts.cluster
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
    unit: str, *, wilson: bool,
) -> Estimate:  # fmt: skip
    if freedom < 1:
        return sampled_figure(name, value, None, method, sampled, missing, unit, one_cluster(unit))
    if wilson and 0 < value < 1:
        ends = wilson_on(value, variance, freedom)
    else:
        half = student(LEVEL, freedom) * math.sqrt(variance)
        ends = max(0.0, value - half), min(1.0, value + half)
    return sampled_figure(name, value, ends, method, sampled, missing, unit)


def _as_good_as(ratio: float | None, n: int, size: int) -> int | None:
    """The labels ``m`` of which 1/m - 1/size is that of ``n`` times the ratio: both are corrected for the study."""
    return None if ratio is None or n >= size else math.floor(1 / (1 / size + (1 / n - 1 / size) * ratio))


CORRECTED: Final = "Student's t inverted, variance of sensitivity and specificity"
_UNSURE: Final = "No interval: by these labels the verdicts may say no more than chance does."
_ROUNDING: Final = 1e-9
_NO_VERDICT: Final = "No audited statement has a verdict."


@dataclass(frozen=True, slots=True)
class ErrorCorrected:
    """``study``: the corrected share of yes among the statements that have a verdict; ``at_large``: in answers like
    these. ``sensitivity`` and ``specificity`` are the judges', by the audited labels, with intervals over clusters."""

    study: Estimate
    at_large: Estimate
    sensitivity: Estimate
    specificity: Estimate


def error_corrected(
    name: str,
    sampled: Sequence[Sampled],
    predicted: Sequence[float | None],
    verdicts: Verdicts,
    *,
    refused: str = "",
) -> ErrorCorrected:
    """The correction by the ``sampled`` labels and what the judges say of the same statements, ``predicted``.

    Audited statements without a verdict are left out, as are the study's. The interval holds the rates that a t test
    does not reject: how sensitivity and specificity vary over draws, with the finite-population correction and half a
    yes and half a no added to each; at large also how clusters differ. Undefined as an audit is (30 statements,
    5 of either label), and where sensitivity and specificity add up to 1 or less; ``refused`` is a reason of the
    caller's.
    """
    both = [(one, said) for one, said in zip(sampled, predicted, strict=True) if said is not None]
    used, said = [one for one, _ in both], [word for _, word in both]
    missing = len(sampled) - len(used)
    unit = verdicts.cluster
    sensitivity = _rate("sensitivity of the judges", used, said, unit, yes=True)
    specificity = _rate("specificity of the judges", used, said, unit, yes=False)
    names = name, in_answers_like_these(name)
    methods = CORRECTED, over_large(unit).replace("Wilson", "Student's t inverted")
    share = verdicts.share
    reason = too_few([one.value for one in used]) or refused
    if share is None or not used:
        reason = _NO_VERDICT
    found = sensitivity.value, specificity.value
    if not reason and None not in found:
        reason = _tells_nothing(*(value or 0.0 for value in found))
    if reason or share is None or sensitivity.value is None or specificity.value is None:
        study, at_large = (
            sampled_figure(title, None, None, method, used, missing, unit, reason)
            for title, method in zip(names, methods, strict=True)
        )
        return ErrorCorrected(study, at_large, sensitivity, specificity)
    net, informed = share + specificity.value - 1, sensitivity.value + specificity.value - 1
    value = min(1.0, max(0.0, net / informed))
    draw, plain, pulls = _of_draw(used, said, sensitivity.value, specificity.value, left_over(used, verdicts.told))
    large = _of_clusters(used, pulls, verdicts, share)
    n, clusters = len(used), len({one.cluster for one in used})
    over = _Moved(*(a + b - c for a, b, c in zip(draw, large, plain, strict=True)))
    intervals = (
        _inverted(net, informed, moved, freedom) if freedom > 0 else None
        for moved, freedom in ((draw, n - 2), (over, clusters - 1))
    )
    study, at_large = (
        sampled_figure(title, value, ends, method, used, missing, unit, "" if ends else _UNSURE)
        for title, method, ends in zip(names, methods, intervals, strict=True)
    )
    return ErrorCorrected(study, at_large, sensitivity, specificity)


def agree(corrected: Estimate, powered: Estimate) -> bool | None:
    """Whether each of two estimates of one share lies in the interval of the other; ``None`` without both."""
    found = [_holds(one, other.value) for one, other in ((corrected, powered), (powered, corrected))]
    return None if None in found else all(found)


def _holds(figure: Estimate, value: float | None) -> bool | None:
    """Whether the interval holds a value. It has no width where all is labelled: rounding is no difference."""
    if figure.low is None or figure.high is None or value is None:
        return None
    return figure.low - _ROUNDING <= value <= figure.high + _ROUNDING


def _tells_nothing(sensitivity: float, specificity: float) -> str:
    both = sensitivity + specificity
    if both > 1:
        return ""
    return (
        f"Sensitivity {percent(sensitivity)} and specificity {percent(specificity)} add up to no more than 100%: such "
        "verdicts say no more than chance does."
    )


def _rate(name: str, used: Sequence[Sampled], said: Sequence[float], unit: str, *, yes: bool) -> Estimate:
    """The weighted share of right verdicts among the statements with one label, over clusters."""
    of = [
        Sampled(word if yes else 1 - word, one.cluster, one.probability / part)
        for one, word in zip(used, said, strict=True)
        if (part := one.value if yes else 1 - one.value)
    ]
    clusters, method = len({one.cluster for one in of}), over_large(unit)
    if not of:
        why = f"No audited statement with a verdict is {'supported' if yes else 'not supported'} by the labels."
        return sampled_figure(name, None, None, method, of, 0, unit, why)
    value = hajek_mean(of)
    if clusters < 2:
        return sampled_figure(name, value, None, method, of, 0, unit, one_cluster(unit))
    ends = wilson_on(value, variances(of, len(of)).clusters, clusters - 1, none=1 / len(of))
    return sampled_figure(name, value, ends, method, of, 0, unit)


class _Moved(NamedTuple):
    """The variance of ``net - rate * informed`` for any rate: ``fixed + 2 * rate * cross + rate**2 * square``."""

    fixed: float
    cross: float
    square: float


def _of_draw(
    used: Sequence[Sampled], said: Sequence[float], sensitivity: float, specificity: float, left: Sequence[float]
) -> tuple[_Moved, _Moved, list[tuple[float, float]]]:
    """What the draw does: with half a yes and half a no added to sensitivity and specificity, and plain.

    Last, how each statement pulls at specificity and, for a rate of 1, at what stands before the rate.
    """
    shares = weights(used)
    yes = sum(weight * one.value for weight, one in zip(shares, used, strict=True))
    hit = [weight * one.value / yes for weight, one in zip(shares, used, strict=True)]
    clear = [weight * (1 - one.value) / (1 - yes) for weight, one in zip(shares, used, strict=True)]
    of_yes = _binomial(hit, left, sensitivity, sum(one.value for one in used))
    of_no = _binomial(clear, left, specificity, sum(1 - one.value for one in used))
    pulls = []
    for word, one_hit, one_clear in zip(said, hit, clear, strict=True):
        specific = one_clear * (1 - word - specificity)
        pulls.append((specific, -specific - one_hit * (word - sensitivity)))
    plain = _squares((part * a * a, part * a * b, part * b * b) for part, (a, b) in zip(left, pulls, strict=True))
    return _Moved(of_no, -of_no, of_yes + of_no), plain, pulls


def _binomial(coefficients: Sequence[float], left: Sequence[float], share: float, n: float) -> float:
    part = (share * n + 0.5) / (n + 1)
    spread = sum(over * each * each for over, each in zip(left, coefficients, strict=True))
    return part * (1 - part) * spread


def _of_clusters(
    used: Sequence[Sampled], pulls: Sequence[tuple[float, float]], verdicts: Verdicts, share: float
) -> _Moved:
    """The same over clusters, all of the study's: those audited differ in the verdicts' errors, too."""
    groups: dict[Hashable, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for one, (specific, rest) in zip(used, pulls, strict=True):
        groups[one.cluster][0] += specific
        groups[one.cluster][1] += rest
    for cluster, each in verdicts.by_cluster.items():
        groups[cluster][0] += (each.yes - share * each.told) / verdicts.told
    many = len(groups)
    factor = many / (many - 1) if many > 1 else 0.0
    return _squares((factor * a * a, factor * a * b, factor * b * b) for a, b in groups.values())


def _squares(products: Iterable[tuple[float, float, float]]) -> _Moved:
    return _Moved(*map(math.fsum, zip(*products, strict=True)))


def _inverted(net: float, informed: float, moved: _Moved, freedom: int) -> tuple[float, float] | None:
    """The rates that a t test of ``net = rate * informed`` does not reject (Fieller 1954), within 0 and 1; ``None``
    where these are no interval, because ``informed`` may be 0."""
    far = student(LEVEL, freedom) ** 2
    a = informed**2 - far * moved.square
    b = net * informed + far * moved.cross
    c = net**2 - far * moved.fixed
    root = b * b - a * c
    if a <= 0 or root < 0:
        return None
    low, high = ((b + side * math.sqrt(root)) / a for side in (-1, 1))
    return min(1.0, max(0.0, low)), min(1.0, max(0.0, high))
