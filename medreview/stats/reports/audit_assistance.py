"""Randomised assistance: how much more often a reviewer says what the judges say when these are in sight.

In half of the audit, by a coin for each reviewer and statement (``medreview.study.audit_frame``), the judges stand
beside the statement. Nothing else sets the two halves apart, so that the difference of agreement estimates automation
bias.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from medreview.stats.formulas.audit_sampling import Sampled, hajek_mean, sampled_figure, weights
from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.intervals import jeffreys, share_difference
from medreview.stats.reports.audit_verdicts import DrawnMember, Met
from medreview.study.study_acts import Arm

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


def arm_share(
    name: str, sampled: Sequence[Sampled], *, missing: int = 0, unit: str = "response", level: float = LEVEL
) -> Estimate:
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
        return sampled_figure(name, None, None, _ARM, sampled, missing, level, unit, reason)
    mean = hajek_mean(sampled)
    by = weights(sampled)
    variance = sum(((one.value - mean) * weight) ** 2 for one, weight in zip(sampled, by, strict=True))
    even = mean * (1 - mean)
    alike = even / variance if variance else 1 / sum(weight**2 for weight in by)
    return sampled_figure(name, mean, jeffreys(mean * alike, alike, level), _ARM, sampled, missing, level, unit)
