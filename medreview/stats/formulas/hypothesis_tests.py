"""Tests of two shares, of two means and of a contingency table; a test that is undefined says why and never raises."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypeGuard

from medreview.stats.formulas.estimate import half_up
from medreview.words import counted

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


@dataclass(frozen=True)
class ChiSquared(TestResult):
    """``min_expected``: the smallest count that independence of rows and columns would let expect."""

    min_expected: float | None = None


def two_proportions(k: Sequence[int], n: Sequence[int], pooled: bool = True) -> TestResult:
    """Do two shares ``k[0]`` of ``n[0]`` and ``k[1]`` of ``n[1]`` differ? z test, positive when the first is larger.

    ``pooled``: the variance is that of one common share (Fleiss, Statistical Methods for Rates and Proportions), else
    each share has its own (Wald). Every item is taken as independent: where several are from one response, a
    difference with an interval over responses answers better. Undefined for an empty arm, and without variation.
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
