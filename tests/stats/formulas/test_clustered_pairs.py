"""Agreement from counts that move, and differences with their corrected p values."""

import math
import random
from collections.abc import Hashable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.bootstrap import Floats, Resampling, contributions, draw
from medreview.stats.formulas.clustered_pairs import ClusteredPairs
from medreview.stats.formulas.coefficients import cohen_kappa, gwet_ac, ratio
from medreview.stats.formulas.estimate import JACKKNIFE_BELOW, Estimate
from medreview.stats.formulas.hypothesis_tests import (
    NOTHING_DRAWN,
    Side,
    StatisticDifference,
    difference,
    paired_test,
    two_sided,
    with_holm,
)
from medreview.stats.formulas.intervals import linearised_over, student

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
        assert (quick[name].clusters, quick[name].method) == (250, linearised_over("response"))
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


FAST = Resampling(replicates=999)


def share(name: str, of: int, width: int = 4) -> Side:
    """Hits in column ``of``, items in the one behind it."""
    size = np.zeros(width)
    size[of + 1] = 1
    return Side(name, lambda sums: ratio(sums[:, of], sums[:, of + 1]), size)


def compared(units: Floats, first: Side, second: Side, resampling: Resampling = FAST) -> StatisticDifference:
    sums = draw(contributions(units), resampling) if len(units) else units
    return difference(first, second, "support", units, sums, scale="share_difference", resampling=resampling)


def test_the_difference_is_that_of_the_values_and_its_interval_that_of_the_paired_resamples() -> None:
    # Forty responses of four items, on which the second is always one item behind: they differ by exactly a quarter,
    # though each of them varies.
    hits = np.arange(40) % 3 + 1.0
    units = np.column_stack([hits + 1, np.full(40, 4.0), hits, np.full(40, 4.0)])
    units[0, 2] += 1
    found = compared(units, share("a", 0), share("b", 2))

    assert found.estimate.value == pytest.approx(39 / 160)
    assert found.estimate.low is not None
    assert found.estimate.high is not None
    # Only one response in forty differs otherwise than by a quarter.
    assert 0.2 < found.estimate.low < found.estimate.value < found.estimate.high < 0.28
    assert (found.estimate.n, found.estimate.clusters) == (160 * 2, 40)
    assert (found.test, found.at_limit) == ("Student's t, jackknife over responses", False)
    assert found.pvalue is not None
    assert 0 < found.pvalue < 1e-3


def test_many_responses_are_resampled_and_that_no_resample_comes_as_far_as_0_is_said() -> None:
    hits = np.arange(400) % 3 + 1.0
    units = np.column_stack([hits + 1, np.full(400, 4.0), hits, np.full(400, 4.0)])
    units[:10, 2] += 1
    found = compared(units, share("a", 0), share("b", 2))

    assert found.estimate.low is not None
    assert found.estimate.high is not None
    assert 0.23 < found.estimate.low < found.estimate.high < 0.2501
    assert (found.pvalue, found.at_limit) == (2 / 1000, True)
    assert found.test == "two-sided, from 999 shared resamples"


@pytest.mark.parametrize("second", [0.6, 0.8])
def test_of_few_responses_p_is_below_a_twentieth_just_where_the_interval_leaves_0_out(second: float) -> None:
    rng = np.random.default_rng(3)
    units = np.column_stack([rng.binomial(5, 0.85, 25), np.full(25, 5), rng.binomial(5, second, 25), np.full(25, 5)])
    found = compared(units.astype(np.float64), share("a", 0), share("b", 2))

    assert found.estimate.low is not None
    assert found.pvalue is not None
    assert (found.pvalue < 0.05) == (found.estimate.low > 0)


def test_p_is_twice_the_smaller_share_with_the_observed_value_among_the_resamples() -> None:
    draws = np.array([0.1] * 95 + [0.0] * 3 + [-0.1] * 1 + [np.nan] * 5)

    assert two_sided(draws) == (pytest.approx(2 * (4 + 1) / (99 + 1)), False)
    assert two_sided(-draws) == two_sided(draws)
    assert two_sided(np.zeros(9)) == (1.0, False)
    assert two_sided(np.full(3, np.nan)) == (None, False)


def test_equal_figures_differ_by_nothing_and_no_certainty_is_claimed() -> None:
    units = np.column_stack([np.arange(30.0) % 2, np.ones(30), np.arange(30.0) % 2, np.ones(30)])
    found = compared(units, share("a", 0), share("b", 2))

    assert (found.estimate.value, found.estimate.low, found.pvalue) == (0, None, None)
    assert "the two never differ" in str(found.estimate.reason)


def test_two_small_groups_of_a_large_view_are_drawn_each_from_its_own_responses() -> None:
    units = np.zeros((300, 4))
    units[:5, :2] = [[1, 2], [0, 2], [2, 2], [2, 2], [0, 2]]
    units[5:10, 2:] = [[0, 1], [1, 1], [0, 1], [1, 1], [0, 1]]
    found = compared(units, share("a", 0), share("b", 2))

    assert found.estimate.value == pytest.approx(1 / 2 - 2 / 5)
    assert (found.estimate.clusters, found.fewest, found.estimate.undefined_share) == (10, 5, 0)
    assert found.estimate.low is not None
    assert found.pvalue is not None


def test_fewer_than_five_responses_of_one_side_give_a_difference_without_an_interval() -> None:
    units = np.zeros((60, 4))
    units[:4, :2] = [[1, 2], [0, 2], [2, 2], [2, 2]]
    units[4:, 2:] = [[1, 2], [0, 1]] * 28
    found = compared(units, share("a", 0), share("b", 2))

    assert found.estimate.value == pytest.approx(5 / 8 - 1 / 3)
    assert (found.fewest, found.estimate.low, found.pvalue) == (4, None, None)
    assert found.estimate.reason == "No interval: 4 responses of one of the two; it takes 5 of each."


def test_two_shares_are_never_more_than_a_hundred_points_apart_and_no_p_value_is_zero() -> None:
    few = np.zeros((10, 4))
    few[:5, :2] = [[1, 1], [1, 1], [1, 1], [1, 1], [0, 3]]
    few[5:, 2:] = [[0, 1], [0, 1], [0, 1], [0, 1], [3, 3]]
    many = np.column_stack([np.zeros(199), np.full(199, 1_000.0), np.full(199, 1_000.0), np.full(199, 1_000.0)])
    many[:, 0], many[:, 2] = np.arange(199) % 2, 1_000 - np.arange(199) % 2
    wide, certain = (compared(units, share("a", 0), share("b", 2)) for units in (few, many))

    assert (wide.estimate.low, wide.estimate.high) == (-1, 1)
    assert certain.estimate.value == pytest.approx(-1, abs=0.01)
    assert certain.pvalue is not None
    assert 0 < certain.pvalue < 1e-16


def test_a_side_that_resamples_of_mixed_responses_miss_is_named_as_that_and_not_as_a_rare_label() -> None:
    units = np.column_stack([np.arange(20.0) % 2, np.ones(20), np.zeros(20), np.zeros(20)])
    units[0, 2:] = [1, 1]
    found = compared(units, share("a", 0), share("b", 2))

    assert found.estimate.low is None
    assert found.pvalue is None
    assert NOTHING_DRAWN in str(found.estimate.reason)


def test_nothing_to_subtract_is_a_sentence() -> None:
    units = np.column_stack([np.ones(4), np.ones(4), np.zeros(4), np.zeros(4)])
    found = compared(units, share("a", 0), share("b", 2))
    empty = compared(np.zeros((0, 4)), share("a", 0), share("b", 2))

    for one in (found, empty):
        assert (one.estimate.value, one.pvalue) == (None, None)
        assert one.estimate.reason == "One of the two figures is undefined."


def test_yes_and_no_on_the_same_items_is_mcnemar_exact_or_over_responses() -> None:
    # Eight to two of ten that differ, each from a response of its own: 2 (1 + 10 + 45) / 2^10.
    alone = paired_test([1] * 8 + [0] * 6, [0] * 8 + [1, 1] + [0] * 4, [1] * 14)
    # Two items in some of them: differences of 2, 1 and -1 in three of four responses; the fifth has no item.
    several = paired_test([2, 1, 0, 0, 0], [0, 0, 1, 0, 0], [2, 2, 2, 1, 0])

    assert (alone.method, alone.pvalue) == ("McNemar, exact binomial", pytest.approx(112 / 1024))
    assert several.method == "McNemar over responses"
    assert several.statistic == pytest.approx(3 / 4 * (3 - 1) ** 2 / (4 + 1 + 1))


def test_a_family_is_those_with_a_p_value_and_the_others_stay_undefined() -> None:
    units = np.column_stack([np.arange(40.0) % 2, np.ones(40), np.arange(40.0) % 3 > 1, np.ones(40)])
    one = compared(units, share("a", 0), share("b", 2))
    none = compared(np.zeros((0, 4)), share("a", 0), share("b", 2))
    assert one.pvalue is not None
    family = with_holm([one, none, one])

    assert [each.family for each in family] == [2, 2, 2]
    assert [each.adjusted for each in family] == [min(1, 2 * one.pvalue), None, min(1, 2 * one.pvalue)]
