"""A reviewer's labels on statements, apart by what was seen of the judges; scales to compare them with verdicts.

A label or verdict that has no place on a scale says why.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from medreview.labels import EVIDENCE, EVIDENCE_ORDER, Mode
from medreview.stats.clusters import Clusters, study_clusters

NO_JUDGEMENT: Final = "no judgement"
TIED: Final = "jury tied"
TIED_REVIEWERS: Final = "reviewers tied"
UNSURE: Final = "judge cannot judge"
TOGETHER: Final = "the judges together"
"""What the jury is called, beside the names of judges."""

COARSE: Final = "judge only says supported or not"
REVIEWER_UNSURE: Final = "reviewer cannot judge"
STALE: Final = "stale: the page has changed since the label"

OFFLINE_IS_TRIAGE: Final = "triage by rules, not a verdict"
"""What the word of the offline judge is, where no other spoke."""

_CANNOT: Final = "cannot_judge"


class Scale(NamedTuple):
    """The labels that two opinions are compared on, in the protocol's order.

    ``order``: the same labels from one end to the other, where their distance means something; weighted coefficients
    are of it. Empty where it does not, and for two labels, on which a weight changes nothing. ``folds``, of units other
    than the statement: by axis, which label of the axis is which of the scale; what is not in it has no place here. The
    axes stand in the order in which their labels count.
    """

    name: str
    title: str
    labels: tuple[str, ...]
    order: tuple[str, ...] = ()
    folds: Mapping[str, Mapping[str, str]] = {}


LEVELS: Final = Scale(
    "levels", "four labels", tuple(label.level for label in EVIDENCE if label.level != _CANNOT), EVIDENCE_ORDER
)
BINARY: Final = Scale("binary", "supported or not", ("supported", "not_supported"))
SCALES: Final = (LEVELS, BINARY)


class JuryVerdict(NamedTuple):
    """The word of one judge or of all on a statement, rolled up (``medreview.judges.rollup``).

    ``votes_for`` and ``votes_other`` count verdicts; ``tied``: votes were even, whatever the tie rule made of it;
    ``offline``: nobody but the offline judge spoke.
    """

    verdict: str | None
    supported: bool | None
    votes_for: int
    votes_other: int
    tied: bool
    offline: bool


class ScaleLabel(NamedTuple):
    """A label of the scale; without one, ``missing`` says why."""

    label: str | None
    missing: str = ""


def reviewers_label(level: str, scale: Scale, *, stale: bool = False) -> ScaleLabel:
    """A reviewer's evidence label on a scale; a stale one was given on another text than anything else is said of."""
    if stale:
        return ScaleLabel(None, STALE)
    if level == _CANNOT:
        return ScaleLabel(None, REVIEWER_UNSURE)
    return ScaleLabel(level if scale is LEVELS else BINARY.labels[level != "supported"])


def judges_label(said: JuryVerdict | None, scale: Scale) -> ScaleLabel:
    """What judges said on a scale. "Not found" has no place among the four labels, but is "not supported"."""
    if said is None:
        return ScaleLabel(None, NO_JUDGEMENT)
    if scale is BINARY:
        if said.supported is not None:
            return ScaleLabel(BINARY.labels[not said.supported])
        # Even votes with a word among them; else nobody could tell, or on one of the sources not.
        told = said.votes_for and (said.verdict != _CANNOT or said.votes_other)
        return ScaleLabel(None, TIED if said.tied and told else UNSURE)
    if said.verdict == _CANNOT:
        return ScaleLabel(None, UNSURE)
    if said.verdict is not None:
        return ScaleLabel(said.verdict)
    if said.votes_for:
        return ScaleLabel(None, TIED)
    return ScaleLabel(None, UNSURE if said.supported is None else COARSE)


DRAWN: Final = "audit"
"""The queue that is a random draw."""

_LABELS: Final = """
SELECT l.unit, s.response_id, l.mode, l.block, l.label, l.current, l.changed_after_reveal,
       EXISTS (SELECT 1 FROM decision_stale AS d WHERE d.event_id = l.event_id) AS stale,
       coalesce(json_extract(e.payload, '$.filter'), '') <> '' AS filtered,
       l.mode = 'blind' AND json_extract(e.payload, '$.exposure.judge_totals') IS 'before' AS after_totals,
       coalesce(json_extract(e.payload, '$.exposure.other_reviewer'), 'no') <> 'no' AS saw_others,
       EXISTS (SELECT 1 FROM audit_item AS a WHERE a.statement_id = l.unit) AS drawn
FROM reviewer_label AS l JOIN statement_standing AS s ON s.statement_id = l.unit
JOIN event AS e ON e.event_id = l.event_id
WHERE l.reviewer = ? AND l.pass = ?"""
_OF_AUDIT: Final = " AND l.unit IN (SELECT statement_id FROM audit_item)"

_WAITING: Final = """
SELECT a.statement_id FROM audit_item AS a WHERE NOT EXISTS (
    SELECT 1 FROM main_live AS m WHERE m.unit = a.statement_id AND m.reviewer = ? AND m.pass = ?)"""


ASSISTED: Final = "These labels were given with the judges in sight: they follow the judges more than blind ones would."
NOT_DRAWN: Final = (
    "These statements were chosen, not drawn at random: agreement on them says nothing on other statements."
)
"""What is to be said of figures of the groups that are not drawn."""


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

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is to be said where judges are held against these labels."""
        return (ASSISTED,) * (self.mode == "assisted") + (NOT_DRAWN,) * (self.drawn is False)


GROUPS: Final = (Group("blind", True), Group("blind", False), Group("assisted", True), Group("assisted", False))
"""Never pooled with each other: assistance inflates agreement, and triage looks for errors instead of a rate."""

_GROUPS: Final = {(group.mode, bool(group.drawn)): group for group in GROUPS}


class ReviewerLabel(NamedTuple):
    """A reviewer's evidence label on one statement: ``label`` in its group, ``current`` as it stands now.

    A statement whose first label is blind keeps that label in the blind group, whatever the reveal changed.
    ``changed_after_reveal``: and it was changed then. ``stale``: it was given on a page whose text has changed since.
    ``from_draw``: given as a member of the audit. ``filtered``: in a queue that was narrowed by a filter.
    ``after_totals``: blind, but figures of the judges had been read by then. ``saw_others``: given when another
    reviewer's label or note on it had been seen. ``queue``: the name of the one that it was given in. ``cluster``: what
    is resampled with it, that of its response (``medreview.stats.clusters``).
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
    cluster: str = ""

    @property
    def mode(self) -> Mode:
        """Blind or assisted."""
        return self.group.mode

    def grouped(self, *, waits: bool) -> "ReviewerLabel":
        """The same label in the group that it has while something of the audit ``waits``, or does not."""
        return self._replace(group=group_of(self.mode, self.from_draw, self.filtered, waits))


def reviewers(reader: sqlite3.Connection) -> list[str]:
    """Everybody who left an event on a statement of the study, by name."""
    query = """SELECT DISTINCT reviewer FROM event
               WHERE unit <> (SELECT value FROM study WHERE key = 'study_id') ORDER BY reviewer"""
    return [row[0] for row in reader.execute(query)]


def reviewer_labels(
    reader: sqlite3.Connection,
    reviewer: str,
    pass_no: int = 1,
    *,
    audited: bool = False,
    clusters: Clusters | None = None,
) -> dict[str, ReviewerLabel]:
    """The reviewer's standing evidence labels by statement, each as the view ``reviewer_label`` counts it.

    Blind: the first label, when nothing of the judges' opinion had been seen before. Assisted: everything else, with
    the current label. Labels given through a filter are no random draw while anything of the audit still waits; a
    member of the audit that was put off blind and decided so later is. ``audited``: those of the audit's members alone.
    ``clusters``: those of the study, where they are known already.
    """
    clusters = clusters or study_clusters(reader)
    who = (reviewer, pass_no)
    waits = reader.execute(f"SELECT EXISTS ({_WAITING})", who).fetchone()[0]
    rows = reader.execute(_LABELS + (_OF_AUDIT if audited else ""), who)
    return {row[0]: _label(row, clusters, waits=bool(waits)) for row in rows}


def reviewer_label(
    reader: sqlite3.Connection, unit: str, reviewer: str, pass_no: int = 1, *, waits: bool, clusters: Clusters
) -> ReviewerLabel | None:
    """The reviewer's label on one statement, ``None`` without any. ``waits``: whether anything of the audit does."""
    row = reader.execute(f"{_LABELS} AND l.unit = ?", (reviewer, pass_no, unit)).fetchone()
    return _label(row, clusters, waits=waits) if row else None


def waiting_members(reader: sqlite3.Connection, reviewer: str, pass_no: int = 1) -> set[str]:
    """The members of the audit that the reviewer has neither decided nor put off."""
    return {row[0] for row in reader.execute(_WAITING, (reviewer, pass_no))}


def waits_in_audit(reader: sqlite3.Connection, unit: str, reviewer: str, pass_no: int = 1) -> bool:
    """Whether a statement is one of them."""
    query = f"{_WAITING} AND a.statement_id = ?"
    return reader.execute(query, (reviewer, pass_no, unit)).fetchone() is not None


def _label(row: sqlite3.Row, clusters: Clusters, *, waits: bool) -> ReviewerLabel:
    unit, response_id, mode, block, label, current, changed, stale, filtered, after_totals, saw_others, drawn = row
    of_draw = from_draw(block, mode, drawn=bool(drawn))
    return ReviewerLabel(
        unit=unit,
        response_id=response_id,
        group=group_of(mode, of_draw, bool(filtered), waits),
        label=label,
        current=current,
        stale=bool(stale),
        changed_after_reveal=bool(changed),
        from_draw=of_draw,
        filtered=bool(filtered),
        after_totals=bool(after_totals),
        saw_others=bool(saw_others),
        queue=block,
        cluster=clusters.of[response_id],
    )


def from_draw(queue: str, mode: str, *, drawn: bool) -> bool:
    """Whether a label was given as a member of the audit: in its queue, or in that of what was put off, blind, by a
    member."""
    return queue == DRAWN or (queue == "deferred" and mode == "blind" and drawn)


def group_of(mode: Mode, of_draw: bool, filtered: bool, waits: bool) -> Group:
    """The group of a label that was given as a member of the audit or not, through a filter or not, while something of
    the audit ``waits`` or not."""
    return _GROUPS[mode, of_draw and not (waits and filtered)]
