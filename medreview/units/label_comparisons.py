"""What reviewers' labels are compared with: their own of the second pass, the judges' verdicts, and gold labels."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from medreview.judges.votes import jury
from medreview.labels import Mode, same_label
from medreview.study.audit_frame import listable
from medreview.study.counts import DIFFERING
from medreview.study.ids import content_id
from medreview.study.study_acts import study_acts
from medreview.text import Span
from medreview.units.kind import Gold
from medreview.units.statement_view import Judgement
from medreview.units.stored import load_gold

PASS_NO: Final = 2
"""The second pass."""

_SECOND: Final = """SELECT unit, axis, label, max(event_id) FROM main_live
WHERE reviewer = ? AND pass = ? AND kind = 'decide' GROUP BY unit, axis"""
_FIRST: Final = "SELECT label, mode FROM reviewer_label WHERE reviewer = ? AND pass = 1 AND unit = ? AND axis = ?"


@dataclass(frozen=True, slots=True)
class Twice:
    """A unit that a reviewer labelled in both passes; ``mode``: whether the first label was given blind."""

    unit: str
    axis: str
    first: str
    second: str
    mode: Mode

    @property
    def same(self) -> bool:
        """Whether both labels are the same."""
        return same_label(self.axis, self.first, self.second)


def labelled_twice(reader: sqlite3.Connection, reviewer: str, units: Collection[str] | None = None) -> list[Twice]:
    """The labels of both passes, on the axis of each unit's kind, of some units or of all.

    Of the first pass the one that every figure takes; of the second the one that was given before the judges were shown
    in it, whatever was known of them from the first.
    """
    found = []
    for row in reader.execute(_SECOND, (reviewer, PASS_NO)).fetchall():
        if units is not None and row["unit"] not in units:
            continue
        first = reader.execute(_FIRST, (reviewer, row["unit"], row["axis"])).fetchone()
        if first is not None:
            found.append(Twice(row["unit"], row["axis"], first["label"], row["label"], first["mode"]))
    return found


THEMES: Final = "override-themes"
"""The generator that makes themes of them; its report names the statements of each by their ids."""
PROMPT: Final = "override_themes"
"""The prompt that it asks with: what calls of models for it are known by."""

_DIFFER: Final = f"""
SELECT mine.unit, mine.label, mine.snapshot, mine.event_id, v.verdict, s.text FROM standing AS mine
JOIN verdict AS v ON v.statement_id = mine.unit JOIN statement AS s ON s.statement_id = mine.unit
JOIN response AS r USING (response_id)
WHERE mine.reviewer = ? AND mine.pass = 1 AND {DIFFERING} ORDER BY r.ordinal, s.ordinal"""
_SAID: Final = """SELECT unit, kind, payload FROM event_live
WHERE reviewer = ? AND pass = 1 AND kind IN ('reason', 'note') ORDER BY event_id"""
_REVIEWERS: Final = "SELECT DISTINCT reviewer FROM standing WHERE pass = 1 AND state = 'decided' ORDER BY reviewer"


@dataclass(frozen=True, slots=True)
class OverriddenLabel:
    """A label, as it stands, that is not the judges' verdict, and the statement's text.

    ``reason`` is a code of ``labels.REASONS`` or ``""``; ``snapshot_id``: the page that the reviewer saw; ``event_id``:
    the decision.
    """

    reviewer: str
    statement_id: str
    text: str
    verdict: str
    label: str
    reason: str
    note: str
    snapshot_id: str | None
    event_id: str


def overridden_labels(reader: sqlite3.Connection, reviewer: str) -> list[OverriddenLabel]:
    """Those of a reviewer's first pass, in the order of the answers."""
    rows = reader.execute(_DIFFER, (reviewer,)).fetchall()
    said: dict[str, list[tuple[str, dict[str, Any]]]] = {row["unit"]: [] for row in rows}
    for act in reader.execute(_SAID, (reviewer,)):
        if act["unit"] in said:
            said[act["unit"]].append((act["kind"], json.loads(act["payload"])))
    return [_overridden_label(reviewer, row, said[row["unit"]]) for row in rows]


def tellable(reader: sqlite3.Connection, reviewer: str, to: tuple[str, ...]) -> list[OverriddenLabel]:
    """Overridden labels that may be shown one by one, outside too: hidden neither from the askers, ``to``, nor from
    the reviewer, who sees the outcome."""
    listed = listable(reader, reviewer, *to)
    return [one for one in overridden_labels(reader, reviewer) if listed is None or one.statement_id in listed]


def reviewers_of_labels(reader: sqlite3.Connection) -> list[str]:
    """Reviewers with labels, by name."""
    return [row["reviewer"] for row in reader.execute(_REVIEWERS)]


def overridden_id(reviewer: str, labels: Iterable[OverriddenLabel]) -> str:
    """The same for the same labels, verdicts, reasons and notes of a reviewer: what themes were made of."""
    return content_id(
        "o", reviewer, *([one.statement_id, one.verdict, one.label, one.reason, one.note] for one in labels)
    )


def counting(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Those of a statement that count for its verdict."""
    votes: Collection[str] = {vote.judgement_id for vote in jury(one.vote for one in judgements)}
    return [one for one in judgements if one.judgement_id in votes]


def _overridden_label(reviewer: str, row: sqlite3.Row, acts: Sequence[tuple[str, dict[str, Any]]]) -> OverriddenLabel:
    of_this = (said for kind, said in reversed(acts) if kind == "reason" and said.get("decision") == row["event_id"])
    return OverriddenLabel(
        reviewer=reviewer,
        statement_id=row["unit"],
        text=row["text"],
        verdict=str(row["verdict"]),
        label=row["label"],
        reason=next((said["code"] for said in of_this), ""),
        note=next((said["text"] for kind, said in reversed(acts) if kind == "note"), ""),
        snapshot_id=row["snapshot"],
        event_id=row["event_id"],
    )


_HIDDEN: Final = """SELECT 1 FROM kept_blind
WHERE unit = ? AND reviewer = ? AND pass = ? AND act = 'decide' AND NOT seen"""


_OF_BATCHES: Final = """SELECT b.name, b.unit, s.unit IS NULL AS open FROM batch_unit AS b
LEFT JOIN standing AS s ON s.unit = b.unit AND s.reviewer = b.reviewer AND s.pass = 1 WHERE b.reviewer = ?"""


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

    The label when the gold label was shown (``medreview.review.gold.tell``) counts; before that the standing one, or
    the first if given blind, as in every figure. To be shown when the block of the units is done.
    """
    shown = labels_when_told(reader, reviewer, pass_no)
    found = []
    for item in gold_items(reader):
        if units is None or item.unit in units:
            axis = item.gold.axis
            label = shown.get((item.unit, axis)) or _label_given(reader, item.unit, axis, reviewer, pass_no)
            if label is not None:
                found.append(GoldResult(item.unit, item.gold, label, _marked(reader, item, reviewer, pass_no)))
    return found


def told_results(reader: sqlite3.Connection, reviewer: str, pass_no: int = 1) -> list[GoldResult]:
    """Those that no open block hides any more: what figures and exports may count.

    In a batch in which nothing is open no block is open either: who decided in a copy without judges had none to show.
    """
    results = gold_results(reader, reviewer, pass_no)
    shown = labels_when_told(reader, reviewer, pass_no)
    done = _in_done_batches(reader, reviewer) if results and pass_no == 1 else frozenset()
    return [one for one in results
            if (one.unit, one.gold.axis) in shown or one.unit in done
            or not reader.execute(_HIDDEN, (one.unit, reviewer, pass_no)).fetchone()]  # fmt: skip


def _in_done_batches(reader: sqlite3.Connection, reviewer: str) -> frozenset[str]:
    rows = reader.execute(_OF_BATCHES, (reviewer,)).fetchall()
    under_way = {row["name"] for row in rows if row["open"]}
    return frozenset(row["unit"] for row in rows if row["name"] not in under_way)


def labels_when_told(reader: sqlite3.Connection, reviewer: str, pass_no: int) -> dict[tuple[str, str], str]:
    """A reviewer's labels when the gold labels were first shown, by unit and axis."""
    found: dict[tuple[str, str], str] = {}
    for act in study_acts(reader, "gold_told", reviewer):
        if act.pass_no == pass_no:
            for one in act.said["labels"]:
                found.setdefault((one["unit"], one["axis"]), one["label"])
    return found


def _label_given(reader: sqlite3.Connection, unit: str, axis: str, reviewer: str, pass_no: int) -> str | None:
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
