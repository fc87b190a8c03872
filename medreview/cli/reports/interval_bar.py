"""An interval drawn on one line of text, in signs that every terminal has: ``....[==|=].......``."""

from typing import Final

from medreview.stats.formulas.estimate import Estimate

WIDTH: Final = 15
"""Columns of a bar: from 0 at its left end to 1 at its right."""

_LINE, _INSIDE, _VALUE = ".", "=", "|"
_OPENS, _CLOSES, _BELOW = "[", "]", "<"


def interval_bar(figure: Estimate, width: int = WIDTH) -> str:
    """The value of a share or coefficient with its interval, on a line from 0 to 1; ``""`` where it is undefined.

    What lies below 0 is a ``<`` at the left end. Without an interval the value stands alone.
    """
    if figure.value is None:
        return ""
    signs = [_LINE] * width
    if figure.low is not None and figure.high is not None:
        low, high = _place(figure.low, width), _place(figure.high, width)
        signs[low : high + 1] = [_INSIDE] * (high + 1 - low)
        signs[low], signs[high] = _OPENS, _CLOSES
    signs[_place(figure.value, width)] = _VALUE
    if min(figure.value, figure.value if figure.low is None else figure.low) < 0:
        signs[0] = _BELOW
    return "".join(signs)


def scale(width: int = WIDTH) -> str:
    """The heading of a column of bars: what its ends and its middle stand for."""
    half = width // 2
    return f"0{'.5'.rjust(half + 1)}{'1'.rjust(width - half - 2)}"


def _place(value: float, width: int) -> int:
    return min(width - 1, max(0, round(value * (width - 1))))
