"""What a reviewer said about the statements of a study, apart by what had been seen of the judges' opinion."""

import sqlite3
from dataclasses import dataclass
from typing import Final, Literal

Mode = Literal["blind", "assisted"]

DRAWN: Final = "audit"
"""The queue that is a random draw."""

_CURRENT: Final = """
SELECT d.unit, s.response_id, d.label, d.block, d.event_id IN (SELECT event_id FROM decision_stale) AS stale
FROM decision_current AS d JOIN statement AS s ON s.statement_id = d.unit
WHERE d.reviewer = ? AND d.pass = ? AND d.axis = 'evidence'"""

_FIRST: Final = """
SELECT unit, label, block, event_id IN (SELECT event_id FROM decision_stale) AS stale
FROM decision_first
WHERE reviewer = ? AND pass = ? AND axis = 'evidence' AND mode = 'blind'
      AND json_extract(payload, '$.exposure.judge_verdict') = 'no'"""


@dataclass(frozen=True, slots=True)
class Group:
    """Labels that may be pooled: one mode, and one way in which the statements came to be reviewed."""

    mode: Mode
    drawn: bool

    @property
    def title(self) -> str:
        """``blind, random audit``, ``assisted, other queues`` and so on."""
        return f"{self.mode}, {'random audit' if self.drawn else 'other queues'}"


GROUPS: Final = (Group("blind", True), Group("blind", False), Group("assisted", True), Group("assisted", False))
"""Never pooled with each other: assistance inflates agreement, and triage looks for errors instead of a rate."""


@dataclass(frozen=True, slots=True)
class ReviewerLabel:
    """A reviewer's evidence label on one statement: ``label`` in its group, ``current`` as it stands now.

    A statement whose first label is blind keeps that label in the blind group, whatever the reveal changed.
    ``stale``: it was given on a page whose text has changed since.
    """

    unit: str
    response_id: str
    group: Group
    label: str
    current: str
    stale: bool = False


def reviewers(reader: sqlite3.Connection) -> list[str]:
    """Everybody who left an event in the study, by name."""
    return [row[0] for row in reader.execute("SELECT DISTINCT reviewer FROM event ORDER BY reviewer")]


def reviewer_labels(reader: sqlite3.Connection, reviewer: str, pass_no: int = 1) -> dict[str, ReviewerLabel]:
    """The reviewer's standing evidence labels by statement.

    Blind: the first label, when its own event is of blind mode and says that the judges' verdict had not been seen.
    Assisted: everything else, with the current label.
    """
    blind = {row["unit"]: row for row in reader.execute(_FIRST, (reviewer, pass_no))}
    found = {}
    for row in reader.execute(_CURRENT, (reviewer, pass_no)):
        unit, current = row["unit"], row["label"]
        event, mode = (blind[unit], 0) if unit in blind else (row, 2)
        group = GROUPS[mode + (event["block"] != DRAWN)]
        found[unit] = ReviewerLabel(unit, row["response_id"], group, event["label"], current, bool(event["stale"]))
    return found
