"""What became of items that a model generated: revised or removed statements, planted hallucinations; beside papers.

Unsupported statements that a model revised or removed stand beside the figures of SourceCleanup, answers with a planted
hallucination, by data set and type, beside MedHalu's.
"""

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from medreview.generators.correct_answers import MADE, TYPES, counted
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion

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
