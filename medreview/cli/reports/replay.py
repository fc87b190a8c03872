"""A replay as text: steps, departures from the paper, its figures beside ours; and printed figures computed again."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from medreview.cli.output import one_line
from medreview.cli.reports.layout import NextStep, Part, TableHeading, Title, inset, table
from medreview.replays.replay import Replay, Row, State, Step, StepOutcome
from medreview.replays.reproduced import Reproduced
from medreview.stats.formulas.estimate import number

RECORDED: Final = "recorded answers, written for the demo"
_STATES: Final[dict[State, str]] = {
    "done": "done already", "did": "done now", "waits": "waits", "left": "left out", "failed": "failed",
}  # fmt: skip


def about_parts(replay: Replay) -> Iterator[Part]:
    """What a replay does, before it is done."""
    yield Title(replay.paper)
    yield f"FILES: {replay.takes}"
    yield ""
    yield TableHeading("steps")
    rows = ((f"{number}", step.name, step.about) for number, step in enumerate(replay.steps, 1))
    yield inset(table(("", "step", "what it does"), rows, long=("step", "what it does"), header=False))
    yield from deviation_parts(replay)


def deviation_parts(replay: Replay) -> Iterator[Part]:
    """How the steps depart from the paper, and what of it they leave out."""
    yield ""
    yield TableHeading("how this departs from the paper")
    yield inset(*(f"- {sentence}" for sentence in replay.deviations))
    if replay.not_replayed:
        yield ""
        yield TableHeading("not replayed")
        yield inset(*(f"- {sentence}" for sentence in replay.not_replayed))


def step_parts(number: int, of: int, step: Step, outcome: StepOutcome) -> Iterator[Part]:
    """One step that was done: its state, what it did, and the command that goes on with it."""
    words = f": {one_line(outcome.words)}" if outcome.words else ""
    yield f"{number}/{of} {step.name}: {_STATES[outcome.state]}{words}"
    yield from (f"  {one_line(line)}" for line in outcome.lines)
    if outcome.command:
        yield NextStep(outcome.command)


def figure_parts(rows: Iterable[Row], *, recorded: bool) -> Iterator[Part]:
    """The table: under each figure the paper's, then the study's own with interval and n, then why they differ."""
    yield Title("Figures: the paper's, and this study's")
    if recorded:
        yield f"This study's are of {RECORDED}: they show the way, and say nothing of any model."
    yield (
        "Intervals are 95% where nothing else is said. n: the items that a figure rests on, in how many responses, "
        "questions or cases."
    )
    figures: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        figures.setdefault((row.what, row.paper), []).append(row)
    for (name, paper), group in figures.items():
        yield ""
        yield from _figure(name, paper, group, f" ({RECORDED})" if recorded else "")


def _figure(name: str, paper: str, rows: Sequence[Row], note: str) -> Iterator[Part]:
    yield TableHeading(name + note)
    there = [row for row in rows if row.ours is not None]
    lines = [("paper", paper, ""), *((one_line(row.of) or "all", one_line(row.shown), row.counted) for row in there)]
    yield inset(table(("", "value", "n"), lines, long=("value",)))
    yield from (inset(f"{row.of}: {row.missing}" if row.of else row.missing) for row in rows if row.ours is None)
    for why in dict.fromkeys(row.why for row in there if row.why and row.ours and row.ours.value is not None):
        yield inset(f"They differ also because: {why}")


def reproduce_parts(found: Sequence[Reproduced]) -> Iterator[Part]:
    """A table for each paper, and below it the reasons."""
    for paper, group in groupby(found, key=lambda one: one.paper):
        rows = list(group)
        yield Title(paper)
        lines = ((one_line(one.what), _beside(one), one.outcome) for one in rows)
        yield inset(table(("figure", "printed; ours", ""), lines, long=("printed; ours",)))
        for why in dict.fromkeys(one.why for one in rows if one.why):
            names = [one_line(one.what) for one in rows if one.why == why]
            about = names[0] if len(names) == 1 else f"{len(names)} of these"
            yield inset(f"{about}: {one_line(why)}")
    counts = Counter(one.outcome for one in found)
    same, value, other, missing = (counts[one] for one in ("equal", "value equal", "differs", "missing"))
    yield ""
    yield (
        f"{same} equal, {value} equal in value but not in the interval, {other} different, {missing} not computed. "
        "Equal: the same digits, rounded half up, in all that is printed."
    )


def _beside(one: Reproduced) -> str:
    printed = f"printed: {one.printed}" if one.printed else "not printed"
    if one.ours is None or one.ours.value is None:
        return printed
    ours, digits = one.ours, 2 if one.ours.scale == "share" else None
    value = number(one.ours.value, ours.scale, digits)
    if ours.low is None or ours.high is None:
        return f"{printed}; ours: {value}, no interval"
    low, high = (number(end, ours.scale, digits, unit=False) for end in (ours.low, ours.high))
    return f"{printed}; ours: {value} ({low} to {high})"
