"""A rate that judges report, corrected for how often they are wrong (Rogan & Gladen 1978), as a check of an audit.

The audited labels give the judges' sensitivity (of what is supported, the share they call so) and specificity. The
share of yes among all their verdicts then gives the true one: (share + specificity - 1) / (sensitivity + specificity -
1). Lee et al. (2025, arXiv 2511.21140) advise it for judges that are models.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from medreview.stats.formulas.audit_sampling import (
    Sampled,
    hajek_mean,
    in_answers_like_these,
    left_over,
    one_cluster,
    over_large,
    sampled_figure,
    too_few,
    variances,
    weights,
    wilson_on,
)
from medreview.stats.formulas.estimate import LEVEL, Estimate, percent
from medreview.stats.formulas.intervals import student
from medreview.stats.formulas.prediction_powered import Verdicts

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
    level: float = LEVEL,
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
    sensitivity = _rate("sensitivity of the judges", used, said, unit, yes=True, level=level)
    specificity = _rate("specificity of the judges", used, said, unit, yes=False, level=level)
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
            sampled_figure(title, None, None, method, used, missing, level, unit, reason)
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
        _inverted(net, informed, moved, freedom, level) if freedom > 0 else None
        for moved, freedom in ((draw, n - 2), (over, clusters - 1))
    )
    study, at_large = (
        sampled_figure(title, value, ends, method, used, missing, level, unit, "" if ends else _UNSURE)
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


def _rate(name: str, used: Sequence[Sampled], said: Sequence[float], unit: str, *, yes: bool, level: float) -> Estimate:
    """The weighted share of right verdicts among the statements with one label, over clusters."""
    of = [
        Sampled(word if yes else 1 - word, one.cluster, one.probability / part)
        for one, word in zip(used, said, strict=True)
        if (part := one.value if yes else 1 - one.value)
    ]
    clusters, method = len({one.cluster for one in of}), over_large(unit)
    if not of:
        why = f"No audited statement with a verdict is {'supported' if yes else 'not supported'} by the labels."
        return sampled_figure(name, None, None, method, of, 0, level, unit, why)
    value = hajek_mean(of)
    if clusters < 2:
        return sampled_figure(name, value, None, method, of, 0, level, unit, one_cluster(unit))
    ends = wilson_on(value, variances(of, len(of)).clusters, clusters - 1, level, none=1 / len(of))
    return sampled_figure(name, value, ends, method, of, 0, level, unit)


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


def _inverted(net: float, informed: float, moved: _Moved, freedom: int, level: float) -> tuple[float, float] | None:
    """The rates that a t test of ``net = rate * informed`` does not reject (Fieller 1954), within 0 and 1; ``None``
    where these are no interval, because ``informed`` may be 0."""
    far = student(level, freedom) ** 2
    a = informed**2 - far * moved.square
    b = net * informed + far * moved.cross
    c = net**2 - far * moved.fixed
    root = b * b - a * c
    if a <= 0 or root < 0:
        return None
    low, high = ((b + side * math.sqrt(root)) / a for side in (-1, 1))
    return min(1.0, max(0.0, low)), min(1.0, max(0.0, high))
