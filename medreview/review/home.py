"""The figures of the first screen, those that are pinned to the review screen, and the actions of the first screen."""

import sqlite3
from dataclasses import dataclass
from typing import Final, NamedTuple

from medreview.review.actions import Action, unique
from medreview.review.live_agreement import GroupView, LiveFigures
from medreview.review.queue_kinds import ALL
from medreview.stats.reports.audit_report import leading_estimate
from medreview.stats.reports.own_labels import OwnLabels, own_labels
from medreview.stats.reports.reviewer_labels import GROUPS, SCALES, Group, Scale, reviewer_labels
from medreview.stats.units.kind_labels import UnitHeadline, unit_headline
from medreview.study import Study
from medreview.units.registry import KINDS


@dataclass(frozen=True, slots=True)
class HomeFigures:
    """``own``: what the reviewer's labels on statements say, ``units`` of each other kind that the reviewer labelled:
    no word of a machine is in these. ``view``: the labels of the audit that lead (blind ones, where there are any)
    beside the judges together, ``supported``: how much of the study is, in words; these tell of the judges, and are not
    there where they may not be told."""

    own: OwnLabels | None
    units: tuple[UnitHeadline, ...]
    view: GroupView | None = None
    supported: str = ""


def home_figures(reader: sqlite3.Connection, reviewer: str, pass_no: int = 1, *, judges: bool = True) -> HomeFigures:
    """The figures of one reviewer; ``judges``: with what tells of them.

    Whoever shows that part asks first whether a blind block is open, and records the look.
    """
    found = HomeFigures(
        own_labels(reader, reviewer, reviewer_labels(reader, reviewer, pass_no), pass_no),
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


_KEY: Final = "pinned_figures/"


class PinnedFigures(NamedTuple):
    """A group of labels beside the judges together, on a scale."""

    group: Group
    scale: Scale


def pinned_figures(reader: sqlite3.Connection, reviewer: str) -> PinnedFigures | None:
    """What a reviewer has pinned, if anything."""
    row = reader.execute("SELECT value FROM study WHERE key = ?", (_KEY + reviewer,)).fetchone()
    told = str(row[0]) if row else ""
    return next((one for one in _every() if _named(one) == told), None)


def pin_figures(study: Study, reviewer: str, pinned: PinnedFigures | None) -> None:
    """Pin figures, or none; what was pinned before is no longer."""
    key = _KEY + reviewer

    def change(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM study WHERE key = ?", (key,))
        if pinned is not None:
            connection.execute("INSERT INTO study VALUES (?, ?)", (key, _named(pinned)))

    study.write(change)


def _every() -> list[PinnedFigures]:
    return [PinnedFigures(group, scale) for group in GROUPS for scale in SCALES]


def _named(pinned: PinnedFigures) -> str:
    return f"{pinned.group.title}; {pinned.scale.name}"


HOME: Final = unique(
    (
        Action("open", ("enter",), "open", "Open the queue or the response at the pointer.", "First screen"),
        Action("next", ("j", "down"), "next", "Next line.", "First screen"),
        Action("previous", ("k", "up"), "previous", "Line before.", "First screen"),
        *(
            Action(f"open_{kind.name}", (kind.key,), kind.title, f"Open the queue “{kind.title}”.", "First screen")
            for kind in ALL
            if kind.key
        ),
        Action("release", ("X",), "give back", "Give what is reserved for the audit back to triage.", "First screen"),
        Action("palette", ("colon",), "all", "Everything, on a line: words find it, Enter does it.", "First screen"),
        Action("history", ("H",), "my decisions", "My last decisions and notes, to go there.", "First screen"),
        Action("figures", ("i",), "figures", "How often you and the judges agree.", "First screen"),
        Action("background", ("B",), "who decides", "Say who you are: role, years, specialty.", "First screen"),
        Action("no_background", ("N",), "never mind", "Do not say who you are; it is not asked again.", "First screen"),
        Action("guidelines", ("f2",), "guidelines", "What the labels mean in this study.", "First screen"),
        Action("redraw", ("f5",), "", "Draw the screen anew.", "First screen"),
        Action("help", ("question_mark", "f1"), "help", "This page.", "First screen"),
        Action("leave", ("q",), "leave", "End. Everything is saved already.", "First screen"),
    )
)
"""The keys of the first screen; they are not remapped. A letter that stands for something on another screen stands for
the same here; what only this screen has are capitals that stand for nothing elsewhere."""
