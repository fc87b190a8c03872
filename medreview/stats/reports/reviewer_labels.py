"""What a reviewer said about the statements of a study, apart by what had been seen of the judges' opinion."""

import sqlite3
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

Mode = Literal["blind", "assisted"]

DRAWN: Final = "audit"
"""The queue that is a random draw."""

_LABELS: Final = """
SELECT l.unit, s.response_id, l.mode, l.block, l.label, l.current, l.changed_after_reveal,
       EXISTS (SELECT 1 FROM decision_stale AS d WHERE d.event_id = l.event_id) AS stale,
       coalesce(json_extract(e.payload, '$.filter'), '') <> '' AS filtered,
       l.mode = 'blind' AND json_extract(e.payload, '$.exposure.judge_totals') IS 'before' AS after_totals,
       coalesce(json_extract(e.payload, '$.exposure.other_reviewer'), 'no') <> 'no' AS saw_others,
       l.block = 'deferred' AND l.mode = 'blind'
           AND EXISTS (SELECT 1 FROM audit_item AS a WHERE a.statement_id = l.unit) AS put_off
FROM reviewer_label AS l JOIN statement_standing AS s ON s.statement_id = l.unit
JOIN event AS e ON e.event_id = l.event_id
WHERE l.reviewer = ? AND l.pass = ?"""
_OF_AUDIT: Final = " AND l.unit IN (SELECT statement_id FROM audit_item)"

_WAITING: Final = """
SELECT a.statement_id FROM audit_item AS a WHERE NOT EXISTS (
    SELECT 1 FROM main_live AS m WHERE m.unit = a.statement_id AND m.reviewer = ? AND m.pass = ?)"""


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

_GROUPS: Final = {(group.mode, bool(group.drawn)): group for group in GROUPS}

NOT_DRAWN: Final = (
    "These statements were chosen, not drawn at random: agreement on them says nothing on the rest of the study."
)
"""What is to be said of figures of the groups that are not drawn."""


class ReviewerLabel(NamedTuple):
    """A reviewer's evidence label on one statement: ``label`` in its group, ``current`` as it stands now.

    A statement whose first label is blind keeps that label in the blind group, whatever the reveal changed.
    ``changed_after_reveal``: and it was changed then. ``stale``: it was given on a page whose text has changed since.
    ``from_draw``: given as a member of the audit. ``filtered``: in a queue that was narrowed by a filter.
    ``after_totals``: blind, but figures of the judges had been read by then. ``saw_others``: given when another
    reviewer's label or note on it had been seen. ``queue``: the name of the one that it was given in.
    """

    unit: str
    response_id: str
    group: Group
    label: str
    current: str
    stale: bool = False
    changed_after_reveal: bool = False
    from_draw: bool = False
    filtered: bool = False
    after_totals: bool = False
    saw_others: bool = False
    queue: str = ""

    @property
    def mode(self) -> Mode:
        """Blind or assisted."""
        return self.group.mode

    def grouped(self, *, waits: bool) -> "ReviewerLabel":
        """The same label in the group that it has while something of the audit ``waits``, or does not."""
        return self._replace(group=_group(self.mode, self.from_draw, self.filtered, waits))


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
    waits = reader.execute(f"SELECT EXISTS ({_WAITING})", who).fetchone()[0]
    rows = reader.execute(_LABELS + (_OF_AUDIT if audited else ""), who)
    return {row[0]: _label(row, waits=bool(waits)) for row in rows}


def reviewer_label(
    reader: sqlite3.Connection, unit: str, reviewer: str, pass_no: int = 1, *, waits: bool
) -> ReviewerLabel | None:
    """The reviewer's label on one statement, ``None`` without any. ``waits``: whether anything of the audit does."""
    row = reader.execute(f"{_LABELS} AND l.unit = ?", (reviewer, pass_no, unit)).fetchone()
    return _label(row, waits=waits) if row else None


def waiting_members(reader: sqlite3.Connection, reviewer: str, pass_no: int = 1) -> set[str]:
    """The members of the audit that the reviewer has neither decided nor put off."""
    return {row[0] for row in reader.execute(_WAITING, (reviewer, pass_no))}


def waits_in_audit(reader: sqlite3.Connection, unit: str, reviewer: str, pass_no: int = 1) -> bool:
    """Whether a statement is one of them."""
    query = f"{_WAITING} AND a.statement_id = ?"
    return reader.execute(query, (reviewer, pass_no, unit)).fetchone() is not None


def _label(row: sqlite3.Row, *, waits: bool) -> ReviewerLabel:
    unit, response_id, mode, block, label, current, changed, stale, filtered, after_totals, saw_others, put_off = row
    from_draw = bool(block == DRAWN or put_off)
    return ReviewerLabel(
        unit=unit,
        response_id=response_id,
        group=_group(mode, from_draw, bool(filtered), waits),
        label=label,
        current=current,
        stale=bool(stale),
        changed_after_reveal=bool(changed),
        from_draw=from_draw,
        filtered=bool(filtered),
        after_totals=bool(after_totals),
        saw_others=bool(saw_others),
        queue=block,
    )


def _group(mode: Mode, from_draw: bool, filtered: bool, waits: bool) -> Group:
    return _GROUPS[mode, from_draw and not (waits and filtered)]
