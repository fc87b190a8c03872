"""May a judge stand in for a person? The alternative annotator test (Calderon, Reichart & Dror, ACL 2025).

Each person is left out in turn. On the items that this person and somebody else labelled, is the judge as near to the
others as the person is? The judge may cost people their place only by so much: ``epsilon`` is what its lower cost and
its speed are worth. It may stand in for the group where it wins against half of its people or more.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from medreview.stats.formulas.audit_sampling import clustered, over_large, wilson_on
from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.hypothesis_tests import false_discovery
from medreview.stats.formulas.intervals import SAME_WITHOUT, too_few
from medreview.stats.formulas.jackknifed_sums import throughout

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
