"""The fit of a learned order: a logistic regression whose weights are drawn to the order of the rules.

The only part of the learned order that needs numpy; it is loaded when labels are there to learn from.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RIDGE: Final = 30.0
"""How much the weight of a sign is drawn to 0, in labels' worth of information on a sign of spread 1."""
SLOPE: Final = 0.5
"""What the log odds of the place in the rules' order weigh before any label."""
RIDGE_OF_SLOPE: Final = 30.0
"""These three are chosen on annotated cases (``tests/bench/learning_curve.py``): of those with the same gain, the ones
by which a reviewer who errs in one label of ten loses least."""
_RIDGE_OF_BIAS: Final = 0.01
_STEPS: Final = 25
_LONGEST_STEP: Final = 2.0
_NO_SPREAD: Final = 1e-9
_ROUND: Final = 6


class FittedOrder(NamedTuple):
    """The coefficients of the log odds that a statement is not supported, rounded so that they are stored as they are.

    ``slope``: of the log odds of the place in the rules' order. ``signs``: of each sign its weight per spread, and its
    mean and spread in the study.
    """

    bias: float
    slope: float
    signs: tuple[tuple[float, float, float], ...]


def fit(
    every: Sequence[Sequence[float | None]], places: Sequence[float], labels: Mapping[int, bool], most: float
) -> FittedOrder:
    """The maximum a posteriori fit.

    ``every``: the signs of all statements that have them, ``None`` for one that is not there; ``places``: the log odds
    of their places in the rules' order; ``labels``: by the number of a statement whether the label says that it is not
    supported; ``most``: the spreads from the mean beyond which a sign says no more.
    """
    signs = np.array(every, dtype=float)  # None becomes nan
    there = ~np.isnan(signs)
    signs[~there] = 0.0
    count = np.maximum(there.sum(axis=0), 1)
    mean = signs.sum(axis=0) / count
    away = np.where(there, signs - mean, 0.0)
    spread = np.sqrt((away**2).sum(axis=0) / count)
    spread = np.where(spread > _NO_SPREAD, spread, 1.0)
    labelled = sorted(labels)
    rows = np.clip(away[labelled] / spread, -most, most)
    given = np.column_stack([np.ones(len(rows)), np.asarray(places, dtype=float)[labelled], rows])
    expected = np.zeros(given.shape[1])
    expected[1] = SLOPE
    pull = np.full(given.shape[1], RIDGE)
    pull[:2] = _RIDGE_OF_BIAS, RIDGE_OF_SLOPE
    at = _climb(given, np.asarray([labels[at] for at in labelled], dtype=float), expected, pull)
    of_signs = zip(at[2:], mean, spread, strict=True)
    return FittedOrder(
        round(float(at[0]), _ROUND),
        round(float(at[1]), _ROUND),
        tuple((round(float(w), _ROUND), round(float(m), _ROUND), round(float(s), _ROUND)) for w, m, s in of_signs),
    )


def _climb(given: Floats, wrong: Floats, expected: Floats, pull: Floats) -> Floats:
    """Newton's method; the posterior is concave, and a step is cut where the labels are all alike."""
    at = expected.copy()
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(given @ at, -30, 30)))
        gradient = given.T @ (wrong - chance) - pull * (at - expected)
        curvature = (given * (chance * (1 - chance))[:, None]).T @ given + np.diag(pull)
        step = np.linalg.solve(curvature, gradient)
        longest = float(np.abs(step).max())
        at = at + step * min(1.0, _LONGEST_STEP / max(longest, _NO_SPREAD))
        if longest < 1e-7:
            break
    return at
