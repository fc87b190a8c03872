"""What the labels of the audit say so far, for the first screen: the judges against the reviewer, and the study."""

import sqlite3
from dataclasses import dataclass

from medreview.review.live_agreement import GroupView, LiveFigures
from medreview.stats.reports.leading_estimate import leading_estimate


@dataclass(frozen=True, slots=True)
class HomeFigures:
    """The labels of the audit that lead (blind ones, where there are any) beside the judges together; ``supported``:
    how much of the study is, in words."""

    view: GroupView
    supported: str


def home_figures(reader: sqlite3.Connection, reviewer: str) -> HomeFigures | None:
    """The figures of one reviewer; ``None`` as long as no label of the audit meets a verdict.

    They tell of the judges: whoever shows them asks first whether a blind block is open, and records the look.
    """
    figures = LiveFigures(reader, reviewer, audited=True)
    group = next((group for group in figures.groups if group.drawn), None)
    if group is None:
        return None
    view = figures.view(group, figures.scale_of(group))
    if not view.agreement.n:
        return None
    estimate = leading_estimate(reader, reviewer, labels=figures.labels)
    return HomeFigures(view, estimate.words if estimate else "")
