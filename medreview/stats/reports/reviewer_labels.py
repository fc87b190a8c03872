"""What a reviewer said about the statements of a study, apart by what had been seen of the judges' opinion."""

import sqlite3
from dataclasses import dataclass
from typing import Final, Literal

Mode = Literal["blind", "assisted"]

DRAWN: Final = "audit"
"""The queue that is a random draw."""

_LABELS: Final = """
SELECT l.unit, s.response_id, l.mode, l.block, l.label, l.current, l.changed_after_reveal,
       l.event_id IN (SELECT event_id FROM decision_stale) AS stale,
       coalesce(json_extract(e.payload, '$.filter'), '') <> '' AS filtered,
       l.mode = 'blind' AND json_extract(e.payload, '$.exposure.judge_totals') IS 'before' AS after_totals,
       coalesce(json_extract(e.payload, '$.exposure.other_reviewer'), 'no') <> 'no' AS saw_others,
       l.block = 'deferred' AND l.mode = 'blind'
           AND EXISTS (SELECT 1 FROM audit_item AS a WHERE a.statement_id = l.unit) AS put_off
FROM reviewer_label AS l JOIN statement_standing AS s ON s.statement_id = l.unit
JOIN event AS e ON e.event_id = l.event_id
WHERE l.reviewer = ? AND l.pass = ?"""
_OF_AUDIT: Final = " AND l.unit IN (SELECT statement_id FROM audit_item)"

_WAITS: Final = """
SELECT EXISTS (
    SELECT 1 FROM audit_item AS a WHERE NOT EXISTS (
        SELECT 1 FROM standing AS m WHERE m.unit = a.statement_id AND m.reviewer = ? AND m.pass = ?))"""


@dataclass(frozen=True, slots=True)
class Group:
    """Labels that may be pooled: one mode, and one way in which the statements came to be reviewed.

    ``drawn``: by the random audit or not; ``None`` for units that no audit draws.
    """

    mode: Mode
    drawn: bool | None = None

    @property
    def title(self) -> str:
        """``blind, random audit``, ``assisted, other queues`` and so on."""
        return self.mode if self.drawn is None else f"{self.mode}, {'random audit' if self.drawn else 'other queues'}"


GROUPS: Final = (Group("blind", True), Group("blind", False), Group("assisted", True), Group("assisted", False))
"""Never pooled with each other: assistance inflates agreement, and triage looks for errors instead of a rate."""


@dataclass(frozen=True, slots=True)
class ReviewerLabel:
    """A reviewer's evidence label on one statement: ``label`` in its group, ``current`` as it stands now.

    A statement whose first label is blind keeps that label in the blind group, whatever the reveal changed.
    ``changed_after_reveal``: and it was changed then. ``stale``: it was given on a page whose text has changed since.
    ``filtered``: in a queue that was narrowed by a filter. ``after_totals``: blind, but figures of the judges had been
    read by then. ``saw_others``: given when another reviewer's label or note on it had been seen.
    """

    unit: str
    response_id: str
    group: Group
    label: str
    current: str
    stale: bool = False
    changed_after_reveal: bool = False
    filtered: bool = False
    after_totals: bool = False

    @property
    def mode(self) -> Mode:
        """Blind or assisted."""
        return self.group.mode

    saw_others: bool = False


def reviewers(reader: sqlite3.Connection) -> list[str]:
    """Everybody who left an event on a statement of the study, by name."""
    query = """SELECT DISTINCT reviewer FROM event
               WHERE unit <> (SELECT value FROM study WHERE key = 'study_id') ORDER BY reviewer"""
    return [row[0] for row in reader.execute(query)]


def reviewer_labels(
    reader: sqlite3.Connection, reviewer: str, pass_no: int = 1, *, audited: bool = False
) -> dict[str, ReviewerLabel]:
    """The reviewer's standing evidence labels by statement, each as the view ``reviewer_label`` counts it.

    Blind: the first label, when nothing of the judges' opinion had been seen before. Assisted: everything else, with
    the current label. What was labelled through a filter is no random draw while anything of the audit still waits; a
    member of the audit that was put off blind and decided so later is. ``audited``: those of the audit's members alone.
    """
    who = (reviewer, pass_no)
    waits = bool(reader.execute(_WAITS, who).fetchone()[0])
    return {
        row["unit"]: ReviewerLabel(
            unit=row["unit"],
            response_id=row["response_id"],
            group=Group(row["mode"], bool(row["block"] == DRAWN or row["put_off"]) and not (waits and row["filtered"])),
            label=row["label"],
            current=row["current"],
            stale=bool(row["stale"]),
            changed_after_reveal=bool(row["changed_after_reveal"]),
            filtered=bool(row["filtered"]),
            after_totals=bool(row["after_totals"]),
            saw_others=bool(row["saw_others"]),
        )
        for row in reader.execute(_LABELS + (_OF_AUDIT if audited else ""), who)
    }
