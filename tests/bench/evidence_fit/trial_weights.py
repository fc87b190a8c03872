"""Asking the package with other weights than its own."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from medreview.evidence import passage_ranking as home
from medreview.evidence.passage_ranking import Weights

STEPS = 1500
RATE = 0.05

Floats = NDArray[np.float64]


@contextmanager
def using(chosen: Weights) -> Iterator[None]:
    """Everything in ``medreview.evidence`` works with these weights."""
    loaded = [module for name, module in sys.modules.items() if name.startswith("medreview.evidence.")]
    users = [module for module in loaded if getattr(module, "weights", None) is home.weights]
    with_weights = [patch.object(module, "weights", lambda: chosen) for module in users]
    for one in with_weights:
        one.start()
    try:
        yield
    finally:
        for one in with_weights:
            one.stop()


def one_at_a_time(
    names: Sequence[str], change: Callable[[Weights, Mapping[str, float]], Weights], start: Weights
) -> list[Weights]:
    """For every name the weights with this one 1 and the others 0."""
    return [change(start, {other: float(other == name) for other in names}) for name in names]


def climb(gradient: Callable[[Floats], Floats], at: Floats, keep: Callable[[Floats], Floats]) -> Floats:
    """Gradient ascent (Adam); ``keep`` brings a step back to where it may be."""
    first, second = np.zeros_like(at), np.zeros_like(at)
    for step in range(1, STEPS + 1):
        slope = gradient(at)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        pace = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        at = keep(at + RATE * (1 - step / (STEPS + 1)) * pace)
    return at
