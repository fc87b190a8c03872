"""The time that decisions take, and the keys."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from medreview.stats.conduct.timed_decisions import TimedDecision
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.latency import percentile, percentile_figure

NO_TIME: Final = "No decision has its time on record."


@dataclass(frozen=True)
class Pace:
    """Of the first decisions of a ``mode``, or of ``all``. Active time: a pause counts one minute at most.

    ``seconds``: the median, with an interval between two of the times; ``quarter`` and ``three_quarters``: a quarter
    and three quarters of the decisions took no longer. ``per_hour``: decisions in an hour of active time. ``keys``: the
    median.
    """

    mode: str
    seconds: Estimate
    quarter: float | None
    three_quarters: float | None
    per_hour: float | None
    keys: float | None


def paces(decisions: Sequence[TimedDecision]) -> tuple[Pace, ...]:
    """Of all, and of each mode where there are both."""
    modes = [mode for mode in ("blind", "assisted") if any(each.mode == mode for each in decisions)]
    found = [_pace("all", decisions)]
    if len(modes) > 1:
        found += [_pace(mode, [each for each in decisions if each.mode == mode]) for mode in modes]
    return tuple(found)


def seconds_figure(name: str, decisions: Iterable[TimedDecision]) -> Estimate:
    """The median active time of decisions, in seconds."""
    known = [each.seconds for each in decisions]
    values = sorted(value for value in known if value is not None)
    return percentile_figure(name, values, 0.5, missing=len(known) - len(values), nothing=NO_TIME)


def _pace(mode: str, decisions: Sequence[TimedDecision]) -> Pace:
    values = sorted(each.seconds for each in decisions if each.seconds is not None)
    keys = [each.keys for each in decisions if each.keys is not None]
    whole = sum(values)
    return Pace(
        mode,
        seconds_figure("seconds for a decision, median", decisions),
        percentile(values, 0.25),
        percentile(values, 0.75),
        3600 * len(values) / whole if whole else None,
        float(median(keys)) if keys else None,
    )
