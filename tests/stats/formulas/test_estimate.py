"""A figure never travels without its reason, and is printed rounded half-up."""

import subprocess
import sys
from dataclasses import replace

import pytest

from medreview.stats.formulas.estimate import Estimate, half_up, landis_koch, percent, show


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.4735, 3, "0.474"),
        (0.0005, 3, "0.001"),
        (-0.0004, 3, "0.000"),
        (-0.0235, 3, "-0.024"),
        (2.5, 0, "3"),
        (1, 2, "1.00"),
    ],
)
def test_numbers_are_rounded_half_up_on_their_decimal_form(value: float, digits: int, text: str) -> None:
    assert half_up(value, digits) == text


def test_percentages_are_rounded_at_the_edge_and_never_truncated() -> None:
    # 0.285 * 100 is 28.499999999999996 in floating point; the sample report of MedFactEval truncated 0.4888 to 48.
    assert percent(0.285, 0) == "29%"
    assert percent(0.48888888, 0) == "49%"
    assert percent(1.0) == "100.0%"


def test_a_figure_shows_value_level_and_interval() -> None:
    figure = Estimate("kappa", 0.47368, 0.13, 0.7361, "percentile bootstrap", 200, scale="coefficient")
    assert show(figure) == "0.474 (95% CI 0.130 to 0.736)"
    assert show(replace(figure, scale="share")) == "47.4% (95% CI 13.0% to 73.6%)"


def test_what_is_missing_is_shown_with_its_sentence() -> None:
    missing = Estimate("kappa", None, None, None, "none", 0, reason="No item.", scale="coefficient")
    assert show(missing) == "undefined: No item."
    assert show(replace(missing, value=1.0)) == "1.000 (no interval)"


@pytest.mark.parametrize(("value", "low", "high"), [(None, None, None), (0.5, None, None), (0.5, 0.4, None)])
def test_a_missing_value_or_interval_needs_a_reason(value: float | None, low: float | None, high: float | None) -> None:
    with pytest.raises(ValueError, match="kappa"):
        Estimate("kappa", value, low, high, "none", 3, scale="coefficient")


@pytest.mark.parametrize(
    ("value", "band"),
    [
        (-0.01, "poor"),
        (0, "slight"),
        (0.2, "slight"),
        (0.205, "fair"),
        (0.6, "moderate"),
        (0.8, "substantial"),
        (0.81, "almost perfect"),
        (None, None),
    ],
)
def test_bands_are_closed_at_the_top(value: float | None, band: str | None) -> None:
    assert landis_koch(value) == band


def test_the_light_modules_load_neither_numpy_nor_rapidfuzz() -> None:
    modules = ", ".join(f"medreview.stats.formulas.{name}" for name in ("estimate", "intervals", "spans", "support"))
    code = f"import sys, medreview.stats, {modules}; sys.exit(bool({{'numpy', 'rapidfuzz'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
