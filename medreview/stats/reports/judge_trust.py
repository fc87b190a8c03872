"""What a judge may stand in for: a person, by the alternative annotator test; and where its errors are.

The test takes each person's own first label; the errors are against one word of the people on each statement
(``judged_labels``).
"""

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from medreview.judges.rollup import tie_rule
from medreview.labels import TieRule
from medreview.stats.clusters import Clusters, study_clusters
from medreview.stats.formulas.alternative_annotator import EPSILON, LEAST_PEOPLE, StandIn, alternative_annotator
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.judge_errors import JudgeErrors, judge_errors, judge_models
from medreview.stats.reports.judged_labels import PeoplesLabels, judged_labels, judges_of, peoples_labels
from medreview.stats.reports.repeated_runs import PromptReport, Repeats, prompt_report, repeats
from medreview.stats.reports.reviewer_labels import (
    BINARY,
    GROUPS,
    Group,
    Mode,
    ReviewerLabel,
    reviewers_label,
)
from medreview.stats.reports.study_reader import EVERYTHING, Selection


@dataclass(frozen=True, slots=True)
class StandIns:
    """The alternative annotator test of every judge, on supported or not, by one group of labels.

    ``statements`` have labels of two of ``people`` or more; the ``cluster`` is what varies.
    """

    title: str
    people: tuple[str, ...]
    statements: int
    clusters: int
    cluster: str
    cautions: tuple[str, ...]
    judges: tuple[StandIn, ...]


@dataclass(frozen=True, slots=True)
class JudgeTrust:
    """``stand_ins``: ``None`` where no two people labelled a statement in one group. ``labels_of`` says by which labels
    of whom ``errors`` are, one entry for each judge, with so many ``tests`` side by side. ``repeats``: judges that were
    asked again in the same words. ``prompts``: judges that were asked with several, on the tuning half of the
    questions. ``left_out`` counts labels that say neither, and statements on which the people tie.
    """

    stand_ins: StandIns | None
    labels_of: str
    reviewers: tuple[str, ...]
    labels: int
    cluster: str
    left_out: Mapping[str, int]
    cautions: tuple[str, ...]
    errors: tuple[JudgeErrors, ...]
    tests: int
    repeats: tuple[Repeats, ...]
    prompts: PromptReport


def judge_trust(
    reader: sqlite3.Connection,
    labels: Mapping[str, Mapping[str, ReviewerLabel]],
    resampling: Resampling,
    only: Selection = EVERYTHING,
    *,
    epsilon: float = EPSILON,
    clusters: Clusters | None = None,
) -> JudgeTrust:
    """Everything, by the ``labels`` of each reviewer on statements; ``clusters``: those of the study, where known."""
    clusters, tie, of = clusters or study_clusters(reader), tie_rule(reader), peoples_labels(labels)
    labelled = judged_labels(reader, of, clusters, tie)
    families = judge_models(reader)
    errors = tuple(judge_errors(labelled, judge, families, clusters.name, resampling) for judge in judges_of(labelled))
    return JudgeTrust(
        stand_ins=_stand_ins(reader, labels, clusters, tie, epsilon, resampling.level),
        labels_of=of.title,
        reviewers=of.reviewers,
        labels=len(of.labels),
        cluster=clusters.name,
        left_out=dict(of.left_out),
        cautions=of.cautions,
        errors=errors,
        tests=sum(one.tests for one in errors),
        repeats=repeats(reader, clusters, resampling, only),
        prompts=prompt_report(reader, of, clusters, tie, resampling, least=2),
    )


def _stand_ins(
    reader: sqlite3.Connection, labels: Mapping[str, Mapping[str, ReviewerLabel]], clusters: Clusters, tie: TieRule,
    epsilon: float, level: float,
) -> StandIns | None:  # fmt: skip
    """By the group of labels that gives most people 30 statements to be tested on; of equal ones the first."""
    groups = _panels(labels)
    blind = [group for group in GROUPS if group.mode == "blind" and len(groups[group]) >= 2]
    group = max(blind or GROUPS, key=lambda one: (min(len(groups[one]), LEAST_PEOPLE), _shared(groups[one])))
    people = groups[group]
    if len(people) < 2:
        return None
    units = {unit for held in people.values() for unit in held}
    both = {unit for unit in units if sum(unit in held for held in people.values()) >= 2}
    of = PeoplesLabels(group.title, tuple(people), dict.fromkeys(both, True), {}, ())
    said = judged_labels(reader, of, clusters, tie)
    return StandIns(
        title=group.title,
        people=tuple(people),
        statements=len(both),
        clusters=len({one.cluster for one in said}),
        cluster=clusters.name,
        cautions=group.cautions,
        judges=tuple(
            alternative_annotator(
                judge,
                {one.statement_id: word for one in said if (word := one.words.get(judge)) is not None},
                {name: {unit: word for unit, word in held.items() if unit in both} for name, held in people.items()},
                {one.statement_id: one.cluster for one in said},
                epsilon=epsilon,
                unit=clusters.name,
                level=level,
            )
            for judge in judges_of(said)
        ),
    )


def _panels(labels: Mapping[str, Mapping[str, ReviewerLabel]]) -> dict[Group, dict[str, dict[str, bool]]]:
    """By group, whether each statement is supported, by each person; no label that was given after another's was seen.

    As in other figures of several reviewers, a statement is drawn at random where all of its labels of a mode are.
    """
    by_unit: dict[tuple[str, Mode], dict[str, ReviewerLabel]] = defaultdict(dict)
    for name, held in labels.items():
        for unit, label in held.items():
            by_unit[unit, label.mode][name] = label
    found: dict[Group, dict[str, dict[str, bool]]] = {group: {} for group in GROUPS}
    for (unit, mode), told in by_unit.items():
        panel = found[Group(mode, all(label.group.drawn for label in told.values()))]
        for name, label in told.items():
            word = reviewers_label(label.label, BINARY, stale=label.stale).label
            if not label.saw_others and word is not None:
                panel.setdefault(name, {})[unit] = word == BINARY.labels[0]
    return {group: {name: panel[name] for name in labels if name in panel} for group, panel in found.items()}


def _shared(people: Mapping[str, Mapping[str, bool]]) -> int:
    units = {unit for held in people.values() for unit in held}
    return sum(sum(unit in held for held in people.values()) >= 2 for unit in units)
