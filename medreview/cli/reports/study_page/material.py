"""Everything that the report on a study says, read from the study once."""

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from medreview.citations.allow_list import load_allow_list
from medreview.exchange.imports.citation_answers import study_answers
from medreview.labels import TieRule
from medreview.llm.report import Spent, spent
from medreview.progress import SILENT, Progress
from medreview.sources.lookups.reach import stored
from medreview.stats.citations.report import CitationReport, Thresholds, citation_report, scored
from medreview.stats.facts.fact_report import FactReport, fact_report
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.reports.marked_answers import MarkedAnswer, marked_answers
from medreview.stats.reports.overridden import Overridden, overridden
from medreview.stats.reports.review_record import ReviewRecord, review_record
from medreview.stats.reports.selection import EVERYTHING, Selection
from medreview.stats.study_figures import StudyFigures, study_figures


@dataclass(frozen=True)
class Material:
    """What sections are made of. ``name`` is that of the study's file.

    ``overridden``: by all reviewers of ``figures``; ``held_back`` of them are not listed, because who reads the report
    has not decided them yet and is still at the audit. ``facts``: ``None`` without key facts and suggested ones;
    ``citations``: ``None`` without a response. ``spent``: what was asked of models from here.
    """

    name: str
    figures: StudyFigures
    record: ReviewRecord = field(default_factory=ReviewRecord)
    overridden: tuple[Overridden, ...] = ()
    held_back: int = 0
    answers: tuple[MarkedAnswer, ...] = ()
    facts: FactReport | None = None
    citations: CitationReport | None = None
    spent: tuple[Spent, ...] = ()

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Who has left something in the figures."""
        return tuple(one.reviewer for one in self.figures.reviewers)


def gather(
    reader: sqlite3.Connection,
    name: str,
    reviewer: str | None = None,
    *,
    only: Selection = EVERYTHING,
    listed: Collection[str] | None = None,
    tie: TieRule | None = None,
    resampling: Resampling = DEFAULT,
    progress: Progress = SILENT,
) -> Material:
    """All of it, or of ``only`` a part: then without what is of the whole study (citations, cost, key facts, units).

    ``listed``: the only statements whose judges may be shown one by one, ``None`` for all of them.
    ``tie`` stands in for the study's rule where key facts are counted. Raises :class:`UserError` for a ``reviewer``
    who has left nothing in the study.
    """
    whole = only.statements is None
    figures = study_figures(reader, reviewer, resampling=resampling, progress=progress, only=only, conduct=None)
    names = [one.reviewer for one in figures.reviewers]
    every = [item for one in names for item in overridden(reader, one, only.statements, progress)]
    items = tuple(item for item in every if listed is None or item.statement_id in listed)
    return Material(
        name=name,
        figures=figures,
        record=review_record(reader, names, only.statements),
        overridden=items,
        held_back=len(every) - len(items),
        answers=tuple(_answers(reader, names, only, listed)),
        facts=_facts(reader, tie, resampling) if whole else None,
        citations=_citations(reader, resampling, progress) if whole else None,
        spent=tuple(spent(reader)) if whole else (),
    )


def _answers(
    reader: sqlite3.Connection, names: Collection[str], only: Selection, listed: Collection[str] | None
) -> Iterator[MarkedAnswer]:
    """Without what judges found, for who may not see it of every answer."""
    for answer in marked_answers(reader, names, only.statements):
        yield answer if listed is None else replace(answer, findings=())


def _facts(reader: sqlite3.Connection, tie: TieRule | None, resampling: Resampling) -> FactReport | None:
    found = fact_report(reader, tie=tie, resampling=resampling)
    return found if found.facts.held or found.suggested.suggested or found.suggested.own else None


def _citations(reader: sqlite3.Connection, resampling: Resampling, progress: Progress) -> CitationReport | None:
    answers = list(study_answers(reader))
    if not answers:
        return None
    allow = load_allow_list(None)
    return citation_report(
        scored(answers, allow, len(answers), progress), allow, Thresholds(), reach=stored(reader),
        reach_from="snapshots", resampling=resampling, progress=progress,
    )  # fmt: skip
