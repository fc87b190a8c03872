"""Student's t without scipy, against scipy."""

import pytest
from scipy.special import stdtrit

from medreview.stats.formulas.intervals import student


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("freedom", [1, 2, 2.2, 3, 4.5, 9, 29.7, 1000])
def test_quantiles_are_within_a_thousandth(level: float, freedom: float) -> None:
    assert student(level, freedom) == pytest.approx(stdtrit(freedom, (1 + level) / 2), rel=1e-3)
