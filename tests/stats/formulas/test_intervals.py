"""Wilson and Clopper-Pearson against published values and the binomial itself."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.stats.formulas.intervals import clopper_pearson, proportion, wilson


def test_wilson_gives_the_published_interval_of_cliniqlink() -> None:
    assert wilson(1090, 5543) == pytest.approx((0.18639267834072565, 0.20731633155857615), abs=1e-12)


def test_the_ends_are_exact_at_none_and_all() -> None:
    for interval in (wilson, clopper_pearson):
        none, every = interval(0, 20), interval(20, 20)
        assert none is not None
        assert every is not None
        assert none[0] == 0.0
        assert every[1] == 1.0
        assert none[1] == pytest.approx(1 - every[0])


def test_clopper_pearson_of_all_is_the_root_of_alpha() -> None:
    limits = clopper_pearson(20, 20)
    assert limits is not None
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
    assert limits is not None
    assert 0 <= limits[0] <= k / n <= limits[1] <= 1


def test_a_share_of_nothing_is_undefined_with_its_sentence() -> None:
    assert wilson(0, 0) is None
    assert clopper_pearson(0, 0) is None
    figure = proportion("accuracy", 0, 0, nothing="No item.")
    assert (figure.value, figure.low, figure.reason) == (None, None, "No item.")


def test_more_than_all_is_not_a_share() -> None:
    with pytest.raises(ValueError, match="5 of 4"):
        wilson(5, 4)
