"""A share from a sample with known probabilities, worked out by hand."""

import math

import pytest

from medreview.stats.formulas.audit_sampling import (
    LARGE,
    STUDY,
    Sampled,
    audit_share,
    post_stratified_share,
    share_at_large,
    too_few,
)
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import student


def sample(yes: int, no: int, probability: float = 0.1, per_response: int = 2) -> list[Sampled]:
    values = [1.0] * yes + [0.0] * no
    return [Sampled(value, place // per_response, probability) for place, value in enumerate(values)]


def ends(share: float, items: float, freedom: int) -> tuple[float, float]:
    """Wilson's interval with Student's t, as its two roots."""
    t = student(0.95, freedom)
    middle = (share + t * t / (2 * items)) / (1 + t * t / items)
    half = t / (1 + t * t / items) * math.sqrt(share * (1 - share) / items + t * t / (4 * items**2))
    return middle - half, middle + half


def interval(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_equal_probabilities_are_a_share_with_the_correction_for_a_finite_study() -> None:
    found = audit_share("supported", sample(51, 9), 600)

    items = 59 / 0.9  # s squared has 59 for 60, and a tenth of the study was looked at
    assert found.value == pytest.approx(0.85)
    assert (found.low, found.high) == pytest.approx(ends(0.85, items, 59), rel=1e-3)
    assert (found.n, found.clusters, found.method) == (60, 30, STUDY)


def test_all_of_a_study_is_no_sample() -> None:
    found = audit_share("supported", sample(51, 9, 1.0), 60)

    assert (found.low, found.value, found.high) == pytest.approx((0.85, 0.85, 0.85))


def test_half_of_a_draw_stands_for_half_as_much_of_the_study() -> None:
    half, whole = audit_share("supported", sample(34, 6, 0.2), 400), audit_share("supported", sample(34, 6, 0.2), 200)

    assert interval(whole)[0] > interval(half)[0]


def test_weights_are_one_over_the_probability() -> None:
    rare = sample(20, 20, 0.1)
    often = [Sampled(value, 100 + place, 0.4) for place, value in enumerate([1.0] * 30 + [0.0] * 10)]

    # 400 of the study are like the first, 100 like the second.
    assert audit_share("supported", rare + often, 500).value == pytest.approx((400 * 0.5 + 100 * 0.75) / 500)


def test_at_large_responses_are_what_varies() -> None:
    alike = [Sampled(float(number < 17), number, 0.1) for number in range(20) for _ in range(3)]
    apart = [Sampled(one.value, place, 0.1) for place, one in enumerate(alike)]
    clustered, single = share_at_large("supported", alike), share_at_large("supported", apart)

    assert clustered.value == single.value == pytest.approx(0.85)
    assert interval(clustered) == pytest.approx(ends(0.85, 19, 19), rel=1e-3)
    assert interval(clustered)[0] < interval(single)[0]
    assert clustered.method == LARGE
    one_response = share_at_large("supported", sample(30, 10, per_response=100))
    assert one_response.low is None
    assert one_response.reason == "One response cannot show how responses differ."


def test_a_part_that_was_all_looked_at_is_not_uncertain() -> None:
    rest = sample(35, 5)
    found = post_stratified_share("supported", [1.0] * 50 + [0.0] * 150, 200, rest, 600)

    assert found.value == pytest.approx((200 * 0.25 + 400 * 0.875) / 600)
    low, high = interval(audit_share("supported", rest, 400))
    assert interval(found) == pytest.approx(((50 + 400 * low) / 600, (50 + 400 * high) / 600))
    assert found.n == 240


@pytest.mark.parametrize(
    ("yes", "no", "words"),
    [
        (0, 0, "30 statements that count are needed: 0 so far, 30 more."),
        (20, 9, "30 statements that count are needed: 29 so far, 1 more."),
        (60, 0, "One of the two outcomes never occurred, and 5 of each are needed: about 300 more."),
        (39, 1, "One of the two outcomes occurred once, and 5 of each are needed: about 160 more."),
        (4, 36, "One of the two outcomes occurred 4 times, and 5 of each are needed: about 10 more."),
        (25, 5, ""),
    ],
)
def test_too_few_says_how_many_more(yes: int, no: int, words: str) -> None:
    assert too_few([1.0] * yes + [0.0] * no) == words
    if words:
        found = audit_share("supported", sample(yes, no), 600)
        assert (found.value, found.reason) == (None, words)
        assert share_at_large("supported", sample(yes, no)).reason == words
        assert post_stratified_share("supported", [], 0, sample(yes, no), 600).reason == words
