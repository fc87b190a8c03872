"""The one figure of the audit for a screen that opens at once: without numpy, and without reading judgements."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from medreview.stats.clusters import study_clusters
from medreview.stats.formulas.estimate import Estimate, percent
from medreview.stats.reports.audit_looks import PlanStanding, plan_standing
from medreview.stats.reports.audit_report import audit_share_of, drawn_rows, in_turn, leading, looked_at, used_of
from medreview.stats.reports.audit_verdicts import judges_together, with_verdicts
from medreview.stats.reports.reviewer_labels import ReviewerLabel, reviewer_labels
from medreview.study.counts import count_statements
from medreview.study.study_acts import coin_of, stopping_plans


@dataclass(frozen=True, slots=True)
class LeadingEstimate:
    """The share supported in this study by one reviewer's audit, with the judges' help where that is worth labels.

    ``used`` labels, ``assisted`` of them given with the judges in sight; ``waiting`` members of the draw. ``alone``:
    what the verdicts say uncorrected. ``as_good_as``: labels of which the audit alone would be as sure, where the
    verdicts help. ``standing``: whether the plan of the audit is reached.
    """

    estimate: Estimate
    used: int
    assisted: int
    waiting: int
    alone: float | None
    as_good_as: int | None
    standing: PlanStanding

    @property
    def words(self) -> str:
        """``supported in this study, estimated 71% ± 9, interim (the judges alone say 80%)``, or what is missing.

        The number after ± is the longer side of the 95% interval. It tells what the judges say: not for a blind block.
        """
        value, low, high = self.estimate.value, self.estimate.low, self.estimate.high
        if value is None:
            return f"supported in this study, not estimated yet: {self.estimate.reason}"
        sure = "" if low is None or high is None else f" ± {percent(max(value - low, high - value), 0)[:-1]}"
        sure += ", interim" if sure and self.standing.state == "interim" else ""
        told = [f"the judges alone say {percent(self.alone, 0)}"] if self.alone is not None else []
        told += [f"assisted in part: {self.assisted} of {self.used}"] if self.assisted else []
        told += ["no plan is set: ± holds for one look"] if sure and self.standing.plan is None else []
        aside = f" ({'; '.join(told)})" if told else ""
        return f"supported in this study, estimated {percent(value, 0)}{sure}{aside}"


def leading_estimate(
    reader: sqlite3.Connection, reviewer: str, *, labels: Mapping[str, ReviewerLabel] | None = None
) -> LeadingEstimate | None:
    """That of one reviewer; ``None`` where no audit is drawn, or nothing of it has a label.

    ``labels``: the reviewer's on the audit's members, where they are read already.
    """
    rows = drawn_rows(reader)
    if labels is None:
        labels = reviewer_labels(reader, reviewer, audited=True) if rows else {}
    if not rows or not labels:
        return None
    clusters = study_clusters(reader)
    looked = {reviewer: looked_at(reader, reviewer, 1)}
    members = in_turn({reviewer: labels}, looked, rows, clusters=clusters, coin=coin_of(reader))
    alone = audit_share_of("supported, by the audit", members, count_statements(reader), clusters.name)
    helped = with_verdicts(members, judges_together(reader, clusters))
    estimate = leading(alone, helped)
    now = plan_standing(stopping_plans(reader), used_of(members), alone.flow.in_study)
    return LeadingEstimate(
        estimate=now.marked(estimate),
        used=alone.flow.used,
        assisted=alone.flow.assisted,
        waiting=alone.flow.waiting,
        alone=helped.alone.value,
        as_good_as=helped.as_good_as if estimate is helped.supported else None,
        standing=now,
    )
