"""Kappa without resampling: the value is the formula's, the interval near the bootstrap's."""

import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.stats.formulas import coefficients
from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.fast_kappa import fast_kappa
from medreview.stats.formulas.linearised import linearised_share
from medreview.stats.formulas.student import student
from medreview.stats.formulas.thresholds import JACKKNIFE_BELOW

LABELS = ("x", "y", "z")
MANY = JACKKNIFE_BELOW + 11


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), max_size=30))
def test_the_value_is_the_one_of_the_formula(pairs):
    table = np.zeros((3, 3))
    for a, b in pairs:
        table[LABELS.index(a), LABELS.index(b)] += 1
    expected = float(coefficients.cohen_kappa(table))
    found = fast_kappa(pairs, range(len(pairs)))

    assert found.value is None if np.isnan(expected) else found.value == pytest.approx(expected, abs=1e-12)


def test_the_interval_is_near_the_clustered_bootstrap():
    rng = random.Random(5)
    pairs, clusters = [], []
    for cluster in range(250):
        hard = rng.random() < 0.2
        for _ in range(5):
            a = rng.choice(LABELS)
            pairs.append((a, a if rng.random() < (0.4 if hard else 0.95) else rng.choice(LABELS)))
            clusters.append(cluster)
    quick = fast_kappa(pairs, clusters)
    slow = two_raters(
        *zip(*pairs, strict=True), LABELS, clusters=clusters, resampling=Resampling(replicates=1999)
    ).figures["cohen_kappa"]

    assert (quick.low, quick.high) == (pytest.approx(slow.low, abs=0.02), pytest.approx(slow.high, abs=0.02))


def test_the_interval_follows_from_what_each_response_does_to_kappa():
    """Against numerical derivatives by the weight of each response, where the raters' marginals are far apart."""
    pairs = [("x", "x")] * 9 + [("x", "y")] * 8 + [("x", "z")] * 5 + [("y", "y")] * 4 + [("y", "x"), ("z", "z")]
    pairs *= 10
    clusters = [number * 7 % MANY for number in range(len(pairs))]
    held = Counter(zip(pairs, clusters, strict=True))

    def kappa(weights):
        table = dict.fromkeys(((a, b) for a in LABELS for b in LABELS), 0.0)
        for (pair, cluster), count in held.items():
            table[pair] += weights[cluster] * count
        total = sum(table.values())
        rows = {label: sum(table[label, b] for b in LABELS) / total for label in LABELS}
        columns = {label: sum(table[a, label] for a in LABELS) / total for label in LABELS}
        chance = sum(rows[label] * columns[label] for label in LABELS)
        return (sum(table[label, label] for label in LABELS) / total - chance) / (1 - chance)

    step = 1e-5
    effects = []
    for cluster in range(MANY):
        more, less = [1.0] * MANY, [1.0] * MANY
        more[cluster], less[cluster] = 1 + step, 1 - step
        effects.append((kappa(more) - kappa(less)) / (2 * step))
    half = student(0.95, MANY - 1) * math.sqrt(MANY / (MANY - 1) * sum(effect**2 for effect in effects))
    found = fast_kappa(pairs, clusters)

    assert found.value == pytest.approx(kappa([1.0] * MANY))
    assert found.high - found.low == pytest.approx(2 * half, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_of_few_responses_it_is_the_interval_of_the_report_to_the_digit(seed):
    rng = random.Random(seed)
    clusters = [rng.randrange(12) for _ in range(70)]
    pairs = [(a := rng.choice("xxxyz"), a if rng.random() < 0.8 else rng.choice("xyz")) for _ in clusters]
    report = two_raters(
        *zip(*pairs, strict=True), LABELS, clusters=clusters, resampling=Resampling(replicates=199)
    ).figures
    kappa, share = fast_kappa(pairs, clusters), linearised_share("agreement", [a == b for a, b in pairs], clusters)

    for quick, slow in ((kappa, report["cohen_kappa"]), (share, report["percent_agreement"])):
        assert quick.method == slow.method == "jackknife over responses"
        assert (quick.value, quick.low, quick.high) == pytest.approx((slow.value, slow.low, slow.high), abs=1e-12)


def test_where_a_label_hangs_on_two_responses_there_is_no_interval_as_in_the_report():
    clusters = [number // 4 for number in range(60)]
    pairs = [("x", "x")] * 58 + [("y", "y")] * 2
    pairs[0] = ("y", "x")
    quick = fast_kappa(pairs, clusters)
    slow = two_raters(*zip(*pairs, strict=True), LABELS, clusters=clusters).figures["cohen_kappa"]

    assert (quick.value, quick.low, slow.low) == (pytest.approx(slow.value), None, None)
    # Thirteen of fifteen responses have one label only: (13/15) ** 15 of the samples are without the other.
    assert "11.7% of the resamples have no value" in quick.reason
    assert slow.undefined_share == pytest.approx((13 / 15) ** 15, abs=0.01)


def test_one_response_and_full_agreement_have_no_interval():
    for pairs, clusters in (([("x", "x"), ("y", "z")], "aa"), ([("x", "x"), ("y", "y")], "ab")):
        found = fast_kappa(pairs, clusters)
        assert found.value is not None
        assert found.low is None
        assert found.reason
