"""Intervals: the bootstrap, the jackknife and the linearised ones, Wilson and Clopper-Pearson, Student's t."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit
from scipy.stats import beta

from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    Contributions,
    Floats,
    Resampling,
    bootstrap_figure,
    contributions,
    count_cells,
    draw,
    medians,
    percentile,
    without_each,
)
from medreview.stats.formulas.coefficients import cohen_kappa
from medreview.stats.formulas.estimate import JACKKNIFE_BELOW, Estimate, Scale
from medreview.stats.formulas.intervals import (
    Jackknife,
    clopper_pearson,
    interval,
    jackknife,
    jeffreys,
    left_out_interval,
    linearised,
    linearised_over,
    proportion,
    student,
    wilson,
)

# Five responses with 2x2 tables, all different: the engine picks units by number.
RESPONSES = np.array([[3, 0, 0, 2], [1, 1, 0, 4], [4, 0, 1, 0], [0, 2, 0, 3], [5, 1, 1, 1]], dtype=np.float64)


def kappas(sums: Floats) -> Floats:
    return cohen_kappa(sums.reshape(-1, 2, 2))


def largest_gap(draws: Floats, values: Floats, weights: Floats) -> float:
    """The Kolmogorov distance between resamples and a distribution given by values and probabilities."""
    draws = np.round(draws[~np.isnan(draws)], 9)
    grid = np.unique(np.round(values, 9))
    exact = np.array([weights[np.round(values, 9) <= point].sum() for point in grid])
    return float(np.abs((draws[:, None] <= grid[None, :]).mean(axis=0) - exact).max())


def test_clustered_resamples_follow_the_distribution_of_all_resamples() -> None:
    picks = np.array(list(itertools.product(range(5), repeat=5)))
    exact = kappas(RESPONSES[picks].sum(axis=1))
    draws = kappas(draw(contributions(RESPONSES)))
    assert largest_gap(draws, exact, np.full(len(exact), 1 / len(exact))) < 0.02


def test_resamples_by_distinct_vector_follow_the_binomial() -> None:
    units = np.array([[1.0]] * 12 + [[0.0]] * 8)
    draws = draw(contributions(units))[:, 0]
    counts = np.arange(21.0)
    weights = np.array([math.comb(20, k) * 0.6**k * 0.4 ** (20 - k) for k in range(21)])
    assert largest_gap(draws, counts, weights) < 0.02


@pytest.mark.parametrize("fraction", [0.0, 0.1])
def test_vectors_that_come_often_and_units_drawn_by_number_give_one_distribution(fraction: float) -> None:
    """Sixty of two hundred units are alike and the others mostly their own, in whole numbers and in others."""
    rng = np.random.default_rng(7)
    units = np.vstack([np.tile([3.0, 1, 0, 2], (60, 1)), rng.integers(0, 9, (140, 4))]) + fraction
    sums = draw(contributions(units))
    picked = rng.integers(0, 200, (9999, 200))
    plain = np.stack([np.bincount(row, minlength=200) for row in picked]) @ units

    assert sums.mean(axis=0) == pytest.approx(units.sum(axis=0), rel=0.005)
    assert np.cov(sums.T) == pytest.approx(np.cov(plain.T), rel=0.06, abs=30)
    ours, theirs = (percentile(kappas(each)) for each in (sums, plain))
    assert (ours.low, ours.high) == (pytest.approx(theirs.low, abs=0.01), pytest.approx(theirs.high, abs=0.01))


def test_one_item_a_unit_is_counted_by_its_cell() -> None:
    cells = np.random.default_rng(2).integers(0, 4, 500)
    units = count_cells(cells, 6, None)
    found, plain = contributions(units), np.unique(units, axis=0, return_counts=True)

    assert np.array_equal(found.vectors, plain[0])
    assert np.array_equal(found.multiplicity, plain[1])


def test_a_seed_repeats_every_digit_and_another_seed_does_not() -> None:
    data = contributions(RESPONSES)
    assert np.array_equal(draw(data, Resampling(seed=3)), draw(data, Resampling(seed=3)))
    assert not np.array_equal(draw(data, Resampling(seed=3)), draw(data, Resampling(seed=4)))


def test_the_order_of_the_units_does_not_change_a_digit() -> None:
    assert np.array_equal(draw(contributions(RESPONSES)), draw(contributions(RESPONSES[::-1])))


def test_every_resample_has_as_many_units_as_the_data() -> None:
    ones = np.column_stack([RESPONSES, np.ones(5)])
    assert (draw(contributions(ones))[:, 4] == 5).all()


def test_equal_units_are_stored_once() -> None:
    data = contributions(count_cells(np.array([0, 3, 3, 0, 3]), 4, None))
    assert data.multiplicity.tolist() == [3, 2]
    assert data.units == 5
    assert data.total.tolist() == [[2, 0, 0, 3]]


def test_clusters_are_summed() -> None:
    assert count_cells(np.array([0, 1, 1, 0]), 2, ["x", "y", "x", "x"]).tolist() == [[2, 1], [0, 1]]


def test_nothing_cannot_be_resampled() -> None:
    with pytest.raises(ValueError, match="nothing to resample"):
        draw(Contributions(np.zeros((0, 4)), np.zeros(0, dtype=np.int64)))


def test_limits_are_order_statistics() -> None:
    found = percentile(np.arange(1.0, 10_000.0))
    assert (found.low, found.high) == pytest.approx((250, 9750))
    assert (found.undefined_share, found.constant) == (0, False)


def figure(draws: list[float], clusters: int | None = None, observed: float = 0.5) -> Estimate:
    return bootstrap_figure(
        "kappa", observed, np.array(draws), n=20, clusters=clusters, undefined="It is 0/0.", instead="all agree",
        scale="coefficient",
    )  # fmt: skip


def test_above_five_percent_undefined_there_is_no_interval() -> None:
    nan = float("nan")
    enough = figure([0.1 * i for i in range(95)] + [nan] * 5)
    assert enough.low is not None
    assert enough.undefined_share == pytest.approx(0.05)
    withheld = figure([0.1 * i for i in range(94)] + [nan] * 6)
    assert (withheld.value, withheld.low, withheld.high) == (0.5, None, None)
    assert withheld.reason is not None
    assert "6.0%" in withheld.reason


def test_equal_resamples_claim_no_certainty() -> None:
    same = figure([1.0] * 50)
    assert (same.low, same.high) == (None, None)
    assert same.reason is not None
    assert "all agree" in same.reason
    nearly = figure([1.0] * 990 + [0.9] * 10, observed=1.0)
    assert (nearly.value, nearly.low, nearly.high) == (1.0, None, None)
    assert nearly.reason.startswith("Nearly every resample")


def test_an_undefined_value_keeps_its_sentence() -> None:
    gone = figure([float("nan")] * 50, observed=float("nan"))
    assert (gone.value, gone.low, gone.reason) == (None, None, "It is 0/0.")


def test_one_response_has_no_interval_and_few_have_a_caution() -> None:
    spread = [0.1 * i for i in range(100)]
    one = figure(spread, clusters=1)
    assert one.low is None
    assert one.reason is not None
    assert "one response" in one.reason
    assert "Only 9 responses" in figure(spread, clusters=9).notes[0]
    assert "below 100 a percentile interval is too narrow" in figure(spread, clusters=99).notes[0]
    assert figure(spread, clusters=100).notes == ()


def test_few_responses_have_the_jackknife_and_many_or_who_asks_for_it_the_percentiles() -> None:
    rng = np.random.default_rng(4)
    units = rng.integers(0, 5, (JACKKNIFE_BELOW, 4)).astype(np.float64)

    def interval(count: int, resampling: Resampling = DEFAULT) -> tuple[str, float | None, tuple[str, ...]]:
        some = units[:count]
        made = bootstrap_figure(
            "kappa", float(kappas(some.sum(axis=0))[0]), kappas(draw(contributions(some))), n=int(some.sum()),
            clusters=count, undefined="", instead="", left_out=without_each(some, kappas, resampling),
            scale="coefficient", resampling=resampling,
        )  # fmt: skip
        return made.method, made.low, made.notes

    few, asked = interval(JACKKNIFE_BELOW - 1), interval(JACKKNIFE_BELOW - 1, Resampling(interval="percentile"))
    assert (few[0], asked[0]) == ("jackknife over responses", "percentile bootstrap over responses")
    assert few[1] == pytest.approx(asked[1], abs=0.01)
    assert interval(JACKKNIFE_BELOW)[0] == "percentile bootstrap over responses"
    assert interval(9)[2] == ("Only 9 responses: below 10 even this interval can be too narrow.",)
    assert interval(10)[2] == ()


def test_medians_of_histograms() -> None:
    values = np.array([1.0, 4.0, 9.0])
    histograms = np.array([[2, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0]], dtype=np.float64)
    found = medians(histograms, values)
    assert found[:3].tolist() == [1, 2.5, 4]
    assert np.isnan(found[3])


def test_wilson_gives_the_published_interval_of_cliniqlink() -> None:
    assert wilson(1090, 5543) == pytest.approx((0.18639267834072565, 0.20731633155857615), abs=1e-12)


def test_the_ends_are_exact_at_none_and_all() -> None:
    for share_of in (wilson, clopper_pearson, jeffreys):
        none, every = share_of(0, 20), share_of(20, 20)
        assert every is not None
        assert none[0] == 0.0
        assert every[1] == 1.0
        assert none[1] == pytest.approx(1 - every[0])


@pytest.mark.parametrize(("k", "n"), [(1, 10), (56, 70), (0.4, 3.7), (30.2, 31.5)])
def test_jeffreys_limits_leave_half_of_the_rest_on_either_side(k: float, n: float) -> None:
    low, high = jeffreys(k, n, 0.9)
    assert beta(k + 0.5, n - k + 0.5).cdf([low, high]) == pytest.approx([0.05, 0.95])


def test_clopper_pearson_of_all_is_the_root_of_alpha() -> None:
    limits = clopper_pearson(20, 20)
    assert limits[0] == pytest.approx(0.025 ** (1 / 20), abs=1e-12)


@given(
    st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.9, 0.95, 0.99])
)
def test_clopper_pearson_limits_have_the_tail_they_promise(share: tuple[int, int], level: float) -> None:
    k, n = share
    limits = clopper_pearson(k, n, level)
    assert limits is not None
    low, high = limits
    assert low <= k / n <= high
    if k:
        tail = sum(math.comb(n, i) * low**i * (1 - low) ** (n - i) for i in range(k, n + 1))
        assert tail == pytest.approx((1 - level) / 2, rel=1e-8)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_stays_within_0_and_1(share: tuple[int, int]) -> None:
    k, n = share
    limits = wilson(k, n)
    assert 0 <= limits[0] <= k / n <= limits[1] <= 1


def test_a_share_of_nothing_is_undefined_with_its_sentence() -> None:
    assert wilson(0, 0) is None
    assert clopper_pearson(0, 0) is None
    figure = proportion("accuracy", 0, 0, nothing="No item.")
    assert (figure.value, figure.low, figure.reason) == (None, None, "No item.")


def test_more_than_all_is_not_a_share() -> None:
    with pytest.raises(ValueError, match="5 of 4"):
        wilson(5, 4)


def test_of_a_mean_the_error_is_the_usual_one_with_a_factor_and_the_freedom_that_of_the_values() -> None:
    values = np.array([3.0, 5.0, 4.0, 8.0, 6.0, 2.0, 7.0, 5.0])
    left_out = (values.sum() - values) / 7
    found = jackknife(float(values.mean()), left_out.tolist())

    assert found.error == pytest.approx(values.std(ddof=1) / math.sqrt(8) * math.sqrt(8 / 7))
    squares = (values - values.mean()) ** 2
    assert found.freedom == pytest.approx(min(7, max(4, 2 * 8 * squares.mean() ** 2 / squares.var(ddof=1))))
    t = stdtrit(found.freedom, 0.975)
    assert interval(found, "plain") == pytest.approx((5 - t * found.error, 5 + t * found.error), rel=1e-3)


def test_one_response_that_moves_everything_leaves_little_to_go_by() -> None:
    even, lopsided = jackknife(0.9, [0.89, 0.91] * 10), jackknife(0.9, [0.9] * 19 + [0.98])

    assert (even.freedom, lopsided.freedom) == (19, 4)


@pytest.mark.parametrize("left_out", [[], [0.9], [0.9, 0.9], [0.8, math.nan, 0.7]])
def test_nothing_varies_with_one_response_or_none_that_moves_it_or_one_without_which_there_is_no_value(
    left_out: list[float],
) -> None:
    assert jackknife(0.9, left_out) is None


@pytest.mark.parametrize(
    ("scale", "value", "ends"),
    [
        ("share", 0.98, (0, 1)),
        ("coefficient", 0.98, (-1, 1)),
        ("coefficient", -0.6, (-1, 1)),
        ("amount", 0.4, (0, math.inf)),
    ],
)
def test_an_interval_stays_within_its_scale_without_ending_at_it(
    scale: Scale, value: float, ends: tuple[float, float]
) -> None:
    low, high = interval(Jackknife(value, 0.1, 14), scale)

    assert ends[0] < low < value < high < ends[1]


@pytest.mark.parametrize(("scale", "value"), [("share", 1.0), ("coefficient", -1.0), ("amount", 0.0)])
def test_a_value_at_the_end_of_its_scale_has_an_interval_that_ends_there(scale: Scale, value: float) -> None:
    low, high = interval(Jackknife(value, 0.1, 14), scale)

    assert value in (low, high)
    assert high - low == pytest.approx(0.1 * stdtrit(14, 0.975), rel=1e-3)


def test_an_interval_ends_at_the_least_value_that_there_is() -> None:
    assert linearised("agreement", 0.2, 0.14, 2, 2, "share").low == 0.0
    assert linearised("kappa", -0.2, 0.14, 2, 2, "coefficient").low == -1.0


def test_two_responses_say_hardly_anything_and_three_by_hand() -> None:
    two = left_out_interval("agreement", 0.5, [0.0, 1.0], 2, "share")
    three = left_out_interval("agreement", 0.5, [0.25, 0.5, 0.75], 3, "share")

    assert (two.value, two.low) == (0.5, None)
    assert two.reason == "No interval: of 2 responses; it takes 3 to see how responses differ."
    # An error of the root of 1/8, four times that on the logit, and 4.303 times this is far.
    ends = [1 / (1 + math.exp(sign * 4.303 * 4 * math.sqrt(1 / 8))) for sign in (1, -1)]
    assert (three.low, three.high) == pytest.approx(tuple(ends), rel=1e-2)


def test_what_has_no_interval_says_why() -> None:
    alone, still = (
        linearised("share", 0.5, spread, *counts, "share") for spread, counts in ((0.1, (1, 4)), (0.0, (300, 600)))
    )

    assert (alone.low, alone.reason) == (None, "One response cannot show how responses differ.")
    assert still.reason == "It is the same whichever response is left out."
    assert (still.low, still.method, still.cluster) == (None, linearised_over("response"), "response")


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("freedom", [1, 2, 2.2, 3, 4.5, 9, 29.7, 1000, math.inf])
def test_quantiles_of_student_are_those_of_scipy(level: float, freedom: float) -> None:
    assert student(level, freedom) == pytest.approx(stdtrit(freedom, (1 + level) / 2), rel=1e-11)
