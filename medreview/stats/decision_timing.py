"""A reviewer's first decisions in order: the time they take, and whether they drift while a sitting goes on.

Each decision has the amount of text to be read. Drift is shown by comparing the thirds of the sittings, and by a test
for a trend.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import median
from typing import Final, Protocol

from medreview.labels import Mode, Via
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.hypothesis_tests import TestResult, adjusted, family_size
from medreview.stats.formulas.latency import percentile, percentile_figure
from medreview.stats.formulas.ranks_and_ratings import spearman
from medreview.stats.formulas.shared_draws import ResponseSample

PAUSE: Final = timedelta(minutes=30)
"""Between two decisions, from which on the later one is of another sitting."""

_DECISIONS: Final = """
SELECT d.unit, d.at_utc, d.block, d.mode, d.label, d.snapshot,
       json_extract(d.payload, '$.via') AS via, json_extract(d.payload, '$.judge_verdict') AS judges,
       json_extract(d.payload, '$.active_ms') AS active_ms, json_extract(d.payload, '$.keys') AS keys,
       length(s.text) AS statement,
       json_extract(e.highlights, '$[0][1]') - json_extract(e.highlights, '$[0][0]') AS best,
       EXISTS (SELECT 1 FROM citation AS c JOIN source AS u USING (source_id)
               JOIN snapshot_content AS n ON n.snapshot_id = u.current_snapshot
               WHERE c.response_id = s.response_id AND n.readable) AS readable
FROM decision_first AS d JOIN statement_standing AS s ON s.statement_id = d.unit
LEFT JOIN evidence AS e ON e.statement_id = d.unit AND e.snapshot_id = d.snapshot
WHERE d.reviewer = ? AND d.pass = ? AND d.axis = 'evidence' ORDER BY d.event_id"""


class Labelled(Protocol):
    """A reviewer's label on a statement as every figure takes it: how it was given, and what it is now."""

    @property
    def cluster(self) -> str:
        """What is resampled with the statement: its question, or its response."""

    @property
    def mode(self) -> Mode:
        """Blind or assisted."""

    @property
    def current(self) -> str:
        """The label as it stands."""


@dataclass(frozen=True, slots=True)
class TimedDecision:
    """The first decision on a statement. ``mode``: blind or assisted, as every figure takes the label.

    ``label``: what was said then. ``judges``: their common verdict at that time, ``""`` for none, be it shown or not.
    ``seconds`` of active time and ``keys`` are ``None`` where none were recorded (from Python, from a file).
    ``random_order``: it was met in a queue in random order. ``characters``: of the statement and the best passage of
    the page on the screen. ``page``: whether one was on the screen; ``readable``: whether the response has one.
    """

    unit: str
    cluster: str
    at: datetime
    queue: str
    random_order: bool
    mode: Mode
    label: str
    current: str
    judges: str
    via: Via
    seconds: float | None
    keys: int | None
    characters: int
    page: bool
    readable: bool

    @property
    def supported(self) -> bool:
        """Whether it says that the statement is supported."""
        return self.label == "supported"

    @property
    def as_judges(self) -> bool | None:
        """Whether it says what the judges say; ``None`` where they had no common verdict."""
        return self.label == self.judges if self.judges else None


def timed_decisions(
    reader: sqlite3.Connection, reviewer: str, labels: Mapping[str, Labelled], pass_no: int = 1
) -> list[TimedDecision]:
    """Those of the statements in ``labels``, in the order in which they were made."""
    return [
        TimedDecision(
            unit=row["unit"],
            cluster=labels[row["unit"]].cluster,
            at=datetime.fromisoformat(row["at_utc"]),
            queue=row["block"],
            random_order=row["mode"] == "blind",
            mode=labels[row["unit"]].mode,
            label=row["label"],
            current=labels[row["unit"]].current,
            judges=row["judges"] or "",
            via=row["via"],
            seconds=None if row["active_ms"] is None else row["active_ms"] / 1000,
            keys=row["keys"],
            characters=row["statement"] + (row["best"] or 0),
            page=row["snapshot"] is not None,
            readable=bool(row["readable"]),
        )
        for row in reader.execute(_DECISIONS, (reviewer, pass_no))
        if row["unit"] in labels
    ]


def stretches(decisions: Sequence[TimedDecision]) -> list[list[TimedDecision]]:
    """What was decided in one queue without a long pause: a sitting, or the part of it in one queue."""
    found: list[list[TimedDecision]] = []
    for decision in decisions:
        last = found[-1][-1] if found else None
        if last is not None and last.queue == decision.queue and decision.at - last.at < PAUSE:
            found[-1].append(decision)
        else:
            found.append([decision])
    return found


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
    rows = [
        [0] * 4 * third
        + [1, each.supported, each.as_judges is not None, each.as_judges is True]
        + [0] * 4 * (2 - third)
        for third, held in enumerate(parts)
        for each in held
    ]  # fmt: skip
    clusters = [each.cluster for held in parts for each in held]
    sample = ResponseSample(names, rows, resampling, clusters=clusters)
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
