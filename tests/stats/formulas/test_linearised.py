"""Intervals that follow from what each response does to a value, by hand; against the bootstrap they are held in
``test_clustered_pairs``."""

import math

import pytest

from medreview.stats.formulas.intervals import METHOD, left_out_interval, linearised


def test_an_interval_ends_at_the_least_value_that_there_is() -> None:
    assert linearised("agreement", 0.2, 0.14, 2, 2, "share").low == 0.0
    assert linearised("kappa", -0.2, 0.14, 2, 2, "coefficient").low == -1.0


def test_two_responses_say_hardly_anything_and_three_by_hand() -> None:
    two = left_out_interval("agreement", 0.5, [0.0, 1.0], 2, "share")
    three = left_out_interval("agreement", 0.5, [0.25, 0.5, 0.75], 3, "share")

    assert (two.value, two.low) == (0.5, None)
    assert two.reason == "No interval: of 2 responses; it takes 3 to see how responses differ."
    # An error of the root of 1/8, four times that on the logit, and 4.303 times this is far.
    ends = [1 / (1 + math.exp(sign * 4.303 * 4 * math.sqrt(1 / 8))) for sign in (1, -1)]
    assert (three.low, three.high) == pytest.approx(tuple(ends), rel=1e-2)


def test_what_has_no_interval_says_why() -> None:
    alone, still = (
        linearised("share", 0.5, spread, *counts, "share") for spread, counts in ((0.1, (1, 4)), (0.0, (300, 600)))
    )

    assert (alone.low, alone.reason) == (None, "One response cannot show how responses differ.")
    assert (still.low, still.reason, still.method) == (None, "It is the same whichever response is left out.", METHOD)
