"""Everything that the report on a study says, read from the study once; its dates, hashes and excerpts as words."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Final

from medreview.citations.allow_list import load_allow_list
from medreview.cli.output import one_line
from medreview.cli.reports.page_parts import Run, several_lines
from medreview.exchange.imports.citation_answers import study_answers
from medreview.generators.brief_text import HOST
from medreview.judges.fact_votes import PRESENCE
from medreview.labels import TieRule
from medreview.llm.costs import Spent, spent
from medreview.progress import SILENT, Progress
from medreview.review.consent import consent_sentence
from medreview.review.guidelines import in_force_for_all
from medreview.sources.reach import stored
from medreview.stats.citation_kpis import CitationReport, PassCriteria, citation_report, scored
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.reports.answer_collection import AnswerCollection, answer_collection
from medreview.stats.reports.overrides import Overridden, OverrideThemes, overridden, override_themes
from medreview.stats.reports.provenance import ReviewRecord, review_record
from medreview.stats.reports.small_jury import judge_costs, judge_seconds
from medreview.stats.reports.study_reader import EVERYTHING, Selection
from medreview.stats.study_figures import StudyFigures, study_figures
from medreview.stats.units.accused_references import AccusedReferences, accused_references
from medreview.stats.units.answer_figures import MarkedAnswer, marked_answers
from medreview.stats.units.fact_report import FactReport, fact_report
from medreview.study.study_acts import Declaration, backgrounds, declarations
from medreview.units.documents import ExcerptPiece
from medreview.units.label_comparisons import OverriddenLabel, overridden_labels

MOST: Final = 200
"""Overridden statements of each reviewer that a report shows in full, unless more are asked for."""


@dataclass(frozen=True)
class JudgeEffort:
    """By judge, where known of every call: the cost of one unit, and the seconds that it takes."""

    costs: Mapping[str, float]
    seconds: Mapping[str, float]


@dataclass(frozen=True)
class Material:
    """What sections are made of. ``name`` is that of the study's file.

    ``differing``: the labels of all reviewers of ``figures`` that are not the judges' verdict; ``held_back`` more are
    not shown: the reader has not decided them yet and is still at the audit. ``overridden``: the first of each reviewer
    in full. ``themes``: what models found in them. ``facts``: ``None`` without key facts and suggested ones;
    ``citations``: ``None`` without a response, and of texts that rest on notes of cases alone. ``references``: those
    that the rules speak against, ``None`` of a part of the study and where none was found. ``spent``: what was asked of
    models from here. ``asked``: how the answers came about, ``None`` of a part of the study; ``declared``: what was
    said of the study for a journal. ``effort``: what a statement (``""``) or a fact (``PRESENCE``) costs a judge, and
    how long it takes it. ``backgrounds``: what reviewers say of themselves, by name; ``guidelines``: those in force;
    ``consent``: how many consented.
    """

    name: str
    figures: StudyFigures
    record: ReviewRecord = field(default_factory=ReviewRecord)
    differing: tuple[OverriddenLabel, ...] = ()
    overridden: tuple[Overridden, ...] = ()
    held_back: int = 0
    themes: tuple[OverrideThemes, ...] = ()
    answers: tuple[MarkedAnswer, ...] = ()
    facts: FactReport | None = None
    citations: CitationReport | None = None
    references: AccusedReferences | None = None
    spent: tuple[Spent, ...] = ()
    asked: AnswerCollection | None = None
    declared: tuple[Declaration, ...] = ()
    effort: Mapping[str, JudgeEffort] = field(default_factory=dict)
    backgrounds: tuple[tuple[str, str], ...] = ()
    guidelines: str = ""
    consent: str = ""

    @property
    def reviewers(self) -> tuple[str, ...]:
        """The reviewers behind the figures."""
        return tuple(one.reviewer for one in self.figures.reviewers)


def gather(
    reader: sqlite3.Connection,
    name: str,
    reviewer: str | None = None,
    *,
    only: Selection = EVERYTHING,
    listed: Collection[str] | None = None,
    to: tuple[str, ...] = (),
    most: int = MOST,
    tie: TieRule | None = None,
    resampling: Resampling = DEFAULT,
    progress: Progress = SILENT,
) -> Material:
    """All of it, or of ``only`` a part: then without what is of the whole study (citations, cost, key facts, units).

    ``listed``: the only statements whose judges may be shown one by one, ``None`` for all of them; ``to``: who may be
    reading it. ``most``: how many overridden statements of each reviewer to show in full. ``tie`` stands in for the
    study's rule where key facts are counted. Raises :class:`UserError` for a ``reviewer`` without entries in the study.
    """
    whole = only.statements is None
    figures = study_figures(reader, reviewer, resampling=resampling, progress=progress, only=only, conduct=None)
    names = [one.reviewer for one in figures.reviewers]
    every = [label for one in names for label in overridden_labels(reader, one) if only.holds(label.statement_id)]
    labels = tuple(label for label in every if listed is None or label.statement_id in listed)
    in_full = [label for one in names for label in islice((it for it in labels if it.reviewer == one), most)]
    themes = [override_themes(reader, one, to, listed) for one in names] if whole else []
    record = review_record(reader, names, only.statements)
    of_notes = _only_notes(reader)
    return Material(
        name=name,
        figures=figures,
        record=replace(record, pages={}, by_ocr=0) if of_notes else record,
        differing=labels,
        overridden=tuple(overridden(reader, in_full, progress)),
        held_back=len(every) - len(labels),
        themes=tuple(found for found in themes if found is not None),
        answers=tuple(_answers(reader, names, only, listed)),
        facts=_facts(reader, tie, resampling) if whole else None,
        citations=_citations(reader, resampling, progress) if whole and not of_notes else None,
        references=accused_references(reader, names, listed) if whole and figures.references else None,
        spent=tuple(spent(reader)) if whole else (),
        asked=answer_collection(reader) if whole else None,
        declared=tuple(declarations(reader)),
        effort={task: JudgeEffort(judge_costs(reader, task), judge_seconds(reader, task)) for task in ("", PRESENCE)}
        if whole
        else {},
        backgrounds=tuple((name, said.line) for name, said, _ in backgrounds(reader) if name in names),
        guidelines=_guidelines(reader),
        consent=consent_sentence(reader, names),
    )


_CITED: Final = """
SELECT count(*) AS cited, sum(domain = ?) AS notes FROM source WHERE source_id IN (SELECT source_id FROM citation)"""


def _only_notes(reader: sqlite3.Connection) -> bool:
    """Whether what the texts rest on are notes of cases alone: nothing that anybody cites, or could fetch."""
    row = reader.execute(_CITED, (HOST,)).fetchone()
    return bool(row["cited"]) and row["cited"] == row["notes"]


def _guidelines(reader: sqlite3.Connection) -> str:
    now = in_force_for_all(reader)
    set_by = (
        f", set by {one_line(now.set_by)} on {now.set_at[:10]}" if now.number else ", the definitions of the labels"
    )
    return f"{one_line(now.name)}{set_by}"


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
        scored(answers, allow, len(answers), progress), allow, PassCriteria(), reach=stored(reader),
        reach_from="snapshots", resampling=resampling, progress=progress,
    )  # fmt: skip


_DIGITS: Final = 12
"""Of a hash that is shown; exports have all."""
_SPACE: Final = "\N{NO-BREAK SPACE}"


def date(at: str) -> str:
    """A stored time as a day and a minute, UTC; unchanged if it is not a time."""
    try:
        return datetime.fromisoformat(at).strftime("%Y-%m-%d %H:%M UTC")
    except ValueError:
        return at


def short_hash(digest: str) -> str:
    """The beginning of a hash."""
    return digest[:_DIGITS]


def excerpt_runs(pieces: Iterable[ExcerptPiece], goes_on: bool = False) -> Iterator[Run]:
    """An excerpt of a text from outside, its places marked; an ellipsis where something was left out."""
    first = True
    for piece in pieces:
        if piece.gap:
            yield Run(f"…{_SPACE}" if first else " … ", "muted")
        first = False
        yield Run(several_lines(piece.text), "quote" if piece.marked else "")
    if goes_on:
        yield Run(f"{_SPACE}…", "muted")
