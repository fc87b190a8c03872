"""Differences have an interval and a p value from the same resamples, and a family corrects them."""

import numpy as np
import pytest

from medreview.stats.formulas.bootstrap import Floats, Resampling, contributions, draw
from medreview.stats.formulas.coefficients import ratio
from medreview.stats.formulas.hypothesis_tests import (
    NOTHING_DRAWN,
    Difference,
    Side,
    difference,
    paired_test,
    two_sided,
    with_holm,
)

FAST = Resampling(replicates=999)


def share(name: str, of: int, width: int = 4) -> Side:
    """Hits in column ``of``, items in the one behind it."""
    size = np.zeros(width)
    size[of + 1] = 1
    return Side(name, lambda sums: ratio(sums[:, of], sums[:, of + 1]), size)


def compared(units: Floats, first: Side, second: Side, resampling: Resampling = FAST) -> Difference:
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
