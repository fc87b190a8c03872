"""Whether work grows with its input, and not with the square of it, however slow the machine is."""

from collections.abc import Callable
from time import process_time
from typing import Final

_LARGER: Final = 4
_MOST: Final = 10
"""Times the processor time of a quarter of the input: 4 is linear, 16 quadratic."""
_LEAST_S: Final = 0.05
"""Seconds below which nothing is compared: they are those of a first call."""
_TRIES: Final = 3
"""Other programs empty the caches of a busy machine, which costs processor time of ours; a square shows each time."""


def grows_linearly(work: Callable[[str], object], text: Callable[[int], str], size: int) -> bool:
    """Whether a text made for ``size`` takes less than ten times the processor time of one for a quarter of it."""
    for _ in range(_TRIES):
        short, long = (_seconds(work, text(each)) for each in (size // _LARGER, size))
        if long < _MOST * max(short, _LEAST_S):
            return True
    return False


def _seconds(work: Callable[[str], object], text: str) -> float:
    begun = process_time()
    work(text)
    return process_time() - begun
