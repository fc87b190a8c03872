"""Is a judge as often right as it is confident? Reliability table, Brier score, calibration error.

A confidence is the probability, as a judge states it, that a careful person gives the same label.
"""

import math
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
    undefined_figure,
)
from medreview.stats.formulas.estimate import FEW_CLUSTERS, FEW_ITEMS, Estimate
from medreview.stats.formulas.intervals import difference_of_quotients, jackknifed, quotient, student, summed

BINS: Final = 10
_NOTHING: Final = "No label of a person stands beside a verdict with a stored confidence."
_PLAIN: Final = 1.25
_AT_LEAST: Final = 2.0
"""Standard errors of a bin's gap: those from which on the lower limit takes it to be there, and those that it may have
for all that the upper limit knows. Chosen by simulation (``tests/bench/stand_in.py``)."""
_LEAST_BY_CHANCE: Final = 0.05
"""The quantile of the errors found of a judge without any, below which an error found counts as no smaller."""
_STILL: Final = 1e-12
_NEAR: Final = 1e-5
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
        return undefined_figure(name, _NOTHING, scale="ratio", resampling=resampling.over(unit), dropped=dropped)
    vectors = np.zeros((len(verdicts), 2 * BINS))
    for row, one in enumerate(verdicts):
        place = _bin(one.confidence)
        vectors[row, place] = one.confidence - one.right
        vectors[row, BINS + place] = 1.0
    units = sum_by_cluster(vectors, [one.cluster for one in verdicts])
    sums = draw(contributions(units), resampling)
    greedy = (_GREEDY,) if len(verdicts) < FEW_ITEMS * BINS else ()
    found = bootstrap_figure(
        name,
        float(_error(units.sum(axis=0)[None])[0]),
        _error(sums),
        n=len(verdicts),
        clusters=len(units),
        undefined=_NOTHING,
        instead="",
        scale="ratio",
        resampling=resampling.over(unit),
        dropped=dropped,
        notes=greedy,
    )
    if found.value is None or found.low is None:
        return found
    low, high = _not_rejected(_gaps(units.sum(axis=0)[None])[0], _gaps(sums), len(units), resampling.level)
    # The caution about percentiles of few clusters is not about these limits.
    notes = found.notes if len(units) < FEW_CLUSTERS else greedy
    return replace(found, low=low, high=high, method=f"tests by resampled {unit}s, inverted", notes=notes)


def _error(sums: Floats) -> Floats:
    return np.asarray(np.abs(_gaps(sums)).sum(axis=1))


def _gaps(sums: Floats) -> Floats:
    """By bin, confidence minus share right times the bin's share of the verdicts: the error is their absolute sum."""
    return np.asarray(sums[:, :BINS] / sums[:, BINS:].sum(axis=1, keepdims=True))


def _not_rejected(gaps: Floats, drawn: Floats, clusters: int, level: float) -> tuple[float, float]:
    """The true errors that a test by resampled ``clusters`` does not reject (Carpenter, J. R. Stat. Soc. B 61:159,
    1999).

    The resamples' distances from the ``gaps`` that were found say how large an error is found for true gaps. Chance
    adds most to it where the true error is in few bins, least where it is in all of them: for the lower limit it is in
    the bins where it is plain, for the upper limit also as far in each other one as it may be. An error found that is
    smaller than nearly all of a judge without any error does not make the upper limit smaller; below the least upper
    limit all that the level leaves is on one side.
    """
    held = gaps.astype(bool) | drawn.any(axis=0)
    gaps, drawn = gaps[held], drawn[:, held]
    noise = (drawn - gaps) * math.sqrt(clusters / (clusters - 1))
    noise *= student(level, clusters - 1) / student(level, math.inf)
    size, spread = np.abs(gaps), noise.std(axis=0)
    in_few = np.where(size >= _PLAIN * spread, gaps, 0.0)
    if not in_few.any():
        in_few = np.where(size == size.max(), gaps, 0.0)
    in_all = np.where(gaps < 0, -1.0, 1.0) * np.maximum(size, _AT_LEAST * spread)
    tail = (1 - level) / 2
    found = float(size.sum())
    by_chance = float(np.quantile(np.abs(noise).sum(axis=1), _LEAST_BY_CHANCE))
    least_high = _with_quantile(by_chance, in_all, noise, tail)
    low = _with_quantile(found, in_few, noise, 1 - 2 * tail)
    if low > least_high:
        low = max(least_high, _with_quantile(found, in_few, noise, 1 - tail))
    high = _with_quantile(max(found, by_chance), in_all, noise, tail)
    return low, min(1.0, high)


def _with_quantile(found: float, gaps: Floats, noise: Floats, level: float) -> float:
    """The true error, shared out as ``gaps`` are, of which the ``level`` quantile of the errors found is ``found``; 0
    where it is more for every true error."""
    each = gaps / max(float(np.abs(gaps).sum()), _STILL)

    def quantile(true: float) -> float:
        return float(np.quantile(np.abs(true * each + noise).sum(axis=1), level))

    low, high = 0.0, found + float(np.abs(noise).sum(axis=1).max())
    if quantile(low) >= found:
        return low
    while high - low > _NEAR:
        middle = (low + high) / 2
        low, high = (middle, high) if quantile(middle) < found else (low, middle)
    return (low + high) / 2
