"""One figure minus another, from the same resamples, with a test; and Holm's correction for a family of them.

Two opinions on the same yes or no are compared by McNemar's test; every other difference by what its interval is made
of: a jackknife of few responses, resamples of many. Which test it was stands beside the p value.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

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
    without_each,
)
from medreview.stats.formulas.classification import McNemar, clustered_mcnemar, mcnemar
from medreview.stats.formulas.estimate import Estimate, Scale
from medreview.stats.formulas.few_responses import jackknife, jackknife_over
from medreview.stats.formulas.few_responses import two_sided as by_student
from medreview.stats.formulas.multiplicity import adjusted, family_size
from medreview.stats.formulas.thresholds import FEWEST_COMPARED
from medreview.words import counted

NOTHING_DRAWN: Final = "and drew no item of one of the two"
_UNDEFINED: Final = "One of the two figures is undefined."
_ZERO: Final = 1e-12


@dataclass(frozen=True)
class Difference:
    """``first`` minus ``second`` in one ``statistic``: its ``estimate``, and whether it could be 0.

    ``pvalue`` is two-sided, never 0, by ``test``; ``None`` where that is undefined. ``at_limit``: no resample came as
    far as 0, so that p is that or less. ``adjusted`` is p by Holm among the ``family`` differences with a p value that
    were looked at together (Holm 1979); ``None`` before :func:`with_holm`. ``fewest``: responses of the side that has
    fewer, on which the interval hangs.
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


@dataclass(frozen=True)
class Side:
    """One of the two figures: ``finish`` makes it of sums (B x K), ``size`` (K) are the weights that make the columns
    of a unit a number of its items."""

    name: str
    finish: Statistic
    size: Floats


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
    unit: str = "response",
) -> Difference:
    """The difference of two figures of the same ``units`` (R x K) and shared resamples ``sums`` (replicates x K).

    ``paired``: both are of the same items, so that ``n`` of the estimate counts them once. ``test`` replaces the p
    value of the interval. Where a shared resample drew no item of one of the two, the units with items are drawn
    alone: for each of the two apart where no unit has items of both. ``undefined`` is the sentence for a figure that is
    not there. ``scale``: whether shares are subtracted or coefficients. Without five responses of each of the two there
    is no interval, nor its p value.
    """
    sums = _resampled(first, second, units, sums, resampling)
    mine, theirs = units @ first.size > 0, units @ second.size > 0
    used, fewest = mine | theirs, int(min(mine.sum(), theirs.sum()))
    observed = units.sum(axis=0)[None]
    value = float(first.finish(observed)[0] - second.finish(observed)[0])
    draws = first.finish(sums) - second.finish(sums)
    left_out = without_each(units[used], lambda s: first.finish(s) - second.finish(s), resampling)
    drawn = ((sums @ first.size > 0) & (sums @ second.size > 0)).all() if len(sums) else True
    name = f"{statistic}, {first.name} minus {second.name}"
    if not used.any():
        estimate = Estimate(name, None, None, None, "none", 0, 0, dropped, undefined, resampling.level, scale=scale)
        return Difference(first.name, second.name, statistic, estimate, None, _named(test, resampling))
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
        unit=unit,
    )
    if fewest < FEWEST_COMPARED and estimate.low is not None:
        few = f"No interval: {counted(fewest, unit)} of one of the two; it takes {FEWEST_COMPARED} of each."
        estimate = replace(estimate, low=None, high=None, reason=few)
    if test is not None:
        return Difference(first.name, second.name, statistic, estimate, test.pvalue, test.method, fewest=fewest)
    if left_out is not None:
        varying = jackknife(value, left_out.tolist()) if estimate.low is not None else None
        p = None if varying is None else by_student(varying)
        how = f"Student's t, {jackknife_over(unit)}"
        return Difference(first.name, second.name, statistic, estimate, p, how, fewest=fewest)
    p, at_limit = two_sided(draws) if estimate.low is not None else (None, False)
    how = _named(None, resampling)
    return Difference(first.name, second.name, statistic, estimate, p, how, at_limit, fewest=fewest)


def two_sided(draws: Floats) -> tuple[float | None, bool]:
    """Twice the smaller share of resamples on one side of 0, that at 0 with both, and whether there is none at all.

    The observed value counts as one resample more (Davison & Hinkley 1997, section 4.2), so that p is never 0: with
    9,999 resamples the least is 0.0002.
    """
    defined = draws[~np.isnan(draws)]
    if len(defined) == 0:
        return None, False
    beyond = int(min((defined <= _ZERO).sum(), (defined >= -_ZERO).sum()))
    return min(1.0, 2 * (beyond + 1) / (len(defined) + 1)), beyond == 0


def paired_test(only_first: Sequence[float], only_second: Sequence[float], items: Sequence[float]) -> McNemar:
    """McNemar's test on units: exact where each has one item, else over units (Obuchowski 1998).

    Per unit, how many items only the first and only the second has right, and how many items there are; units without
    items are left out.
    """
    used = [place for place, count in enumerate(items) if count > 0]
    mine, theirs = ([side[place] for place in used] for side in (only_first, only_second))
    if all(items[place] == 1 for place in used):
        return mcnemar(int(sum(mine)), int(sum(theirs)))
    return clustered_mcnemar(mine, theirs)


def with_holm(differences: Sequence[Difference]) -> tuple[Difference, ...]:
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
