"""All figures of one kind of unit: who labelled how, how raters agree, and what only this kind has."""

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from medreview.errors import UserError
from medreview.labels import AXES
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.human_baseline import EPSILON, StandIn
from medreview.stats.reports.generated_items import CleanupFigures, QuestionReport, cleanup_report, question_report
from medreview.stats.reports.reviewer_labels import reviewers as everybody
from medreview.stats.reports.study_reader import UnitSelection
from medreview.stats.units.accused_references import ReferenceUnitFigures, reference_unit_figures
from medreview.stats.units.answer_figures import AnswerFigures, answer_figures
from medreview.stats.units.closed_answers import item_answer_figures
from medreview.stats.units.fact_report import Juries, KeyFactFigures, key_fact_figures
from medreview.stats.units.kind_labels import FINAL, OF_MODE, KindLabels, Ratings, kind_labels, scales_of
from medreview.stats.units.qa_figures import QAFigures, annotated, qa_figures
from medreview.stats.units.rankings import RankingFigures, ranking_figures
from medreview.stats.units.rater_agreement import (
    Adjudication,
    ManyReviewers,
    PairFigures,
    UnitAgreement,
    UnitConsensus,
    WholeResponseFigures,
    adjudication,
    against_gold,
    against_machines,
    all_reviewers,
    between_reviewers,
    consensus,
    machine_stand_ins,
    tests_of_pairs,
    whole_response_figures,
)
from medreview.stats.units.statement_lists import StatementListFigures, statement_list_figures
from medreview.stats.units.unit_division import UnitBy, UnitDivision, check_division, unit_division
from medreview.units.item_answers import GENERATOR
from medreview.units.registry import KINDS


@dataclass(frozen=True)
class RevisionFigures:
    """What became of revised and removed statements, by the model that revised them."""

    by_model: tuple[CleanupFigures, ...]


Family = (
    PairFigures
    | AnswerFigures
    | WholeResponseFigures
    | QAFigures
    | RankingFigures
    | KeyFactFigures
    | ReferenceUnitFigures
    | StatementListFigures
    | QuestionReport
    | RevisionFigures
)
"""What only one kind has."""

SELECTED: Final = ("pair", "fact", "suggestion", "qa", "ranking", "reference")
"""The kinds whose figures can be those of a part of them: all of these figures come from labels and votes on units."""

_HAS_FIGURES: Final = f"""SELECT EXISTS (
SELECT 1 FROM event WHERE unit >= ?1 || ':' AND unit < ?1 || ';' AND kind = 'decide')
OR (?1 = 'qa' AND EXISTS (SELECT 1 FROM generation_run WHERE generator = '{GENERATOR}'))"""
"""Somebody labelled one, or models answered them."""


@dataclass(frozen=True)
class LabelCounts:
    """How often a reviewer gave each label of an axis; ``which`` labels these are."""

    reviewer: str
    which: str
    labels: Mapping[str, int]


@dataclass(frozen=True)
class ScaleFigures:
    """Raters beside each other on one scale; ``ordered``: its labels are steps.

    ``between``: each two reviewers; ``together``: all of them; ``machines``: each machine against each reviewer;
    ``consensus``: against the majority of several; ``gold``: everybody against the gold labels that may be shown.
    ``stand_ins``: whether each machine may stand in for a reviewer, by first blind labels.
    """

    scale: str
    title: str
    labels: tuple[str, ...]
    ordered: bool
    between: tuple[UnitAgreement, ...]
    together: tuple[ManyReviewers, ...]
    machines: tuple[UnitAgreement, ...] = ()
    consensus: tuple[UnitConsensus, ...] = ()
    gold: tuple[UnitAgreement, ...] = ()
    stand_ins: tuple[StandIn, ...] = ()


@dataclass(frozen=True)
class AxisFigures:
    """One axis: labels by reviewer, what became of differences, the scales. ``gold_told``: gold labels that may be
    shown, ``gold_silent``: those that wait for their units to be decided."""

    axis: str
    labels: tuple[LabelCounts, ...]
    adjudication: Adjudication
    scales: tuple[ScaleFigures, ...]
    gold_told: int
    gold_silent: int


@dataclass(frozen=True)
class UnitFigures:
    """One kind of unit: ``units`` of it are there; figures resample the ``cluster``, by ``resampling``.

    ``stale``: labels on a text that has changed since, which count nowhere. ``family``: what only this kind has,
    ``None`` where there is nothing. ``where``: what all of this is of, the filter,
    ``""`` for the whole kind; ``by``: the parts of it, where it was divided.
    """

    kind: str
    title: str
    noun: str
    cluster: str
    units: int
    labelled: int
    stale: int
    resampling: Resampling
    axes: tuple[AxisFigures, ...]
    family: Family | None
    where: str = ""
    by: UnitDivision | None = None

    @property
    def given(self) -> list[tuple[str, int]]:
        """How many labels each reviewer gave, axis by axis, and of each axis by which labels these are; in each part
        too, where it was divided."""
        whole = [(each.reviewer, sum(each.labels.values())) for axis in self.axes for each in axis.labels]
        return whole + (self.by.given if self.by else [])


def unit_figures(
    reader: sqlite3.Connection,
    kind: str,
    *,
    reviewers: Collection[str] | None = None,
    resampling: Resampling = DEFAULT,
    all_gold: bool = False,
    only: UnitSelection | None = None,
    by: UnitBy | None = None,
    juries: Juries = (),
    epsilon: float = EPSILON,
) -> UnitFigures:
    """The figures of a kind of ``registry.KINDS``; ``reviewers``: whose labels are taken, everybody's without it.

    ``all_gold``: against the right labels of what nobody has decided, too. ``only``: of a part of the kind, one of
    :data:`SELECTED`; ``by``: what it is divided by as well. ``juries``: small ones beside the panel, of key facts.
    ``epsilon``: that of the alternative annotator test.
    Raises :class:`UserError` for a kind that is not divided so, and a jury with a judge that nobody asked.
    """
    labels = kind_labels(reader, kind, reviewers, all_gold=all_gold, only=only)
    resampling = replace(resampling, cluster=labels.cluster)
    return UnitFigures(
        kind=kind,
        title=KINDS[kind].title,
        noun=KINDS[kind].noun,
        cluster=labels.cluster,
        units=len(labels.units),
        labelled=len({one.unit for one in labels.given}),
        stale=labels.stale,
        resampling=resampling,
        axes=tuple(_axis(reader, labels, axis, resampling, epsilon) for axis in scales_of(kind).axes),
        family=_family(reader, labels, reviewers, resampling, all_gold, only, juries),
        where=only.where if only else "",
        by=unit_division(reader, labels, by, reviewers=reviewers, resampling=resampling, only=only, juries=juries)
        if by
        else None,
    )


def check_asked(kind: str, by: UnitBy | None, where: str, juries: Juries) -> None:
    """Raise :class:`UserError` for a division, a filter or juries that the figures of a kind do not have."""
    if by is not None:
        check_division(kind, by)
    if where.strip() and kind not in SELECTED:
        known = ", ".join(KINDS[one].title for one in SELECTED)
        raise UserError(f"A filter narrows the figures of {known}, not those of {KINDS[kind].title}.")
    if juries and kind != "fact":
        raise UserError("Small juries are for key facts: --unit key_fact.")


def leading_scale(
    reader: sqlite3.Connection,
    kind: str,
    *,
    reviewers: Collection[str] | None = None,
    resampling: Resampling = DEFAULT,
    only: UnitSelection | None = None,
) -> ScaleFigures | None:
    """Raters beside each other on the scale that is nearest to what leads of a kind: of two labels where there is one.

    ``None`` where nobody has labelled any. ``only``: of this part of the kind.
    """
    labels = kind_labels(reader, kind, reviewers, only=only)
    axes = scales_of(kind).axes
    scales = [scale for axis in KINDS[kind].headline.speaks_well for scale in axes.get(axis, ())]
    if not scales or not labels.given:
        return None
    leads = next((scale for scale in scales if len(scale.labels) == 2), scales[0])
    return _scale(labels.on(leads), replace(resampling, cluster=labels.cluster), EPSILON)


def _family(
    reader: sqlite3.Connection,
    labels: KindLabels,
    reviewers: Collection[str] | None,
    resampling: Resampling,
    all_gold: bool,
    only: UnitSelection | None,
    juries: Juries,
) -> Family | None:
    match labels.kind:
        case "pair":
            return tests_of_pairs(labels)
        case "answer":
            return answer_figures(reader, reviewers, resampling, all_gold=all_gold)
        case "response":
            return whole_response_figures(reader, labels, resampling)
        case "qa":
            items = [one for one in annotated(reader, reviewers) if one.unit in labels.units]
            answered = item_answer_figures(reader, resampling, labels.units)
            return qa_figures(items, resampling, answered) if items or answered else None
        case "ranking":
            items = annotated(reader, reviewers)
            return ranking_figures(reader, labels, items, resampling, only) if labels.given else None
        case "fact":
            return key_fact_figures(reader, resampling, only, juries)
        case "reference":
            return reference_unit_figures(labels, resampling) if labels.given else None
        case "statement_list":
            return statement_list_figures(reader, labels, resampling) if labels.given else None
        case "question":
            return question_report(reader)
        case "revision":
            return RevisionFigures(cleanup_report(reader, reviewers))
    return None


def every_unit_figures(
    reader: sqlite3.Connection,
    *,
    reviewers: Collection[str] | None = None,
    resampling: Resampling = DEFAULT,
    epsilon: float = EPSILON,
) -> tuple[UnitFigures, ...]:
    """Those of each kind that somebody labelled some of, or that models answered, in the order of the first screen.

    Without what the figures of a study have beside them, of questions and of revisions.
    """
    every = (
        unit_figures(reader, kind, reviewers=reviewers, resampling=resampling, epsilon=epsilon)
        for kind in KINDS
        if reader.execute(_HAS_FIGURES, (kind,)).fetchone()[0]
    )
    return tuple(
        replace(one, family=None) if isinstance(one.family, QuestionReport | RevisionFigures) else one for one in every
    )


def reviewers_named(reader: sqlite3.Connection, name: str | None) -> list[str] | None:
    """The one of this name, ``None`` for everybody. Raises :class:`UserError` for a name that has left nothing."""
    if name is None:
        return None
    known = everybody(reader)
    if name not in known:
        there = f"there are {', '.join(known)}" if known else "nobody has reviewed anything yet"
        raise UserError(f"There is no reviewer {name!r} in this study; {there}.")
    return [name]


def kind_named(name: str) -> str:
    """The kind that a word means: its name, that of its queue, or its noun (``key_fact``).

    Raises :class:`UserError` that names the kinds.
    """
    word = name.strip().casefold().replace("-", "_").replace(" ", "_")
    for kind in KINDS.values():
        if word in (kind.name, kind.queue_name, kind.noun.replace(" ", "_")):
            return kind.name
    raise UserError(f"There is no kind of unit {name!r}; there are {', '.join(KINDS)}.")


def _axis(
    reader: sqlite3.Connection, labels: KindLabels, axis: str, resampling: Resampling, epsilon: float
) -> AxisFigures:
    counts = [
        LabelCounts(name, which, {level: found[level] for level in _levels(axis) if found[level]})
        for name in labels.reviewers
        for which in (*OF_MODE.values(), FINAL)
        if (found := labels.counts(name, axis, which))
    ]
    gold = labels.gold[axis]
    return AxisFigures(
        axis=axis,
        labels=tuple(counts),
        adjudication=adjudication(reader, labels.kind, axis, labels.units if counts else ()),
        scales=tuple(_scale(labels.on(scale), resampling, epsilon) for scale in scales_of(labels.kind).axes[axis]),
        gold_told=len(gold.labels),
        gold_silent=gold.silent,
    )


def _levels(axis: str) -> tuple[str, ...]:
    return tuple(label.level for label in AXES[axis])


def _scale(table: Ratings, resampling: Resampling, epsilon: float) -> ScaleFigures:
    return replace(
        reviewers_on(table, resampling),
        machines=against_machines(table, resampling),
        consensus=consensus(table, resampling),
        gold=against_gold(table, resampling),
        stand_ins=machine_stand_ins(table, epsilon, resampling.level),
    )


def reviewers_on(table: Ratings, resampling: Resampling) -> ScaleFigures:
    """The reviewers beside each other on one scale, without machines and gold labels, and so without a majority."""
    return ScaleFigures(
        scale=table.scale.name,
        title=table.scale.title,
        labels=table.scale.labels,
        ordered=bool(table.scale.order),
        between=between_reviewers(table, resampling),
        together=all_reviewers(table, resampling),
    )
