"""Differences in an audit: assisted minus blind halves of it, and models beside each other.

In half of the audit, by a coin for each reviewer and statement (``medreview.study.study_acts``), the judges stand
beside the statement. Nothing else sets the two halves apart, so that the difference of agreement estimates automation
bias. Models are compared by the audit and the verdicts, never by the verdicts alone, which may favour one of them;
prediction-powered means as published (PPI++) check these figures, and are not to be quoted: statements count as
independent and equally likely to be labelled, the unlabelled ones as a second sample.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist
from typing import Final, NamedTuple

from medreview.stats.formulas.audit_sampling import (
    Sampled,
    audit_share,
    hajek_mean,
    in_answers_like_these,
    sampled_figure,
    weights,
)
from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.intervals import jeffreys, share_difference
from medreview.stats.reports.audit_verdicts import DrawnMember, Helped, JudgeVerdicts, Met, helped_by
from medreview.study.study_acts import Arm

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


def published_difference(name: str, first: PublishedMean, second: PublishedMean, n: int) -> Estimate:
    """The first mean minus the second, of independent samples of ``n`` labels together: their variances are added."""
    value = first.value - second.value
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * math.sqrt(first.variance + second.variance)
    return Estimate(name, value, value - half, value + half, PUBLISHED, n, scale="share_difference")


LEAST_OF_ARM: Final = 15
"""Statements of an arm below which nothing is said of it."""
_ARM: Final = "Jeffreys, variance of the draw and the coin"


@dataclass(frozen=True, slots=True)
class Assistance:
    """Agreement of a reviewer with the judges together, on supported or not, in the two halves of the audit.

    ``assisted`` and ``blind`` are shares of the statements of each half on which both say the same; ``difference`` is
    the first minus the second, an estimate of automation bias. Statements count as the coin fell; on ``otherwise`` of
    them the judges were seen although it said blind, or had not been seen although it said assisted.
    """

    assisted: Estimate
    blind: Estimate
    difference: Estimate
    otherwise: int


_NO_WORD: Final[frozenset[Met]] = frozenset({"no_judgement", "tied", "stale", "cannot_judge"})


def assistance(assisted: Sequence[DrawnMember], blind: Sequence[DrawnMember], cluster: str) -> Assistance:
    """From the members of both arms as they count against the judges; ``cluster``: what those of members are."""
    seen = sum(member.met == "used" and member.assisted for member in blind)
    unseen = sum(member.met == "used" and not member.assisted for member in assisted)
    first, second = _share("assisted", assisted, cluster), _share("blind", blind, cluster)
    name = "automation bias: agreement with the judges, assisted minus blind"
    return Assistance(first, second, share_difference(name, first, second), seen + unseen)


def _share(arm: Arm, members: Sequence[DrawnMember], cluster: str) -> Estimate:
    sampled = [member.sampled for member in members if member.met == "used"]
    missing = sum(member.met in _NO_WORD for member in members)
    return arm_share(f"agreement with the judges, {arm}", sampled, missing=missing, unit=cluster)


def arm_share(name: str, sampled: Sequence[Sampled], *, missing: int = 0, unit: str = "response") -> Estimate:
    """The share in one arm, weighted by 1 / probability (Hajek 1971). Undefined below 15 statements.

    Jeffreys' interval on the number of equally likely statements that would vary as much, without a correction for a
    finite study: what the arms are for is an effect on any such statement. The coin falls for each statement alone, so
    that their likeness within a ``unit`` adds nothing. Of Wilson's intervals, with Student's t, the difference of two
    arms of 30 held the truth in 98% of simulated studies where reviewers agree with the judges nine times of ten
    (``tests/bench/difference_simulation.py``).
    """
    n = len(sampled)
    if n < LEAST_OF_ARM:
        reason = f"{LEAST_OF_ARM} statements of each kind are needed: {n} so far."
        return sampled_figure(name, None, None, _ARM, sampled, missing, unit, reason)
    mean = hajek_mean(sampled)
    by = weights(sampled)
    variance = sum(((one.value - mean) * weight) ** 2 for one, weight in zip(sampled, by, strict=True))
    even = mean * (1 - mean)
    alike = even / variance if variance else 1 / sum(weight**2 for weight in by)
    return sampled_figure(name, mean, jeffreys(mean * alike, alike, LEVEL), _ARM, sampled, missing, unit)


MOST_MODELS: Final = 6
"""Models that are compared: those with most labels in the audit."""


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """How much more of the ``first`` model's statements are supported than of the ``second``'s.

    ``study``: in this study, by audit and verdicts, each model's share corrected by its own audited statements;
    ``at_large``: in answers like these; ``alone``: in this study by the audit without the verdicts. ``published``:
    PPI++ as its authors have it, statements taken as independent, to check the others by; not to be quoted.
    """

    first: str
    second: str
    study: Estimate
    at_large: Estimate
    alone: Estimate
    published: Estimate


@dataclass(frozen=True, slots=True)
class _Side:
    """One model: what the judges say of all its statements, and the estimates by that and the audited ones."""

    judge: JudgeVerdicts
    helped: Helped
    alone: Estimate


def model_differences(
    members: Sequence[DrawnMember], judge: JudgeVerdicts, *, assisted: bool = False
) -> tuple[ModelDifference, ...]:
    """Of each two of the six models with most labels in the audit, the one with more labels first.

    ``judge``: whose verdicts help, ``assisted``: also where labels are not blind. Nothing for fewer than two models.
    """
    labels = Counter(member.model for member in members if member.met == "used")
    models = sorted(labels, key=lambda model: (-labels[model], model))[:MOST_MODELS]
    if len(models) < 2:
        return ()
    sides = {model: _side(model, members, judge, assisted) for model in models if model in judge.by_model}
    return tuple(_difference(one, sides[one], other, sides[other]) for one, other in combinations(sides, 2))


def _side(model: str, members: Sequence[DrawnMember], judge: JudgeVerdicts, assisted: bool) -> _Side:
    own = [member for member in members if member.model == model]
    of_model = replace(judge, verdicts=judge.by_model[model])
    used = [member.sampled for member in own if member.met == "used"]
    alone = audit_share(
        f"supported, {model}",
        used,
        of_model.verdicts.size,
        missing=len(own) - len(used),
        unit=of_model.verdicts.cluster,
    )
    return _Side(of_model, helped_by(own, of_model, assisted=assisted), alone)


def _difference(one: str, first: _Side, other: str, second: _Side) -> ModelDifference:
    name = f"supported, {one} minus {other}"
    alike = in_answers_like_these(name)
    return ModelDifference(
        first=one,
        second=other,
        study=share_difference(
            f"{name}, by audit and verdicts", *(side.helped.powered.study for side in (first, second))
        ),
        at_large=share_difference(alike, *(side.helped.powered.at_large for side in (first, second))),
        alone=share_difference(f"{name}, by the audit", first.alone, second.alone),
        published=_published(name, first, second),
    )


def _published(name: str, first: _Side, second: _Side) -> Estimate:
    """PPI++ as published; not where it does not apply."""
    n = len(first.helped.used) + len(second.helped.used)
    reason = first.helped.powered.study.reason or second.helped.powered.study.reason
    means = (None, None) if reason else (_mean(first), _mean(second))
    if means[0] is None or means[1] is None:
        reason = reason or "It takes a verdict on every statement, and statements that are drawn with one probability."
        return Estimate(name, None, None, None, PUBLISHED, n, reason=reason, scale="share_difference")
    return published_difference(name, means[0], means[1], n)


def _mean(side: _Side) -> PublishedMean | None:
    used, said, verdicts = side.helped.used, side.helped.said, side.judge.verdicts
    left = verdicts.size - len(used)
    if None in said or verdicts.told < verdicts.size or len({member.probability for member in used}) > 1 or left < 2:
        return None
    yes = sum(each.yes for each in verdicts.by_cluster.values()) - sum(map(bool, said))
    return published_mean([member.value for member in used], [float(bool(one)) for one in said], round(yes), left)
