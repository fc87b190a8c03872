"""What the audit says of the whole study: how much is supported, how often the judges are right, and of which labels.

Only a beginning of the draw counts, up to the first member that still waits: every beginning is a random draw of its
own, whatever was done behind it, through a filter or in another queue.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from medreview.stats.formulas.audit_estimate import (
    Sampled,
    audit_share,
    post_stratified_share,
    share_at_large,
)
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.reports.label_scales import BINARY, TIED, JuryVerdict, ScaleLabel, judges_label
from medreview.stats.reports.reviewer_labels import ReviewerLabel
from medreview.stats.reports.selection import EVERYTHING, Selection
from medreview.study.audit_frame import Stratum, strata
from medreview.study.counts import count_statements

Labels = Mapping[str, ReviewerLabel]
_Met = Literal[
    "not_looked_at", "seen_before", "labelled_out_of_turn", "deferred", "cannot_judge", "no_judgement", "tied", "stale",
    "used",
]  # fmt: skip
_WAITING: Final[frozenset[_Met]] = frozenset({"not_looked_at", "seen_before", "labelled_out_of_turn"})
_LABELLED: Final[frozenset[_Met]] = frozenset({"cannot_judge", "no_judgement", "tied", "stale", "used"})

# In this order every beginning is a draw at a part of the rates.
_MEMBERS: Final = """
SELECT a.statement_id, s.response_id, a.inclusion_prob, v.verdict, v.supported, v.votes_for, v.votes_other, v.tied,
       v.judgement_id IS NOT NULL AS judged, coalesce(v.priority, 0) > 0 AS flagged
FROM audit_item AS a JOIN statement AS s USING (statement_id) LEFT JOIN verdict AS v USING (statement_id)
ORDER BY a.number / a.inclusion_prob, a.statement_id"""
_FLAGGED: Final = "SELECT statement_id FROM verdict JOIN statement_standing USING (statement_id) WHERE priority > 0"
_DEFERRED: Final = "SELECT unit FROM standing WHERE state = 'deferred' AND reviewer = ? AND pass = ?"
_SEEN: Final = "SELECT unit FROM judges_seen WHERE reviewer = ? AND unit IN (SELECT statement_id FROM audit_item)"


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


@dataclass(frozen=True, slots=True)
class AuditShare:
    """A share of the study's statements by the audit, in this study and in answers like these, and the flow to it.

    ``bounds``, where some of the labels are assisted: the value by the blind ones alone, with every other statement
    taken as a no, and as a yes.
    """

    flow: AuditFlow
    study: Estimate
    at_large: Estimate
    bounds: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class AuditFigures:
    """One reviewer's audit, or that of all together (``reviewer`` is ``None``; labels on one statement are averaged).

    ``supported``: statements that are supported. ``judges_right``: on which judges and reviewer both say supported, or
    both do not. ``with_triage``: the first, post-stratified by flag, where every flagged statement was labelled:
    assisted labels for these, the audit for all others.
    """

    reviewer: str | None
    supported: AuditShare
    judges_right: AuditShare
    with_triage: Estimate | None


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The audit of a study: its strata and what each reviewer's labels say; no figures where nothing of it was met."""

    strata: tuple[Stratum, ...]
    figures: tuple[AuditFigures, ...]


@dataclass(frozen=True, slots=True)
class _Member:
    """A drawn statement as one figure counts it; ``value`` where it is used; ``filtered``: given through a filter."""

    unit: str
    response_id: str
    probability: float
    flagged: bool
    met: _Met
    value: float
    assisted: bool
    filtered: bool


def audit_report(
    reader: sqlite3.Connection, labels: Mapping[str, Labels], pass_no: int = 1, only: Selection = EVERYTHING
) -> AuditReport:
    """The audit by the labels of each of these reviewers and, where there are several, of all together.

    With ``only`` it estimates that part of the study: members are drawn one by one, so that those among any part of the
    statements are a draw of that part, at the same probabilities. Not where the part was chosen by labels.
    """
    if only.by_labels:
        return AuditReport(tuple(strata(reader)), ())
    size = count_statements(reader) if only.statements is None else len(only.statements)
    flagged = {row[0] for row in reader.execute(_FLAGGED) if only.holds(row[0])}
    rows = [row for row in reader.execute(_MEMBERS) if only.holds(row["statement_id"])]
    units = {row["statement_id"] for row in rows}
    met = {name: held for name, held in labels.items() if units & (held.keys() | _seen(reader, name, pass_no))}
    groups: list[tuple[str | None, list[str]]] = [(name, [name]) for name in met]
    if len(met) > 1:
        groups.append((None, list(met)))
    found = []
    for who, names in groups:
        told = [met[name] for name in names]
        put_off = {row[0] for name in names for row in reader.execute(_DEFERRED, (name, pass_no))}
        seen = {row[0] for name in names for row in reader.execute(_SEEN, (name,))}
        members = _in_turn([_member(row, told, put_off, seen) for row in rows])
        judged = _in_turn([_member(row, told, put_off, seen, against=_judges(row)) for row in rows])
        found.append(
            AuditFigures(
                reviewer=who,
                supported=_share("supported, by the audit", members, size),
                judges_right=_share("judges right, by the audit", judged, size),
                with_triage=_with_triage(members, told, flagged, size),
            )
        )
    return AuditReport(tuple(strata(reader)), tuple(found))


def _seen(reader: sqlite3.Connection, reviewer: str, pass_no: int) -> set[str]:
    """What of the audit was put off, or seen with the judges."""
    queries: list[tuple[str, tuple[str | int, ...]]] = [(_DEFERRED, (reviewer, pass_no)), (_SEEN, (reviewer,))]
    return {row[0] for query, values in queries for row in reader.execute(query, values)}


def _member(
    row: sqlite3.Row, told: Sequence[Labels], put_off: set[str], seen: set[str], against: ScaleLabel | None = None
) -> _Member:
    """A member by all these reviewers; ``against``: the value is whether they agree with the judges."""
    unit = row["statement_id"]
    given = [labels[unit] for labels in told if unit in labels]
    blind = [label for label in given if label.group.mode == "blind"]
    used = [label for label in blind or given if _usable(label)]
    value, met, assisted = 0.0, _not_used(unit, given, put_off, seen), False
    if used:
        met, assisted = "used", not blind
        if against is not None and against.label is None:
            met = "tied" if against.missing == TIED else "no_judgement"
        else:
            wanted = against.label if against is not None else BINARY.labels[0]
            value = sum(BINARY.labels[label.label != "supported"] == wanted for label in used) / len(used)
    filtered = bool(blind) and all(label.filtered for label in blind)
    return _Member(
        unit, row["response_id"], row["inclusion_prob"], bool(row["flagged"]), met, value, assisted, filtered
    )


def _not_used(unit: str, given: Sequence[ReviewerLabel], put_off: set[str], seen: set[str]) -> _Met:
    if given:
        return "stale" if all(label.stale for label in given) else "cannot_judge"
    if unit in put_off:
        return "deferred"
    return "seen_before" if unit in seen else "not_looked_at"


def _in_turn(members: Sequence[_Member]) -> list[_Member]:
    """The members with those that do not count yet: behind the first one that waits, or labelled through a filter."""
    if not any(member.met in _WAITING for member in members):
        return list(members)
    marked = [replace(member, met="labelled_out_of_turn") if member.filtered else member for member in members]
    first = next(place for place, member in enumerate(marked) if member.met in _WAITING)
    later = (replace(each, met="labelled_out_of_turn") if each.met in _LABELLED else each for each in marked[first:])
    return [*marked[:first], *later]


def _share(name: str, members: Sequence[_Member], size: int) -> AuditShare:
    flow = _flow(members, size)
    used = [member for member in members if member.met == "used"]
    missing = flow.drawn - flow.used
    sampled = [_sampled(member) for member in used]
    notes = (f"assisted in part: {flow.assisted} of {flow.used}",) if flow.assisted else ()
    study = replace(audit_share(name, sampled, size, missing=missing), notes=notes)
    at_large = replace(share_at_large(f"{name}, in answers like these", sampled, missing=missing), notes=notes)
    bounds = None
    if flow.assisted and study.value is not None:
        total = sum(1 / member.probability for member in used)
        yes = sum(member.value / member.probability for member in used if not member.assisted)
        unknown = sum(1 / member.probability for member in used if member.assisted)
        bounds = (yes / total, (yes + unknown) / total)
    return AuditShare(flow, study, at_large, bounds)


def _flow(members: Sequence[_Member], size: int) -> AuditFlow:
    counts = Counter(member.met for member in members)
    return AuditFlow(
        in_study=size,
        not_drawn=size - len(members),
        drawn=len(members),
        **{met: counts[met] for met in get_args(_Met)},
        assisted=sum(member.assisted for member in members if member.met == "used"),
    )


def _with_triage(
    members: Sequence[_Member], told: Sequence[Labels], flagged: Collection[str], size: int
) -> Estimate | None:
    """The share with every flagged statement's own label, if all of them have one and some of these are assisted."""
    of_flagged = [[labels[unit] for labels in told if unit in labels] for unit in flagged]
    if not all(of_flagged) or all(label.group.mode == "blind" for given in of_flagged for label in given):
        return None
    usable = [[label for label in given if _usable(label)] for given in of_flagged]
    known = [sum(label.label == "supported" for label in given) / len(given) for given in usable if given]
    rest = [member for member in members if not member.flagged]
    sampled = [_sampled(member) for member in rest if member.met == "used"]
    missing = len(flagged) - len(known) + len(rest) - len(sampled)
    found = post_stratified_share(
        "supported, by the audit and the triage", known, len(flagged), sampled, size, missing=missing
    )
    return replace(found, notes=("assisted labels for the flagged statements, the audit for all others",))


def _usable(label: ReviewerLabel) -> bool:
    """It says supported or not, on the page as it is."""
    return not label.stale and label.label != "cannot_judge"


def _sampled(member: _Member) -> Sampled:
    return Sampled(member.value, member.response_id, member.probability)


def _judges(row: sqlite3.Row) -> ScaleLabel:
    if not row["judged"]:
        return judges_label(None, BINARY)
    supported = None if row["supported"] is None else bool(row["supported"])
    said = JuryVerdict(row["verdict"], supported, row["votes_for"], row["votes_other"], bool(row["tied"]), False)
    return judges_label(said, BINARY)
