"""Intervals that follow from what each response does to a value, by hand; against the bootstrap they are held in
``test_clustered_pairs``."""

import pytest

from medreview.stats.formulas.linearised import METHOD, left_out_interval, linearised


def test_an_interval_ends_at_the_least_value_that_there_is() -> None:
    ends = [linearised("kappa", -0.2, 0.14, 2, 2, least=least).low for least in (0.0, -0.5, -1.0)]

    assert ends == [0.0, -0.5, -1.0]


def test_one_statement_in_each_of_two_responses_by_hand() -> None:
    found = left_out_interval("agreement", 0.5, [0.0, 1.0], 2, "share")

    # Without either it is 0 or 1: an error of 0.5, which is 2 on the logit, and 12.706 times that is all there is.
    assert found.value == 0.5
    assert (found.low, found.high) == (pytest.approx(0, abs=1e-9), pytest.approx(1))


def test_what_has_no_interval_says_why() -> None:
    alone, still = linearised("share", 0.5, 0.1, 1, 4), linearised("share", 0.5, 0.0, 300, 600)

    assert (alone.low, alone.reason) == (None, "One response cannot show how responses differ.")
    assert (still.low, still.reason, still.method) == (None, "No response differs from another.", METHOD)
