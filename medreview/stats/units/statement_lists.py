"""How good the lists of statements are: statements that their answer says, answers of which the list lacks one.

SourceCheckup ("Question generation and response parsing") has 330 of 330 and 329 of 330 statements contained in 72
answers by two doctors, and 6 and 5 answers with one that was not parsed.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import jackknifed, proportion, quotient, summed
from medreview.stats.reports.reviewer_labels import Scale
from medreview.stats.units.kind_labels import OF_MODE, KindLabels, Ratings, Which
from medreview.stats.units.rater_agreement import UnitAgreement, between_reviewers
from medreview.study.ids import unit_id
from medreview.units.statement_list import ListCheck, list_checks

MISSES: Final = Scale("misses", "a statement missing or not", ("complete", "misses one"))
CONTAINED: Final = Scale("contained", "statement in the answer or not", ("contained", "not contained"))
ALONE: Final = Scale("alone", "self-contained or not", ("self-contained", "not self-contained"))


@dataclass(frozen=True)
class ListRater:
    """What one reviewer finds in the lists of one ``parser`` (``""``: of all), by labels of one kind (``which``).

    ``contained``, ``self_contained``: shares of statements; ``misses``: the share of answers of which the list lacks at
    least one, ``missing``: how many are lacking in all. ``so`` has the numerators, in this order. ``unplaced``: lists
    with a fault of statements that has no place: their statements are left out of the two shares.
    """

    reviewer: str
    which: str
    parser: str
    answers: int
    statements: int
    contained: Estimate
    self_contained: Estimate
    misses: Estimate
    so: tuple[int, int, int]
    missing: int
    unplaced: int


@dataclass(frozen=True)
class ListAgreement:
    """Two reviewers on one of the questions, ``title``, with the ``labels`` in the order of the table."""

    title: str
    labels: tuple[str, ...]
    found: UnitAgreement


@dataclass(frozen=True)
class StatementListFigures:
    """By reviewer and parser, and each two reviewers beside each other; empty before anybody has said anything."""

    raters: tuple[ListRater, ...]
    between: tuple[ListAgreement, ...]


def statement_list_figures(
    reader: sqlite3.Connection, labels: KindLabels, resampling: Resampling = DEFAULT
) -> StatementListFigures:
    """Of the reviewers whose ``labels`` these are, on the first pass."""
    units = {(one.reviewer, one.unit) for one in labels.given}
    checks = [
        one
        for one in list_checks(reader)
        if one.pass_no == 1 and (one.reviewer, unit_id(labels.kind, one.response_id)) in units
    ]
    of_all = {each: labels.clusters[unit_id(labels.kind, one.response_id)] for one in checks for each in one.statements}
    held = replace(labels, clusters={**labels.clusters, **of_all})
    parsers = sorted({one.parser for one in checks})
    raters = []
    for mode, which in OF_MODE.items():
        for reviewer in labels.reviewers:
            mine = [one for one in checks if (one.mode, one.reviewer) == (mode, reviewer)]
            for parser in ("", *(parsers if len(parsers) > 1 else ())):
                if lists := [one for one in mine if parser in ("", one.parser)]:
                    raters.append(_rater(lists, held, reviewer, which, parser, resampling))
    return StatementListFigures(tuple(raters), tuple(_between(checks, held, resampling)))


def _rater(
    checks: Sequence[ListCheck], labels: KindLabels, reviewer: str, which: str, parser: str, resampling: Resampling
) -> ListRater:
    placed = [one for one in checks if not _unplaced(one)]

    def share(name: str, counted: Sequence[ListCheck], so: Callable[[ListCheck], int], of: Callable[[ListCheck], int],
              nothing: str) -> Estimate:  # fmt: skip
        rows = [(labels.clusters[unit_id(labels.kind, one.response_id)], (so(one), of(one))) for one in counted]
        sums = summed((cluster, row) for cluster, row in rows if row[1])
        n = int(sum(row[1] for row in sums.values()))
        if all(row[1] <= 1 for row in sums.values()):
            return proportion(name, sum(row[0] for _, row in rows), n, level=resampling.level, nothing=nothing)
        return jackknifed(
            name, sums, quotient(), n=n, scale="share", nothing=nothing, unit=labels.cluster, level=resampling.level
        )

    def contained(one: ListCheck) -> int:
        return len(one.statements) - len(one.not_contained)

    def alone(one: ListCheck) -> int:
        return len(one.statements) - len(one.not_self_contained)

    def statements(one: ListCheck) -> int:
        return len(one.statements)

    nothing = "No list with statements was checked."
    return ListRater(
        reviewer=reviewer,
        which=which,
        parser=parser,
        answers=len(checks),
        statements=sum(map(statements, placed)),
        contained=share("statements contained in the answer", placed, contained, statements, nothing),
        self_contained=share("statements self-contained", placed, alone, statements, nothing),
        misses=share(
            "answers of which the list misses a statement", checks, lambda one: one.misses, lambda one: 1, nothing
        ),
        so=(sum(map(contained, placed)), sum(map(alone, placed)), sum(one.misses for one in checks)),
        missing=sum(max(len(one.missing), one.misses) for one in checks),
        unplaced=len(checks) - len(placed),
    )


def _unplaced(one: ListCheck) -> bool:
    """Whether a fault of statements was named without saying of which."""
    return one.unplaced and one.label != "missing"


def _between(checks: Sequence[ListCheck], labels: KindLabels, resampling: Resampling) -> list[ListAgreement]:
    order, found = tuple(OF_MODE.values()), []
    for scale, words in ((MISSES, _completeness), (CONTAINED, _containment), (ALONE, _aloneness)):
        people: dict[tuple[str, Which], dict[str, str]] = {}
        for one in sorted(checks, key=lambda check: check.reviewer):
            people.setdefault((one.reviewer, OF_MODE[one.mode]), {}).update(words(one, labels.kind))
        table = Ratings(scale, labels.cluster, labels.clusters, people)
        found += [ListAgreement(scale.title, scale.labels, one) for one in between_reviewers(table, resampling, order)]
    return sorted(found, key=lambda one: (order.index(one.found.which), one.found.first, one.found.second))


def _completeness(one: ListCheck, kind: str) -> Mapping[str, str]:
    return {unit_id(kind, one.response_id): MISSES.labels[one.misses]}


def _containment(one: ListCheck, kind: str) -> Mapping[str, str]:
    if _unplaced(one):
        return {}
    return {each: CONTAINED.labels[each in one.not_contained] for each in one.statements}


def _aloneness(one: ListCheck, kind: str) -> Mapping[str, str]:
    if _unplaced(one):
        return {}
    return {each: ALONE.labels[each in one.not_self_contained] for each in one.statements}
