"""A share estimated from an audit, a sample with known probabilities, and how many labels a wanted width takes.

First the mean of such a sample, how much it would vary, and an interval from a variance; ``prediction_powered`` is made
of these, too. Then the share in the whole study and in answers like these, also post-stratified; then the plan.

Whoever reads after each label, and stops when it suits, is still right in 95% with the intervals that hold at every
look. An interval of Wilson's holds for one look that was planned before. Read after every block of 20 from 40 to 400
labels, it misses the truth at some look in about 22% of studies (``tests/bench/looks_simulation.py``).
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final, NamedTuple

from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.intervals import student

LEAST_AUDITED: Final = 30
"""Statements below which an audit says nothing of the study."""
LEAST_OF_EACH: Final = 5
"""Statements of the rarer label below which it does not."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """An audited statement: its value from 0 (no) to 1 (yes), the cluster it is in, and its inclusion probability."""

    value: float
    cluster: Hashable
    probability: float


class Variances(NamedTuple):
    """How much a mean would vary: over draws from this study, and over clusters (responses, questions) like these."""

    draw: float
    clusters: float


def too_few(values: Sequence[float]) -> str:
    """Why an audit with these values says nothing yet, and how many more it takes; ``""`` when it does."""
    n, rarer = len(values), round(min(sum(values), len(values) - sum(values)))
    if n < LEAST_AUDITED:
        return f"{LEAST_AUDITED} statements that count are needed: {n} so far, {LEAST_AUDITED - n} more."
    if rarer < LEAST_OF_EACH:
        often = {0: "never occurred", 1: "occurred once"}.get(rarer, f"occurred {rarer} times")
        more = math.ceil((LEAST_OF_EACH - rarer) * n / rarer) if rarer else LEAST_OF_EACH * n
        return f"One of the two outcomes {often}, and {LEAST_OF_EACH} of each are needed: about {more:,} more."
    return ""


def hajek_mean(sampled: Sequence[Sampled]) -> float:
    """The mean of the values, each weighted by 1 / its probability (Hajek 1971)."""
    return weighted_mean([one.value for one in sampled], weights(sampled))


def weighted_mean(values: Iterable[float], by: Sequence[float]) -> float:
    """The mean of values with weights that need not add up to 1."""
    return sum(value * weight for value, weight in zip(values, by, strict=True)) / sum(by)


def weights(sampled: Sequence[Sampled]) -> list[float]:
    """1 / the probability of each, as shares that add up to 1."""
    total = sum(1 / one.probability for one in sampled)
    return [1 / one.probability / total for one in sampled]


def left_over(sampled: Sequence[Sampled], size: int) -> list[float]:
    """The correction of each for a finite study of ``size`` statements: 1 when hardly any was seen, 0 when all."""
    # What part of the study those that were looked at stand for: 1 when all of the draw was.
    looked_at = sum(1 / one.probability for one in sampled) / size
    return [max(0.0, 1 - one.probability * looked_at) for one in sampled]


def variances(sampled: Sequence[Sampled], size: int) -> Variances:
    """Those of the Hajek mean of two statements or more, linearised; that over clusters without the correction.

    Over draws, statements are drawn one by one, so that their likeness within a response adds nothing.
    """
    n, mean = len(sampled), hajek_mean(sampled)
    pulls = [(one.value - mean) * weight for one, weight in zip(sampled, weights(sampled), strict=True)]
    left = left_over(sampled, size)
    draw = sum(share * pull**2 for share, pull in zip(left, pulls, strict=True)) * n / (n - 1)
    return Variances(draw, clustered([one.cluster for one in sampled], pulls))


def clustered(clusters: Sequence[Hashable], pulls: Sequence[float]) -> float:
    """The variance of a sum of pulls when whole clusters are what varies; 0 for a single one, which cannot show it."""
    groups: dict[Hashable, float] = defaultdict(float)
    for cluster, pull in zip(clusters, pulls, strict=True):
        groups[cluster] += pull
    many = len(groups)
    return sum(pull**2 for pull in groups.values()) * many / (many - 1) if many > 1 else 0.0


def within_cells(
    values: Sequence[float], cells: Sequence[Hashable], coefficients: Sequence[float], left: Sequence[float]
) -> float:
    """The variance of ``sum(coefficients * values)`` that is due to the spread of the values inside their cells.

    Half a yes and half a no are added to each cell for its spread: a few equal values do not show that the spread is
    0. Without that, intervals of a judge that is right 95 times of 100 held the truth in 87 to 94% of
    simulated studies (``tests/bench/estimate_coverage.py``). Divided by ``n`` less the number of cells.
    """
    held: dict[Hashable, list[int]] = defaultdict(list)
    for place, cell in enumerate(cells):
        held[cell].append(place)
    total = 0.0
    for places in held.values():
        own = [values[place] for place in places]
        pull = [left[place] * coefficients[place] ** 2 for place in places]
        mean = weighted_mean(own, [coefficients[place] for place in places])
        total += sum(share * (value - mean) ** 2 for share, value in zip(pull, own, strict=True))
        total += sum(pull) * (_spread([*own, 0.0, 1.0], [1.0] * len(own) + [0.5, 0.5]) - _spread(own, [1.0] * len(own)))
    return total * len(values) / max(1, len(values) - len(held))


def _spread(values: Sequence[float], by: Sequence[float]) -> float:
    mean = weighted_mean(values, by)
    return weighted_mean([(value - mean) ** 2 for value in values], by)


def wilson_on(
    mean: float, variance: float, freedom: float, level: float = LEVEL, *, none: float | None = None
) -> tuple[float, float]:
    """Wilson's interval with Student's t, on the number of statements that would vary as much.

    Where all values are alike there is no variance to take it from: ``none`` stands for 1 over that number then.
    """
    even = mean * (1 - mean)
    over = variance / even if even and variance else none or 0.0
    part = student(level, freedom) ** 2 * over
    half = math.sqrt(even * part + part * part / 4)
    low, high = ((mean + part / 2 + side * half) / (1 + part) for side in (-1, 1))
    return max(0.0, low), min(1.0, high)


STUDY: Final = "Wilson, variance of the draw"
STRATIFIED: Final = "Wilson, variance within strata"
LEAST_IN_STRATUM: Final = 10
"""Audited statements below which a stratum is joined with the others that have fewer."""
OTHERS: Final = "others"
"""The name of the strata that were joined."""


def over_large(unit: str) -> str:
    """The name of an interval of answers like these; ``unit`` names what was sampled of them."""
    return f"Wilson, variance over {unit}s"


def one_cluster(unit: str) -> str:
    """Why a single cluster has no such interval."""
    return f"One {unit} cannot show how {unit}s differ."


class AuditedStratum(NamedTuple):
    """A part of the study: how many statements it has, and those of them that were audited."""

    size: int
    sampled: tuple[Sampled, ...]


def audit_share(
    name: str, sampled: Sequence[Sampled], size: int, *, missing: int = 0, unit: str = "response"
) -> Estimate:
    """The share in this study of ``size`` statements, of which these were drawn (Hajek 1971: weights 1 / probability).

    The variance is that of the draw, with the finite-population correction. Statements are drawn one by one, so that
    their likeness within a response adds nothing to it. Wilson's interval on the number of equally likely statements
    that would vary as much, with Student's t. ``missing`` members of the sample have no value. ``unit``: what the
    clusters of the sample are. Undefined below 30 statements, and below 5 of either label.
    """
    reason = too_few([one.value for one in sampled])
    if reason:
        return sampled_figure(name, None, None, STUDY, sampled, missing, unit, reason)
    ends = _of_this_study(sampled, size)
    return sampled_figure(name, hajek_mean(sampled), ends, STUDY, sampled, missing, unit)


def share_at_large(name: str, sampled: Sequence[Sampled], *, missing: int = 0, unit: str = "response") -> Estimate:
    """The share in answers like these: the same value, with the interval of a sample of clusters (each a ``unit``).

    The variance is that over clusters, linearised, without a correction, one degree of freedom less than there are
    clusters. Undefined as :func:`audit_share`; without an interval when all are of one cluster.
    """
    method, reason = over_large(unit), too_few([one.value for one in sampled])
    if reason:
        return sampled_figure(name, None, None, method, sampled, missing, unit, reason)
    mean, clusters = hajek_mean(sampled), len({one.cluster for one in sampled})
    if clusters < 2:
        return sampled_figure(name, mean, None, method, sampled, missing, unit, one_cluster(unit))
    variance = variances(sampled, len(sampled)).clusters
    return sampled_figure(name, mean, wilson_on(mean, variance, clusters - 1), method, sampled, missing, unit)


def stratified_share(
    name: str, strata: Mapping[str, AuditedStratum], *, missing: int = 0, unit: str = "response"
) -> Estimate:
    """The share in a study, post-stratified: the mean of each stratum, weighted by its size in the study.

    Strata with fewer than 10 audited statements are joined, and if they have too few even so, with the smallest of the
    others; a note says which. The variance is that within the strata, each with its own finite-population correction
    (Cochran 1977, 5A.9, given the numbers that were audited). Undefined as :func:`audit_share`, and where fewer than
    two strata are left.
    """
    everyone = [one for stratum in strata.values() for one in stratum.sampled]
    reason = too_few([one.value for one in everyone])
    used, joined = _joined(strata)
    if not reason and len(used) < 2:
        reason = f"Two strata with {LEAST_IN_STRATUM} audited statements each are needed."
    if reason:
        return sampled_figure(name, None, None, STRATIFIED, everyone, missing, unit, reason)
    size = sum(stratum.size for stratum in used.values())
    sampled = [one for stratum in used.values() for one in stratum.sampled]
    cells = [label for label, stratum in used.items() for _ in stratum.sampled]
    shares = [stratum.size / size * share for stratum in used.values() for share in weights(stratum.sampled)]
    left = [share for stratum in used.values() for share in left_over(stratum.sampled, stratum.size)]
    value = sum(share * one.value for share, one in zip(shares, sampled, strict=True))
    variance = within_cells([one.value for one in sampled], cells, shares, left)
    ends = wilson_on(value, variance, len(sampled) - len(used))
    notes = (f"joined to “{OTHERS}”, with too few audited statements each: {', '.join(joined)}",) if joined else ()
    return sampled_figure(name, value, ends, STRATIFIED, sampled, missing, unit, notes=notes)


def post_stratified_share(
    name: str,
    known: Sequence[float],
    known_size: int,
    sampled: Sequence[Sampled],
    size: int,
    *,
    missing: int = 0,
    unit: str = "response",
) -> Estimate:
    """The share in a study of ``size`` statements, ``known_size`` of which were all looked at and the others sampled.

    ``known`` are the values of the first part, ``sampled`` are members of the rest, whose interval alone is uncertain.
    Undefined as :func:`audit_share`, the rarer label being counted in both parts, and when one part has no label.
    """
    reason = too_few([*known, *(one.value for one in sampled)])
    if not reason and (not known or len(sampled) < 2):
        reason = "One of the two parts has no label."
    if reason:
        return sampled_figure(name, None, None, STUDY, sampled, missing, unit, reason, more=len(known))
    weight, exact, mean = known_size / size, sum(known) / len(known), hajek_mean(sampled)
    low, high = _of_this_study(sampled, size - known_size)
    value, low, high = (weight * exact + (1 - weight) * part for part in (mean, low, high))
    return sampled_figure(name, value, (low, high), STUDY, sampled, missing, unit, more=len(known))


def sampled_figure(
    name: str,
    value: float | None,
    ends: tuple[float, float] | None,
    method: str,
    sampled: Sequence[Sampled],
    missing: int,
    unit: str,
    reason: str = "",
    *,
    more: int = 0,
    notes: tuple[str, ...] = (),
) -> Estimate:
    """A share by these statements, and by ``more`` that were all looked at; ``missing`` have no value. ``reason``: why
    there is no value, or why no ``ends`` of an interval. ``unit``: what the clusters are."""
    low, high = ends or (None, None)
    clusters = len({one.cluster for one in sampled})
    return Estimate(
        name, value, low, high, method, len(sampled) + more, clusters, missing, reason or None, LEVEL, notes=notes,
        scale="share", cluster=unit,
    )  # fmt: skip


def in_answers_like_these(name: str) -> str:
    """The name of a share, taken of answers like those of the study."""
    return f"{name}, in answers like these"


def _joined(strata: Mapping[str, AuditedStratum]) -> tuple[dict[str, AuditedStratum], list[str]]:
    """The strata as they are used, and the names of those that were joined."""
    by_number = sorted(strata, key=lambda label: (len(strata[label].sampled), label))
    joined = [label for label in by_number if len(strata[label].sampled) < LEAST_IN_STRATUM]
    while joined and len(joined) < len(strata) and _audited(strata, joined) < LEAST_IN_STRATUM:
        joined.append(by_number[len(joined)])
    used = {label: stratum for label, stratum in strata.items() if label not in joined}
    if joined and _audited(strata, joined) >= LEAST_IN_STRATUM:
        size = sum(strata[label].size for label in joined)
        used[OTHERS] = AuditedStratum(size, tuple(one for label in joined for one in strata[label].sampled))
    return used, sorted(joined)


def _audited(strata: Mapping[str, AuditedStratum], labels: Sequence[str]) -> int:
    return sum(len(strata[label].sampled) for label in labels)


def _of_this_study(sampled: Sequence[Sampled], size: int) -> tuple[float, float]:
    n = len(sampled)
    none = sum(left_over(sampled, size)) / n**2
    return wilson_on(hajek_mean(sampled), variances(sampled, size).draw, n - 1, none=none)


def first_within(sampled: Sequence[Sampled], size: int, points: float) -> int | None:
    """How many of these labels, in their order, first made half of the interval of :func:`audit_share` ``points`` (a
    fraction) or less; ``None`` where none did.

    Sums that grow with each label take the place of a figure for each beginning of the draw.
    """
    w = wy = wyy = w2 = w2y = w2yy = yes = 0.0
    for n, one in enumerate(sampled, 1):
        weight, value = 1 / one.probability, one.value
        w, wy, wyy, yes = w + weight, wy + weight * value, wyy + weight * value**2, yes + value
        w2, w2y, w2yy = w2 + weight**2, w2y + weight**2 * value, w2yy + weight**2 * value**2
        if n < LEAST_AUDITED or round(min(yes, n - yes)) < LEAST_OF_EACH:
            continue
        mean = wy / w
        pulls = w2yy - 2 * mean * w2y + mean**2 * w2
        seen = w / size * (wyy - 2 * mean * wy + mean**2 * w)
        variance = max(0.0, pulls - seen) / w**2 * n / (n - 1)
        low, high = wilson_on(mean, variance, n - 1)
        if (high - low) / 2 <= points:
            return n
    return None


@dataclass(frozen=True)
class Known:
    """What ``labels`` audited statements have shown of a share of a study's ``size`` statements.

    They lie in ``audited_clusters`` of its ``clusters``, each a ``cluster``. ``ratio``: the variance with the help of
    the verdicts over that without; ``None`` where it is not known.
    """

    share: float
    labels: int
    size: int
    audited_clusters: int
    clusters: int
    variances: Variances
    ratio: float | None = None
    cluster: str = "response"


@dataclass(frozen=True)
class Planned:
    """What it takes for ``points`` (a fraction: 0.05 is 5 points) to either side of a share.

    ``labels`` in all, ``more`` than there are; both ``None`` where not even labels on the whole study would do, and
    then ``clusters`` says how many questions, or responses, like these would (``cluster`` names one of them), all
    their statements labelled. ``now`` is half the width of
    the interval today, ``least`` with all of the study labelled. Without a value, ``reason`` says why.
    """

    name: str
    points: float
    labels: int | None
    more: int | None
    clusters: int | None
    now: float | None
    least: float | None
    reason: str = ""
    cluster: str = "response"


def labels_for(
    name: str,
    known: Known | None,
    size: int,
    points: float,
    *,
    labelled: int = 0,
    with_verdicts: bool = False,
) -> Planned:
    """For the share in this study: the variance per label stays, the correction for a finite study grows.

    Without anything ``known`` the share is taken as one half, which takes the most labels; ``labelled`` are there that
    do not show it yet, and the help of the verdicts is not known then. Half the width is that of Wilson's interval; a
    label fewer would not do.
    """
    if not size:
        return _unknown(name, points, "There is no statement.")
    assumed = known is None and not with_verdicts
    if assumed:
        known = Known(0.5, labelled, size, 0, 0, Variances(0.0, 0.0))
    if known is None or (with_verdicts and known.ratio is None):
        return _unknown(name, points, "How much the verdicts help is not known yet.")
    per_label = _per_label(known) * ((known.ratio or 0.0) if with_verdicts else 1.0)
    # The help of the verdicts is estimated by one number more.
    lost = 2 if with_verdicts else 1

    def half(labels: int) -> float:
        return _half(known.share, per_label * _left(labels, size), labels - lost)

    found = _planned(name, known, half, points)
    return replace(found, now=None) if assumed else found


def labels_at_large(name: str, known: Known | None, points: float, *, with_verdicts: bool = False) -> Planned:
    """For answers like these: how clusters differ stays, however many of their statements are labelled.

    The labels show that difference as the variance over clusters less that of the draw. It is at least the variance
    of independent statements.
    """
    if known is None or (with_verdicts and known.ratio is None):
        what = "How much the verdicts help" if known is not None else "How much responses differ"
        return _unknown(name, points, f"{what} is not known yet.")
    if known.audited_clusters < 2:
        return _unknown(name, points, one_cluster(known.cluster))
    per_label = _per_label(known)
    whole = max(known.variances.clusters - known.variances.draw, per_label / known.size)
    helped = per_label * ((known.ratio or 0.0) if with_verdicts else 1.0)

    def half(labels: int) -> float:
        over = max(known.audited_clusters, min(known.clusters, labels))
        return _half(known.share, whole + helped * _left(labels, known.size), over - 1)

    found = _planned(name, known, half, points)
    if found.labels is not None:
        return found
    needed = known.clusters
    while _half(known.share, whole * known.clusters / needed, needed - 1) > points:
        needed = math.ceil(needed * 1.01) + 1
    return Planned(name, points, None, None, needed, found.now, found.least, found.reason, known.cluster)


def _per_label(known: Known) -> float:
    """The variance of one label, that of an even share where none is known."""
    left = _left(known.labels, known.size)
    return known.variances.draw / left if left > 0 and known.variances.draw else known.share * (1 - known.share)


def _left(labels: int, size: int) -> float:
    """1 over the labels, corrected for a study of which they are a part."""
    return 1 / labels - 1 / size if 0 < labels < size else 0.0 if labels else math.inf


def _half(share: float, variance: float, freedom: int) -> float:
    low, high = wilson_on(share, variance, max(1, freedom))
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


EVERY_LOOK: Final = "confidence sequence, beta-binomial mixture, without replacement"
UNEQUAL: Final = (
    "not given: the statements were drawn with different probabilities, and this interval is only known for equal ones."
)
_HALVINGS: Final = 60
"""Steps of a bisection: more than the digits of a float."""


def anytime_share(
    name: str,
    sampled: Sequence[Sampled],
    size: int,
    *,
    missing: int = 0,
    unit: str = "response",
) -> Estimate:
    """The share in this study of ``size`` statements, of which these were drawn in this order, valid at every look.

    The value is that of ``audit_sampling.audit_share``, and undefined where that is. ``missing`` members have no
    value: they stay among the statements that were not seen. Without an interval where probabilities differ.
    """
    reason = too_few([one.value for one in sampled])
    value, ends = None, None
    if not reason:
        value = hajek_mean(sampled)
        if len({one.probability for one in sampled}) > 1:
            reason = UNEQUAL
        else:
            ends = at_every_look([one.value for one in sampled], size)
    return sampled_figure(name, value, ends, EVERY_LOOK, sampled, missing, unit, reason)


def at_every_look(values: Sequence[float], size: int, level: float = LEVEL) -> tuple[float, float]:
    """The confidence sequence, after these ``values`` in [0, 1], of the mean of all ``size`` from which they are drawn
    one after the other, at random and without replacement.

    A mean is left out once a game in which it would be fair has won 1 / (1 - level) times the stake, which has a
    chance of 1 - level at most over all looks (Ville 1939). Bets follow the values so far, as a beta-binomial mixture
    with a flat prior does: for values of 0 and 1 the winnings are the prior-posterior ratio of the hypergeometric
    (Waudby-Smith & Ramdas, Confidence sequences for sampling without replacement, NeurIPS 2020, section 2), whatever
    their order. A value in between counts as that power of both outcomes. The weighted geometric mean is at most the
    arithmetic one, so that the game stays fair at best: a betting confidence sequence without replacement
    (Waudby-Smith & Ramdas, J. R. Stat. Soc. B 86:1, 2024, section 5).

    The winnings are log-convex in the mean, so that two bisections find the ends, from the observed mean outwards.
    Raises ``ValueError`` without values, or for more of them than ``size``.
    """
    if not 0 < len(values) <= size:
        raise ValueError(f"between 1 and {size} values are needed, not {len(values)}")
    total, limit, bets = math.fsum(values), -math.log(1 - level), _bets(values, size)
    least, most = total, total + size - len(values)
    inside = min(max(size * total / len(values), least), most)
    return tuple(_end(bets, out, inside, limit) / size for out in (least, most))  # type: ignore[return-value]


class _Bet(NamedTuple):
    """A value, and what is known before it is drawn: the sum of those ``seen``, how many are ``left``, and the
    ``guess`` of the mixture, the mean of the values so far, one yes and one no."""

    value: float
    seen: float
    left: int
    guess: float


def _bets(values: Sequence[float], size: int) -> list[_Bet]:
    known = zip(values, accumulate(values, initial=0.0), strict=False)  # the last sum is of all of them
    return [_Bet(value, seen, size - n, (1 + seen) / (2 + n)) for n, (value, seen) in enumerate(known)]


def _end(bets: Sequence[_Bet], out: float, inside: float, limit: float) -> float:
    """The total next to ``out`` that is not left out; ``inside`` is not."""
    if _winnings(bets, out) < limit:
        return out
    for _ in range(_HALVINGS):
        middle = (out + inside) / 2
        if middle in (out, inside):  # no float lies between them
            break
        if _winnings(bets, middle) < limit:
            inside = middle
        else:
            out = middle
    return inside


def _winnings(bets: Sequence[_Bet], whole: float) -> float:
    """The logarithm of what was won against a ``whole``, the sum over all; infinite where it cannot be.

    ``expected`` is the mean of what is left, were it true.
    """
    won = 0.0
    for value, seen, left, guess in bets:
        expected = (whole - seen) / left
        if value > 0:
            if expected <= 0:
                return math.inf
            won += value * math.log(guess / expected)
        if value < 1:
            if expected >= 1:
                return math.inf
            won += (1 - value) * math.log((1 - guess) / (1 - expected))
    return won
