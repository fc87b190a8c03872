"""Intervals linearised over responses, against the bootstrap and against values from tables."""

import random

import pytest

from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.linearised import METHOD, linearised, linearised_share


def test_a_share_over_many_responses_has_the_interval_of_resampled_ones() -> None:
    chance = random.Random(3)
    hits, clusters = [], []
    for cluster in range(250):
        good = chance.random() < 0.8
        for _ in range(chance.randint(1, 7)):
            hits.append(chance.random() < (0.95 if good else 0.3))
            clusters.append(cluster)
    quick = linearised_share("agreement", hits, clusters)
    slow = two_raters(
        hits, [True] * len(hits), [True, False], clusters=clusters, statistics=["percent_agreement"],
        resampling=Resampling(replicates=1999),
    ).figures["percent_agreement"]  # fmt: skip
    alone = linearised_share("agreement", hits, range(len(hits)))

    assert quick.value == alone.value == slow.value
    assert (quick.low, quick.high) == (pytest.approx(slow.low, abs=0.02), pytest.approx(slow.high, abs=0.02))
    assert (quick.clusters, quick.method) == (250, METHOD)
    # Taken as independent, the statements would claim to know more than they do.
    assert quick.high - quick.low > 1.4 * (alone.high - alone.low)  # type: ignore[operator]


def test_one_statement_in_each_of_two_responses_by_hand() -> None:
    found = linearised_share("agreement", [True, False], ["x", "y"])

    # Without either it is 0 or 1: an error of 0.5, which is 2 on the logit, and 12.706 times that is all there is.
    assert found.value == 0.5
    assert (found.low, found.high) == (pytest.approx(0, abs=1e-9), pytest.approx(1))


def test_an_interval_ends_at_the_least_value_that_there_is() -> None:
    ends = [linearised("kappa", -0.2, [0.1, -0.1], 2, least=least).low for least in (0.0, -0.5, -1.0)]

    assert ends == [0.0, -0.5, -1.0]


@pytest.mark.parametrize(
    ("hits", "clusters", "reason"),
    [
        ([], [], "There is nothing that both labelled."),
        ([True, False], "aa", "One response cannot show how responses differ."),
        ([True, True], "ab", "No response differs from another."),
    ],
)
def test_what_has_no_interval_says_why(hits: list[bool], clusters: str, reason: str) -> None:
    found = linearised_share("agreement", hits, clusters)

    assert (found.low, found.high, found.reason) == (None, None, reason)
