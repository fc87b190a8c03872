"""Latency: percentiles, and intervals between the values themselves."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.stats.formulas.latency import latency, least_n, percentile, ranks


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=40), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_percentiles_are_those_of_type_7(values, share):
    assert percentile(sorted(values), share) == pytest.approx(float(np.quantile(values, share)), abs=1e-9)


@pytest.mark.parametrize(
    ("n", "share", "wanted"),
    [(5, 0.5, None), (6, 0.5, (1, 6)), (10, 0.5, (2, 9)), (20, 0.5, (6, 15)), (100, 0.5, (40, 61)), (71, 0.95, None)],
)
def test_ranks_of_the_median_are_those_of_the_tables(n, share, wanted):
    assert ranks(n, share) == wanted


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_ranks_hold_the_level_exactly_and_no_narrower_side_would(share):
    def below(n, r):
        return sum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(r))

    for n in (least_n(share), 80, 150, 301):
        low, high = ranks(n, share)
        assert below(n, low) <= 0.025 < below(n, low + 1)
        assert 1 - below(n, high) <= 0.025 + 1e-12 < 1 - below(n, high - 1)
    assert ranks(least_n(share) - 1, share) is None


def test_intervals_cover():
    source = random.Random(5)
    low, high = ranks(100, 0.5)
    hit = 0
    for _ in range(2000):
        values = sorted(source.random() for _ in range(100))
        hit += values[low - 1] <= 0.5 <= values[high - 1]
    assert 0.94 <= hit / 2000 <= 0.98


def test_few_values_have_no_interval_and_say_how_many_are_needed():
    found = latency([3.0, 1.0, 2.0], missing=2)

    assert (found.n, found.missing, found.least, found.most) == (3, 2, 1.0, 3.0)
    assert (found.median.value, found.median.low) == (2.0, None)
    assert found.median.reason == "No interval: 3 are too few, 6 are needed."
    assert found.p95.reason == "No interval: 3 are too few, 72 are needed."


def test_enough_values_have_intervals():
    found = latency([float(value) for value in range(1, 101)])

    assert (found.median.value, found.median.low, found.median.high) == (50.5, 40.0, 61.0)
    assert (found.p95.low, found.p95.high) == (90.0, 100.0)
    assert (found.p90, found.p99) == (pytest.approx(90.1), pytest.approx(99.01))


def test_no_latency_is_undefined():
    found = latency([], missing=4)

    assert (found.n, found.least, found.p90, found.median.value) == (0, None, None, None)
    assert found.median.reason == "No response says how long it took."
