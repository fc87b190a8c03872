"""Models beside each other by the audit and the verdicts: never by the verdicts alone, which may favour one of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from medreview.stats.formulas.audit_sampling import audit_share, in_answers_like_these
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import share_difference
from medreview.stats.formulas.ppi_plus_plus import PUBLISHED, PublishedMean, published_difference, published_mean
from medreview.stats.reports.audit_verdicts import DrawnMember, Helped, JudgeVerdicts, helped_by

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
