"""What reviewers and judges say of questions that were made from texts (SourceCheckup: two doctors, 100 of 100)."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from medreview.labels import ANSWERABILITY
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.reports.study_support import MOST_STRATA

PAPER: Final = (100, 100)
"""SourceCheckup: questions that each of two doctors found answerable from their text, of those looked at."""

_QUESTIONS: Final = "SELECT unit_id, model, origin FROM unit WHERE kind = 'question' ORDER BY ordinal"
_BY_REVIEWERS: Final = """
SELECT unit, reviewer, mode, label FROM reviewer_label
WHERE axis = 'answerability' AND unit >= 'question:' AND unit < 'question;' AND pass = 1
ORDER BY reviewer, mode"""
_BY_JUDGES: Final = """
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
    for unit, reviewer, mode, label in reader.execute(_BY_REVIEWERS):
        if unit in questions:
            said.setdefault((reviewer, False, mode), {})[unit] = label
            people.setdefault(reviewer, {})[unit] = label
    for unit, judge, label, _ in reader.execute(_BY_JUDGES):
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
    found = [_checked("", "", labels, questions.keys())]
    for split in ("model", "origin"):
        members: dict[str, list[str]] = {}
        for unit, row in questions.items():
            members.setdefault(row[split], []).append(unit)
        if len(members) > 1:
            largest = sorted(members, key=lambda name: (-len(members[name]), name))[:MOST_STRATA]
            found += [_checked(split, name, labels, members[name]) for name in largest]
    return tuple(found)


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
