"""A judge against a reference, as a test for one label, beside one person of a panel; and how long it takes."""

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.classification import classification, clustered_mcnemar, diagnostic_accuracy, mcnemar
from medreview.stats.formulas.human_baseline import LeaveOneOut, non_inferiority
from medreview.stats.formulas.latency import latency, least_n, percentile, ranks
from medreview.stats.units.qa_figures import flag_ratios

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


FEW = Resampling(replicates=999, seed=3)
LABELS = ("supported", "partial", "contradicted")
HUMAN = ["supported"] * 12 + ["partial"] * 4 + ["contradicted"] * 4
JUDGE = (
    ["supported"] * 10 + ["partial"] * 2 + ["supported", "contradicted", "partial", "partial"] + ["contradicted"] * 4
)


def test_every_label_but_the_positive_one_is_negative():
    found = diagnostic_accuracy(HUMAN, JUDGE, LABELS, "supported", resampling=FEW)
    assert found.matrix == ((10, 2), (1, 7))
    assert found.sensitivity.value == pytest.approx(10 / 12)
    assert found.specificity.value == 7 / 8
    assert found.ppv.value == 10 / 11
    assert found.npv.value == 7 / 9
    assert found.balanced_accuracy.value == pytest.approx((10 / 12 + 7 / 8) / 2)
    assert (found.sensitivity.method, found.balanced_accuracy.method) == ("Wilson", "percentile bootstrap")
    assert found.balanced_accuracy.low < found.balanced_accuracy.value < found.balanced_accuracy.high


def test_with_clusters_all_of_it_is_over_responses():
    found = diagnostic_accuracy(HUMAN, JUDGE, LABELS, "supported", clusters=list(range(20)), resampling=FEW)
    assert (found.sensitivity.clusters, found.specificity.clusters) == (12, 8)
    assert found.sensitivity.method == "jackknife over responses"


def test_a_label_nobody_gave_has_a_sentence_and_one_outside_the_protocol_is_refused():
    found = diagnostic_accuracy(["partial", None], ["partial", "partial"], LABELS, "supported", resampling=FEW)
    assert found.dropped == 1
    assert found.sensitivity.reason == "The human never gave the label supported."
    assert found.ppv.reason == "The judge never gave the label supported."
    assert (found.specificity.value, found.npv.value) == (1, 1)
    assert found.balanced_accuracy.reason == "The human never gave the label supported, or nothing else."
    with pytest.raises(ValueError, match="'absent' is not in the protocol"):
        diagnostic_accuracy(HUMAN, JUDGE, LABELS, "absent")


def test_the_published_hallucination_rate_has_the_published_interval():
    found = flag_ratios(5_543, 5_476, 1_090)
    rate = found.hallucination_rate
    assert [round(100 * x, 1) for x in (rate.value, rate.low, rate.high)] == [19.7, 18.6, 20.7]
    assert found.ideal_pair_yield.reason.startswith("It is not known which")


YES_NO: dict[str, Any] = {"positive": 1, "negative": 0}


def panel(items: int, people: int, wrong: float, seed: int = 1) -> tuple[list[int], list[list[int]]]:
    """The truth and what people say who err at a rate."""
    rng = random.Random(seed)
    truth = [rng.random() < 0.5 for _ in range(items)]
    return [int(t) for t in truth], [[int(t != (rng.random() < wrong)) for _ in range(people)] for t in truth]


def test_a_good_judge_is_not_inferior_and_one_that_guesses_is():
    truth, votes = panel(120, 5, 0.15)
    guesses = [n % 2 for n in range(120)]
    found = non_inferiority(votes, {"good": truth, "guess": guesses}, (0, 1), resampling=FEW)
    good, guess = found.beside
    assert (good.non_inferior, guess.non_inferior) == (True, False)
    assert good.p == 0 < 0.9 < guess.p
    assert good.difference.level == pytest.approx(0.9)
    assert good.difference.value == pytest.approx(found.kappas["good"].value - found.baseline.mean.value)
    # A wider margin asks less, and p follows it.
    lax = non_inferiority(votes, {"guess": guesses}, (0, 1), margin=2.0, resampling=FEW).beside[0]
    assert (lax.non_inferior, lax.p, lax.margin) == (True, 0, 2.0)


def leave_one_out(votes, **more) -> LeaveOneOut:
    return non_inferiority(votes, {}, (0, 1), resampling=more.pop("resampling", FEW), **more).baseline


def test_items_of_one_cluster_vary_together():
    _, votes = panel(40, 4, 0.2)
    thrice = [row for row in votes for _ in range(3)]
    alone = leave_one_out(votes).mean
    together = leave_one_out(thrice, clusters=[n // 3 for n in range(120)], resampling=FEW.over("case")).mean
    assert (together.value, together.clusters, together.method) == (
        pytest.approx(alone.value), 40, "jackknife over cases",
    )  # fmt: skip
    assert together.high - together.low == pytest.approx(alone.high - alone.low, abs=0.05)


def test_the_tie_rule_is_named_and_ties_are_counted_under_each():
    _, votes = panel(60, 5, 0.3)
    rules = {rule: leave_one_out(votes, tie=rule, **YES_NO)
             for rule in ("undecided", "positive", "negative")}  # fmt: skip
    assert len({found.ties for found in rules.values()}) == 1
    assert rules["undecided"].ties == rules["undecided"].mean.dropped > 0
    assert rules["positive"].mean.n == rules["negative"].mean.n == 5 * 60
    assert len({found.mean.value for found in rules.values()}) == 3
    with pytest.raises(ValueError, match="needs the positive label"):
        leave_one_out(votes, tie="positive")


def test_one_constant_person_leaves_the_mean_undefined_only_where_the_others_are_constant_too():
    assert leave_one_out([[1, 0, 1], [1, 1, 0], [1, 0, 0]] * 4).persons[0].value == 0
    flat = non_inferiority([[1, 1, 1]] * 5, {"judge": [1, 0, 1, 1, 1]}, (0, 1), resampling=FEW)
    assert (flat.baseline.mean.value, flat.beside[0].p, flat.beside[0].non_inferior) == (None, None, None)
    assert "0/0" in flat.baseline.mean.reason
    silent = non_inferiority([[1, 1, 0], [0, 0, 1]], {"judge": [None, None]}, (0, 1), resampling=FEW)
    assert silent.beside[0].difference.reason == "On no item are there both a majority and a label of this judge."


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
