"""Cohen's kappa without numpy and without resampling, for a screen that answers while the reviewer works."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from medreview.stats.formulas.estimate import LEVEL, Estimate, percent
from medreview.stats.formulas.few_responses import jackknife_over
from medreview.stats.formulas.linearised import METHOD, left_out_interval, linearised
from medreview.stats.formulas.thresholds import JACKKNIFE_BELOW, UNDEFINED_LIMIT

_BOTH_CONSTANT = "Both gave one and the same label throughout: kappa is 0/0."
_NAME = "Cohen's kappa"

_Table = Counter[tuple[Hashable, Hashable]]


def fast_kappa(
    pairs: Sequence[tuple[Hashable, Hashable]], clusters: Sequence[Hashable], level: float = LEVEL
) -> Estimate:
    """Kappa of two raters (Cohen 1960) with an interval over responses.

    ``pairs`` are the labels of the items that both labelled, ``clusters`` their responses. Of few responses the
    interval is the one of the reports, a jackknife; of more it is linearised, where the reports resample.
    """
    n = len(pairs)
    tables: dict[Hashable, _Table] = {}
    for pair, cluster in zip(pairs, clusters, strict=True):
        tables.setdefault(cluster, Counter())[pair] += 1
    whole: _Table = Counter(pairs)
    agreed = sum(count for (a, b), count in whole.items() if a == b)
    first, second = _marginals(whole)
    value = _kappa(n, agreed, first, second)
    if value is None:
        reason = _BOTH_CONSTANT if n else "There is nothing that both labelled."
        return Estimate(_NAME, None, None, None, METHOD, n, len(tables), reason=reason, level=level)
    if len(tables) >= JACKKNIFE_BELOW:
        return linearised(_NAME, value, _effects(tables, n, agreed, first, second), n, least=-1.0, level=level)
    undefined = _undefined(tables)
    left_out = [_without(table, n, agreed, first, second) for table in tables.values()]
    known = [each for each in left_out if each is not None]
    if len(tables) > 1 and (undefined > UNDEFINED_LIMIT or len(known) < len(left_out)):
        reason = f"No interval: {percent(undefined)} of the resamples have no value, too few of one label."
        return Estimate(
            _NAME, value, None, None, jackknife_over("response"), n, len(tables), reason=reason, level=level
        )
    return left_out_interval(_NAME, value, known or [value], n, "coefficient", level)


def _marginals(table: _Table) -> tuple[Counter[Hashable], Counter[Hashable]]:
    """How often each rater gave each label."""
    first: Counter[Hashable] = Counter()
    second: Counter[Hashable] = Counter()
    for (a, b), count in table.items():
        first[a] += count
        second[b] += count
    return first, second


def _kappa(n: int, agreed: int, first: Mapping[Hashable, int], second: Mapping[Hashable, int]) -> float | None:
    expected = sum(count * second.get(label, 0) for label, count in first.items())
    return None if expected == n * n else 1 - n * (n - agreed) / (n * n - expected)


def _without(table: _Table, n: int, agreed: int, first: Counter[Hashable], second: Counter[Hashable]) -> float | None:
    """Kappa without one response."""
    rest, other = first.copy(), second.copy()
    for (a, b), count in table.items():
        rest[a] -= count
        other[b] -= count
        agreed -= count * (a == b)
    return _kappa(n - table.total(), agreed, rest, other)


def _undefined(tables: Mapping[Hashable, _Table]) -> float:
    """The share of all samples of whole responses in which both raters give one and the same label throughout."""
    constant: Counter[Hashable] = Counter()
    for table in tables.values():
        if len(table) == 1:
            ((a, b),) = table
            constant[a] += a == b
    return sum((count / len(tables)) ** len(tables) for count in constant.values())


def _effects(
    tables: Mapping[Hashable, _Table],
    n: int,
    agreed: int,
    first: Mapping[Hashable, int],
    second: Mapping[Hashable, int],
) -> list[float]:
    """How far kappa moves with the weight of each response, to first order."""
    chance = sum(count * second.get(label, 0) for label, count in first.items()) / n**2
    right = agreed / n
    effects = []
    for table in tables.values():
        pull = 0.0
        for (a, b), count in table.items():
            share = (second.get(a, 0) + first.get(b, 0)) / n - 2 * chance
            pull += count * (((a == b) - right) * (1 - chance) - (1 - right) * share)
        effects.append(pull / (n * (1 - chance) ** 2))
    return effects
