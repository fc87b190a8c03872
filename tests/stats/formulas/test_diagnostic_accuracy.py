"""A judge as a test for one label, and the shares that annotators' flags make."""

import pytest

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.classification import diagnostic_accuracy
from medreview.stats.units.qa_figures import flag_ratios

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
