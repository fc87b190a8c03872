"""A rate corrected for errors, calibration, and figures of sums with their jackknife, by hand."""

import math

import numpy as np
import pytest

from medreview.stats.formulas.audit_sampling import Sampled
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.calibration import Confident, calibration
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import difference_of_quotients, jackknifed, quotient, student, summed
from medreview.stats.formulas.prediction_powered import Said, Verdicts, agree, error_corrected


def audited(hits, misses, false, clear, study=(700, 1000), rate=0.1):
    """Labels and verdicts, each statement in a response of its own; ``study``: verdicts that say yes, of all."""
    counts = ((1.0, 1.0, hits), (1.0, 0.0, misses), (0.0, 1.0, false), (0.0, 0.0, clear))
    labels = [label for label, _, count in counts for _ in range(count)]
    said = [word for _, word, count in counts for _ in range(count)]
    sampled = [Sampled(label, f"r{place}", rate) for place, label in enumerate(labels)]
    yes, size = study
    verdicts = Verdicts({f"r{place}": Said(1, 1, float(place < yes)) for place in range(size)})
    return sampled, said, verdicts


def test_the_corrected_rate_by_hand():
    """45 of 50 hits and 40 of 50 clear: (.7 + .8 - 1) / (.9 + .8 - 1) = 5/7."""
    found = error_corrected("rate", *audited(45, 5, 10, 40))

    assert found.sensitivity.value == pytest.approx(0.9)
    assert found.specificity.value == pytest.approx(0.8)
    assert found.study.value == found.at_large.value == pytest.approx(5 / 7)


def test_its_interval_holds_the_rates_that_a_t_test_does_not_reject():
    """Tested rate by rate, from variances written out: binomial with half a yes and half a no, of a draw of 10%."""
    found = error_corrected("rate", *audited(45, 5, 10, 40)).study
    se, sp = 45.5 / 51, 40.5 / 51
    of_yes, of_no = 0.9 * se * (1 - se) / 50, 0.9 * sp * (1 - sp) / 50
    rates = np.linspace(0, 1, 100_001)
    kept = rates[(0.5 - rates * 0.7) ** 2 <= student(0.95, 98) ** 2 * (rates**2 * of_yes + (1 - rates) ** 2 * of_no)]

    assert (found.low, found.high) == pytest.approx((kept.min(), kept.max()), abs=2e-5)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((10, 5, 5, 5), "30 statements that count are needed"),
        ((45, 5, 1, 1), "One of the two outcomes occurred 2 times"),
        ((20, 30, 30, 20), "Sensitivity 40.0% and specificity 40.0% add up to no more than 100%"),
    ],
)
def test_a_rate_that_cannot_be_corrected_says_why(counts, words):
    found = error_corrected("rate", *audited(*counts))

    assert found.study.value is None
    assert words in str(found.study.reason)


def test_verdicts_hardly_better_than_chance_give_no_interval():
    found = error_corrected("rate", *audited(28, 22, 24, 26)).study

    assert found.value is not None
    assert (found.low, found.high) == (None, None)
    assert "no more than chance" in str(found.reason)


def test_statements_without_a_verdict_are_left_out():
    sampled, said, verdicts = audited(45, 5, 10, 40)
    extra = [Sampled(1.0, "x", 0.1)] * 3
    found = error_corrected("rate", [*sampled, *extra], [*said, None, None, None], verdicts).study

    assert (found.value, found.n, found.dropped) == (pytest.approx(5 / 7), 100, 3)
    assert error_corrected("rate", extra, [None] * 3, verdicts).study.reason == "No audited statement has a verdict."


def test_two_estimates_agree_where_each_is_in_the_interval_of_the_other():
    def one(value, low, high):
        return Estimate("rate", value, low, high, "m", 9, reason=None if value else "none", scale="share")

    assert agree(one(0.5, 0.4, 0.6), one(0.55, 0.45, 0.65)) is True
    assert agree(one(0.5, 0.4, 0.6), one(0.55, 0.52, 0.58)) is False
    same = 0.1 + 0.2  # of a study that is all labelled, by another way
    assert agree(one(0.3, 0.3, 0.3), one(same, same, same)) is True
    assert agree(one(0.3, 0.3, 0.3), one(0.301, 0.301, 0.301)) is False
    assert agree(one(None, None, None), one(0.55, 0.52, 0.58)) is None


FAST = Resampling(replicates=199)
VERDICTS = [
    Confident(0.95, True, "a"), Confident(0.95, True, "b"), Confident(0.95, False, "c"), Confident(0.95, True, "d"),
    Confident(0.6, True, "a"), Confident(0.6, False, "b"), Confident(0.3, False, "c"), Confident(1.0, True, "d"),
]  # fmt: skip


def test_calibration_by_hand():
    """Bins .9 to 1 (five, 4 right, mean .96), .6 (two, one right), .3 (one, wrong)."""
    found = calibration(VERDICTS, resampling=FAST)

    assert [(one.low, one.n, one.right.value) for one in found.bins] == [(0.3, 1, 0.0), (0.6, 2, 0.5), (0.9, 5, 0.8)]
    assert [one.confidence for one in found.bins] == pytest.approx([0.3, 0.6, 0.96])
    assert found.error.value == pytest.approx((5 * 0.16 + 2 * 0.1 + 0.3) / 8)
    assert found.brier.value == pytest.approx((3 * 0.05**2 + 0.95**2 + 0.4**2 + 0.6**2 + 0.3**2) / 8)
    assert found.overconfidence.value == pytest.approx((4.8 + 1.2 + 0.3) / 8 - 5 / 8)
    assert (found.n, found.clusters, found.error.clusters) == (8, 4, 4)


def test_the_calibration_error_is_never_below_0():
    found = calibration(VERDICTS * 10, resampling=FAST).error

    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.high
    assert found.method == "tests by resampled responses, inverted"


def test_of_one_bin_far_from_right_the_calibration_error_has_the_usual_interval():
    """240 verdicts of .9 in responses of their own, 150 right: .275, plus or minus t times the standard error."""
    found = calibration([Confident(0.9, place < 150, place) for place in range(240)]).error

    half = student(0.95, 239) * math.sqrt(0.625 * 0.375 / 239)
    assert found.value == pytest.approx(0.275)
    assert (found.low, found.high) == pytest.approx((0.275 - half, 0.275 + half), abs=0.004)


@pytest.mark.parametrize(("wrong", "none_at_all"), [(4, True), (16, False)])
def test_a_calibration_error_as_small_as_by_chance_may_be_0_and_is_not_certainly_so(wrong, none_at_all):
    """40 verdicts each of .9 and .8, 4 and 8 wrong; then 16 of the first, which is .3 too sure there."""
    sure = [Confident(0.9, place >= wrong, place) for place in range(40)]
    less = [Confident(0.8, place >= 8, 40 + place) for place in range(40)]
    found = calibration([*sure, *less]).error

    assert found.value == pytest.approx((wrong - 4) / 80)
    assert (found.low == 0) == none_at_all
    assert found.high > found.value + 0.01
    assert not any("percentile" in note for note in found.notes)


def test_calibration_of_nothing_says_why():
    found = calibration([], resampling=FAST)

    assert found.bins == ()
    assert all(one.value is None and one.reason for one in (found.brier, found.error, found.overconfidence))


def test_a_figure_of_sums_leaves_out_each_cluster():
    """Shares 3 of 4: without a 1 of 2, without b 2 of 3, without c 3 of 3: the root of the sum of squared distances."""
    sums = summed([("a", (1, 1)), ("a", (1, 1)), ("b", (1, 1)), ("c", (0, 1))])
    found = jackknifed("share", sums, quotient(), n=4, scale="plain", nothing="nothing")

    error = math.sqrt((1 / 2 - 3 / 4) ** 2 + (2 / 3 - 3 / 4) ** 2 + (1 - 3 / 4) ** 2)
    assert found.value == 0.75
    assert found.high is not None
    assert found.low is not None
    assert (found.high - found.low) / 2 == pytest.approx(student(0.95, 2) * error)


def test_a_figure_that_one_cluster_alone_carries_has_no_interval():
    sums = summed([("a", (1, 1, 0, 0)), ("b", (1, 1, 0, 0)), ("c", (0, 0, 1, 1))])
    found = jackknifed("d", sums, difference_of_quotients((0, 1), (2, 3)), n=3, scale="plain", nothing="nothing")

    assert (found.value, found.low) == (0.0, None)
    assert found.reason == "No interval: without one response there is no value."
    assert jackknifed("d", {}, quotient(), n=0, scale="plain", nothing="nothing").reason == "nothing"
