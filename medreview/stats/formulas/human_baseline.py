"""May a judge stand in for a person? Non-inferiority to one (MedFactEval), the alternative annotator test.

A person is held against the majority of the others, a judge against that of all: the mean of the persons' kappas is
what a judge has to reach. All of it comes from the same resamples, so that the difference has an interval.

In the alternative annotator test (Calderon, Reichart & Dror, ACL 2025) each person is left out in turn. On the items
that this person and somebody else labelled, is the judge as near to the others as the person is? The judge may cost
people their place only by so much: ``epsilon`` is what its lower cost and its speed are worth. It may stand in for the
group where it wins against half of its people or more.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from medreview.judges.majority import TieRule, majority_vote
from medreview.stats.formulas.agreement import encode
from medreview.stats.formulas.audit_sampling import clustered, over_large, wilson_on
from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    Floats,
    Resampling,
    Statistic,
    bootstrap_figure,
    contributions,
    count_cells,
    draw,
    undefined_figure,
    without_each,
)
from medreview.stats.formulas.coefficients import cohen_kappa
from medreview.stats.formulas.estimate import LEVEL, Estimate, Scale
from medreview.stats.formulas.hypothesis_tests import false_discovery
from medreview.stats.formulas.intervals import SAME_WITHOUT, below, jackknife, throughout, too_few

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
    resampling: Resampling = DEFAULT,
) -> NonInferiority:
    """Is a judge no worse than one person by more than ``margin``, in kappa? (Grolleau et al., MedFactEval)

    D = kappa(judge, majority of all) - mean leave-one-out kappa. Not inferior when the lower end of its interval of
    level 1 - 2 ``alpha`` is above -``margin``; p is by t of few clusters, else the share of resamples at
    -``margin`` or below. Undefined as soon as one of the kappas is, and below two people. ``tie``, the same on both
    sides: what becomes of an even vote, by ``majority_vote``; one that stays undecided leaves the item out. Items,
    or whole ``clusters``, are resampled, all people at once. Raises ``ValueError`` for rows of different length,
    labels outside the protocol and a tie rule without its label.
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
            return undefined_figure(name, why, scale=scale, resampling=at, clusters=used, dropped=dropped)
        return bootstrap_figure(
            name, float(finish(observed)), finish(draws), n=int(n.sum()), clusters=used, undefined=_UNDEFINED,
            instead="", left_out=None if without is None else finish(without[n > 0]), scale=scale, resampling=at,
            dropped=dropped,
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


Alignment = Literal["accuracy", "rmse"]
"""How near a label is to those of others. ``accuracy``: the share that are the same. ``rmse``: minus the root of the
mean squared distance, of labels that are steps."""

EPSILON: Final = 0.2
"""The paper's advice where people are experts; 0.15 for skilled people, 0.1 for crowd workers."""
FALSE_DISCOVERIES: Final = 0.05
LEAST_PEOPLE: Final = 3
"""With two people the test asks only which of them the judge is nearer to (the paper's FAQ)."""
LEAST_ITEMS: Final = 30
"""Items below which nobody is tested, as in the authors' program. The paper names Wilcoxon's test there. It asks about
the median, which is 0 where judge and person mostly tie: at nominal 5% it rejected a judge's being worse by epsilon in
a quarter of simulated studies (``tests/bench/stand_in.py``)."""
ENOUGH: Final = 0.5
"""The share of the people that a judge has to win against."""

_STILL: Final = 1e-24
BY_ITEMS: Final = "Student's t, items independent"
BY_CLUSTERS: Final = "Student's t, clustered by {}"
_NO_ITEM: Final = "On no item are there labels of the judge, of this person and of another."


@dataclass(frozen=True, slots=True)
class AgainstPerson:
    """A judge against one person, who is left out.

    ``advantage``: the share of the items on which the judge is as near to the others as the person, or nearer;
    ``person_advantage`` the same of the person. ``p``, one-sided: that the person's is larger by ``epsilon`` or more,
    by ``test``; ``p_independent`` takes the items as independent, as the paper does. ``p_adjusted``: by Benjamini &
    Yekutieli (2001) over all people; ``wins``: it is at most the rate of false discoveries. ``None`` where there was no
    test.
    """

    person: str
    advantage: Estimate
    person_advantage: float | None
    p: float | None
    p_independent: float | None
    p_adjusted: float | None
    test: str
    wins: bool | None


@dataclass(frozen=True, slots=True)
class StandIn:
    """Whether a judge may stand in for the people of a group.

    ``winning_rate``: the share of the people tested against whom it wins; ``may_stand_in``: that is half or more.
    ``advantage``: the mean over people of the probability that the judge is as near to the others as a person, by which
    judges are compared. ``None`` with a ``reason`` where fewer than three people can be tested.
    """

    judge: str
    alignment: Alignment
    epsilon: float
    false_discoveries: float
    people: tuple[AgainstPerson, ...]
    advantage: Estimate
    winning_rate: float | None
    may_stand_in: bool | None
    reason: str = ""


def alternative_annotator(
    judge: str,
    said: Mapping[str, Hashable],
    people: Mapping[str, Mapping[str, Hashable]],
    clusters: Mapping[str, Hashable],
    *,
    places: Mapping[Hashable, float] | None = None,
    epsilon: float = EPSILON,
    false_discoveries: float = FALSE_DISCOVERIES,
    unit: str = "response",
    level: float = LEVEL,
) -> StandIn:
    """The test of one judge. ``said`` and each of ``people`` are labels by item, ``clusters`` what each item is from.

    ``places``: of labels that are steps, where each stands; with it nearness is by the distance. Where items share
    clusters, Student's t takes the clusters as what varies. Nobody is tested on fewer than 30 items.
    """
    compared = {name: _compared(name, said, people, places) for name in people}
    usable = {name: items for name, items in compared.items() if len(items) >= LEAST_ITEMS}
    tests = {name: _test(items, clusters, epsilon, unit) for name, items in usable.items()}
    adjusted = dict(zip(tests, false_discovery([p for p, _, _ in tests.values()]), strict=True))
    against = []
    for name, items in compared.items():
        p, independent, test = tests.get(name, (None, None, ""))
        by = adjusted.get(name)
        advantage = _advantage(f"advantage probability against {name}", {name: items}, clusters, unit, level, _NO_ITEM)
        against.append(
            AgainstPerson(
                person=name,
                advantage=advantage,
                person_advantage=sum(person for _, person in items.values()) / len(items) if items else None,
                p=p,
                p_independent=independent,
                p_adjusted=by,
                test=test,
                wins=None if by is None else by <= false_discoveries,
            )
        )  # fmt: skip
    won = [one.wins for one in against if one.wins is not None]
    reason = _why_not(len(people), len(won))
    rate = None if reason else sum(won) / len(won)
    return StandIn(
        judge=judge,
        alignment="accuracy" if places is None else "rmse",
        epsilon=epsilon,
        false_discoveries=false_discoveries,
        people=tuple(against),
        advantage=_advantage("average advantage probability", usable, clusters, unit, level, reason or _NO_ITEM),
        winning_rate=rate,
        may_stand_in=None if rate is None else rate >= ENOUGH,
        reason=reason,
    )


_Compared = Mapping[str, tuple[bool, bool]]
"""By item: whether the judge is as near to the others as the person or nearer, and whether the person is."""


def _why_not(people: int, tested: int) -> str:
    if people < LEAST_PEOPLE:
        return f"{LEAST_PEOPLE} people are needed, and {people} labelled: between two nobody is the odd one out."
    if tested < LEAST_PEOPLE:
        shared = f"share {LEAST_ITEMS} items or more with the judge and another"
        return f"{LEAST_PEOPLE} people are needed who {shared}; {tested} do."
    return ""


def _compared(
    name: str,
    said: Mapping[str, Hashable],
    people: Mapping[str, Mapping[str, Hashable]],
    places: Mapping[Hashable, float] | None,
) -> dict[str, tuple[bool, bool]]:
    found = {}
    for item, own in people[name].items():
        others = [held[item] for other, held in people.items() if other != name and item in held]
        if others and item in said:
            judge, person = _nearness(said[item], others, places), _nearness(own, others, places)
            found[item] = judge >= person, person >= judge
    return found


def _nearness(label: Hashable, others: Sequence[Hashable], places: Mapping[Hashable, float] | None) -> float:
    """Of the same others the order is that of the share, or of minus the root: a sum will do."""
    if places is None:
        return sum(label == other for other in others)
    return -sum((places[label] - places[other]) ** 2 for other in others)


def _advantage(
    name: str, compared: Mapping[str, _Compared], clusters: Mapping[str, Hashable], unit: str, level: float,
    nothing: str,
) -> Estimate:  # fmt: skip
    """The mean over people of the share of items on which the judge is as near or nearer.

    Its interval is Wilson's, on the number of items that would vary as much; how the mean varies follows from what each
    item does to it, for all people at once, who judge the same items. Where items share clusters these are what varies,
    with Student's t; else the quantile is normal, and of one person it is Wilson's of a share. On the logit, with t of
    Satterthwaite's degrees of freedom, intervals of 30 to 100 items were too wide (``tests/bench/stand_in.py``).
    """
    items = [(item, len(of), near) for of in compared.values() for item, (near, _) in of.items()]
    found = Estimate(
        name, None, None, None, over_large(unit), len({item for item, _, _ in items}),
        len({clusters[item] for item, _, _ in items}), reason=nothing, level=level, scale="share", cluster=unit,
    )  # fmt: skip
    if not items or not all(compared.values()):
        return found
    n, groups = found.n, found.clusters or 0
    shares = [sum(near for near, _ in of.values()) / len(of) for of in compared.values()]
    value, many = math.fsum(shares) / len(shares), len(shares)
    of_each = [share for share, of in zip(shares, compared.values(), strict=True) for _ in of]
    pulls = [(near - share) / (many * own) for (_, own, near), share in zip(items, of_each, strict=True)]
    variance, freedom = clustered([clusters[item] for item, _, _ in items], pulls), groups - 1.0
    if groups == n:
        variance, freedom = variance * freedom / groups, math.inf
    reason = too_few(min(len({clusters[item] for item in of}) for of in compared.values()), unit)
    if not reason and value in (0, 1):
        reason = throughout(value == 1, groups, unit, level)
    elif not reason and variance < _STILL:
        reason = SAME_WITHOUT.format(unit)
    low, high = (None, None) if reason else wilson_on(value, variance, freedom, level)
    return replace(found, value=value, low=low, high=high, reason=reason or None)


def _test(
    items: _Compared, clusters: Mapping[str, Hashable], epsilon: float, unit: str
) -> tuple[float | None, float | None, str]:
    """p, p of independent items, and the name of the test."""
    differences: dict[Hashable, list[float]] = defaultdict(list)
    for item, (judge, person) in items.items():
        differences[clusters[item]].append(float(person) - float(judge))
    each = [[value] for held in differences.values() for value in held]
    alone = _student(each, epsilon)
    if len(differences) == len(items):
        return alone, alone, BY_ITEMS
    return _student(list(differences.values()), epsilon), alone, BY_CLUSTERS.format(unit)


def _student(groups: Sequence[Sequence[float]], bound: float) -> float | None:
    """The p that the mean is ``bound`` or more; whole groups are what varies. ``None`` for a single one."""
    from scipy.special import stdtr

    n, many = sum(map(len, groups)), len(groups)
    if many < 2:
        return None
    mean = math.fsum(map(sum, groups)) / n
    squares = math.fsum((sum(group) - len(group) * mean) ** 2 for group in groups)
    if not squares:
        return 0.0 if mean < bound else 1.0
    return float(stdtr(many - 1, (mean - bound) / math.sqrt(squares * many / (many - 1)) * n))
