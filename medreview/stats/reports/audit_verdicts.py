"""What each judge says of all statements, and what that makes of the audit's labels: estimates side by side."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

from medreview.errors import UserError
from medreview.judges.votes import VotingJudge, judges_of_support
from medreview.stats.clusters import Clusters, study_clusters
from medreview.stats.formulas.audit_sampling import AuditedStratum, Sampled, stratified_share
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.prediction_powered import (
    ErrorCorrected,
    Powered,
    Said,
    Verdicts,
    error_corrected,
    judge_alone,
    prediction_powered,
)
from medreview.stats.reports.reviewer_labels import BINARY, TIED, TOGETHER
from medreview.stats.reports.study_reader import EVERYTHING, JudgedResponse, JudgesOpinion, Selection, judged_responses

NOT_BLIND: Final = (
    "{assisted} of {used} labels were given with the judges in sight: they follow the verdicts more than blind ones "
    "would. --assisted counts them all the same."
)

_STRATA: Final = """
SELECT r.model, r.origin, coalesce(v.priority, 0) > 0 AS flagged, s.statement_id
FROM statement_standing AS s JOIN response AS r USING (response_id) LEFT JOIN verdict AS v USING (statement_id)"""
_TOGETHER: Final = """
SELECT s.response_id, count(*), count(v.supported), total(v.supported)
FROM statement_standing AS s LEFT JOIN verdict AS v
     ON v.statement_id = s.statement_id AND v.judgement_id IS NOT NULL
GROUP BY s.response_id"""
_TOGETHER_AUDITED: Final = """
SELECT statement_id, supported FROM audit_item JOIN verdict USING (statement_id) WHERE judgement_id IS NOT NULL"""

Met = Literal[
    "not_looked_at", "seen_before", "labelled_out_of_turn", "deferred", "cannot_judge", "no_judgement", "tied", "stale",
    "by_coin", "used",
]  # fmt: skip
"""What became of a drawn statement, in one figure."""


@dataclass(frozen=True, slots=True)
class DrawnMember:
    """A drawn statement as one figure counts it; ``value`` where it is used; ``filtered``: given through a filter.

    ``cluster``: what stands for its answer in answers like these (``medreview.stats.clusters``).
    """

    unit: str
    cluster: str
    model: str
    origin: str
    probability: float
    flagged: bool
    met: Met
    value: float
    assisted: bool
    filtered: bool

    @property
    def sampled(self) -> Sampled:
        """The member in a formula."""
        return Sampled(self.value, self.cluster, self.probability)


StratumSizes = Mapping[str, Mapping[str, int]]
"""By what a study is post-stratified -> label -> how many statements have it."""


@dataclass(frozen=True, slots=True)
class JudgeVerdicts:
    """The word of one judge, or of all together, on all statements; ``audited``: on the members of the audit.

    ``tied``: even votes that the tie rule leaves open. Like abstentions, they are no verdict. ``by_model``: the word on
    the statements of each model, where these were told apart.
    """

    judge: str
    verdicts: Verdicts
    audited: Mapping[str, bool]
    tied: int = 0
    by_model: Mapping[str, Verdicts] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WithVerdicts:
    """What a judge's verdicts make of the audit's labels: ``judge`` by its title, or all judges together.

    ``statements`` of the study, ``without_verdict`` of these (``tied`` of them by even votes), and ``audited``
    statements that are used, ``audited_without_verdict`` of these. ``supported`` and ``supported_at_large`` are
    prediction-powered; ``alone`` is the share of the verdicts, uncorrected, and ``alone_bounds`` the same with each
    missing verdict taken as a no, and as a yes. ``judge_right``: on which it and the reviewer both say supported, or
    both do not, of the statements that have a verdict, by the same estimate. ``weight`` is that of the
    verdicts (lambda), ``variance_ratio`` the variance over that of the audit alone, ``as_good_as`` the labels of which
    the audit alone would vary as much. ``corrected``, as a check: the verdicts' share corrected for how often they are
    wrong (Rogan & Gladen 1978), of the statements that have a verdict; ``beside_corrected`` is ``supported`` of the
    same statements.
    """

    judge: str
    statements: int
    without_verdict: int
    tied: int
    audited: int
    audited_without_verdict: int
    supported: Estimate
    supported_at_large: Estimate
    alone: Estimate
    alone_bounds: tuple[float, float] | None
    judge_right: Estimate
    weight: float | None
    variance_ratio: float | None
    as_good_as: int | None
    corrected: ErrorCorrected
    beside_corrected: Estimate


class VerdictCounter:
    """Counts each judge's word on supported or not over a study that is read as a stream; by clusters, each a
    ``cluster``."""

    def __init__(self, judges: Sequence[VotingJudge], audited: Collection[str], cluster: str) -> None:
        self._cluster = cluster
        self._judges: tuple[VotingJudge | None, ...] = (None, *judges)
        self._audited_units = audited
        self._said: dict[VotingJudge | None, dict[str, dict[str, Said]]] = {judge: {} for judge in self._judges}
        self._audited: dict[VotingJudge | None, dict[str, bool]] = {judge: {} for judge in self._judges}
        self._heard: dict[JudgesOpinion, tuple[tuple[int, bool], ...]] = {}
        self._times: Counter[JudgesOpinion] = Counter()

    def add(self, case: JudgedResponse) -> None:
        """Take up one response."""
        if not case.statements:
            return
        told, yes = [0] * len(self._judges), [0] * len(self._judges)
        self._times.update(statement.opinion for statement in case.statements)
        for statement in case.statements:
            words = self._words(statement.opinion)
            for place, supported in words:
                told[place] += 1
                yes[place] += supported
            if statement.statement_id in self._audited_units:
                for place, supported in words:
                    self._audited[self._judges[place]][statement.statement_id] = supported
        for judge, many, supporting in zip(self._judges, told, yes, strict=True):
            of_model = self._said[judge].setdefault(case.model, {})
            before, more = of_model.get(case.cluster), Said(len(case.statements), many, supporting)
            of_model[case.cluster] = before.with_more(*more) if before else more

    def judges(self) -> list[JudgeVerdicts]:
        """All judges together first, then each, in the order in which they were first asked."""
        return [
            JudgeVerdicts(
                judge.title if judge else TOGETHER,
                Verdicts(_of_all_models(self._said[judge]), self._cluster),
                self._audited[judge],
                self._tied(judge),
                {model: Verdicts(said, self._cluster) for model, said in self._said[judge].items()},
            )
            for judge in self._judges
        ]

    def _words(self, said: JudgesOpinion) -> tuple[tuple[int, bool], ...]:
        """Who says whether it is supported, by place among the judges, and what."""
        found = self._heard.get(said)
        if found is None:
            labels = [said.label(judge, BINARY).label for judge in self._judges]
            words = enumerate(labels)
            found = tuple((place, label == BINARY.labels[0]) for place, label in words if label is not None)
            self._heard[said] = found
        return found

    def _tied(self, judge: VotingJudge | None) -> int:
        return sum(times for said, times in self._times.items() if said.label(judge, BINARY).missing == TIED)


def _of_all_models(by_model: Mapping[str, Mapping[str, Said]]) -> dict[str, Said]:
    found: dict[str, Said] = {}
    for said in by_model.values():
        for cluster, more in said.items():
            before = found.get(cluster)
            found[cluster] = before.with_more(*more) if before else more
    return found


def audited_units(reader: sqlite3.Connection) -> set[str]:
    """The members of the audit."""
    return {row[0] for row in reader.execute("SELECT statement_id FROM audit_item")}


def every_judge(reader: sqlite3.Connection) -> list[JudgeVerdicts]:
    """The word of all judges together and of each, read in one go; nothing where no audit is drawn."""
    audited = audited_units(reader)
    if not audited:
        return []
    clusters = study_clusters(reader)
    counter = VerdictCounter(judges_of_support(reader), audited, clusters.name)
    for case in judged_responses(reader, clusters=clusters):
        counter.add(case)
    return counter.judges()


def led_by(judges: Sequence[JudgeVerdicts], name: str | None) -> list[JudgeVerdicts]:
    """With the judge of this name first; as they are without one. Raises :class:`UserError` for a name of none."""
    if name is None:
        return list(judges)
    chosen = [each for each in judges if each.judge == name]
    if not chosen:
        names = ", ".join(each.judge for each in judges) or "none, or no audit is drawn"
        raise UserError(f"There is no judge {name!r} to help the audit; there are: {names}.")
    return [*chosen, *(each for each in judges if each.judge != name)]


def judges_together(reader: sqlite3.Connection, clusters: Clusters) -> JudgeVerdicts:
    """The word of all judges together alone, counted by the database: for a screen that opens at once."""
    said: dict[str, Said] = {}
    for response, *counts in reader.execute(_TOGETHER):
        cluster = clusters.of[response]
        said[cluster] = said.get(cluster, Said(0, 0, 0)).with_more(*counts)
    audited = {row[0]: bool(row[1]) for row in reader.execute(_TOGETHER_AUDITED) if row[1] is not None}
    return JudgeVerdicts(TOGETHER, Verdicts(said, clusters.name), audited)


class Helped(NamedTuple):
    """The labels of the audit that are ``used``, what a judge ``said`` of each, and the ``powered`` estimates of both.

    ``refused``: why nothing may rest on how the two go together; ``notes``: that some labels were assisted.
    """

    used: Sequence[DrawnMember]
    said: Sequence[bool | None]
    powered: Powered
    refused: str
    notes: tuple[str, ...]


def helped_by(
    members: Sequence[DrawnMember], of: JudgeVerdicts, *, assisted: bool = False, weight: float | None = None
) -> Helped:
    """The share supported by the members that are used and a judge's verdicts.

    Blind labels only: where some are not, what rests on how labels follow the verdicts is undefined, unless
    ``assisted`` is asked for, and then a note says so. ``weight``: see ``prediction_powered``.
    """
    used = [member for member in members if member.met == "used"]
    said = [of.audited.get(member.unit) for member in used]
    in_sight = sum(member.assisted for member in used)
    refused = NOT_BLIND.format(assisted=in_sight, used=len(used)) if in_sight and not assisted else ""
    notes = (f"assisted in part: {in_sight} of {len(used)}",) if in_sight else ()
    powered = prediction_powered(
        "supported, by the audit and the verdicts", [member.sampled for member in used], list(map(_predicted, said)),
        of.verdicts, weight=weight, missing=len(members) - len(used), refused=refused,
    )  # fmt: skip
    return Helped(used, said, powered, refused, notes)


def _predicted(word: bool | None) -> float | None:
    return None if word is None else float(word)


def with_verdicts(
    members: Sequence[DrawnMember], of: JudgeVerdicts, *, assisted: bool = False, weight: float | None = None
) -> WithVerdicts:
    """The estimates that a judge's verdicts make of the members that are used; as :func:`helped_by`."""
    used, said, found, refused, notes = helped_by(members, of, assisted=assisted, weight=weight)
    sampled = [member.sampled for member in used]
    share, told, size = of.verdicts.share, of.verdicts.told, of.verdicts.size
    with_verdict = "supported, by the audit and the verdicts, of statements with a verdict"
    # Where every statement has a verdict, these are all of them: nothing is to be worked out again.
    beside = (
        replace(found.study, name=with_verdict)
        if told == size and None not in said
        else _of_judged(
            with_verdict,
            members,
            [(one, word) for one, word in zip(sampled, said, strict=True) if word is not None],
            of,
            refused,
        )
    )
    return WithVerdicts(
        judge=of.judge,
        statements=size,
        without_verdict=size - told,
        tied=of.tied,
        audited=len(used),
        audited_without_verdict=said.count(None),
        supported=replace(found.study, notes=(*found.study.notes, *notes)),
        supported_at_large=replace(found.at_large, notes=(*found.at_large.notes, *notes)),
        alone=judge_alone("supported, by the verdicts alone", of.verdicts),
        alone_bounds=(share * told / size, (share * told + size - told) / size) if share is not None else None,
        judge_right=replace(_right(members, used, said, of, refused), notes=notes),
        weight=found.weight,
        variance_ratio=found.variance_ratio,
        as_good_as=found.as_good_as,
        corrected=error_corrected(
            "supported, by the verdicts corrected for their errors", sampled, list(map(_predicted, said)), of.verdicts,
            refused=refused,
        ),
        beside_corrected=beside,
    )  # fmt: skip


def stratum_sizes(reader: sqlite3.Connection, only: Selection = EVERYTHING) -> StratumSizes:
    """How many statements of each model and origin there are, and flagged or not: for :func:`post_stratified`."""
    alike = Counter((row[0], row[1], bool(row[2])) for row in reader.execute(_STRATA) if only.holds(row[3]))
    sizes: dict[str, Counter[str]] = {"model": Counter(), "origin": Counter(), "flag": Counter()}
    for kind, count in alike.items():
        for by, label in _strata(*kind).items():
            sizes[by][label] += count
    return sizes


def post_stratified(sizes: StratumSizes, members: Sequence[DrawnMember], cluster: str) -> dict[str, Estimate]:
    """The share supported, post-stratified by model, by origin and by flag, where the study has two of these."""
    used = [member for member in members if member.met == "used"]
    places = [_strata(member.model, member.origin, member.flagged) for member in used]
    found = {}
    for by, counts in sizes.items():
        if len(counts) < 2:
            continue
        audited: dict[str, list[Sampled]] = {label: [] for label in counts}
        for member, place in zip(used, places, strict=True):
            audited[place[by]].append(member.sampled)
        strata = {label: AuditedStratum(size, tuple(audited[label])) for label, size in counts.items()}
        missing = len(members) - len(used)
        found[by] = stratified_share(f"supported, post-stratified by {by}", strata, missing=missing, unit=cluster)
    return found


def _right(
    members: Sequence[DrawnMember],
    used: Sequence[DrawnMember],
    said: Iterable[bool | None],
    of: JudgeVerdicts,
    refused: str,
) -> Estimate:
    """The share of the judged statements on which the judge is right."""
    judged = [(member, word) for member, word in zip(used, said, strict=True) if word is not None]
    right = [
        (replace(member, value=member.value if word else 1 - member.value).sampled, word) for member, word in judged
    ]
    return _of_judged("judge right, by the audit and the verdicts", members, right, of, refused)


def _of_judged(
    name: str,
    members: Sequence[DrawnMember],
    judged: Sequence[tuple[Sampled, bool]],
    of: JudgeVerdicts,
    refused: str,
) -> Estimate:
    """A share of the statements that have a verdict, prediction-powered."""
    powered: Powered = prediction_powered(
        name, [one for one, _ in judged], [float(word) for _, word in judged], of.verdicts.judged,
        missing=len(members) - len(judged), refused=refused,
    )  # fmt: skip
    return powered.study


def _strata(model: str, origin: str, flagged: bool) -> dict[str, str]:
    return {"model": model, "origin": origin, "flag": "flagged" if flagged else "not flagged"}
