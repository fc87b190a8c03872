"""Ranks and ratings: intervals, names of tests, cautions."""

import random
from typing import Any

import pytest

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.hypothesis_tests import chi_squared, t_test, two_proportions
from medreview.stats.formulas.ranks_and_ratings import (
    KINDS,
    icc,
    kendall_tau_b,
    kendall_w,
    mean_ranks,
    mean_tau_over_items,
    spearman,
)

FEW = Resampling(replicates=999, seed=3)


def ratings(subjects: int, raters: int = 3, noise: float = 1.0) -> list[list[float]]:
    """Subjects that differ, raters that err and of whom each is a little stricter than the one before."""
    rng = random.Random(subjects)
    truth = [rng.gauss(0, 2) for _ in range(subjects)]
    return [[level + strict / 2 + rng.gauss(0, noise) for strict in range(raters)] for level in truth]


def test_an_f_interval_holds_the_value_and_narrows_with_the_subjects():
    widths = []
    for subjects in (8, 80):
        for kind in KINDS:
            found = icc(ratings(subjects), kind)
            assert found.low < found.value < found.high
        widths.append(found.high - found.low)
    assert widths[1] < widths[0] / 2
    # The mean of three ratings is more reliable than one, and consistency asks less than agreement.
    one, agree, mean = (icc(ratings(80), kind).value for kind in ("ICC(3,1)", "ICC(2,1)", "ICC(2,k)"))
    assert agree < one
    assert agree < mean


def test_subjects_or_their_clusters_are_resampled_on_request():
    table = ratings(40)
    whole = icc(table, resampling=FEW)
    assert whole == icc(table, resampling=FEW)
    assert (whole.method, whole.clusters) == ("percentile bootstrap", None)
    assert abs(whole.low - icc(table).low) < 0.15
    twice = icc([row for row in table for _ in range(2)], clusters=[n for n in range(40) for _ in range(2)],
                resampling=FEW)  # fmt: skip
    assert (twice.n, twice.clusters) == (80, 40)
    assert twice.high - twice.low == pytest.approx(whole.high - whole.low, abs=0.1)


def test_an_unknown_form_of_icc_names_those_there_are():
    unknown: Any = "ICC(4,1)"
    with pytest.raises(ValueError, match=r"ICC\(1,1\), ICC\(2,1\)"):
        icc([[1, 2]], unknown)
    with pytest.raises(ValueError, match="one entry per rater"):
        icc([[1, 2], [1]])


def test_how_p_was_found_stands_in_the_name_of_the_test():
    eight, nine = list(range(8)), list(range(9))
    assert spearman(eight, eight).test.name == "Spearman's rho, all permutations"
    assert spearman(eight, eight).test.pvalue == pytest.approx(2 / 40_320)
    assert spearman(nine, [0, 2, 1, *nine[3:]]).test.name == "Spearman's rho, t approximation"
    assert kendall_tau_b(eight, eight[::-1]).test.pvalue == pytest.approx(2 / 40_320)
    assert kendall_tau_b(nine, [0, 0, *nine[2:]]).test.name == "Kendall's tau-b, normal approximation"


def test_the_same_order_throughout_has_no_interval_and_another_has_one():
    whole = spearman(list(range(10)), list(range(10)))
    assert (whole.figure.value, whole.figure.low, whole.test.pvalue) == (1, None, 0)
    assert whole.figure.reason == "The order is the same, or reversed, throughout: no interval."
    part = spearman(list(range(10)), [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]).figure
    assert part.low < part.value < part.high < 1


def test_the_mean_of_tau_over_items_resamples_items():
    rng = random.Random(1)
    items = []
    for _ in range(30):
        first = list(range(4))
        second = first[:2] + first[:1:-1] if rng.random() < 0.4 else first
        items.append([first, second])
    found = mean_tau_over_items([*items, [[1, 1, 1, 1], [1, 2, 3, 4]]], resampling=FEW)
    assert (found.n, found.clusters, found.dropped) == (30, 30, 1)
    assert 0.6 < found.low < found.value < found.high < 1
    assert mean_tau_over_items([], resampling=FEW).reason == "It takes two raters of the same things."


def test_kendalls_w_has_a_test_and_an_interval_over_the_things():
    rng = random.Random(2)
    things = range(20)
    raters = [[place + rng.gauss(0, 4) for place in things] for _ in range(4)]
    found = kendall_w(raters, resampling=FEW)
    assert found.figure.low < found.figure.value < found.figure.high
    assert found.test.pvalue < 0.001
    assert found.test.statistic == pytest.approx(4 * 19 * found.figure.value)
    # A thing that one rater left out is left out.
    part = kendall_w([[None, *row[1:]] for row in raters], resampling=FEW)
    assert (part.figure.n, part.figure.dropped) == (19, 1)
    few = kendall_w([[1, 2, 3], [1, 3, 2]], resampling=FEW)
    assert few.test.notes == ("Only 3 things: below 8 the chi-squared distribution is a rough one.",)


def test_mean_ranks_come_from_the_same_ballots_and_count_those_without_a_rank():
    ballots = [[1, 2, 3] if n % 3 else [2, 1, 3] for n in range(60)]
    ranks = {name: [row[place] for row in ballots] for place, name in enumerate("ABC")}
    ranks["B"][0] = None
    found = mean_ranks(ranks, resampling=FEW)
    assert (found["B"].n, found["B"].dropped) == (59, 1)
    assert found["A"].low < found["A"].value < found["A"].high < found["B"].low
    assert found["C"].value == 3
    assert "claim certainty" in found["C"].reason
    by_item = mean_ranks(ranks, resampling=FEW, clusters=[n // 2 for n in range(60)])
    assert (by_item["A"].value, by_item["A"].clusters) == (found["A"].value, 30)


def test_small_expected_counts_are_told_and_large_ones_are_not():
    rough = chi_squared([[1, 9], [4, 6]])
    assert rough.min_expected == 2.5
    assert rough.notes == ("The smallest expected count is 2.5, below 5: p is a rough approximation.",)
    assert two_proportions([1, 4], [10, 10]).notes == rough.notes
    assert chi_squared([[10, 90], [40, 60]]).notes == ()


def test_what_lacks_a_value_is_dropped_and_counted():
    paired = t_test([1, 2, None, 4], [2, 4, 4, None], paired=True)
    assert (paired.n, paired.dropped) == ((2,), 2)
    apart = t_test([1, 2, None, 4], [2, 4, 4, None])
    assert (apart.name, apart.n, apart.dropped) == ("Welch's t-test", (3, 3), 2)
    assert t_test([0.3, 0.4], [0.2, 0.3], paired=True).reason.startswith("Every pair differs by the same amount")
