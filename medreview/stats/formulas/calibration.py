"""Is a judge as often right as it is confident? Reliability table, Brier score, calibration error.

A confidence is the probability, as a judge states it, that a careful person gives the same label.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    Floats,
    Resampling,
    bootstrap_figure,
    contributions,
    draw,
    sum_by_cluster,
)
from medreview.stats.formulas.estimate import FEW_ITEMS, Estimate
from medreview.stats.formulas.jackknifed_sums import difference_of_quotients, jackknifed, quotient, summed

BINS: Final = 10
_NOTHING: Final = "No label of a person stands beside a verdict with a stored confidence."
_GREEDY: Final = "The expected calibration error is never below 0, and too high from few labels."


class Confident(NamedTuple):
    """A verdict with its confidence (0 to 1), whether a person says the same, and the cluster it is in."""

    confidence: float
    right: bool
    cluster: Hashable


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The verdicts with a confidence from ``low`` to below ``high`` (the last bin: to 1): their mean ``confidence``,
    and the share of them that is ``right``."""

    low: float
    high: float
    n: int
    confidence: float
    right: Estimate


@dataclass(frozen=True, slots=True)
class Calibration:
    """``brier``: the mean squared distance of confidence and right (1) or wrong (0) (Brier 1950). ``error``: the
    expected calibration error, the mean distance of confidence and share right over ten bins of equal width, weighted
    by their verdicts (Guo et al. 2017). ``overconfidence``: mean confidence minus the share right. ``bins``: those that
    hold a verdict."""

    n: int
    clusters: int
    brier: Estimate
    error: Estimate
    overconfidence: Estimate
    bins: tuple[ReliabilityBin, ...]


def calibration(
    verdicts: Sequence[Confident], *, dropped: int = 0, unit: str = "response", resampling: Resampling = DEFAULT
) -> Calibration:
    """The figures with intervals over clusters: of the calibration error by resampling them, of all else by a
    jackknife. ``dropped``: verdicts beside a label that have no confidence."""
    level = resampling.level
    of_bins: dict[int, list[Confident]] = {}
    for one in verdicts:
        of_bins.setdefault(_bin(one.confidence), []).append(one)
    n = len(verdicts)
    sums = summed(
        (one.cluster, (1.0, (one.confidence - one.right) ** 2, one.confidence, float(one.right))) for one in verdicts
    )
    return Calibration(
        n=n,
        clusters=len(sums),
        brier=jackknifed(
            "Brier score", sums, quotient(1, 0), n=n, scale="ratio", nothing=_NOTHING, dropped=dropped, unit=unit,
            level=level,
        ),
        error=_expected_error(verdicts, dropped, unit, resampling),
        overconfidence=jackknifed(
            "confidence minus share right", sums, difference_of_quotients((2, 0), (3, 0)), n=n,
            scale="share_difference", nothing=_NOTHING, dropped=dropped, unit=unit, level=level,
        ),
        bins=tuple(_reliability(place, of_bins[place], unit, level) for place in sorted(of_bins)),
    )  # fmt: skip


def _bin(confidence: float) -> int:
    # A tenth has no exact float: 0.3 belongs to the bin that begins there.
    return min(BINS - 1, int(round(confidence * BINS, 9)))


def _reliability(place: int, held: Sequence[Confident], unit: str, level: float) -> ReliabilityBin:
    sums = summed((one.cluster, (1.0, float(one.right))) for one in held)
    return ReliabilityBin(
        low=place / BINS,
        high=(place + 1) / BINS,
        n=len(held),
        confidence=sum(one.confidence for one in held) / len(held),
        right=jackknifed(
            "share right", sums, quotient(1, 0), n=len(held), scale="share", nothing=_NOTHING, unit=unit, level=level
        ),
    )


def _expected_error(verdicts: Sequence[Confident], dropped: int, unit: str, resampling: Resampling) -> Estimate:
    name = "expected calibration error"
    if not verdicts:
        return Estimate(
            name, None, None, None, "none", 0, 0, dropped, _NOTHING, resampling.level, scale="ratio", cluster=unit
        )
    vectors = np.zeros((len(verdicts), 2 * BINS))
    for row, one in enumerate(verdicts):
        place = _bin(one.confidence)
        vectors[row, place] = one.confidence - one.right
        vectors[row, BINS + place] = 1.0
    units = sum_by_cluster(vectors, [one.cluster for one in verdicts])
    found = bootstrap_figure(
        name,
        float(_error(units.sum(axis=0)[None])[0]),
        _error(draw(contributions(units), resampling)),
        n=len(verdicts),
        clusters=len(units),
        undefined=_NOTHING,
        instead="",
        scale="ratio",
        resampling=resampling,
        dropped=dropped,
        notes=(_GREEDY,) if len(verdicts) < FEW_ITEMS * BINS else (),
        unit=unit,
    )
    if found.value is None or found.low is None or found.high is None:
        return found
    # Resamples are as far above the figure as the figure is above the truth: turned round, they take that off again.
    low, high = (max(0.0, 2 * found.value - end) for end in (found.high, found.low))
    return replace(found, low=low, high=max(high, low), method=f"{found.method}, turned round")


def _error(sums: Floats) -> Floats:
    return np.asarray(np.abs(sums[:, :BINS]).sum(axis=1) / sums[:, BINS:].sum(axis=1))
