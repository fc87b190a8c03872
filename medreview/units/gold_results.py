"""Gold items, whose right label is known beforehand, and what reviewers gave them."""

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from medreview.labels import same_label
from medreview.study.study_acts import study_acts
from medreview.text import Span
from medreview.units.stored import load_gold
from medreview.units.view import Gold

_HIDDEN: Final = """SELECT 1 FROM kept_blind
WHERE unit = ? AND reviewer = ? AND pass = ? AND act = 'decide' AND NOT seen"""


@dataclass(frozen=True, slots=True)
class GoldItem:
    """The right label of a unit, and who said so when."""

    unit: str
    gold: Gold
    added_by: str
    added_at: str


@dataclass(frozen=True, slots=True)
class GoldResult:
    """A reviewer's label on a gold item. ``marked``: how many of the spans that belong to it the reviewer marked, which
    is any of the same label in the same text that touches it."""

    unit: str
    gold: Gold
    label: str
    marked: int

    @property
    def right(self) -> bool:
        """Whether the label is the right one."""
        return same_label(self.gold.axis, self.label, self.gold.label)


def gold_items(reader: sqlite3.Connection) -> list[GoldItem]:
    """All of them, for whoever runs the study."""
    rows = reader.execute("SELECT unit, axis, added_by, added_at FROM gold ORDER BY unit, axis").fetchall()
    found = ((row, load_gold(reader, row["unit"], row["axis"])) for row in rows)
    return [GoldItem(row["unit"], gold, row["added_by"], row["added_at"]) for row, gold in found if gold is not None]


def gold_results(
    reader: sqlite3.Connection, reviewer: str, pass_no: int = 1, units: Collection[str] | None = None
) -> list[GoldResult]:
    """What a reviewer gave the gold items that are decided, of some units or of all.

    The label that stood when the right one was told (``medreview.review.gold.tell``) counts; before that the one that
    stands, of a blind one the first, as in every figure. To be shown when the block of the units is done.
    """
    told = labels_when_told(reader, reviewer, pass_no)
    found = []
    for item in gold_items(reader):
        if units is None or item.unit in units:
            axis = item.gold.axis
            label = told.get((item.unit, axis)) or _label(reader, item.unit, axis, reviewer, pass_no)
            if label is not None:
                found.append(GoldResult(item.unit, item.gold, label, _marked(reader, item, reviewer, pass_no)))
    return found


def told_results(reader: sqlite3.Connection, reviewer: str, pass_no: int = 1) -> list[GoldResult]:
    """Those that no open block hides any more: what figures and exports may count."""
    told = labels_when_told(reader, reviewer, pass_no)
    return [one for one in gold_results(reader, reviewer, pass_no)
            if (one.unit, one.gold.axis) in told
            or not reader.execute(_HIDDEN, (one.unit, reviewer, pass_no)).fetchone()]  # fmt: skip


def labels_when_told(reader: sqlite3.Connection, reviewer: str, pass_no: int) -> dict[tuple[str, str], str]:
    """The labels that stood when the right ones were told first, by unit and axis."""
    found: dict[tuple[str, str], str] = {}
    for act in study_acts(reader, "gold_told", reviewer):
        if act.pass_no == pass_no:
            for one in act.said["labels"]:
                found.setdefault((one["unit"], one["axis"]), one["label"])
    return found


def _label(reader: sqlite3.Connection, unit: str, axis: str, reviewer: str, pass_no: int) -> str | None:
    who, where = (unit, axis, reviewer, pass_no), "unit = ? AND axis = ? AND reviewer = ? AND pass = ?"
    row = reader.execute(f"SELECT label FROM reviewer_label WHERE {where}", who).fetchone()
    row = row or reader.execute(f"SELECT label FROM decision_current WHERE {where}", who).fetchone()
    return None if row is None else str(row[0])


def _marked(reader: sqlite3.Connection, item: GoldItem, reviewer: str, pass_no: int) -> int:
    if not item.gold.spans:
        return 0
    rows = reader.execute(
        "SELECT payload FROM span_live WHERE unit = ? AND reviewer = ? AND pass = ?", (item.unit, reviewer, pass_no)
    )
    mine = [json.loads(row[0]) for row in rows]
    return sum(
        any(
            (one["target"], one["label"]) == (target, label) and Span(one["start"], one["end"]).overlap(span)
            for one in mine
        )
        for target, span, label in item.gold.spans
    )
