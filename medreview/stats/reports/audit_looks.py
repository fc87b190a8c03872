"""Where an audit is on the way to its plan: interim intervals, final ones, and those without any plan."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from medreview.stats.formulas.audit_sampling import Sampled, first_within
from medreview.stats.formulas.estimate import Estimate, half_up
from medreview.study.study_acts import StoppingPlan
from medreview.text import counted

State = Literal["no_plan", "interim", "final"]
"""``interim``: before the end of the plan, intervals that hold for one look are read early."""


@dataclass(frozen=True, slots=True)
class PlanStanding:
    """How the plan in force stands with the labels of one figure; ``reached``: with how many of them it was.

    A plan for a half width ends when the interval of the share supported by the audit alone, in this study, is as
    narrow for the first time: from then on it is ``final``, whatever labels follow.
    """

    state: State
    plan: StoppingPlan | None = None
    labels: int = 0
    reached: int | None = None

    @property
    def short(self) -> str:
        """``interim: 64 labels of a plan for ± 5 points``; what an interval without a plan is good for."""
        if self.plan is None:
            return "no plan is set: an interval holds for one look"
        if self.reached is not None:
            return f"final: {aim(self.plan)}, reached with {counted(self.reached, 'label')}"
        return f"interim: {counted(self.labels, 'label')} of a plan for {aim(self.plan)}"

    def marked(self, figure: Estimate) -> Estimate:
        """The figure with a note where its interval is interim."""
        if self.state != "interim" or figure.low is None:
            return figure
        return replace(figure, notes=(*figure.notes, "interim: the plan is not reached yet"))


def aim(plan: StoppingPlan) -> str:
    """``± 5 points``, ``60 labels``."""
    if plan.labels is not None:
        return counted(plan.labels, "label")
    return f"± {half_up((plan.half_width or 0.0) * 100, 1).removesuffix('.0')} points"


def plan_words(plan: StoppingPlan) -> str:
    """``± 5 points, set by anna on 2026-11-29 before any label``; one that was set late says how late."""
    when = f"after {counted(plan.after, 'label')} had been given" if plan.after else "before any label"
    return f"{aim(plan)}, set by {plan.reviewer} on {plan.at_utc[:10]} {when}"


def plan_standing(plans: Sequence[StoppingPlan], sampled: Sequence[Sampled], size: int) -> PlanStanding:
    """The last of these plans, with the labels of a figure in the order of the draw, in a study of ``size``."""
    if not plans:
        return PlanStanding("no_plan", labels=len(sampled))
    plan = plans[-1]
    if plan.labels is not None:
        enough = min(plan.labels, size)
        reached = enough if len(sampled) >= enough else None
    else:
        reached = first_within(sampled, size, plan.half_width or 0.0)
    return PlanStanding("interim" if reached is None else "final", plan, len(sampled), reached)
