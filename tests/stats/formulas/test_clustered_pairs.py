"""Agreement from counts that move, against the same figures worked out anew from all pairs."""

import random

import numpy as np
import pytest

from medreview.stats.formulas.clustered_pairs import ClusteredPairs
from medreview.stats.formulas.coefficients import cohen_kappa, gwet_ac
from medreview.stats.formulas.fast_kappa import fast_kappa
from medreview.stats.formulas.linearised import linearised, linearised_share

LABELS = ("a", "b", "c", "d")


def drawn(responses: int, each: int, seed: int) -> list[tuple[int, str, str]]:
    luck = random.Random(seed)
    found = []
    for response in range(responses):
        usual = luck.choice("aaab")
        for _ in range(luck.randint(1, each)):
            mine = usual if luck.random() < 0.7 else luck.choice(LABELS)
            found.append((response, mine, mine if luck.random() < 0.8 else luck.choice(LABELS)))
    return found


def counted(items: list[tuple[int, str, str]]) -> ClusteredPairs:
    pairs = ClusteredPairs(LABELS)
    for item in items:
        pairs.add(*item)
    return pairs


@pytest.mark.parametrize(("responses", "each"), [(2, 3), (12, 6), (150, 5)])
def test_the_figures_are_those_of_all_pairs_at_once(responses, each):
    items = drawn(responses, each, responses)
    pairs, clusters = counted(items), [item[0] for item in items]

    share = linearised_share("agreement", [a == b for _, a, b in items], clusters)
    kappa = fast_kappa([item[1:] for item in items], clusters)
    for found, wanted in ((pairs.percent_agreement(), share), (pairs.cohen_kappa(), kappa)):
        assert (found.value, found.low, found.high) == pytest.approx((wanted.value, wanted.low, wanted.high), abs=1e-12)
        assert (found.n, found.clusters, found.method) == (wanted.n, wanted.clusters, wanted.method)
    table = np.array(pairs.table, dtype=float)
    assert pairs.gwet_ac1().value == pytest.approx(float(gwet_ac(table)), abs=1e-12)
    assert pairs.cohen_kappa().value == pytest.approx(float(cohen_kappa(table)), abs=1e-12)


@pytest.mark.parametrize("responses", [12, 150])
def test_the_interval_of_ac1_follows_what_each_response_does_to_it(responses):
    items = drawn(responses, 5, 7)
    pairs = counted(items)
    whole = np.array(pairs.table, dtype=float)
    effects, step = [], 1e-6
    for response in range(responses):
        own = np.array(counted([item for item in items if item[0] == response]).table, dtype=float)
        moved = [float(gwet_ac(whole + sign * step * own)) for sign in (1, -1)]
        effects.append((moved[0] - moved[1]) / (2 * step))
    wanted = linearised("AC1", float(gwet_ac(whole)), effects, len(items), least=-1.0)
    found = pairs.gwet_ac1()

    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-6)


def test_a_walk_of_adding_and_taking_away_leaves_what_a_fresh_count_gives():
    luck, items = random.Random(5), drawn(40, 6, 3)
    pairs, here = ClusteredPairs(LABELS), list[tuple[int, str, str]]()
    for _ in range(1500):
        if here and luck.random() < 0.45:
            pairs.add(*here.pop(luck.randrange(len(here))), by=-1)
        else:
            here.append(luck.choice(items))
            pairs.add(*here[-1])
        if luck.random() < 0.05 or not here:
            luck.shuffle(here)
            fresh = counted(here)
            assert pairs.table == fresh.table
            for name in ("percent_agreement", "cohen_kappa", "gwet_ac1"):
                assert getattr(pairs, name)() == getattr(fresh, name)()


def test_without_a_figure_there_is_a_reason():
    pairs = ClusteredPairs(LABELS)
    figures = (pairs.percent_agreement, pairs.cohen_kappa, pairs.gwet_ac1)
    assert [figure().value for figure in figures] == [None] * 3
    assert all(figure().reason for figure in figures)

    for response in (1, 1, 2, 2):
        pairs.add(response, "a", "a")
    assert pairs.cohen_kappa().value is None
    for figure in (pairs.percent_agreement(), pairs.gwet_ac1()):
        assert (figure.value, figure.low) == (1.0, None)
        assert figure.reason
