"""Intervals drawn in text."""

from medreview.cli.reports.layout import bar_scale, interval_bar
from medreview.stats.formulas.estimate import Estimate


def bar(value: float | None, low: float | None = None, high: float | None = None, width: int = 11) -> str:
    reason = None if low is not None else "no interval"
    return interval_bar(Estimate("kappa", value, low, high, "none", 9, reason=reason, scale="coefficient"), width)


def test_ends_and_value_stand_where_they_are_on_the_scale():
    assert bar_scale(11) == "0    .5   1"
    assert bar(0.5, 0.2, 0.8) == "..[==|==].."
    assert bar(1.0, 0.7, 1.0) == ".......[==|"
    assert bar(0.0, 0.0, 0.3) == "|==]......."
    assert bar(0.5, 0.49, 0.51) == ".....|....."


def test_what_is_below_0_is_marked_and_what_is_missing_is_not_drawn():
    assert bar(0.1, -0.3, 0.4) == "<|==]......"
    assert bar(-0.2) == "<.........."
    assert bar(0.9) == ".........|."
    assert bar(None) == ""


def test_a_bar_is_as_wide_as_its_scale_in_signs_that_every_terminal_has():
    for width in (9, 11, 15, 16):
        assert len(bar_scale(width)) == len(bar(0.3, 0.1, 0.9, width)) == width
        assert bar(0.3, 0.1, 0.9, width).isascii()
