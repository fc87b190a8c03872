"""PPI++ as published: to the digits of two other programs, and of the formula written another way."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from medreview.stats.formulas.audit_sampling import Sampled
from medreview.stats.formulas.prediction_powered import Said, Verdicts, prediction_powered
from medreview.stats.reports.audit_differences import published_difference, published_mean

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "ppi_reference.json").read_text())["cases"]
SAME = 1e-12
each_case = pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])


def of(case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    labels, predicted, unlabelled = (
        np.array(list(case[name]), float) for name in ("labels", "predicted", "unlabelled")
    )
    return labels, predicted, unlabelled


def ours(case: dict[str, Any], weight: float | None = None) -> tuple[float, float, float]:
    labels, predicted, unlabelled = of(case)
    return published_mean(list(labels), list(predicted), int(unlabelled.sum()), len(unlabelled), weight)


@each_case
@pytest.mark.parametrize("weight", [None, 1.0, 0.5])
def test_value_weight_and_variance_are_those_of_ppi_py_and_truescore(
    case: dict[str, Any], weight: float | None
) -> None:
    """ppi_py divides both variances by n, truescore by n - 1 as the program does."""
    value, used, variance = ours(case, weight)
    fit = case["fits"][str(weight)]
    point, low, high, their_weight = fit["truescore"]
    assert value == pytest.approx(point, abs=SAME)
    assert used == pytest.approx(their_weight, abs=SAME)
    half = norm.ppf(0.975) * math.sqrt(variance)
    assert (value - half, value + half) == pytest.approx((low, high), abs=SAME)

    labels, predicted, unlabelled = of(case)
    n, size = len(labels), len(unlabelled)
    assert value == pytest.approx(fit["ppi_py"][0], abs=SAME)
    by_n = used**2 * np.var(unlabelled) / size + np.var(labels - used * predicted) / n
    assert norm.ppf(0.975) * math.sqrt(by_n) == pytest.approx((fit["ppi_py"][2] - fit["ppi_py"][1]) / 2, abs=SAME)


@each_case
def test_the_estimate_that_is_quoted_is_ppi_at_its_own_weight(case: dict[str, Any]) -> None:
    """Its weight times N / (n + N) is lambda: it corrects the mean over all statements, PPI that over the rest."""
    labels, predicted, unlabelled = of(case)
    n, size = len(labels), len(unlabelled)
    sampled = [Sampled(float(value), place, 0.2) for place, value in enumerate(labels)]
    every = np.concatenate([predicted, unlabelled])
    verdicts = Verdicts({str(place): Said(1, 1, said) for place, said in enumerate(every)})
    for weight in (None, 1.0, 0.4):
        found = prediction_powered("supported", sampled, list(predicted), verdicts, weight=weight)
        assert found.weight is not None
        lam = found.weight * size / (n + size)
        expected = (lam * unlabelled).mean() + (labels - lam * predicted).mean()
        assert found.study.value == pytest.approx(min(1.0, max(0.0, expected)), abs=SAME)
        if weight is None:
            tuned = np.cov(labels, predicted, ddof=0)[0, 1] / ((1 + n / size) * np.var(predicted))
            assert lam == pytest.approx(tuned, abs=SAME)


def test_the_variances_of_a_difference_are_added() -> None:
    first, second = CASES[0], CASES[1]
    found = published_difference("d", published_mean(*_plain(first)), published_mean(*_plain(second)), 100)
    value, variance = 0.0, 0.0
    for case, sign in ((first, 1), (second, -1)):
        labels, predicted, unlabelled = of(case)
        n, size = len(labels), len(unlabelled)
        spread = np.var(np.concatenate([predicted, unlabelled]), ddof=1)
        weight = np.clip(np.cov(labels, predicted, ddof=0)[0, 1] / ((1 + n / size) * spread), 0, 1)
        value += sign * (weight * unlabelled.mean() + labels.mean() - weight * predicted.mean())
        variance += weight**2 * unlabelled.var(ddof=1) / size + (labels - weight * predicted).var(ddof=1) / n
    half = norm.ppf(0.975) * math.sqrt(variance)
    assert (found.value, found.low, found.high) == pytest.approx((value, value - half, value + half), abs=SAME)


def _plain(case: dict[str, Any]) -> tuple[list[float], list[float], int, int]:
    labels, predicted, unlabelled = of(case)
    return list(labels), list(predicted), int(unlabelled.sum()), len(unlabelled)


def test_a_judge_that_always_says_the_same_has_no_weight_and_one_label_is_too_few() -> None:
    value, weight, variance = published_mean([1.0, 0.0, 1.0, 1.0], [1.0] * 4, 10, 10)
    assert (value, weight, variance) == pytest.approx((0.75, 0.0, 0.25 / 4))
    with pytest.raises(ValueError, match="two statements"):
        published_mean([1.0], [1.0], 3, 5)
