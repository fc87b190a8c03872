"""A judge beside one person of a panel: people are resampled together, and the margin decides."""

import random
from typing import Any

import pytest

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.human_baseline import leave_one_out, non_inferiority

FEW = Resampling(replicates=999, seed=3)
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


def test_items_of_one_cluster_vary_together():
    _, votes = panel(40, 4, 0.2)
    thrice = [row for row in votes for _ in range(3)]
    alone = leave_one_out(votes, (0, 1), resampling=FEW).mean
    together = leave_one_out(thrice, (0, 1), clusters=[n // 3 for n in range(120)], unit="case", resampling=FEW).mean
    assert (together.value, together.clusters, together.method) == (
        pytest.approx(alone.value), 40, "jackknife over cases",
    )  # fmt: skip
    assert together.high - together.low == pytest.approx(alone.high - alone.low, abs=0.05)


def test_the_tie_rule_is_named_and_ties_are_counted_under_each():
    _, votes = panel(60, 5, 0.3)
    rules = {rule: leave_one_out(votes, (0, 1), tie=rule, resampling=FEW, **YES_NO)
             for rule in ("undecided", "positive", "negative")}  # fmt: skip
    assert len({found.ties for found in rules.values()}) == 1
    assert rules["undecided"].ties == rules["undecided"].mean.dropped > 0
    assert rules["positive"].mean.n == rules["negative"].mean.n == 5 * 60
    assert len({found.mean.value for found in rules.values()}) == 3
    with pytest.raises(ValueError, match="needs the positive label"):
        leave_one_out(votes, (0, 1), tie="positive", resampling=FEW)


def test_one_constant_person_leaves_the_mean_undefined_only_where_the_others_are_constant_too():
    assert leave_one_out([[1, 0, 1], [1, 1, 0], [1, 0, 0]] * 4, (0, 1), resampling=FEW).persons[0].value == 0
    flat = non_inferiority([[1, 1, 1]] * 5, {"judge": [1, 0, 1, 1, 1]}, (0, 1), resampling=FEW)
    assert (flat.baseline.mean.value, flat.beside[0].p, flat.beside[0].non_inferior) == (None, None, None)
    assert "0/0" in flat.baseline.mean.reason
    silent = non_inferiority([[1, 1, 0], [0, 0, 1]], {"judge": [None, None]}, (0, 1), resampling=FEW)
    assert silent.beside[0].difference.reason == "On no item are there both a majority and a label of this judge."
