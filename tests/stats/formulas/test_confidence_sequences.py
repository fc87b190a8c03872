"""Intervals that hold at every look: against the posterior of the hypergeometric, and in use."""

import random
import time

import numpy as np
import pytest
from scipy.stats import betabinom, hypergeom

from medreview.stats.formulas.audit_sampling import (
    EVERY_LOOK,
    UNEQUAL,
    Sampled,
    anytime_share,
    at_every_look,
    audit_share,
    first_within,
)


@pytest.mark.parametrize(
    ("yes", "n", "size"), [(25, 30, 400), (3, 40, 100), (0, 12, 90), (50, 50, 60), (171, 300, 1_000)]
)
def test_whole_numbers_inside_are_those_that_the_prior_does_not_exceed_twentyfold(yes: int, n: int, size: int) -> None:
    """Waudby-Smith & Ramdas 2020: a total is left out when prior / posterior is 1 / 0.05 or more."""
    totals = np.arange(size + 1)
    prior = betabinom.pmf(totals, size, 1, 1)
    likelihood = hypergeom.pmf(yes, size, totals, n)
    posterior = prior * likelihood / (prior * likelihood).sum()
    kept = totals[posterior > prior * 0.05]

    low, high = at_every_look([1.0] * yes + [0.0] * (n - yes), size)

    assert [total for total in totals if low - 1e-12 <= total / size <= high + 1e-12] == list(kept)


def test_labels_in_whatever_order_give_the_same_and_a_whole_study_its_mean() -> None:
    values = [1.0] * 30 + [0.0] * 10
    random.Random(1).shuffle(values)
    assert at_every_look(values, 200) == pytest.approx(at_every_look(sorted(values), 200), abs=1e-9)
    assert at_every_look(values, 40) == (0.75, 0.75)
    assert at_every_look(values, 200)[0] < audit_low(values, 200)


def audit_low(values: list[float], size: int) -> float:
    """The lower end for one look, which is above that for every look."""
    low = audit_share("supported", sampled(values), size).low
    assert low is not None
    return low


def sampled(values: list[float], probability: float = 0.1) -> list[Sampled]:
    return [Sampled(value, place // 2, probability) for place, value in enumerate(values)]


def test_labels_of_several_reviewers_are_between_those_of_each() -> None:
    """Averages are no coarser than whole labels: their spread is smaller, and the interval is no wider."""
    rng = random.Random(2)
    whole = [float(rng.random() < 0.7) for _ in range(80)]
    halves = [(value + 0.5) / 2 for value in whole]
    low, high = at_every_look(halves, 500)
    of_whole = at_every_look(whole, 500)
    assert low < np.mean(halves) < high
    assert high - low <= of_whole[1] - of_whole[0] + 0.02


def test_no_interval_is_said_with_its_reason() -> None:
    values = [1.0] * 40 + [0.0] * 20
    found = anytime_share("supported", sampled(values), 600, missing=3)
    assert found.value == pytest.approx(40 / 60)
    assert (found.method, found.n, found.clusters, found.dropped) == (EVERY_LOOK, 60, 30, 3)
    unequal = anytime_share("supported", [*sampled(values[:30]), *sampled(values[30:], 0.2)], 600)
    assert (unequal.low, unequal.reason) == (None, UNEQUAL)
    assert unequal.value is not None
    few = anytime_share("supported", sampled(values[:20]), 600)
    assert few.value is None
    assert "10 more" in str(few.reason)
    with pytest.raises(ValueError, match="between 1 and 3"):
        at_every_look([1.0] * 4, 3)


def test_it_holds_at_every_look_where_one_look_intervals_do_not() -> None:
    """2% are left out by the mixture here; the bench counts more studies."""
    rng, size, studies = random.Random(5), 500, 60
    missed = 0
    for _ in range(studies):
        population = [1.0] * 400 + [0.0] * 100
        rng.shuffle(population)
        looks = [at_every_look(population[:n], size) for n in range(20, 220, 40)]
        missed += not all(low <= 0.8 <= high for low, high in looks)
    assert missed <= 0.05 * studies


def test_two_thousand_labels_take_no_time() -> None:
    values = [float(place % 5 > 0) for place in range(2_000)]
    began = time.process_time()
    low, high = at_every_look(values, 7_000)
    assert time.process_time() - began < 0.2
    assert 0.76 < low < 0.8 < high < 0.84


@pytest.mark.parametrize("probability", [0.1, 0.5])
def test_the_first_labels_that_reach_a_half_width_are_those_whose_interval_is_as_narrow(probability: float) -> None:
    rng = random.Random(3)
    drawn = [Sampled(float(rng.random() < 0.8), place, probability / (1 + place % 2)) for place in range(150)]
    size = 600

    def half(n: int) -> float:
        found = audit_share("supported", drawn[:n], size)
        return 1.0 if found.low is None or found.high is None else (found.high - found.low) / 2

    for points in (0.08, 0.11, 0.14):
        expected = next((n for n in range(1, 151) if half(n) <= points), None)
        assert first_within(drawn, size, points) == expected
    assert first_within(drawn, size, 0.001) is None
