"""A judge against a human reference."""

import random

import numpy as np
import pytest

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.classification import classification, clustered_mcnemar, mcnemar

QUICK = Resampling(replicates=199)


def skewed() -> tuple[list[int], list[int]]:
    """Rows (human) 0: 5 and 5; 1: 10 and 80."""
    return [0] * 10 + [1] * 90, [0] * 5 + [1] * 5 + [0] * 10 + [1] * 80


def test_the_human_is_in_the_rows() -> None:
    result = classification(*skewed(), [0, 1], resampling=QUICK)
    assert result.matrix == ((5, 5), (10, 80))
    assert result.accuracy.value == pytest.approx(0.85)
    assert result.precision[1].value == pytest.approx(80 / 85)
    assert result.recall[1].value == pytest.approx(80 / 90)
    assert result.f1[1].value == pytest.approx(160 / 175)


def test_macro_f1_is_the_mean_of_the_f1_scores() -> None:
    result = classification(*skewed(), [0, 1], resampling=QUICK)
    assert result.macro_precision.value == pytest.approx((5 / 15 + 80 / 85) / 2)
    assert result.macro_recall.value == pytest.approx((5 / 10 + 80 / 90) / 2)
    assert result.macro_f1.value == pytest.approx(0.6571428571428571)
    assert result.macro_f1.value == pytest.approx((result.f1[0].value + result.f1[1].value) / 2)  # type: ignore[operator]


def test_items_alone_have_wilson_and_few_responses_the_jackknife() -> None:
    reference, prediction = skewed()
    alone = classification(reference, prediction, [0, 1], resampling=QUICK)
    assert (alone.precision[0].method, alone.precision[0].n) == ("Wilson", 15)
    assert alone.f1[0].method == "percentile bootstrap"
    within = classification(reference, prediction, [0, 1], clusters=[i // 5 for i in range(100)], resampling=QUICK)
    assert within.accuracy.method == "jackknife over responses"
    assert within.precision[1].value == alone.precision[1].value == pytest.approx(80 / 85)
    assert within.recall[1].value == alone.recall[1].value == pytest.approx(80 / 90)
    assert (within.accuracy.clusters, within.accuracy.n) == (20, 100)
    # Only two responses hold items that the human labelled 0.
    assert (within.recall[0].clusters, within.recall[0].n) == (2, 10)


def test_clustered_errors_widen_the_interval() -> None:
    chance = random.Random(3)
    clusters = [i // 10 for i in range(600)]
    wrong = {cluster: chance.random() < 0.2 for cluster in set(clusters)}
    reference = [chance.randrange(2) for _ in clusters]
    prediction = [1 - label if wrong[cluster] else label for label, cluster in zip(reference, clusters, strict=True)]
    lead = classification(reference, prediction, [0, 1], clusters=clusters).accuracy
    plain = classification(reference, prediction, [0, 1]).accuracy
    assert lead.high - lead.low > 2 * (plain.high - plain.low)  # type: ignore[operator]


def test_a_zero_denominator_is_zero_in_the_mean_of_the_labels_that_somebody_used() -> None:
    result = classification([0, 0, 0], [0, 0, 0], [0, 1], resampling=QUICK)
    assert result.precision[1].value is None
    assert result.precision[1].reason == "The judge never gave the label 1."
    assert result.recall[1].reason == "The human never gave the label 1."
    assert result.f1[1].reason == "Neither gave the label 1."
    assert (result.macro_f1.value, result.macro_f1.notes) == (1, ("Used by neither and left out of the mean: 1.",))
    never = classification([0, 0, 1], [0, 0, 0], [0, 1], resampling=QUICK)
    assert never.macro_precision.value == pytest.approx((2 / 3 + 0) / 2)
    assert never.macro_precision.notes == ("Undefined and taken as 0 in the mean: 1.",)


def test_a_label_missed_throughout_has_f1_0_not_undefined() -> None:
    result = classification([0, 1], [0, 0], [0, 1], resampling=QUICK)
    assert result.precision[1].value is None
    assert result.f1[1].value == 0


def test_missing_labels_are_dropped_and_nothing_is_undefined() -> None:
    assert classification([0, None, 1], [0, 1, None], [0, 1], resampling=QUICK).accuracy.dropped == 2
    nothing = classification([], [], [0, 1])
    for figure in (nothing.accuracy, nothing.macro_f1, nothing.f1[0], nothing.recall[1]):
        assert figure.value is None
        assert figure.reason == "No item has both a reference label and a judgement."
    assert nothing.matrix == ((0, 0), (0, 0))


def test_mcnemar_is_the_two_sided_binomial() -> None:
    # 1 + 11 + 55 of 2**11 outcomes are as far out on this side.
    assert mcnemar(2, 9).pvalue == pytest.approx(2 * 67 / 2048)
    assert mcnemar(9, 2).pvalue == mcnemar(2, 9).pvalue
    assert mcnemar(0, 0).pvalue == 1
    assert mcnemar(4, 4).pvalue == 1
    assert 0 < mcnemar(4700, 5300).pvalue < 1e-8


def test_mcnemar_as_chi_squared() -> None:
    # Agresti, approval ratings; statsmodels
    plain = mcnemar(86, 150, exact=False)
    assert (plain.statistic, plain.pvalue) == pytest.approx((17.35593220338983, 3.099293441045215e-05))
    corrected = mcnemar(2, 9, exact=False, correction=True)
    assert (corrected.statistic, corrected.pvalue) == pytest.approx((3.272727272727273, 0.070440429272088))
    for correction in (False, True):
        nothing = mcnemar(0, 0, exact=False, correction=correction)
        assert (nothing.statistic, nothing.pvalue) == (None, None)
        assert nothing.reason == "The two never differ: chi-squared is 0/0."


def test_clustered_mcnemar_by_hand() -> None:
    # Differences 2, -1, 0 and 1: 3/4 x 2^2 / 6.
    found = clustered_mcnemar([3, 0, 1, 1], [1, 1, 1, 0])
    assert (found.b, found.c, found.statistic) == (5, 3, pytest.approx(0.5))
    assert found.pvalue == pytest.approx(0.4795, abs=1e-4)
    for lost in (clustered_mcnemar([1, 0], [1, 0]), clustered_mcnemar([2], [0])):
        assert (lost.statistic, lost.pvalue) == (None, None)
        assert lost.reason


def test_clustered_mcnemar_rejects_as_often_as_it_says_where_the_plain_one_does_not() -> None:
    """Two equally good judges, whose errors come in whole responses: 60 responses of 8 items, 600 studies."""
    rng = np.random.default_rng(5)
    plain = clustered = 0
    for _ in range(600):
        lean = np.where(rng.random((60, 1)) < 0.5, 0.32, 0.08)
        first, second = rng.random((60, 8)) < lean, rng.random((60, 8)) < 0.4 - lean
        b, c = (first & ~second).sum(axis=1).tolist(), (second & ~first).sum(axis=1).tolist()
        plain += mcnemar(sum(b), sum(c)).pvalue < 0.05  # type: ignore[operator]
        clustered += clustered_mcnemar(b, c).pvalue < 0.05  # type: ignore[operator]
    assert plain / 600 > 0.08
    assert 0.03 < clustered / 600 < 0.07


def test_a_mean_over_labels_has_no_interval_where_one_of_them_is_hardly_used() -> None:
    """Three labels of four on a few of forty statements: their 0 of 2 in every resample would narrow the interval."""
    labels = ("supported", "partial", "contradicted", "not_addressed")
    human = ["supported"] * 30 + ["partial"] * 12 + ["contradicted"] * 2
    judge = ["supported"] * 24 + ["partial"] * 6 + ["supported"] * 4 + ["partial"] * 8 + ["supported"] * 2
    clusters = [place % 15 for place in range(len(human))]
    rare = classification(human, judge, labels, clusters=clusters)
    common = classification(human[:42], judge[:42], labels[:2], clusters=clusters[:42])

    assert rare.macro_recall.value == pytest.approx((24 / 30 + 8 / 12) / 3)
    assert rare.macro_recall.low is None
    assert rare.macro_recall.reason == (
        "No interval: it takes 10 items of every label in the mean; too few of contradicted (2)."
    )
    assert rare.recall["supported"].low is not None
    assert common.macro_recall.low is not None
