"""The steps of a replay one after the other: what each would cost before it asks, and what became of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from medreview.replays.replay import Given, Outcome, Plan, Replay, Step

OnPlan = Callable[[Step, Plan], None]


@dataclass(frozen=True, slots=True)
class Done:
    """A step with its number, from 1, and what became of it; in a dry run its plan."""

    number: int
    step: Step
    plan: Plan
    outcome: Outcome | None


def run(replay: Replay, given: Given, on_plan: OnPlan) -> Iterator[Done]:
    """Do every step, each when the caller takes it. ``on_plan`` is told what a step costs before it asks.

    A step that waits for the reviewer holds up none that does not need her: each looks at what the study has.
    """
    for number, step in enumerate(replay.steps, 1):
        if step.name in given.skip:
            yield Done(number, step, Plan(), Outcome("left", "as you asked"))
            continue
        plan = step.plan(given)
        if plan.plans:
            on_plan(step, plan)
        yield Done(number, step, plan, step.run(given))


def dry_run(replay: Replay, given: Given, *, fresh: bool) -> Iterator[Done]:
    """What every step would ask of the study as it stands; nothing is sent.

    ``fresh``: the study is a temporary one, made for this, so that the files are read into it first.
    """
    for number, step in enumerate(replay.steps, 1):
        skipped = step.name in given.skip
        outcome = step.run(given) if fresh and step.reads_files and not skipped else None
        yield Done(number, step, Plan() if skipped else step.plan(given), outcome)
