"""The jackknife: by hand, against scipy, and within the ends of each scale."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit

from medreview.stats.formulas.estimate import Scale
from medreview.stats.formulas.intervals import Jackknife, interval, jackknife


def test_of_a_mean_the_error_is_the_usual_one_with_a_factor_and_the_freedom_that_of_the_values() -> None:
    values = np.array([3.0, 5.0, 4.0, 8.0, 6.0, 2.0, 7.0, 5.0])
    left_out = (values.sum() - values) / 7
    found = jackknife(float(values.mean()), left_out.tolist())

    assert found is not None
    assert found.error == pytest.approx(values.std(ddof=1) / math.sqrt(8) * math.sqrt(8 / 7))
    squares = (values - values.mean()) ** 2
    assert found.freedom == pytest.approx(min(7, max(4, 2 * 8 * squares.mean() ** 2 / squares.var(ddof=1))))
    t = stdtrit(found.freedom, 0.975)
    assert interval(found, "plain") == pytest.approx((5 - t * found.error, 5 + t * found.error), rel=1e-3)


def test_one_response_that_moves_everything_leaves_little_to_go_by() -> None:
    even, lopsided = jackknife(0.9, [0.89, 0.91] * 10), jackknife(0.9, [0.9] * 19 + [0.98])

    assert even is not None
    assert lopsided is not None
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
