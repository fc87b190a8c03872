"""Whether decisions change while a sitting goes on: its thirds beside each other, and a test for a trend."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from medreview.stats.conduct.pace import seconds_figure
from medreview.stats.conduct.timed_decisions import TimedDecision, stretches
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.hypothesis_tests import TestResult
from medreview.stats.formulas.multiplicity import adjusted, family_size
from medreview.stats.formulas.rank_correlation import spearman
from medreview.stats.formulas.response_sample import ResponseSample
from medreview.units.held_facts import Mode

LEAST: Final = 12
"""Decisions from which on a sitting has thirds."""
THIRDS: Final = ("first third", "second third", "last third")
SUPPORTED: Final = "supported"
AS_JUDGES: Final = "as the judges"
SECONDS: Final = "seconds for a decision"

_NOT_RANDOM: Final = (
    "These queues are not in random order: what comes early is not like what comes late, and a trend in the labels can "
    "be the queue's."
)
_ALIKE: Final = "p takes decisions as independent, which those of one response are not quite."


@dataclass(frozen=True)
class Third:
    """One third of all sittings: ``n`` decisions, the share that says supported, the share that says what the judges
    said by then, and the median time."""

    name: str
    n: int
    supported: Estimate
    as_judges: Estimate
    seconds: Estimate


@dataclass(frozen=True)
class Trend:
    """Whether ``what`` rises (rho above 0) or falls as a sitting goes on; ``adjusted``: p by Holm over the family."""

    what: str
    test: TestResult
    adjusted: float | None


@dataclass(frozen=True)
class Drift:
    """The thirds of the ``sittings`` of one mode that are long enough; ``left`` counts decisions in shorter ones.

    ``family``: the tests with a p-value, over both modes.
    """

    mode: Mode
    sittings: int
    left: int
    thirds: tuple[Third, ...]
    trends: tuple[Trend, ...]
    family: int
    notes: tuple[str, ...]


def drifts(decisions: Sequence[TimedDecision], resampling: Resampling) -> tuple[Drift, ...]:
    """Of each mode that was decided in. A sitting is what was decided in one queue without a pause of half an hour."""
    found = [one for mode in ("blind", "assisted") if (one := _drift(mode, decisions, resampling)) is not None]
    trends = [trend for one in found for trend in one.trends]
    pvalues = [trend.test.pvalue for trend in trends]
    family, held = family_size(pvalues), iter(adjusted(pvalues))
    return tuple(
        replace(one, family=family, trends=tuple(replace(trend, adjusted=next(held)) for trend in one.trends))
        for one in found
    )


def _drift(mode: Mode, decisions: Sequence[TimedDecision], resampling: Resampling) -> Drift | None:
    mine = [each for each in decisions if each.mode == mode]
    if not mine:
        return None
    long = [one for one in stretches(mine) if len(one) >= LEAST]
    placed = [(place / len(one), each) for one in long for place, each in enumerate(one)]
    random_order = all(each.random_order for _, each in placed)
    return Drift(
        mode=mode,
        sittings=len(long),
        left=len(mine) - len(placed),
        thirds=_thirds(placed, resampling) if placed else (),
        trends=tuple(
            Trend(what, _trend(placed, value), None)
            for what, value in (
                (SUPPORTED, lambda each: float(each.supported)),
                (AS_JUDGES, lambda each: None if each.as_judges is None else float(each.as_judges)),
                (SECONDS, lambda each: each.seconds),
            )
        )
        if placed
        else (),
        family=0,
        notes=(_ALIKE,) if random_order else (_NOT_RANDOM, _ALIKE),
    )


def _thirds(placed: Sequence[tuple[float, TimedDecision]], resampling: Resampling) -> tuple[Third, ...]:
    parts = [[each for place, each in placed if int(3 * place) == third] for third in range(3)]
    names = [f"{what} {third}" for third in range(3) for what in ("n", "supported", "judged", "as judges")]
    rows: dict[str, list[float]] = {each.response_id: [0.0] * len(names) for _, each in placed}
    for third, held in enumerate(parts):
        for each in held:
            known = each.as_judges is not None
            amounts = (1.0, float(each.supported), float(known), float(each.as_judges is True))
            for place, amount in enumerate(amounts, 4 * third):
                rows[each.response_id][place] += amount
    sample = ResponseSample(names, list(rows.values()), resampling)
    return tuple(
        Third(
            THIRDS[third],
            len(held),
            sample.share(SUPPORTED, f"supported {third}", f"n {third}", undefined="No decision.", whole="supported"),
            sample.share(
                AS_JUDGES, f"as judges {third}", f"judged {third}", undefined="The judges had no common verdict.",
                whole="as the judges", dropped=sum(each.as_judges is None for each in held),
            ),
            seconds_figure(SECONDS, held),
        )
        for third, held in enumerate(parts)
    )  # fmt: skip


def _trend(placed: Sequence[tuple[float, TimedDecision]], value: Callable[[TimedDecision], float | None]) -> TestResult:
    """The rank correlation of the place in the sitting with a value."""
    return spearman([place for place, _ in placed], [value(each) for _, each in placed]).test
