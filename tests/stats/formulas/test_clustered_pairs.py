"""Agreement from counts that move: against the formulas, the bootstrap, the reports, and a count of all pairs anew."""

import math
import random
from collections.abc import Hashable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.clustered_pairs import ClusteredPairs
from medreview.stats.formulas.coefficients import cohen_kappa, gwet_ac
from medreview.stats.formulas.estimate import JACKKNIFE_BELOW, Estimate
from medreview.stats.formulas.intervals import METHOD, student

LABELS = ("x", "y", "z")
MANY = JACKKNIFE_BELOW + 11
NAMES = {"percent_agreement": "percent_agreement", "cohen_kappa": "cohen_kappa", "gwet_ac1": "gwet_ac"}
"""Of each figure: what ``two_raters`` calls it."""

Pair = tuple[str, str]


def counted(pairs: Sequence[Pair], clusters: Sequence[Hashable]) -> ClusteredPairs:
    held = ClusteredPairs(LABELS)
    for pair, cluster in zip(pairs, clusters, strict=True):
        held.add(cluster, *pair)
    return held


def figures(held: ClusteredPairs) -> dict[str, Estimate]:
    return {name: getattr(held, name)() for name in NAMES}


def reported(pairs: Sequence[Pair], clusters: Sequence[Hashable], replicates: int = 199) -> dict[str, Estimate]:
    first, second = zip(*pairs, strict=True)
    found = two_raters(first, second, LABELS, clusters=clusters, resampling=Resampling(replicates=replicates)).figures
    return {name: found[called] for name, called in NAMES.items()}


def ends(figure: Estimate) -> tuple[float | None, ...]:
    return figure.value, figure.low, figure.high


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), max_size=30))
def test_the_values_are_those_of_the_formulas(pairs: list[Pair]) -> None:
    held = counted(pairs, [number // 3 for number in range(len(pairs))])
    table = np.array(held.table, dtype=float)

    for found, wanted in ((held.cohen_kappa(), cohen_kappa(table)), (held.gwet_ac1(), gwet_ac(table))):
        if np.isnan(wanted):
            assert (found.value, found.low) == (None, None)
            assert found.reason
        else:
            assert found.value == pytest.approx(float(wanted), abs=1e-12)
    assert held.percent_agreement().value == (sum(a == b for a, b in pairs) / len(pairs) if pairs else None)


def test_of_many_responses_the_intervals_are_near_the_clustered_bootstrap() -> None:
    rng = random.Random(5)
    pairs, clusters = [], []
    for cluster in range(250):
        hard = rng.random() < 0.2
        for _ in range(rng.randint(1, 7)):
            a = rng.choice(LABELS)
            pairs.append((a, a if rng.random() < (0.4 if hard else 0.95) else rng.choice(LABELS)))
            clusters.append(cluster)
    quick, slow = figures(counted(pairs, clusters)), reported(pairs, clusters, 1999)

    for name in NAMES:
        assert ends(quick[name]) == pytest.approx(ends(slow[name]), abs=0.02), name
        assert (quick[name].clusters, quick[name].method) == (250, METHOD)
    # Taken as independent, the statements would claim to know more than they do.
    alone = counted(pairs, range(len(pairs))).percent_agreement()
    share = quick["percent_agreement"]
    assert share.high - share.low > 1.3 * (alone.high - alone.low)  # type: ignore[operator]


@pytest.mark.parametrize("name", ["cohen_kappa", "gwet_ac1"])
def test_the_interval_follows_from_what_each_response_does_to_the_value(name: str) -> None:
    """Against numerical derivatives by the weight of each response, where the raters' marginals are far apart."""
    pairs = [("x", "x")] * 9 + [("x", "y")] * 8 + [("x", "z")] * 5 + [("y", "y")] * 4 + [("y", "x"), ("z", "z")]
    pairs *= 10
    clusters = [number * 7 % MANY for number in range(len(pairs))]
    formula = {"cohen_kappa": cohen_kappa, "gwet_ac1": gwet_ac}[name]
    tables = np.zeros((MANY, 3, 3))
    for (a, b), cluster in zip(pairs, clusters, strict=True):
        tables[cluster, LABELS.index(a), LABELS.index(b)] += 1
    step, whole = 1e-5, tables.sum(axis=0)
    effects = (formula(whole + step * tables) - formula(whole - step * tables)) / (2 * step)
    half = student(0.95, MANY - 1) * math.sqrt(MANY / (MANY - 1) * float((effects**2).sum()))
    found = figures(counted(pairs, clusters))[name]

    assert found.low is not None
    assert found.high is not None
    assert found.value == pytest.approx(float(formula(whole)))
    assert found.high - found.low == pytest.approx(2 * half, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_of_few_responses_it_is_the_interval_of_the_report_to_the_digit(seed: int) -> None:
    rng = random.Random(seed)
    clusters = [rng.randrange(12) for _ in range(70)]
    pairs = [(a := rng.choice("xxxyz"), a if rng.random() < 0.8 else rng.choice("xyz")) for _ in clusters]
    quick, slow = figures(counted(pairs, clusters)), reported(pairs, clusters)

    for name in NAMES:
        assert quick[name].method == slow[name].method == "jackknife over responses"
        assert ends(quick[name]) == pytest.approx(ends(slow[name]), abs=1e-12), name


def test_where_a_label_hangs_on_two_responses_there_is_no_interval_as_in_the_report() -> None:
    clusters = [number // 4 for number in range(60)]
    pairs = [("x", "x")] * 58 + [("y", "y")] * 2
    pairs[0] = ("y", "x")
    quick, slow = counted(pairs, clusters).cohen_kappa(), reported(pairs, clusters)["cohen_kappa"]

    assert (quick.value, quick.low, slow.low) == (pytest.approx(slow.value), None, None)
    # Thirteen of fifteen responses have one label only: (13/15) ** 15 of the samples are without the other.
    assert quick.reason is not None
    assert "11.7% of the resamples have no value" in quick.reason


def test_a_walk_of_adding_and_taking_away_leaves_what_a_fresh_count_gives() -> None:
    luck = random.Random(5)
    moving, here = ClusteredPairs(LABELS), list[tuple[Pair, int]]()
    for step in range(3000):
        most = 260 if step > 1500 else 20
        if here and luck.random() < 0.4:
            pair, cluster = here.pop(luck.randrange(len(here)))
            moving.add(cluster, *pair, by=-1)
        else:
            a = luck.choice("xxxy")
            here.append(((a, a if luck.random() < 0.7 else luck.choice(LABELS)), luck.randrange(most)))
            moving.add(here[-1][1], *here[-1][0])
        if luck.random() < 0.02 or not here:
            luck.shuffle(here)
            fresh = counted([pair for pair, _ in here], [cluster for _, cluster in here])
            assert moving.table == fresh.table
            assert figures(moving) == figures(fresh)
    assert moving.clusters > JACKKNIFE_BELOW


def test_without_a_figure_or_an_interval_there_is_a_reason() -> None:
    empty = figures(ClusteredPairs(LABELS))
    assert [each.value for each in empty.values()] == [None] * 3
    assert all(each.reason for each in empty.values())

    same = counted([("x", "x")] * 4, "aabb")
    assert same.cohen_kappa().reason == "Both gave one label throughout: kappa is 0/0."
    for found in (same.percent_agreement(), same.gwet_ac1()):
        assert (found.value, found.low, found.reason) == (1.0, None, "It is the same whichever response is left out.")
    for found in figures(counted([("x", "x"), ("y", "z")], "aa")).values():
        assert found.value is not None
        assert (found.low, found.reason) == (None, "One response cannot show how responses differ.")
