"""Whether a judge agrees with a panel as well as one person of it does (MedFactEval's meta-evaluation).

A person is held against the majority of the others, a judge against that of all: the mean of the persons' kappas is
what a judge has to reach. All of it comes from the same resamples, so that the difference has an interval.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from medreview.judges.majority import TieRule, majority_vote
from medreview.stats.formulas.agreement import encode
from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    Floats,
    Resampling,
    Statistic,
    bootstrap_figure,
    contributions,
    count_cells,
    draw,
    without_each,
)
from medreview.stats.formulas.coefficients import cohen_kappa
from medreview.stats.formulas.estimate import Estimate, Scale
from medreview.stats.formulas.intervals import below, jackknife

MARGIN: Final = 0.10
"""How much worse than a person a judge may be, in kappa (the paper's)."""
ALPHA: Final = 0.05
"""Of the one-sided test: the interval of the difference has the level 1 - 2 alpha, and its lower end is the test."""

_FEW: Final = "It takes two people; the others of one are then one."
_UNDEFINED: Final = "One of the kappas is 0/0: somebody and the majority gave one label throughout."
_NO_PANEL: Final = "No item has votes of two people."
_NO_JUDGE: Final = "On no item are there both a majority and a label of this judge."


@dataclass(frozen=True)
class LeaveOneOut:
    """``mean`` of the kappas of each person with the majority of the others (``persons``, one each, in their order).

    ``ties``: how often the others of a person were even, whatever the rule made of it; ``rule`` is that rule.
    """

    persons: tuple[Estimate, ...]
    mean: Estimate
    ties: int
    rule: TieRule


@dataclass(frozen=True, slots=True)
class BesidePerson:
    """A judge, or a jury, beside one person: ``difference`` is its kappa minus the mean of the persons'.

    ``p``, one-sided, of a judge that is worse by the margin or more: by Student's t on the jackknife of few clusters,
    else the share of resamples, to be printed as below 1 / replicates when 0. ``None`` when undefined.
    """

    rater: str
    difference: Estimate
    p: float | None
    margin: float = MARGIN

    @property
    def non_inferior(self) -> bool | None:
        """Whether the lower end of the interval is above minus the margin; ``None`` without an interval."""
        return None if self.difference.low is None else self.difference.low > -self.margin


@dataclass(frozen=True)
class NonInferiority:
    """``kappas``: each judge's with the majority of all people; ``beside``: the same minus that of one person."""

    baseline: LeaveOneOut
    kappas: Mapping[str, Estimate]
    beside: tuple[BesidePerson, ...]


@dataclass(frozen=True)
class _Tables:
    """Per unit a table of each person, then of each judge (R x raters x q x q), and what was left out of each."""

    units: Floats
    clustered: bool
    dropped: tuple[int, ...]
    ties: int


def leave_one_out(
    votes: Sequence[Sequence[Hashable]],
    labels: Sequence[Hashable],
    *,
    tie: TieRule = "undecided",
    positive: Hashable = None,
    negative: Hashable = None,
    clusters: Sequence[Hashable] | None = None,
    unit: str = "",
    resampling: Resampling = DEFAULT,
) -> LeaveOneOut:
    """Each person's kappa with the majority of the others, and the mean of them (items by people, ``None``: no vote).

    ``tie``: what becomes of an even vote of the others, by ``majority_vote``; one that stays undecided leaves the item
    out for that person. Undefined below two people, and when any person's kappa is. Items, or whole ``clusters``
    (a ``unit``), are resampled, all people at once.
    """
    return non_inferiority(
        votes, {}, labels, tie=tie, positive=positive, negative=negative, clusters=clusters, unit=unit,
        resampling=resampling,
    ).baseline  # fmt: skip


def non_inferiority(
    votes: Sequence[Sequence[Hashable]],
    judges: Mapping[str, Sequence[Hashable]],
    labels: Sequence[Hashable],
    *,
    margin: float = MARGIN,
    alpha: float = ALPHA,
    tie: TieRule = "undecided",
    positive: Hashable = None,
    negative: Hashable = None,
    clusters: Sequence[Hashable] | None = None,
    unit: str = "",
    resampling: Resampling = DEFAULT,
) -> NonInferiority:
    """Is a judge no worse than one person by more than ``margin``, in kappa? (Grolleau et al., MedFactEval)

    D = kappa(judge, majority of all) - mean leave-one-out kappa. Not inferior when the lower end of its interval of
    level 1 - 2 ``alpha`` is above -``margin``; p is by t of few clusters, else the share of resamples at -``margin`` or
    below. The tie rule is the same on both sides. Undefined as soon as one of the kappas is. Raises ``ValueError`` for
    rows of different length, labels outside the protocol and a tie rule without its label.
    """
    people = len(votes[0]) if votes else 0
    tables = _tables(votes, judges, labels, tie, positive, negative, clusters)
    q, raters = len(labels), people + len(judges)
    flat = tables.units.reshape(len(tables.units), raters * q * q)
    sums = draw(contributions(flat), resampling) if len(flat) else flat

    def kappa(added: Floats) -> Floats:
        return cohen_kappa(added.reshape(len(added), raters, q, q))

    observed, draws = kappa(flat.sum(axis=0)[None])[0], kappa(sums)
    without = without_each(flat, kappa, resampling) if tables.clustered else None
    items = tables.units.sum(axis=(2, 3))

    def figure(
        name: str,
        finish: Statistic,
        n: Floats,
        dropped: int,
        nothing: str,
        at: Resampling,
        scale: Scale = "coefficient",
    ) -> Estimate:
        used = int((n > 0).sum()) if tables.clustered else None
        if not n.any() or people < 2:
            why = _FEW if people < 2 else nothing
            return Estimate(
                name, None, None, None, "none", 0, used, dropped, why, at.level, scale=scale,
                cluster=(unit or at.cluster) if tables.clustered else "",
            )  # fmt: skip
        return bootstrap_figure(
            name, float(finish(observed)), finish(draws), n=int(n.sum()), clusters=used, undefined=_UNDEFINED,
            instead="", left_out=None if without is None else finish(without[n > 0]), scale=scale, resampling=at,
            dropped=dropped, unit=unit,
        )  # fmt: skip

    def of(place: int) -> Statistic:
        return lambda kappas: np.asarray(kappas[..., place])

    def of_one_person(kappas: Floats) -> Floats:
        return np.asarray(kappas[..., :people].mean(axis=-1) if people else kappas[..., :0].sum(axis=-1))

    persons = tuple(
        figure(
            f"kappa of person {place + 1} with the majority of the others", of(place), items[:, place],
            tables.dropped[place], _NO_PANEL, resampling,
        )
        for place in range(people)
    )  # fmt: skip
    mean = figure(
        "mean kappa of a person with the majority of the others", of_one_person, items[:, :people].sum(axis=1),
        sum(tables.dropped[:people]), _NO_PANEL, resampling,
    )  # fmt: skip
    narrow = replace(resampling, level=1 - 2 * alpha)
    kappas, beside = {}, []
    for place, judge in enumerate(judges, people):
        held, dropped = items[:, place], tables.dropped[place]
        kappas[judge] = figure(
            f"kappa of {judge} with the majority", of(place), held, dropped, _NO_JUDGE, resampling
        )  # fmt: skip

        def apart(kappas: Floats, place: int = place) -> Floats:
            return np.asarray(kappas[..., place] - of_one_person(kappas))

        difference = figure(
            f"kappa of {judge}, minus that of a person", apart, held, dropped, _NO_JUDGE, narrow,
            "coefficient_difference",
        )  # fmt: skip
        p = None
        if difference.low is not None:
            left_out = None if without is None else apart(without[held > 0]).tolist()
            p = _one_sided(float(apart(observed)), apart(draws), left_out, -margin)
        beside.append(BesidePerson(judge, difference, p, margin))
    return NonInferiority(LeaveOneOut(persons, mean, tables.ties, tie), kappas, tuple(beside))


def _one_sided(value: float, draws: Floats, left_out: Sequence[float] | None, bound: float) -> float:
    """The p of a difference that may be ``bound`` or less, by what its interval is made of."""
    found = None if left_out is None else jackknife(value, left_out)
    return below(found, bound) if found is not None else float((draws[~np.isnan(draws)] <= bound).mean())


def _tables(
    votes: Sequence[Sequence[Hashable]],
    judges: Mapping[str, Sequence[Hashable]],
    labels: Sequence[Hashable],
    tie: TieRule,
    positive: Hashable,
    negative: Hashable,
    clusters: Sequence[Hashable] | None,
) -> _Tables:
    people = len(votes[0]) if votes else 0
    if any(len(row) != people for row in votes) or any(len(column) != len(votes) for column in judges.values()):
        raise ValueError("every item needs one entry per person and per judge")
    if clusters is not None and len(clusters) != len(votes):
        raise ValueError("the clusters need one entry per item")
    settled: dict[tuple[Hashable, ...], tuple[tuple[Hashable, ...], int]] = {}
    references: list[tuple[Hashable, ...]] = []
    ties = 0
    for row in map(tuple, votes):
        if row not in settled:
            ballots = [row[:place] + row[place + 1 :] for place in range(people)]
            others = majority_vote(ballots, tie, positive=positive, negative=negative)
            whole = majority_vote([row], tie, positive=positive, negative=negative)
            settled[row] = ((*others.labels, *whole.labels), others.ties)
        references.append(settled[row][0])
        ties += settled[row][1]
    q, blocks, dropped = len(labels), [], []
    for place in range(people + len(judges)):
        given = [row[place] for row in votes] if place < people else list(judges.values())[place - people]
        first = encode([row[min(place, people)] for row in references], labels)
        second = encode(given, labels)
        both = (first >= 0) & (second >= 0)
        cells = np.where(both, first * q + second, q * q)
        # One cell more holds what is left out, so that every unit has a row in every table.
        blocks.append(count_cells(cells, q * q + 1, clusters)[:, : q * q])
        dropped.append(int((~both).sum()))
    if not blocks:
        return _Tables(np.zeros((0, 0, q, q)), clusters is not None, (), 0)
    units = np.stack(blocks, axis=1)
    units = units[units.any(axis=(1, 2))]
    units = units.reshape(len(units), len(blocks), q, q)
    return _Tables(units, clusters is not None, tuple(dropped), ties)
