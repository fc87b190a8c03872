"""Tests of shares, means, contingency tables and differences of two figures; p values adjusted for their family.

A test that is undefined says why and never raises. A difference is one figure minus another from the same resamples:
two opinions on the same yes or no are compared by McNemar's test, every other difference by what its interval is made
of, a jackknife of few responses, resamples of many. Which test it was stands beside the p value.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal, TypeGuard

import numpy as np

from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    TOO_FEW_OF_A_LABEL,
    Floats,
    Resampling,
    Statistic,
    bootstrap_figure,
    contributions,
    draw,
    undefined_figure,
    without_each,
)
from medreview.stats.formulas.classification import McNemar, clustered_mcnemar, mcnemar
from medreview.stats.formulas.coefficients import ratio
from medreview.stats.formulas.estimate import FEWEST_COMPARED, Estimate, Scale, half_up
from medreview.stats.formulas.intervals import jackknife, jackknife_over
from medreview.stats.formulas.intervals import two_sided as by_student
from medreview.text import counted

Method = Literal["holm", "bonferroni"]


def family_size(pvalues: Sequence[float | None]) -> int:
    """How many tests of a family have a p-value; what is undefined was no test."""
    return sum(_defined(p) for p in pvalues)


def adjusted(pvalues: Sequence[float | None], method: Method = "holm") -> tuple[float | None, ...]:
    """Adjusted p-values in the order given, 1 at the most; ``None`` (or nan) stays ``None`` and does not count.

    ``holm`` steps down from the smallest (Holm 1979): never larger than ``bonferroni`` (Dunn 1961), and as strict on
    the chance of a single false alarm. Report ``family_size`` with it.
    """
    order = sorted((p, place) for place, p in enumerate(pvalues) if p is not None and _defined(p))
    found: list[float | None] = [None] * len(pvalues)
    reached = 0.0
    for rank, (p, place) in enumerate(order):
        times = len(order) - (rank if method == "holm" else 0)
        reached = max(reached, min(1.0, p * times))
        found[place] = reached
    return tuple(found)


def false_discovery(pvalues: Sequence[float | None]) -> tuple[float | None, ...]:
    """p-values adjusted for the rate of false discoveries under any dependence, as :func:`adjusted` gives them.

    Steps up from the largest (Benjamini & Yekutieli 2001): one that is at most q is rejected at the rate q.
    """
    order = sorted((p, place) for place, p in enumerate(pvalues) if p is not None and _defined(p))
    found: list[float | None] = [None] * len(pvalues)
    harmonic = sum(1 / rank for rank in range(1, len(order) + 1))
    least = 1.0
    for rank, (p, place) in reversed(list(enumerate(order, 1))):
        least = min(least, p * len(order) * harmonic / rank)
        found[place] = least
    return tuple(found)


def _defined(p: float | None) -> bool:
    return p is not None and not math.isnan(p)


SMALL_EXPECTED: Final = 5.0
"""Expected count below which the chi-squared distribution is a poor approximation (Cochran 1954)."""
_MEASURABLE: Final = 1e-12
"""Spread, relative to the values, below which it is nothing but rounding."""

Number = float | None


@dataclass(frozen=True)
class TestResult:
    """A test by its ``name``; ``pvalue`` is two-sided. ``statistic`` and ``pvalue`` are ``None`` with a ``reason``.

    ``df``: degrees of freedom, where the distribution has them. ``n``: values used on each side; ``dropped``: values,
    or pairs, left out because one is missing. ``notes`` are cautions to print beside the result.
    """

    __test__: ClassVar = False  # its name does not make it a case of the test runner

    name: str
    statistic: float | None
    pvalue: float | None
    df: float | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    n: tuple[int, ...] = ()
    dropped: int = 0

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for a missing statistic or p without a reason."""
        if (self.statistic is None or self.pvalue is None) and not self.reason:
            raise ValueError(f"{self.name}: what is missing needs a reason")


def in_family(tests: Sequence[TestResult]) -> list[tuple[float | None, float | None, int]]:
    """Of each test its p by Holm and by Bonferroni, and the size of the family that they are."""
    pvalues = [test.pvalue for test in tests]
    family = family_size(pvalues)
    both = zip(adjusted(pvalues), adjusted(pvalues, "bonferroni"), strict=True)
    return [(holm, bonferroni, family) for holm, bonferroni in both]


@dataclass(frozen=True)
class ChiSquared(TestResult):
    """``min_expected``: the smallest count that independence of rows and columns would let expect."""

    min_expected: float | None = None


def two_proportions(k: Sequence[int], n: Sequence[int], pooled: bool = True) -> TestResult:
    """Do two shares ``k[0]`` of ``n[0]`` and ``k[1]`` of ``n[1]`` differ? z test, positive when the first is larger.

    ``pooled``: the variance is that of one common share (Fleiss, Statistical Methods for Rates and Proportions), else
    each share has its own (Wald). Every item is taken as independent: where several are from one response, a
    difference with an interval over clusters answers better. Undefined for an empty arm, and without variation.
    """
    from scipy.special import erfc

    name = f"two-proportion z test, {'pooled' if pooled else 'unpooled'} variance"
    sizes = tuple(n)
    impossible = next((f"{part} of {whole}" for part, whole in zip(k, n, strict=True) if not 0 <= part <= whole), None)
    if impossible is not None:
        return TestResult(name, None, None, reason=f"{impossible} is not a share.", n=sizes)
    if 0 in sizes:
        return TestResult(name, None, None, reason="One of the two groups is empty.", n=sizes)
    shares = [part / whole for part, whole in zip(k, n, strict=True)]
    common = sum(k) / sum(n)
    used = [common, common] if pooled else shares
    variance = sum(share * (1 - share) / whole for share, whole in zip(used, n, strict=True))
    if variance == 0:
        same = (
            "All items of both groups are alike" if shares[0] == shares[1] else "Within each group all items are alike"
        )
        return TestResult(name, None, None, reason=f"{same}: z has nothing to be measured by.", n=sizes)
    statistic = (shares[0] - shares[1]) / math.sqrt(variance)
    expected = min(min(common * whole, (1 - common) * whole) for whole in n)
    return TestResult(name, statistic, float(erfc(abs(statistic) / math.sqrt(2))), notes=_small(expected), n=sizes)


def t_test(a: Sequence[Number], b: Sequence[Number], paired: bool = False, equal_var: bool = False) -> TestResult:
    """Do two means differ? Student's t; Welch's test by default (Welch 1947), ``equal_var`` pools the variance.

    ``paired``: by the differences of what stands at the same place; a pair that lacks one is dropped. For paired yes or
    no, McNemar's test answers the question that this one approximates. Undefined without variance, and below two values
    on a side (two pairs).
    """
    from scipy import stats

    if paired:
        name = "paired t-test"
        if len(a) != len(b):
            return TestResult(name, None, None, reason="The two sides differ in length, and have no pairs.")
        pairs = [(x, y) for x, y in zip(a, b, strict=True) if known(x) and known(y)]
        first, second = [float(x) for x, _ in pairs], [float(y) for _, y in pairs]
        dropped = len(a) - len(pairs)
        sizes: tuple[int, ...] = (len(pairs),)
        spread = [x - y for x, y in zip(first, second, strict=True)]
        few = f"It takes two pairs; there {_are(len(pairs))}."
        flat = "Every pair differs by the same amount: t has nothing to be measured by."
        constant = _constant(spread, scale=max((abs(value) for value in (*first, *second)), default=0.0))
    else:
        name = "t-test, pooled variance" if equal_var else "Welch's t-test"
        first, second = ([float(x) for x in side if known(x)] for side in (a, b))
        dropped, sizes = len(a) + len(b) - len(first) - len(second), (len(first), len(second))
        few = f"It takes two values on each side; there are {len(first)} and {len(second)}."
        flat = "All values of each side are alike: t has nothing to be measured by."
        constant = _constant(first) and _constant(second)
    if min(sizes) < 2:
        return TestResult(name, None, None, reason=few, n=sizes, dropped=dropped)
    if constant:
        return TestResult(name, None, None, reason=flat, n=sizes, dropped=dropped)
    with warnings.catch_warnings():
        # Of a constant side, on which the other one's variance bears; and of an overflow, which the next line tells.
        warnings.simplefilter("ignore", RuntimeWarning)
        found = stats.ttest_rel(first, second) if paired else stats.ttest_ind(first, second, equal_var=equal_var)
    if not (math.isfinite(found.statistic) and math.isfinite(found.pvalue)):
        return TestResult(name, None, None, reason="The values are too large to be squared.", n=sizes, dropped=dropped)
    return TestResult(
        name, float(found.statistic), float(found.pvalue), float(found.df), n=sizes, dropped=dropped
    )  # fmt: skip


def chi_squared(table: Sequence[Sequence[int]], correction: bool = False) -> ChiSquared:
    """Are rows and columns of a table of counts independent? Pearson's chi-squared (Pearson 1900).

    ``correction``: Yates' for continuity (1934), which bears on 2 x 2 only. A note says so where an expected count is
    below 5. Undefined with an empty row or column, and below two rows or columns.
    """
    from scipy import stats

    name = "chi-squared test" + (", continuity-corrected" if correction else "")
    widths = {len(row) for row in table}
    if len(widths) != 1 or len(table) < 2 or min(widths) < 2:
        return ChiSquared(name, None, None, reason="It takes a table of two rows and two columns or more.")
    if any(not math.isfinite(count) or count < 0 for row in table for count in row):
        return ChiSquared(name, None, None, reason="A count is missing or below 0.")
    total = sum(map(sum, table))
    for what, sums in (
        ("row", [sum(row) for row in table]),
        ("column", [sum(column) for column in zip(*table, strict=True)]),
    ):
        if 0 in sums:
            return ChiSquared(name, None, None, reason=f"A {what} is empty: nothing can be expected in it.", n=(total,))
    found = stats.chi2_contingency(table, correction=correction)
    expected = float(found.expected_freq.min())
    return ChiSquared(
        name, float(found.statistic), float(found.pvalue), float(found.dof), notes=_small(expected), n=(total,),
        min_expected=expected,
    )  # fmt: skip


def _small(expected: float) -> tuple[str, ...]:
    if expected >= SMALL_EXPECTED:
        return ()
    return (f"The smallest expected count is {half_up(expected, 1)}, below 5: p is a rough approximation.",)


def known(value: Number) -> TypeGuard[float]:
    """Whether a number is there: neither ``None`` nor nan or infinite."""
    return value is not None and math.isfinite(value)


def _constant(values: Sequence[float], scale: float | None = None) -> bool:
    """Whether values are alike but for rounding, relative to ``scale`` or else to themselves."""
    size = max((abs(value) for value in values), default=0.0) if scale is None else scale
    return not values or max(values) - min(values) <= _MEASURABLE * size


def _are(n: int) -> str:
    return f"{'is' if n == 1 else 'are'} {counted(n, 'pair')}"


NOTHING_DRAWN: Final = "and drew no item of one of the two"
_UNDEFINED: Final = "One of the two figures is undefined."
_ZERO: Final = 1e-12


@dataclass(frozen=True)
class StatisticDifference:
    """``first`` minus ``second`` in one ``statistic``: its ``estimate``, and whether it could be 0.

    ``pvalue`` is two-sided, never 0, by ``test``; ``None`` where that is undefined. ``at_limit``: no resample came as
    far as 0, so that p is that or less. ``adjusted`` is p by Holm among the ``family`` differences with a p value that
    were looked at together (Holm 1979); ``None`` before :func:`with_holm`. ``fewest``: clusters of the side that has
    fewer, on which the interval hangs. ``shared``: clusters (a ``cluster`` is a question, a response) with items of
    both, by which the two are paired; ``only_first`` and ``only_second``: those with items of one of the two.
    """

    first: str
    second: str
    statistic: str
    estimate: Estimate
    pvalue: float | None
    test: str
    at_limit: bool = False
    adjusted: float | None = None
    family: int = 0
    fewest: int = 0
    cluster: str = ""
    shared: int = 0
    only_first: int = 0
    only_second: int = 0

    @property
    def pairing(self) -> str:
        """``paired by question (38 shared; 2 only atlas-2)``, ``unpaired (40 and 38 responses)``; ``""`` of nothing."""
        if not self.shared:
            both = self.only_first and self.only_second
            return f"unpaired ({self.only_first} and {counted(self.only_second, self.cluster)})" if both else ""
        alone = ((self.only_first, self.first), (self.only_second, self.second))
        told = [f"{self.shared} shared", *(f"{count} only {name}" for count, name in alone if count)]
        return f"paired by {self.cluster} ({'; '.join(told)})"


@dataclass(frozen=True)
class Side:
    """One of the two figures: ``finish`` makes it of sums (B x K), ``size`` (K) are the weights that make the columns
    of a unit a number of its items."""

    name: str
    finish: Statistic
    size: Floats

    @classmethod
    def share(cls, name: str, over: Sequence[float], under: Sequence[float]) -> "Side":
        """The share of the items in the columns ``over`` among those in ``under``: 1 where a column counts, else 0."""
        top, bottom = np.array(over, dtype=np.float64), np.array(under, dtype=np.float64)
        return cls(name, lambda sums: ratio(sums @ top, sums @ bottom), bottom)


def difference(
    first: Side,
    second: Side,
    statistic: str,
    units: Floats,
    sums: Floats,
    *,
    scale: Scale,
    paired: bool = False,
    undefined: str = _UNDEFINED,
    test: McNemar | None = None,
    dropped: int = 0,
    resampling: Resampling = DEFAULT,
) -> StatisticDifference:
    """The difference of two figures of the same ``units`` (R x K) and shared resamples ``sums`` (replicates x K).

    ``paired``: both are of the same items, so that ``n`` of the estimate counts them once. ``test`` replaces the p
    value of the interval. Where a shared resample drew no item of one of the two, the units with items are drawn
    alone: for each of the two apart where no unit has items of both. ``undefined`` is the sentence for a figure that is
    not there. ``scale``: whether shares are subtracted or coefficients. Without five responses of each of the two there
    is no interval, nor its p value.
    """
    unit = resampling.cluster
    sums = _resampled(first, second, units, sums, resampling)
    mine, theirs = units @ first.size > 0, units @ second.size > 0
    used, fewest = mine | theirs, int(min(mine.sum(), theirs.sum()))
    shared = int((mine & theirs).sum())

    def told(estimate: Estimate, pvalue: float | None, by: str, *, at_limit: bool = False) -> StatisticDifference:
        return StatisticDifference(
            first.name, second.name, statistic, estimate, pvalue, by, at_limit, fewest=fewest, cluster=unit,
            shared=shared, only_first=int(mine.sum()) - shared, only_second=int(theirs.sum()) - shared,
        )  # fmt: skip

    observed = units.sum(axis=0)[None]
    value = float(first.finish(observed)[0] - second.finish(observed)[0])
    draws = first.finish(sums) - second.finish(sums)
    left_out = without_each(units[used], lambda s: first.finish(s) - second.finish(s), resampling)
    drawn = ((sums @ first.size > 0) & (sums @ second.size > 0)).all() if len(sums) else True
    name = f"{statistic}, {first.name} minus {second.name}"
    if not used.any():
        estimate = undefined_figure(name, undefined, scale=scale, resampling=resampling, dropped=dropped)
        return told(estimate, None, _named(test, resampling))
    estimate = bootstrap_figure(
        name,
        value,
        draws,
        n=int(observed[0] @ first.size) + (0 if paired else int(observed[0] @ second.size)),
        clusters=int(used.sum()),
        undefined=undefined,
        instead=f"the two differ alike in every {unit}" if value else "the two never differ",
        left_out=left_out,
        scale=scale,
        resampling=resampling,
        dropped=dropped,
        rare=TOO_FEW_OF_A_LABEL if drawn else NOTHING_DRAWN,
    )
    if fewest < FEWEST_COMPARED and estimate.low is not None:
        few = f"No interval: {counted(fewest, unit)} of one of the two; it takes {FEWEST_COMPARED} of each."
        estimate = replace(estimate, low=None, high=None, reason=few)
    if test is not None:
        return told(estimate, test.pvalue, test.method)
    if left_out is not None:
        varying = jackknife(value, left_out.tolist()) if estimate.low is not None else None
        p = None if varying is None else by_student(varying)
        return told(estimate, p, f"Student's t, {jackknife_over(unit)}")
    p, at_limit = two_sided(draws) if estimate.low is not None else (None, False)
    return told(estimate, p, _named(None, resampling), at_limit=at_limit)


def two_sided(draws: Floats) -> tuple[float | None, bool]:
    """Twice the smaller share of resamples on one side of 0 (those at 0 count on both), and whether it is empty.

    The observed value counts as one resample more (Davison & Hinkley 1997, section 4.2), so that p is never 0: with
    9,999 resamples the least is 0.0002.
    """
    defined = draws[~np.isnan(draws)]
    if len(defined) == 0:
        return None, False
    beyond = int(min((defined <= _ZERO).sum(), (defined >= -_ZERO).sum()))
    return min(1.0, 2 * (beyond + 1) / (len(defined) + 1)), beyond == 0


def paired_test(
    only_first: Sequence[float], only_second: Sequence[float], items: Sequence[float], unit: str = "response"
) -> McNemar:
    """McNemar's test on clusters: exact where each has one item, else over clusters (Obuchowski 1998).

    Per cluster, how many items only the first and only the second has right, and how many items there are; clusters
    without items are left out. ``unit``: what one of them is.
    """
    used = [place for place, count in enumerate(items) if count > 0]
    mine, theirs = ([side[place] for place in used] for side in (only_first, only_second))
    if all(items[place] == 1 for place in used):
        return mcnemar(int(sum(mine)), int(sum(theirs)))
    return clustered_mcnemar(mine, theirs, unit)


def with_holm(differences: Sequence[StatisticDifference]) -> tuple[StatisticDifference, ...]:
    """The same differences as one family: p values adjusted by Holm, undefined ones not counted."""
    pvalues = [one.pvalue for one in differences]
    family, values = family_size(pvalues), adjusted(pvalues, "holm")
    return tuple(replace(one, adjusted=p, family=family) for one, p in zip(differences, values, strict=True))


def _named(test: McNemar | None, resampling: Resampling) -> str:
    return test.method if test is not None else f"two-sided, from {resampling.replicates:,} shared resamples"


def _resampled(first: Side, second: Side, units: Floats, sums: Floats, resampling: Resampling) -> Floats:
    """The shared resamples, or those of the units that have items, where a shared one has none of the first or second.

    Units of two separate groups are drawn group by group, so that no resample lacks one of them.
    """
    if len(sums) and (sums @ first.size > 0).all() and (sums @ second.size > 0).all():
        return sums
    mine, theirs = units @ first.size > 0, units @ second.size > 0
    if not mine.any() or not theirs.any():
        return sums
    if (mine & theirs).any():
        return draw(contributions(units[mine | theirs]), resampling)
    other = replace(resampling, seed=resampling.seed + 1)
    return draw(contributions(units[mine]), resampling) + draw(contributions(units[theirs]), other)
