"""What the audit says of the whole study: how much is supported, how often the judges are right, of which labels.

The audit alone, post-stratified, with the help of the judges' verdicts, and the verdicts alone stand side by side.
The one figure of a screen that opens at once is in ``audit_headline``.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, get_args

from medreview.judges.rollup import tie_rule
from medreview.labels import TieRule
from medreview.stats.clusters import Clusters, study_clusters
from medreview.stats.formulas.audit_sampling import (
    Known,
    Planned,
    Sampled,
    anytime_share,
    audit_share,
    in_answers_like_these,
    labels_at_large,
    labels_for,
    post_stratified_share,
    share_at_large,
    variances,
)
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.reports.audit_differences import Assistance, ModelDifference, assistance, model_differences
from medreview.stats.reports.audit_looks import PlanStanding, plan_standing
from medreview.stats.reports.audit_verdicts import (
    DrawnMember,
    JudgeVerdicts,
    Met,
    WithVerdicts,
    post_stratified,
    stratum_sizes,
    with_verdicts,
)
from medreview.stats.reports.reviewer_labels import (
    BINARY,
    TIED,
    JuryVerdict,
    ReviewerLabel,
    ScaleLabel,
    judges_label,
)
from medreview.stats.reports.study_reader import EVERYTHING, Selection
from medreview.study.audit_frame import Stratum, strata
from medreview.study.counts import count_statements
from medreview.study.study_acts import Arm, Coin, StoppingPlan, assists, coin_of, stopping_plans

Labels = Mapping[str, ReviewerLabel]
_WAITING: Final[frozenset[Met]] = frozenset({"not_looked_at", "seen_before", "labelled_out_of_turn"})
_LABELLED: Final[frozenset[Met]] = frozenset({"cannot_judge", "no_judgement", "tied", "stale", "by_coin", "used"})

# In this order every beginning is a draw at a part of the rates.
_MEMBERS: Final = """
SELECT a.statement_id, s.response_id, r.model, r.origin, a.number, a.inclusion_prob, v.verdict, v.supported,
       v.votes_for, v.votes_other, v.tied, v.judgement_id IS NOT NULL AS judged, coalesce(v.priority, 0) > 0 AS flagged
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
    judges, where the figure is about these; ``stale``; ``by_coin``, labelled with the judges in sight because a coin
    said so (randomised assistance); ``used``. ``assisted`` of the used ones were seen with the judges before they were
    labelled.
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
    by_coin: int
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
    clusters: Clusters,
    against_judges: bool = False,
    coin: Coin | None = None,
    arm: Arm = "blind",
) -> list[DrawnMember]:
    """The members by the labels of all these reviewers together; on one statement these are averaged.

    ``looked`` has every reviewer of ``labels``.
    A value is whether it is supported or, ``against_judges``, whether they say the same as the judges together. Behind
    the first member that waits, and labelled through a filter while one does, a member does not count yet.

    With a ``coin`` only the labels of those count whom it had label the statement in this ``arm``; the probability of
    a member is that of being drawn times that of one such label.
    """
    put_off = frozenset().union(*(looked[name].put_off for name in labels))
    seen = frozenset().union(*(looked[name].seen for name in labels))
    tossed = _Tossed(coin, arm) if coin is not None else None
    members = []
    for row in rows:
        against, cluster = _judges(row) if against_judges else None, clusters.of[row["response_id"]]
        members.append(_member(row, labels, put_off, seen, against, tossed, cluster))
    if not any(member.met in _WAITING for member in members):
        return members
    marked = [replace(member, met="labelled_out_of_turn") if member.filtered else member for member in members]
    first = next(place for place, member in enumerate(marked) if member.met in _WAITING)
    later = (replace(each, met="labelled_out_of_turn") if each.met in _LABELLED else each for each in marked[first:])
    return [*marked[:first], *later]


def flow_of(members: Sequence[DrawnMember], size: int) -> AuditFlow:
    """Where the members went, of a study of ``size`` statements."""
    counts = Counter(member.met for member in members)
    return AuditFlow(
        in_study=size,
        not_drawn=size - len(members),
        drawn=len(members),
        **{met: counts[met] for met in get_args(Met)},
        assisted=sum(member.assisted for member in members if member.met == "used"),
    )


def usable(label: ReviewerLabel) -> bool:
    """It says supported or not, on the page as it is."""
    return not label.stale and label.label != "cannot_judge"


class _Tossed(NamedTuple):
    """Whose labels on a member count, by a coin."""

    coin: Coin
    arm: Arm

    def counts(self, reviewer: str, number: float) -> bool:
        """Whether those of this reviewer do."""
        return self.coin.assists(reviewer, number) == (self.arm == "assisted")


def _member(
    row: sqlite3.Row,
    told: Mapping[str, Labels],
    put_off: Set[str],
    seen: Set[str],
    against: ScaleLabel | None,
    tossed: _Tossed | None,
    cluster: str,
) -> DrawnMember:
    unit, probability = row["statement_id"], row["inclusion_prob"]
    names = [name for name, labels in told.items() if unit in labels]
    given = of_arm = [told[name][unit] for name in names]
    if tossed is not None and names:
        of_arm = [told[name][unit] for name in names if tossed.counts(name, row["number"])]
        probability *= 1 - 0.5 ** len(names)
        given = of_arm or given
    blind = [label for label in given if label.group.mode == "blind"]
    used = [label for label in blind or given if usable(label)]
    value, met, assisted = 0.0, _not_used(unit, given, put_off, seen), False
    if used and not of_arm:
        met = "by_coin"
    elif used:
        met, assisted = "used", not blind
        if against is not None and against.label is None:
            met = "tied" if against.missing == TIED else "no_judgement"
        else:
            wanted = against.label if against is not None else BINARY.labels[0]
            value = sum(BINARY.labels[label.label != "supported"] == wanted for label in used) / len(used)
    return DrawnMember(
        unit=unit,
        cluster=cluster,
        model=row["model"],
        origin=row["origin"],
        probability=probability,
        flagged=bool(row["flagged"]),
        met=met,
        value=value,
        assisted=assisted,
        filtered=bool(blind) and all(label.filtered for label in blind),
    )


def _not_used(unit: str, given: Sequence[ReviewerLabel], put_off: Set[str], seen: Set[str]) -> Met:
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


POINTS: Final = 0.05
"""To either side of a share: what the planner aims at when nobody says otherwise."""

_FLAGGED: Final = "SELECT statement_id FROM verdict JOIN statement_standing USING (statement_id) WHERE priority > 0"


@dataclass(frozen=True, slots=True)
class AuditShare:
    """A share of the study's statements by the audit, in this study and in answers like these, and the flow to it.

    ``every_look``: the share in this study with an interval that holds however often it is read
    (``confidence_sequences``). ``bounds``, where some of the labels are assisted: the value by the blind ones alone,
    with every other statement taken as a no, and as a yes.
    """

    flow: AuditFlow
    study: Estimate
    at_large: Estimate
    every_look: Estimate
    bounds: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """How many labels it takes for ``points`` (a fraction) to either side of the share supported.

    ``usable``: of the members met so far, the share that came to a label that counts, so that more are to be drawn than
    labels are needed. ``judge``: whose verdicts help.
    """

    points: float
    usable: float
    judge: str
    study: Planned
    study_with_verdicts: Planned
    at_large: Planned
    at_large_with_verdicts: Planned


@dataclass(frozen=True, slots=True)
class AuditFigures:
    """One reviewer's audit, or that of all together (``reviewer`` is ``None``; labels on one statement are averaged).

    ``supported``: statements that are supported, by the audit alone. ``judges_right``: on which judges and reviewer
    both say supported, or both do not. ``with_triage``: the first, post-stratified by flag, where every flagged
    statement was labelled: assisted labels for these, the audit for all others. ``post_stratified``: the first, by
    ``model``, ``origin`` and ``flag``. ``with_verdicts``: the first, prediction-powered, and the verdicts alone: of all
    judges together, which is the one to report, then of each; the best of these was chosen on the same labels.
    ``standing``: whether the plan of the audit is reached; intervals that are interim say so in their notes.
    ``assistance``: with randomised assistance, of one reviewer, how the halves differ; all else is by the blind half.
    ``models``: how the models differ, by audit and verdicts.
    """

    reviewer: str | None
    supported: AuditShare
    judges_right: AuditShare
    with_triage: Estimate | None
    post_stratified: Mapping[str, Estimate]
    with_verdicts: tuple[WithVerdicts, ...]
    plan: AuditPlan
    standing: PlanStanding
    assistance: Assistance | None
    models: tuple[ModelDifference, ...]

    @property
    def leading(self) -> Estimate:
        """The share supported in this study as it is to be quoted: see :func:`leading`."""
        return leading(self.supported, self.with_verdicts[0] if self.with_verdicts else None)


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The audit of a study: its strata and what each reviewer's labels say; no figures where nothing of it was met.

    ``tie_rule``: what even votes of the judges together give. ``plans``: when the audit is to end, as it was set each
    time, oldest first; the last one is in force. ``half_assisted``: by a coin, half of the members of each reviewer are
    shown with their judges.
    """

    strata: tuple[Stratum, ...]
    figures: tuple[AuditFigures, ...]
    tie_rule: TieRule
    plans: tuple[StoppingPlan, ...] = ()
    half_assisted: bool = False


def audit_report(
    reader: sqlite3.Connection,
    labels: Mapping[str, Labels],
    judges: Sequence[JudgeVerdicts] = (),
    *,
    pass_no: int = 1,
    only: Selection = EVERYTHING,
    assisted: bool = False,
    weight: float | None = None,
    points: float | None = None,
    clusters: Clusters | None = None,
    models: bool = True,
) -> AuditReport:
    """The audit by the labels of each of these reviewers and, where there are several, of all together.

    With ``only`` it estimates that part of the study: members are drawn one by one, so that those among any part of the
    statements are a draw of that part, at the same probabilities. Not where the part was chosen by labels.

    ``judges``: all together first, then each. ``assisted``: estimates with verdicts also where labels are not blind.
    ``weight``: that of the verdicts, by default the best by the audit. ``points``: see :class:`AuditPlan`; by default
    those of the plan in force, else 5. The plan is of the whole study: a part of it has none. ``clusters``: those of
    the study, where they are known already. ``models``: these are compared, too.
    """
    plans = stopping_plans(reader)
    if only.by_labels:
        return AuditReport(tuple(strata(reader)), (), tie_rule(reader), plans, assists(reader))
    points = planned_points(plans) if points is None else points
    size = count_statements(reader) if only.statements is None else len(only.statements)
    rows = drawn_rows(reader, only)
    flagged = {row[0] for row in reader.execute(_FLAGGED) if only.holds(row[0])}
    looked = {name: looked_at(reader, name, pass_no) for name in labels}
    present = {name: held for name, held in labels.items() if met(looked[name], held, rows)}
    groups: list[tuple[str | None, Mapping[str, Labels]]] = [(name, {name: held}) for name, held in present.items()]
    if len(present) > 1:
        groups.append((None, present))
    sizes = stratum_sizes(reader, only) if groups else {}
    clusters = clusters or study_clusters(reader)
    coin = coin_of(reader) if pass_no == 1 else None
    found = []
    for who, told in groups:
        members = in_turn(told, looked, rows, clusters=clusters, coin=coin)
        now = plan_standing(plans if only.statements is None else (), used_of(members), size)
        supported = _marked(audit_share_of("supported, by the audit", members, size, clusters.name), now)
        helped = tuple(
            _marked_verdicts(with_verdicts(members, judge, assisted=assisted, weight=weight), now) for judge in judges
        )
        judged = in_turn(told, looked, rows, clusters=clusters, against_judges=True, coin=coin)
        beside = (
            in_turn(told, looked, rows, clusters=clusters, against_judges=True, coin=coin, arm="assisted")
            if coin is not None and who is not None
            else None
        )
        triage = _with_triage(members, list(told.values()), flagged, size, clusters.name)
        found.append(
            AuditFigures(
                reviewer=who,
                supported=supported,
                judges_right=_marked(audit_share_of("judges right, by the audit", judged, size, clusters.name), now),
                with_triage=now.marked(triage) if triage else None,
                post_stratified={
                    by: now.marked(each) for by, each in post_stratified(sizes, members, clusters.name).items()
                },
                with_verdicts=helped,
                standing=now,
                models=tuple(
                    replace(each, study=now.marked(each.study), at_large=now.marked(each.at_large))
                    for judge in judges[: int(models)]
                    for each in model_differences(members, judge, assisted=assisted)
                ),
                assistance=None if beside is None else assistance(beside, judged, clusters.name),
                plan=_plan(
                    members,
                    supported.flow,
                    supported.study.value,
                    helped[0] if helped else None,
                    judges,
                    points,
                    clusters.name,
                ),
            )
        )
    return AuditReport(tuple(strata(reader)), tuple(found), tie_rule(reader), plans, assists(reader))


def planned_points(plans: Sequence[StoppingPlan]) -> float:
    """Half of the interval that the plan in force is for, else 5 points, as a fraction."""
    return plans[-1].half_width or POINTS if plans else POINTS


def plan_before_labels(reader: sqlite3.Connection, points: float | None = None) -> AuditPlan:
    """What it takes before anything of an audit is labelled."""
    points = planned_points(stopping_plans(reader)) if points is None else points
    return _plan((), flow_of((), count_statements(reader)), None, None, (), points, "")


def audit_share_of(name: str, members: Sequence[DrawnMember], size: int, cluster: str) -> AuditShare:
    """A share of a study of ``size`` statements by the members that are used, whose clusters are each a ``cluster``."""
    flow = flow_of(members, size)
    used = [member for member in members if member.met == "used"]
    missing, sampled = flow.drawn - flow.used, used_of(members)
    notes = (f"assisted in part: {flow.assisted} of {flow.used}",) if flow.assisted else ()
    study = replace(audit_share(name, sampled, size, missing=missing, unit=cluster), notes=notes)
    large = share_at_large(in_answers_like_these(name), sampled, missing=missing, unit=cluster)
    at_large = replace(large, notes=notes)
    bounds = None
    if flow.assisted and study.value is not None:
        total = sum(1 / member.probability for member in used)
        yes = sum(member.value / member.probability for member in used if not member.assisted)
        unknown = sum(1 / member.probability for member in used if member.assisted)
        bounds = (yes / total, (yes + unknown) / total)
    every_look = replace(
        anytime_share(f"{name}, at every look", sampled, size, missing=missing, unit=cluster), notes=notes
    )
    return AuditShare(flow, study, at_large, every_look, bounds)


def used_of(members: Sequence[DrawnMember]) -> list[Sampled]:
    """Those that are used, for a formula."""
    return [member.sampled for member in members if member.met == "used"]


def _marked(share: AuditShare, now: PlanStanding) -> AuditShare:
    return replace(share, study=now.marked(share.study), at_large=now.marked(share.at_large))


def _marked_verdicts(helped: WithVerdicts, now: PlanStanding) -> WithVerdicts:
    return replace(
        helped,
        supported=now.marked(helped.supported),
        supported_at_large=now.marked(helped.supported_at_large),
        judge_right=now.marked(helped.judge_right),
    )


def leading(alone: AuditShare, helped: WithVerdicts | None) -> Estimate:
    """The share supported that is to be quoted: with the verdicts of all judges where these are worth labels, else by
    the audit alone."""
    if helped is not None and helped.as_good_as is not None and helped.as_good_as > helped.audited:
        return helped.supported
    return alone.study


def _plan(
    members: Sequence[DrawnMember],
    flow: AuditFlow,
    share: float | None,
    helped: WithVerdicts | None,
    judges: Sequence[JudgeVerdicts],
    points: float,
    cluster: str,
) -> AuditPlan:
    size, known = flow.in_study, None
    if share is not None:
        sampled = used_of(members)
        known = Known(
            share=share,
            labels=len(sampled),
            size=size,
            audited_clusters=len({one.cluster for one in sampled}),
            clusters=len(judges[0].verdicts.by_cluster) if judges else len({one.cluster for one in sampled}),
            variances=variances(sampled, size),
            ratio=helped.variance_ratio if helped else None,
            cluster=cluster,
        )
    return AuditPlan(
        points=points,
        usable=flow.usable,
        judge=helped.judge if helped else "",
        study=labels_for("this study", known, size, points, labelled=flow.used),
        study_with_verdicts=labels_for("this study, with the verdicts", known, size, points, with_verdicts=True),
        at_large=labels_at_large("answers like these", known, points),
        at_large_with_verdicts=labels_at_large(
            "answers like these, with the verdicts", known, points, with_verdicts=True
        ),
    )


def _with_triage(
    members: Sequence[DrawnMember],
    told: Sequence[Labels],
    flagged: Collection[str],
    size: int,
    cluster: str,
) -> Estimate | None:
    """The share with every flagged statement's own label, if all of them have one and some of these are assisted."""
    of_flagged = [[labels[unit] for labels in told if unit in labels] for unit in flagged]
    if not all(of_flagged) or all(label.group.mode == "blind" for given in of_flagged for label in given):
        return None
    counting = [[label for label in given if usable(label)] for given in of_flagged]
    known = [sum(label.label == "supported" for label in given) / len(given) for given in counting if given]
    rest = [member for member in members if not member.flagged]
    sampled = [member.sampled for member in rest if member.met == "used"]
    missing = len(flagged) - len(known) + len(rest) - len(sampled)
    found = post_stratified_share(
        "supported, by the audit and the triage", known, len(flagged), sampled, size, missing=missing, unit=cluster
    )
    return replace(found, notes=("assisted labels for the flagged statements, the audit for all others",))
