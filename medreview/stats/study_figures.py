"""All figures of a study: read once as a stream, counted, then resampled; and as what ``stats --json`` prints.

``figure_document`` adds the name of the schema, which ``docs/reference/stats.schema.json`` has.
"""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from medreview.errors import UserError
from medreview.generators.counts import GenerationCounts, generation_counts
from medreview.generators.passage_measures import PassageCounts, passage_counts
from medreview.judges.judge_caveats import OwnWork, own_work_done, pages_in_parts
from medreview.judges.rollup import tie_rule
from medreview.judges.votes import judges_of_support
from medreview.progress import SILENT, Progress
from medreview.statements.own_citations import every_statement
from medreview.stats.clusters import Clusters, study_clusters
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.human_baseline import EPSILON, MARGIN
from medreview.stats.how_good import Answer, how_good
from medreview.stats.reference_verdicts import OtherWorkCounter, OtherWorkSupport, ReferenceReport, reference_report
from medreview.stats.reports.answer_arms import MODEL, NO_ARMS, RepeatedAnswers, repeated_answers, study_arms
from medreview.stats.reports.audit_report import AuditReport, audit_report
from medreview.stats.reports.audit_verdicts import VerdictCounter, audited_units
from medreview.stats.reports.comparison import Comparison
from medreview.stats.reports.generated_items import (
    PLANTED_IN_PAPER,
    CleanupFigures,
    PlantedFigures,
    QuestionReport,
    cleanup_report,
    planted_report,
    question_report,
)
from medreview.stats.reports.judge_agreement import BetweenJudges, GroupFigures, between_judges, judge_agreement
from medreview.stats.reports.judge_trust import JudgeTrust, judge_trust
from medreview.stats.reports.own_labels import OwnLabels, own_labels
from medreview.stats.reports.provenance import Provenance, provenance
from medreview.stats.reports.review_progress import ItemFlow, Standing, item_flow, standing
from medreview.stats.reports.reviewer_agreement import (
    Consensus,
    adjudicated_statements,
    between_reviewers,
    consensus,
)
from medreview.stats.reports.reviewer_labels import BINARY, SCALES, ReviewerLabel, reviewer_labels, reviewers
from medreview.stats.reports.study_differences import DifferenceFamily, StudyDifferences
from medreview.stats.reports.study_reader import (
    AUDIT_BY_LABELS,
    AUDIT_OF_PART,
    CHOSEN_BY_LABELS,
    EVERYTHING,
    NOT_OF_STATEMENTS,
    JudgedStatements,
    SelectedPart,
    Selection,
    judged_responses,
)
from medreview.stats.reports.study_support import (
    JudgedSupport,
    ResponseReport,
    ReviewedSupport,
    SupportReport,
    response_report,
)
from medreview.stats.reports.subgroups import ByReport, by_report
from medreview.stats.reviewer_conduct import Conduct, conduct_report
from medreview.stats.units.kind_labels import UnitHeadline, headlines
from medreview.stats.units.own_axis_figures import OwnAxisFigures, TagCount, own_axis_figures, tag_counts
from medreview.stats.units.unit_figures import UnitFigures, every_unit_figures
from medreview.study.counts import count_statements


@dataclass(frozen=True)
class ReviewerFigures:
    """One reviewer: progress, agreement with the judges by group of labels, support by the labels.

    ``own``: what the labels say of the answers, as they stand and all together, without any word of a judge; ``None``
    without a label on a statement.
    """

    reviewer: str
    progress: Standing
    own: OwnLabels | None
    agreement: tuple[GroupFigures, ...]
    support: tuple[SupportReport, ...]


@dataclass(frozen=True)
class StudyFigures:
    """Everything that ``medreview stats`` says, with the choices that make it repeatable.

    ``answers``: what answers "how good are the answers?", what counts most first, so that a script takes the first.
    ``support`` is by the judges' verdict; that by the labels of a reviewer is with the ``reviewers``. ``kinds``: how
    many responses cite nothing or are invalid. ``questions``: what was said of questions that were made from texts.
    ``audit`` is what the random draw says of the whole study. ``passages``: how they were chosen from texts.
    ``generated``: what models were asked to write, run by run; ``own_work``: judges that judged what their own model
    wrote. ``cleanup``: what became of unsupported statements, by who revised them; ``planted``: answers with a planted
    hallucination. ``consensus``: several reviewers on the same statements. ``differences``: of judges, models and
    modes, with intervals and tests; ``repeated``: models that answered a question more than once, ``None`` where none
    did, or for a part of the study. ``part``: the part of the study that all of this is of, ``None`` for all of it;
    ``flow``: what is in it, and what became of that; ``by``: the parts of it, where it was divided. ``conduct``: how
    reviewers work, of those of whom it was asked. ``headlines``: what leads of each other kind of unit that the study
    uses; ``units``: everything of those that somebody labelled; both of the whole study and the first pass only.
    ``own_axes``: labels on the axes that the study has set for itself, on statements and on other units; ``tags``: the
    tags that reviewers put on them; both of the first pass, of a part of the study those on its statements.
    ``references``: what those of the responses turned out to be, of a part of the study those of the responses that are
    wholly in it; ``other_work``: support by the page of another work than the one named. Both are ``None`` where no
    reference was found, or checked.
    """

    provenance: Provenance
    answers: tuple[Answer, ...]
    part: SelectedPart | None
    flow: ItemFlow
    by: ByReport | None
    statements: int
    responses: int
    resampling: Resampling
    reviewers: tuple[ReviewerFigures, ...]
    between_reviewers: tuple[Comparison, ...]
    between_judges: BetweenJudges
    consensus: tuple[Consensus, ...]
    differences: tuple[DifferenceFamily, ...]
    repeated: RepeatedAnswers | None
    support: SupportReport
    kinds: ResponseReport
    questions: QuestionReport
    audit: AuditReport
    passages: tuple[PassageCounts, ...]
    generated: tuple[GenerationCounts, ...]
    own_work: tuple[OwnWork, ...]
    cleanup: tuple[CleanupFigures, ...]
    planted: PlantedFigures
    conduct: tuple[Conduct, ...]
    headlines: tuple[UnitHeadline, ...]
    units: tuple[UnitFigures, ...]
    own_axes: tuple[OwnAxisFigures, ...]
    tags: tuple[TagCount, ...]
    references: ReferenceReport | None
    other_work: OtherWorkSupport | None
    trust: JudgeTrust | None

    @property
    def given(self) -> list[tuple[str, int]]:
        """How many labels stand behind each reviewer's own figures: of few of them these tell single ones."""
        of_statements = [(one.reviewer, one.own.labels) for one in self.reviewers if one.own is not None]
        on_axes = [one for axis in self.own_axes for one in axis.given]
        return of_statements + on_axes + [(one.rater, one.labels) for kind in self.headlines for one in kind.people]


def study_figures(
    reader: sqlite3.Connection,
    reviewer: str | None = None,
    *,
    pass_no: int = 1,
    full: bool = True,
    resampling: Resampling = DEFAULT,
    progress: Progress = SILENT,
    only: Selection = EVERYTHING,
    by: str | None = None,
    between: str = MODEL,
    conduct: Collection[str] | None = (),
    margin: float = MARGIN,
    epsilon: float = EPSILON,
) -> StudyFigures:
    """The figures of one reviewer, or of all of them and between each two; of ``only`` a part of the study, if named,
    and divided ``by`` something. ``between`` what arms differences are: ``model``, ``run``, ``prompt``, ``version`` or
    ``extra.NAME`` (``medreview.stats.reports.answer_arms``); with ``full``.

    ``full``: everything. Without it what one screen shows, in half the time of a large study: supported or not only,
    nothing by model, origin or label, no differences, consensus or other units, and judges beside each other only where
    nobody has reviewed. ``margin``: how much worse than a person a judge may be, in kappa;
    ``epsilon``: how much rarer as near to the others as a person is, to stand in for one. ``conduct``: whose way
    of working is shown; ``None``: everybody's. Memory holds the labels and counts, never the study's texts. Raises
    :class:`UserError` for a name that has left nothing in the study.
    """
    whole = only.statements is None
    clusters = study_clusters(reader)
    resampling = replace(resampling, cluster=clusters.name)
    names = _chosen(reviewers(reader), reviewer)
    labels = {name: _labels(reader, name, pass_no, only, clusters) for name in names}
    judges, tie = judges_of_support(reader), tie_rule(reader)
    scales = SCALES if full else (BINARY,)
    apart = StudyDifferences(labels if full else {}, judges, study_arms(reader, between) if full else NO_ARMS)
    reviewed = {name: ReviewedSupport(name, labels[name], split=full) for name in names}
    cited = dict(every_statement(reader))
    judged = JudgedSupport(tie, cited, split=full)
    table = JudgedStatements()
    elsewhere = OtherWorkCounter(reader, tie)
    audited = audited_units(reader)
    verdicts = VerdictCounter(judges if audited else (), audited, clusters.name)
    statements = parted = 0
    responses: list[str] = []
    complete: list[str] = []
    progress.begin("responses", reader.execute("SELECT count(*) FROM response").fetchone()[0])
    for case in judged_responses(reader, only, clusters=clusters):
        responses.append(case.response_id)
        statements += len(case.statements)
        parted += case.parted
        complete += [] if case.parted else [case.response_id]
        apart.add(case, judged.add(case))
        elsewhere.add(case)
        verdicts.add(case)
        for statement in case.statements:
            table.take(case.cluster, statement)
        progress.step()
        for name in names:
            reviewed[name].add(case)
    found = tuple(
        ReviewerFigures(
            reviewer=name,
            progress=standing(reader, name, labels[name], pass_no, only),
            own=own_labels(reader, name, labels[name], pass_no, only, clusters, cited),
            agreement=judge_agreement(name, labels[name], judges, table, resampling, scales=scales, full=full),
            support=reviewed[name].report(resampling),
        )
        for name in names
    )
    beside_others = between_reviewers(labels, resampling, adjudicated_statements(reader), full=full)
    beside_scales = scales if full or not names else ()
    judges_beside = between_judges(
        table, judges, tie, pages_in_parts(reader), resampling, scales=beside_scales, full=full
    )
    groups = [group for one in found for group in one.agreement]
    compared = [*(each for group in groups for each in group.comparisons), *beside_others, *judges_beside.pairs]
    audit = audit_report(reader, labels, verdicts.judges(), pass_no=pass_no, only=only, clusters=clusters, models=full)
    kinds = headlines(reader, names) if whole and pass_no == 1 else ()
    support = judged.report(resampling)
    models = [one.judge for one in judges_beside.tallies if not one.offline]
    return StudyFigures(
        provenance=provenance(
            reader,
            resampling,
            labels={one.reviewer: {group.title: group.labels for group in one.agreement} for one in found},
            comparisons=sum(each.n > 0 for each in compared),
            where=only.words,
        ),
        answers=how_good([one.own for one in found if one.own], kinds, audit, support, models),
        part=None if whole else _part(reader, only, statements, len(responses), parted),
        flow=item_flow(reader, labels, pass_no, only),
        by=None if by is None else by_report(reader, by, labels, resampling, pass_no=pass_no, only=only),
        statements=statements,
        responses=len(responses),
        resampling=resampling,
        reviewers=found,
        between_reviewers=beside_others,
        between_judges=judges_beside,
        consensus=consensus(labels if full else {}, judges, table, tie, resampling, margin=margin),
        repeated=repeated_answers(reader, clusters) if whole and full else None,
        differences=apart.families(table, resampling),
        support=support,
        kinds=response_report(reader, only=None if whole else responses, clusters=clusters),
        questions=question_report(reader) if whole else QuestionReport(0, (), ()),
        audit=audit,
        passages=tuple(passage_counts(reader)) if whole else (),
        generated=tuple(generation_counts(reader)) if whole else (),
        own_work=tuple(own_work_done(reader)),
        cleanup=cleanup_report(reader, names) if whole else (),
        planted=planted_report(reader) if whole else PlantedFigures({}, {}, PLANTED_IN_PAPER),
        conduct=tuple(
            conduct_report(reader, name, labels[name], pass_no, only.statements, resampling, clusters)
            for name in names
            if conduct is None or name in conduct
        ),
        headlines=kinds,
        units=every_unit_figures(reader, reviewers=names, resampling=resampling, epsilon=epsilon)
        if whole and full and pass_no == 1
        else (),
        own_axes=own_axis_figures(reader, names, resampling, only.holds, compare=full) if pass_no == 1 else (),
        tags=tag_counts(reader, names, only.holds) if pass_no == 1 else (),
        references=reference_report(
            reader,
            resampling,
            split=full or by in ("model", "origin"),
            responses=None if whole else complete,
            clusters=clusters,
        ),
        other_work=elsewhere.figures(resampling),
        trust=judge_trust(reader, labels, resampling, only, epsilon=epsilon, clusters=clusters) if full else None,
    )


def _labels(
    reader: sqlite3.Connection, reviewer: str, pass_no: int, only: Selection, clusters: Clusters
) -> dict[str, ReviewerLabel]:
    every = reviewer_labels(reader, reviewer, pass_no, clusters=clusters)
    return every if only.statements is None else {unit: label for unit, label in every.items() if only.holds(unit)}


def _part(reader: sqlite3.Connection, only: Selection, statements: int, responses: int, parted: int) -> SelectedPart:
    said = (AUDIT_BY_LABELS, CHOSEN_BY_LABELS) if only.by_labels else (AUDIT_OF_PART,)
    return SelectedPart(only.words, statements, count_statements(reader), responses, parted, (*said, NOT_OF_STATEMENTS))


def _chosen(known: Sequence[str], wanted: str | None) -> Sequence[str]:
    if wanted is None:
        return known
    if wanted in known:
        return [wanted]
    if not known:
        raise UserError(f"Nobody has reviewed anything in this study yet, {wanted} neither.")
    raise UserError(f"There is no reviewer {wanted!r} in this study; there are {', '.join(known)}.")


SCHEMA: Final = "medreview.stats/2"
"""Another number where a field is renamed or taken away, or means something else; what comes in addition needs none."""


def figure_document(figures: StudyFigures) -> dict[str, Any]:
    """The figures as plain values: ``schema`` first, then the fields of :class:`StudyFigures`.

    Without a number that JSON has not: what is undefined is ``None``, with a reason beside it.
    """
    return {"schema": SCHEMA, **asdict(figures)}
