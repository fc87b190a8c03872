"""Kappa without resampling: the value is the formula's, the interval near the bootstrap's."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.stats.formulas import coefficients
from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.fast_kappa import fast_kappa
from medreview.stats.formulas.linearised import student

LABELS = ("x", "y", "z")


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
    for cluster in range(150):
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
    clusters = [number * 7 % 6 for number in range(len(pairs))]

    def kappa(weights):
        table = dict.fromkeys(((a, b) for a in LABELS for b in LABELS), 0.0)
        for pair, cluster in zip(pairs, clusters, strict=True):
            table[pair] += weights[cluster]
        total = sum(table.values())
        rows = {label: sum(table[label, b] for b in LABELS) / total for label in LABELS}
        columns = {label: sum(table[a, label] for a in LABELS) / total for label in LABELS}
        chance = sum(rows[label] * columns[label] for label in LABELS)
        return (sum(table[label, label] for label in LABELS) / total - chance) / (1 - chance)

    step = 1e-5
    effects = []
    for cluster in range(6):
        more, less = [1.0] * 6, [1.0] * 6
        more[cluster], less[cluster] = 1 + step, 1 - step
        effects.append((kappa(more) - kappa(less)) / (2 * step))
    half = student(0.95, 5) * math.sqrt(6 / 5 * sum(effect**2 for effect in effects))
    found = fast_kappa(pairs, clusters)

    assert found.value == pytest.approx(kappa([1.0] * 6))
    assert found.high - found.low == pytest.approx(2 * half, rel=1e-6)


def test_one_response_and_full_agreement_have_no_interval():
    for pairs, clusters in (([("x", "x"), ("y", "z")], "aa"), ([("x", "x"), ("y", "y")], "ab")):
        found = fast_kappa(pairs, clusters)
        assert found.value is not None
        assert found.low is None
        assert found.reason
