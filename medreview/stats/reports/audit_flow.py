"""The members of the audit, and what became of each: which count now, and with what label.

Only a beginning of the draw counts, up to the first member that still waits: every beginning is a random draw of its
own, whatever was done behind it, through a filter or in another queue.
"""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, get_args

from medreview.stats.formulas.audit_sampling import Sampled
from medreview.stats.reports.reviewer_labels import BINARY, TIED, JuryVerdict, ReviewerLabel, ScaleLabel, judges_label
from medreview.stats.reports.study_reader import EVERYTHING, Selection

Labels = Mapping[str, ReviewerLabel]
_Met = Literal[
    "not_looked_at", "seen_before", "labelled_out_of_turn", "deferred", "cannot_judge", "no_judgement", "tied", "stale",
    "used",
]  # fmt: skip
_WAITING: Final[frozenset[_Met]] = frozenset({"not_looked_at", "seen_before", "labelled_out_of_turn"})
_LABELLED: Final[frozenset[_Met]] = frozenset({"cannot_judge", "no_judgement", "tied", "stale", "used"})

# In this order every beginning is a draw at a part of the rates.
_MEMBERS: Final = """
SELECT a.statement_id, s.response_id, r.model, r.origin, a.inclusion_prob, v.verdict, v.supported, v.votes_for,
       v.votes_other, v.tied, v.judgement_id IS NOT NULL AS judged, coalesce(v.priority, 0) > 0 AS flagged
FROM audit_item AS a JOIN statement AS s USING (statement_id) JOIN response AS r USING (response_id)
LEFT JOIN verdict AS v USING (statement_id)
ORDER BY a.number / a.inclusion_prob, a.statement_id"""
_PUT_OFF: Final = """
SELECT unit FROM put_off WHERE reviewer = ? AND pass = ? AND unit IN (SELECT statement_id FROM audit_item)"""

# What judges_seen has of members, asked member by member: the view is worked out whole where it is joined.
_SEEN: Final = """
SELECT a.statement_id FROM audit_item AS a
WHERE EXISTS (SELECT 1 FROM judges_shown AS j WHERE j.unit = a.statement_id AND j.reviewer = ?1)
      OR EXISTS (SELECT 1 FROM judges_read AS j WHERE j.unit = a.statement_id AND j.reviewer = ?1)"""


@dataclass(frozen=True, slots=True)
class AuditFlow:
    """Counts of statements, from the study to the figure.

    ``in_study`` = ``not_drawn`` + ``drawn``. ``drawn`` is the sum of all that follow: ``not_looked_at``;
    ``seen_before``, with the judges and without a label; ``labelled_out_of_turn``, behind one that still waits or
    through a filter, to be used when none waits; ``deferred``; ``cannot_judge``; ``no_judgement`` and ``tied``, of the
    judges, where the figure is about these; ``stale``; ``used``. ``assisted`` of the used ones were seen with the
    judges before they were labelled.
    """

    in_study: int
    not_drawn: int
    drawn: int
    not_looked_at: int
    seen_before: int
    labelled_out_of_turn: int
    deferred: int
    cannot_judge: int
    no_judgement: int
    tied: int
    stale: int
    used: int
    assisted: int

    @property
    def waiting(self) -> int:
        """Members that are still to be labelled, or whose label waits for its turn."""
        return self.not_looked_at + self.seen_before + self.labelled_out_of_turn

    @property
    def usable(self) -> float:
        """Of the members that were met in turn, the share that came to be used; 1 before any was."""
        met = self.drawn - self.waiting
        return self.used / met if self.used else 1.0


@dataclass(frozen=True, slots=True)
class Member:
    """A drawn statement as one figure counts it; ``value`` where it is used; ``filtered``: given through a filter."""

    unit: str
    response_id: str
    model: str
    origin: str
    probability: float
    flagged: bool
    met: _Met
    value: float
    assisted: bool
    filtered: bool

    @property
    def sampled(self) -> Sampled:
        """The member in a formula."""
        return Sampled(self.value, self.response_id, self.probability)


def drawn_rows(reader: sqlite3.Connection, only: Selection = EVERYTHING) -> list[sqlite3.Row]:
    """The members of the audit with the judges' word on them, in its order; ``only``: in this part of the study."""
    return [row for row in reader.execute(_MEMBERS) if only.holds(row["statement_id"])]


class Looked(NamedTuple):
    """What a reviewer put off, and which members of the audit the reviewer saw with the judges."""

    put_off: frozenset[str]
    seen: frozenset[str]


def looked_at(reader: sqlite3.Connection, reviewer: str, pass_no: int) -> Looked:
    """Both, for :func:`met` and :func:`in_turn`. It takes a while in a large study: asked once for all figures."""
    put_off = frozenset(row[0] for row in reader.execute(_PUT_OFF, (reviewer, pass_no)))
    return Looked(put_off, frozenset(row[0] for row in reader.execute(_SEEN, (reviewer,))))


def met(looked: Looked, labels: Labels, rows: Sequence[sqlite3.Row]) -> bool:
    """Whether a reviewer labelled any of these members, put one off, or saw one with the judges."""
    units = {row["statement_id"] for row in rows}
    return bool(units & (labels.keys() | looked.put_off | looked.seen))


def in_turn(
    labels: Mapping[str, Labels],
    looked: Mapping[str, Looked],
    rows: Sequence[sqlite3.Row],
    *,
    against_judges: bool = False,
) -> list[Member]:
    """The members by the labels of all these reviewers together; on one statement these are averaged.

    ``looked`` has every reviewer of ``labels``.
    A value is whether it is supported or, ``against_judges``, whether they say the same as the judges together. Behind
    the first member that waits, and labelled through a filter while one does, a member does not count yet.
    """
    put_off = frozenset().union(*(looked[name].put_off for name in labels))
    seen = frozenset().union(*(looked[name].seen for name in labels))
    told = list(labels.values())
    members = [_member(row, told, put_off, seen, _judges(row) if against_judges else None) for row in rows]
    if not any(member.met in _WAITING for member in members):
        return members
    marked = [replace(member, met="labelled_out_of_turn") if member.filtered else member for member in members]
    first = next(place for place, member in enumerate(marked) if member.met in _WAITING)
    later = (replace(each, met="labelled_out_of_turn") if each.met in _LABELLED else each for each in marked[first:])
    return [*marked[:first], *later]


def flow_of(members: Sequence[Member], size: int) -> AuditFlow:
    """Where the members went, of a study of ``size`` statements."""
    counts = Counter(member.met for member in members)
    return AuditFlow(
        in_study=size,
        not_drawn=size - len(members),
        drawn=len(members),
        **{met: counts[met] for met in get_args(_Met)},
        assisted=sum(member.assisted for member in members if member.met == "used"),
    )


def usable(label: ReviewerLabel) -> bool:
    """It says supported or not, on the page as it is."""
    return not label.stale and label.label != "cannot_judge"


def _member(
    row: sqlite3.Row, told: Sequence[Labels], put_off: Set[str], seen: Set[str], against: ScaleLabel | None
) -> Member:
    unit = row["statement_id"]
    given = [labels[unit] for labels in told if unit in labels]
    blind = [label for label in given if label.group.mode == "blind"]
    used = [label for label in blind or given if usable(label)]
    value, met, assisted = 0.0, _not_used(unit, given, put_off, seen), False
    if used:
        met, assisted = "used", not blind
        if against is not None and against.label is None:
            met = "tied" if against.missing == TIED else "no_judgement"
        else:
            wanted = against.label if against is not None else BINARY.labels[0]
            value = sum(BINARY.labels[label.label != "supported"] == wanted for label in used) / len(used)
    return Member(
        unit=unit,
        response_id=row["response_id"],
        model=row["model"],
        origin=row["origin"],
        probability=row["inclusion_prob"],
        flagged=bool(row["flagged"]),
        met=met,
        value=value,
        assisted=assisted,
        filtered=bool(blind) and all(label.filtered for label in blind),
    )


def _not_used(unit: str, given: Sequence[ReviewerLabel], put_off: Set[str], seen: Set[str]) -> _Met:
    if given:
        return "stale" if all(label.stale for label in given) else "cannot_judge"
    if unit in put_off:
        return "deferred"
    return "seen_before" if unit in seen else "not_looked_at"


def _judges(row: sqlite3.Row) -> ScaleLabel:
    if not row["judged"]:
        return judges_label(None, BINARY)
    supported = None if row["supported"] is None else bool(row["supported"])
    said = JuryVerdict(row["verdict"], supported, row["votes_for"], row["votes_other"], bool(row["tied"]), False)
    return judges_label(said, BINARY)
