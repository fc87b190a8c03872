"""Putting a task to models from the command line: ``medreview judge STUDY --judge NAME``."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from medreview.cli.output import counted, progress, result, say
from medreview.cli.trusting import with_settings
from medreview.visible import visible
from medreview.words import in_words

if TYPE_CHECKING:
    from medreview.judges.llm_stage import Tally
    from medreview.judges.planning import QuestionPlan
    from medreview.pipeline import Judges
    from medreview.study import Study


EVERY_ONE_FAILED: Final = 1
SOME_FAILED: Final = 3
"""Exit codes of ``judge`` for questions without an answer of use."""


def ask_models(
    study: Path,
    names: Sequence[str],
    *,
    task: str = "",
    limit: int | None = None,
    again: bool = False,
    dry_run: bool = False,
    local_only: bool = False,
    as_json: bool = False,
) -> None:
    """Ask the judges of these names, or with ``dry_run`` say what that would cost.

    Ends with :func:`leave_by` the units that had no answer of use.
    """
    from medreview import pipeline
    from medreview.study import Study

    judges = judges_named(names, task=task, again=again, local_only=local_only)
    with Study.open(study) as opened, progress() as bar:
        if dry_run:
            plans = pipeline.plan_for(opened, judges, limit=limit, progress=bar)
        else:
            say_where_texts_go(judges)
            _say_own_work(opened, judges)
            try:
                done = pipeline.judge_by(opened, judges, limit=limit, progress=bar, on_wait=say_what_is_waited_for)
            except pipeline.Interrupted as stopped:
                told = {**asdict(stopped.summary), "interrupted": True}
                result(told, *(line for tally in stopped.summary.judges for line in did(tally)), as_json=as_json)
                raise
    if dry_run:
        result({"plans": [asdict(plan) for plan in plans]}, *map(planned, plans), as_json=as_json)
        return
    lines = [line for tally in done.judges for line in did(tally)]
    lines.append(f"{counted(done.flagged, 'statement')} flagged")
    result(asdict(done), *lines, as_json=as_json)
    leave_by(sum(tally.failed for tally in done.judges), sum(tally.units for tally in done.judges))


def leave_by(failed: int, all_of_them: int) -> None:
    """Leave with exit code 1 when every question failed, 3 when some did; return when none did."""
    if failed:
        raise typer.Exit(EVERY_ONE_FAILED if failed == all_of_them else SOME_FAILED)


def say_what_is_waited_for(answers: int) -> None:
    """Say how many answers are still to come after a Ctrl-C."""
    paid = "is paid for" if answers == 1 else "are paid for"
    say(f"waiting for {counted(answers, 'answer')} that {paid}; Ctrl-C again to end")


def judges_named(names: Sequence[str], *, task: str = "", again: bool = False, local_only: bool = False) -> "Judges":
    """The configured judges of these names, and the task to put to them; with the user's own prompts, if any."""
    from medreview.configured import judges_of

    return with_settings(lambda config: judges_of(config, names, task=task, again=again, local_only=local_only))


def say_where_texts_go(judges: "Judges") -> None:
    """Name where texts and keys go, and which file says so, before anything is sent."""
    from medreview.llm.settings import where_texts_go

    say(*where_texts_go(judges.settings))


def _say_own_work(study: "Study", judges: "Judges") -> None:
    """Name the judges that are about to judge what their own model wrote; reading is no judgement."""
    from medreview.judges.own_work import own_work_ahead
    from medreview.judges.tasks.parsing import NAME as SPLITTING
    from medreview.judges.tasks.references import NAME as READING

    if judges.task not in (SPLITTING, READING):
        say(*(own.words for each in judges.settings if (own := own_work_ahead(study.reader, each))))


def planned(plan: "QuestionPlan", unit: str = "unit") -> str:
    """What one model would be asked, and what that would cost, on a line; ``unit``: what is counted."""
    told = plan.estimate
    cost = "no prices are configured" if told.cost is None else f"about {told.cost:,.2f}"
    return (
        f"{visible(plan.judge)} ({visible(plan.model)} at {visible(plan.host)}): {counted(plan.units, unit)}, "
        f"{counted(told.calls, 'call')} to pay, up to {told.prompt_tokens:,} tokens in and about "
        f"{told.completion_tokens:,} out; {cost}"
    )


def did(tally: "Tally") -> list[str]:
    """What one model did, in lines."""
    from medreview.judges.tasks.registry import DEFAULT

    cost = "" if tally.cost is None else f", cost {tally.cost:,.4f}"
    kept = f", {tally.kept:,} answered before" if tally.kept else ""
    most = sorted(tally.outcomes.items(), key=lambda item: -item[1])
    labels = ", ".join(f"{number:,} {in_words(word)}" for word, number in most[:8])
    lines = [
        f"{visible(tally.judge)}: {counted(tally.units, 'unit')}, {tally.abstained:,} abstained; "
        f"{counted(tally.calls, 'call')}{kept}{cost}"
    ]
    if labels:
        lines.append(f"  {labels}")
    if tally.requests_lost or tally.lost_before:
        before = f"; {tally.lost_before:,} more lost before" if tally.lost_before else ""
        lines.append(
            f"  sent {tally.requests_sent:,}, kept {tally.requests_kept:,}, lost {tally.requests_lost:,}{before}: "
            "what is lost was not answered in full, and may have been paid for"
        )
    if tally.in_parts:
        thing = "page" if tally.task == DEFAULT else "unit"
        lines.append(f"  {counted(tally.in_parts, thing)} longer than its context, judged in parts")
    lines += [f"  {visible(change)}" for change in tally.changes]
    if tally.dead:
        lines.append(f"  given up: {visible(tally.dead)}")
    return lines
