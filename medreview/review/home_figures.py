"""What labels say so far, for the first screen: the reviewer's own of the answers, then the audit's of the judges."""

import sqlite3
from dataclasses import dataclass

from medreview.review.live_agreement import GroupView, LiveFigures
from medreview.stats.reports.audit_headline import leading_estimate
from medreview.stats.reports.own_labels import OwnLabels, own_labels
from medreview.stats.reports.reviewer_labels import reviewer_labels
from medreview.stats.units.kind_labels import UnitHeadline, unit_headline
from medreview.units.registry import KINDS


@dataclass(frozen=True, slots=True)
class HomeFigures:
    """``own``: what the reviewer's labels on statements say, ``units`` of each other kind that the reviewer labelled:
    these hold nothing from machines. ``view``: the labels of the audit that lead (blind ones, where there are any)
    beside the judges together, ``supported``: how much of the study is, in words; these reveal the judges, and are
    missing where that is not allowed."""

    own: OwnLabels | None
    units: tuple[UnitHeadline, ...]
    view: GroupView | None = None
    supported: str = ""


def home_figures(reader: sqlite3.Connection, reviewer: str, *, judges: bool = True) -> HomeFigures:
    """The figures of one reviewer; ``judges``: with what reveals them.

    A caller that shows that part first checks for an open blind block, and records the look.
    """
    found = HomeFigures(
        own_labels(reader, reviewer, reviewer_labels(reader, reviewer)),
        tuple(
            kind
            for name in KINDS
            if KINDS[name].in_use(reader) and (kind := unit_headline(reader, name, [reviewer], machines=False)).raters
        ),
    )
    if not judges:
        return found
    figures = LiveFigures(reader, reviewer, audited=True)
    group = next((group for group in figures.groups if group.drawn), None)
    view = figures.view(group, figures.scale_of(group)) if group is not None else None
    if view is None or not view.agreement.n:
        return found
    estimate = leading_estimate(reader, reviewer, labels=figures.labels)
    return HomeFigures(found.own, found.units, view, estimate.words if estimate else "")
