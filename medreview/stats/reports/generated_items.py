"""What became of items that a model generated: questions, revised or removed statements, planted hallucinations.

Questions that were made from texts stand beside SourceCheckup's (two doctors, 100 of 100), unsupported statements that
a model revised or removed beside the figures of SourceCleanup, answers with a planted hallucination, by data set and
type, beside MedHalu's.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from medreview.generators.correct_answers import MADE, TYPES, counted
from medreview.labels import ANSWERABILITY
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.reports.study_support import largest_strata

CLEANUP_IN_PAPER: Final[Mapping[str, tuple[int, int]]] = {
    "removed": (52, 150),
    "supported": (84, 98),
    "together": (136, 150),
}
"""SourceCheckup, "Improve statement relevance to sources": counts of (share, whole), by what is counted."""

_UNITS: Final = """
SELECT unit_id, model, json_extract(content, '$.revised') <> '' AS revised FROM unit WHERE kind = 'revision'
ORDER BY ordinal"""
_BY_JUDGES: Final = """
SELECT unit, judge, label, max(given_at || opinion_id) FROM opinion WHERE axis = 'revision' AND unit >= 'revision:'
AND unit < 'revision;' GROUP BY unit, judge ORDER BY judge"""
_BY_REVIEWERS: Final = """
SELECT unit, reviewer, mode, label FROM reviewer_label
WHERE axis = 'revision' AND unit >= 'revision:' AND unit < 'revision;' AND pass = 1
ORDER BY reviewer, mode"""
_TOGETHER: Final = "removed or supported"


@dataclass(frozen=True)
class CleanedUp:
    """What one rater (``by``: a judge, or a reviewer with the mode of the labels) says of a model's revisions.

    ``supported``: the share of revised statements that it finds supported now; one without a word of it, or whose judge
    abstained, is dropped. ``together``: the share of all that was either removed or is supported; undefined as long as
    a revised one is dropped. ``removal_right``: of the removed ones that it labelled, the share rightly removed.
    """

    by: str
    judge: bool
    supported: Estimate
    together: Estimate
    removal_right: Estimate | None


@dataclass(frozen=True)
class CleanupFigures:
    """The revisions and removals of one writer; ``removed`` is the share of the latter."""

    model: str
    statements: int
    removed: Estimate
    raters: tuple[CleanedUp, ...]


def cleanup_report(reader: sqlite3.Connection, reviewers: Collection[str] | None = None) -> tuple[CleanupFigures, ...]:
    """The figures of each model that revised statements, with Wilson intervals; empty where none did.

    ``reviewers``: whose labels are taken; everybody's without it.
    """
    written: dict[str, dict[str, bool]] = {}
    for unit, model, revised in reader.execute(_UNITS):
        written.setdefault(model, {})[unit] = bool(revised)
    said: dict[tuple[str, bool], dict[str, str | None]] = {}
    for unit, judge, label, _ in reader.execute(_BY_JUDGES):
        said.setdefault((judge, True), {})[unit] = label
    for unit, reviewer, mode, label in reader.execute(_BY_REVIEWERS):
        if reviewers is None or reviewer in reviewers:
            said.setdefault((f"{reviewer}, {mode}", False), {})[unit] = label
    return tuple(_figures(model, units, said) for model, units in written.items())


def _figures(
    model: str, units: Mapping[str, bool], said: Mapping[tuple[str, bool], Mapping[str, str | None]]
) -> CleanupFigures:
    removed = sum(not revised for revised in units.values())
    return CleanupFigures(
        model=model,
        statements=len(units),
        removed=proportion("removed", removed, len(units), nothing="No statement was revised or removed."),
        raters=tuple(
            _cleaned_up(by, judge, units, labels)
            for (by, judge), labels in said.items()
            if labels.keys() & units.keys()
        ),
    )


def _cleaned_up(by: str, judge: bool, units: Mapping[str, bool], labels: Mapping[str, str | None]) -> CleanedUp:
    revised = [labels.get(unit) for unit, is_revised in units.items() if is_revised]
    removed = [labels.get(unit) for unit, is_revised in units.items() if not is_revised]
    told, told_removed = ([label for label in group if label] for group in (revised, removed))
    supported, missing = told.count("supported"), len(revised) - len(told)
    nothing = f"{by} has no word on a revised statement." if revised else "Nothing was revised."
    if missing:
        why = f"{missing} of {len(revised)} revised statements have no word of {by}."
        together = Estimate(_TOGETHER, None, None, None, "Wilson", 0, dropped=missing, reason=why, scale="share")
    else:
        together = proportion(_TOGETHER, len(removed) + supported, len(units), nothing=nothing)
    right = proportion(
        "rightly removed",
        told_removed.count("removal_right"),
        len(told_removed),
        dropped=len(removed) - len(told_removed),
        nothing=f"{by} has no word on a removed statement.",
    )
    return CleanedUp(
        by=by,
        judge=judge,
        supported=proportion("supported after revision", supported, len(told), dropped=missing, nothing=nothing),
        together=together,
        removal_right=right if told_removed else None,
    )


PLANTED_IN_PAPER: Final[Mapping[str, int]] = {"none": 538, "fact": 507, "input": 535, "context": 497}
"""MedHalu table 4: answers by type, of 2,077."""

_PLANTED: Final = f"""
SELECT r.origin, g.label FROM response AS r JOIN gold AS g ON g.unit = 'answer:' || r.response_id
WHERE g.axis = 'hallucination' AND r.model LIKE '%{MADE}' ORDER BY r.ordinal"""


@dataclass(frozen=True)
class PlantedFigures:
    """Counts of answers by data set and type, all data sets together, and the paper's."""

    by_origin: Mapping[str, Mapping[str, int]]
    all: Mapping[str, int]
    paper: Mapping[str, int]


def planted_report(reader: sqlite3.Connection) -> PlantedFigures:
    """Those of the study that were made here, whoever wrote them."""
    by_origin = counted((row[0], row[1]) for row in reader.execute(_PLANTED))
    total = {kind: sum(row[kind] for row in by_origin.values()) for kind in TYPES}
    return PlantedFigures(by_origin, total, PLANTED_IN_PAPER)


PAPER: Final = (100, 100)
"""SourceCheckup: questions that each of two doctors found answerable from their text, of those looked at."""

_QUESTIONS: Final = "SELECT unit_id, model, origin FROM unit WHERE kind = 'question' ORDER BY ordinal"
_ASKED_REVIEWERS: Final = """
SELECT unit, reviewer, mode, label FROM reviewer_label
WHERE axis = 'answerability' AND unit >= 'question:' AND unit < 'question;' AND pass = 1
ORDER BY reviewer, mode"""
_ASKED_JUDGES: Final = """
SELECT unit, judge, label, max(given_at || opinion_id) FROM opinion WHERE axis = 'answerability' GROUP BY unit, judge
HAVING label IS NOT NULL ORDER BY judge"""
_ANSWERABLE: Final = "answerable"
_LEVELS: Final = tuple(label.level for label in ANSWERABILITY)


@dataclass(frozen=True)
class CheckedQuestions:
    """What one rater said of some questions: how often each label, and the share that is answerable, by Wilson.

    ``split`` is ``""`` (all questions), ``"model"`` (who wrote them) or ``"origin"``, ``stratum`` its value.
    """

    split: str
    stratum: str
    labels: Mapping[str, int]
    answerable: Estimate


@dataclass(frozen=True)
class QuestionRater:
    """A judge, or a reviewer with the ``mode`` of the labels (``blind``, ``assisted``). The first of ``strata`` is all
    questions; writers and origins follow where there are several."""

    by: str
    judge: bool
    mode: str
    strata: tuple[CheckedQuestions, ...]


@dataclass(frozen=True)
class QuestionAgreement:
    """How often two reviewers gave the same label, of the questions that both labelled; by Wilson."""

    first: str
    second: str
    alike: Estimate


@dataclass(frozen=True)
class QuestionReport:
    """``questions`` in the study, those who said something of them, and each two reviewers beside each other."""

    questions: int
    raters: tuple[QuestionRater, ...]
    agreement: tuple[QuestionAgreement, ...]


def question_report(reader: sqlite3.Connection) -> QuestionReport:
    """Count them, on the first pass."""
    questions = {row["unit_id"]: row for row in reader.execute(_QUESTIONS)}
    said: dict[tuple[str, bool, str], dict[str, str]] = {}
    people: dict[str, dict[str, str]] = {}
    for unit, reviewer, mode, label in reader.execute(_ASKED_REVIEWERS):
        if unit in questions:
            said.setdefault((reviewer, False, mode), {})[unit] = label
            people.setdefault(reviewer, {})[unit] = label
    for unit, judge, label, _ in reader.execute(_ASKED_JUDGES):
        if unit in questions:
            said.setdefault((judge, True, ""), {})[unit] = label
    return QuestionReport(
        questions=len(questions),
        raters=tuple(
            QuestionRater(by, judge, mode, _strata(labels, questions)) for (by, judge, mode), labels in said.items()
        ),
        agreement=tuple(
            QuestionAgreement(first, second, _alike(people[first], people[second]))
            for first, second in combinations(sorted(people), 2)
        ),
    )


def _strata(labels: Mapping[str, str], questions: Mapping[str, sqlite3.Row]) -> tuple[CheckedQuestions, ...]:
    members: dict[tuple[str, str], list[str]] = {("", ""): list(questions)}
    for unit, row in questions.items():
        for split in ("model", "origin"):
            members.setdefault((split, row[split]), []).append(unit)
    return tuple(_checked(*at, labels, members[at]) for at in largest_strata(members)[0])


def _checked(split: str, stratum: str, labels: Mapping[str, str], units: Collection[str]) -> CheckedQuestions:
    counts = Counter(labels[unit] for unit in units if unit in labels)
    answerable = proportion(
        "answerable from the text",
        counts[_ANSWERABLE],
        counts.total(),
        dropped=len(units) - counts.total(),
        nothing="None of these questions has a label.",
    )
    return CheckedQuestions(split, stratum, {level: counts[level] for level in _LEVELS}, answerable)


def _alike(one: Mapping[str, str], other: Mapping[str, str]) -> Estimate:
    both = one.keys() & other.keys()
    same = sum(one[unit] == other[unit] for unit in both)
    return proportion("same label", same, len(both), nothing="No question has a label of both.")
