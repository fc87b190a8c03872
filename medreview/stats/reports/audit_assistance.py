"""Randomised assistance: how much more often a reviewer says what the judges say when these are in sight.

In half of the audit, by a coin for each reviewer and statement (``medreview.study.audit_plan``), the judges stand
beside the statement. Nothing else sets the two halves apart, so that the difference of agreement estimates automation
bias.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import share_difference
from medreview.stats.formulas.randomised_arms import arm_share
from medreview.stats.reports.audit_verdicts import DrawnMember, Met
from medreview.study.audit_plan import Arm


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
