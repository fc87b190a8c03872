"""How many labels more: the smallest number that is enough, by the interval written down directly."""

import math

import pytest

from medreview.stats.formulas.audit_sampling import Known, Planned, Variances, labels_at_large, labels_for
from medreview.stats.formulas.intervals import student

SHARE, LABELS, SIZE = 0.7, 60, 700


def known(ratio: float | None = None, responses: float = 0.0) -> Known:
    draw = SHARE * (1 - SHARE) * (1 / LABELS - 1 / SIZE)
    return Known(SHARE, LABELS, SIZE, 50, 100, Variances(draw, responses), ratio)


def half(variance: float, freedom: int, share: float = SHARE) -> float:
    """Of Wilson's interval with Student's t, on the items that vary as much."""
    items, t = share * (1 - share) / variance, student(0.95, freedom)
    return t / (1 + t * t / items) * math.sqrt(share * (1 - share) / items + t * t / (4 * items**2))


def more(found: Planned) -> int:
    assert found.labels is not None
    assert found.more == found.labels - LABELS
    return found.labels


@pytest.mark.parametrize("points", [0.03, 0.05, 0.08])
def test_the_fewest_labels_that_are_enough_in_this_study(points: float) -> None:
    labels = more(labels_for("s", known(), SIZE, points))

    spread = SHARE * (1 - SHARE)
    assert half(spread * (1 / labels - 1 / SIZE), labels - 1) <= points
    assert half(spread * (1 / (labels - 1) - 1 / SIZE), labels - 2) > points

    helped = more(labels_for("s", known(ratio=0.4), SIZE, points, with_verdicts=True))
    assert half(0.4 * spread * (1 / helped - 1 / SIZE), helped - 2) <= points
    assert helped < labels


def test_what_is_known_today_stands_beside_it() -> None:
    found = labels_for("s", known(), SIZE, 0.05)

    assert found.now == pytest.approx(half(SHARE * (1 - SHARE) * (1 / 60 - 1 / SIZE), 59))
    assert found.least == 0
    enough = labels_for("s", known(), SIZE, 0.2)
    assert (enough.labels, enough.more) == (60, 0)


def test_before_there_are_labels_one_half_is_assumed_and_no_help() -> None:
    found = labels_for("s", None, SIZE, 0.05)

    assert found.labels is not None
    assert half(0.25 * (1 / found.labels - 1 / SIZE), found.labels - 1, 0.5) <= 0.05
    assert found.now is None
    assert labels_for("s", None, SIZE, 0.05, with_verdicts=True).reason == (
        "How much the verdicts help is not known yet."
    )
    assert labels_at_large("s", None, 0.05).reason == "How much responses differ is not known yet."
    assert labels_at_large("s", known(), 0.05, with_verdicts=True).labels is None


def test_at_large_what_responses_differ_by_stays() -> None:
    draw = known().variances.draw
    found = labels_at_large("s", known(responses=draw + 0.0002), 0.05)

    labels = more(found)
    over = min(100, labels)
    assert half(0.0002 + draw * (1 / labels - 1 / SIZE) / (1 / 60 - 1 / SIZE), over - 1) <= 0.05
    # No fewer than statements vary that have nothing in common.
    alike = labels_at_large("s", known(responses=0.0), 0.05)
    assert alike.least == pytest.approx(half(SHARE * (1 - SHARE) / SIZE, 99))


def test_where_the_whole_study_is_not_enough_it_says_how_many_responses_would_be() -> None:
    draw = known().variances.draw
    found = labels_at_large("s", known(responses=draw + 0.002), 0.05)

    assert (found.labels, found.more) == (None, None)
    assert found.least == pytest.approx(half(0.002, 99))
    assert "whole study" in found.reason
    needed = found.responses
    assert needed is not None
    assert half(0.002 * 100 / needed, needed - 1) <= 0.05 < half(0.002 * 100 / (needed * 0.97), needed - 1)
