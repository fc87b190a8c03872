"""How many audit labels it takes for an interval of a wanted width, from what is known so far."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from medreview.stats.formulas.audit_sample import LEAST_AUDITED, Variances, wilson_on
from medreview.stats.formulas.estimate import LEVEL


@dataclass(frozen=True)
class Known:
    """What ``labels`` audited statements in ``responses`` of the study's have shown of a share of its ``size``
    statements.

    ``ratio``: the variance with the help of the verdicts over that without; ``None`` where it is not known.
    """

    share: float
    labels: int
    size: int
    audited_responses: int
    responses: int
    variances: Variances
    ratio: float | None = None


@dataclass(frozen=True)
class Planned:
    """What it takes for ``points`` (a fraction: 0.05 is 5 points) to either side of a share.

    ``labels`` in all, ``more`` than there are; both ``None`` where not even labels on the whole study would do, and
    then ``responses`` says how many such responses would, each of its statements labelled. ``now`` is half the width of
    the interval today, ``least`` with all of the study labelled. Without a value, ``reason`` says why.
    """

    name: str
    points: float
    labels: int | None
    more: int | None
    responses: int | None
    now: float | None
    least: float | None
    reason: str = ""


def labels_for(
    name: str, known: Known | None, size: int, points: float, *, with_verdicts: bool = False, level: float = LEVEL
) -> Planned:
    """For the share in this study: the variance per label stays, the correction for a finite study grows.

    Without anything ``known`` the share is taken as one half, which takes the most labels; the help of the verdicts
    is not known then. Half the width is that of Wilson's interval; a label fewer would not do.
    """
    if not size:
        return _unknown(name, points, "There is no statement.")
    if known is None and not with_verdicts:
        known = Known(0.5, 0, size, 0, 0, Variances(0.0, 0.0))
    if known is None or (with_verdicts and known.ratio is None):
        return _unknown(name, points, "How much the verdicts help is not known yet.")
    per_label = _per_label(known) * ((known.ratio or 0.0) if with_verdicts else 1.0)
    # The help of the verdicts is estimated by one number more.
    lost = 2 if with_verdicts else 1

    def half(labels: int) -> float:
        return _half(known.share, per_label * _left(labels, size), labels - lost, level)

    return _planned(name, known, half, points)


def labels_at_large(
    name: str, known: Known | None, points: float, *, with_verdicts: bool = False, level: float = LEVEL
) -> Planned:
    """For answers like these: how responses differ stays, however many of their statements are labelled.

    What the labels have shown of that is the variance over responses less that of the draw. It is at least that of
    statements which have nothing in common.
    """
    if known is None or (with_verdicts and known.ratio is None):
        what = "How much the verdicts help" if known is not None else "How much responses differ"
        return _unknown(name, points, f"{what} is not known yet.")
    if known.audited_responses < 2:
        return _unknown(name, points, "One response cannot show how responses differ.")
    per_label = _per_label(known)
    whole = max(known.variances.responses - known.variances.draw, per_label / known.size)
    helped = per_label * ((known.ratio or 0.0) if with_verdicts else 1.0)

    def half(labels: int) -> float:
        over = max(known.audited_responses, min(known.responses, labels))
        return _half(known.share, whole + helped * _left(labels, known.size), over - 1, level)

    found = _planned(name, known, half, points)
    if found.labels is not None:
        return found
    needed = known.responses
    while _half(known.share, whole * known.responses / needed, needed - 1, level) > points:
        needed = math.ceil(needed * 1.01) + 1
    return Planned(name, points, None, None, needed, found.now, found.least, found.reason)


def _per_label(known: Known) -> float:
    """The variance of one label, that of an even share where none is known."""
    left = _left(known.labels, known.size)
    return known.variances.draw / left if left > 0 and known.variances.draw else known.share * (1 - known.share)


def _left(labels: int, size: int) -> float:
    """1 over the labels, corrected for a study of which they are a part."""
    return 1 / labels - 1 / size if 0 < labels < size else 0.0 if labels else math.inf


def _half(share: float, variance: float, freedom: int, level: float) -> float:
    low, high = wilson_on(share, variance, max(1, freedom), level)
    return (high - low) / 2


def _planned(name: str, known: Known, half: Callable[[int], float], points: float) -> Planned:
    now = half(known.labels) if known.labels >= LEAST_AUDITED else None
    least = half(known.size)
    if least > points:
        return Planned(name, points, None, None, None, now, least, "Not even labels on the whole study are enough.")
    low, high = min(max(known.labels, LEAST_AUDITED), known.size), known.size
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if half(middle) <= points else (middle + 1, high)
    return Planned(name, points, low, low - known.labels, None, now, least)


def _unknown(name: str, points: float, reason: str) -> Planned:
    return Planned(name, points, None, None, None, None, None, reason)
