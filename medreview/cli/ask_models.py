"""Putting questions to models from the command line: live, in batches at a server, and to a model of meaning.

``medreview judge STUDY --judge NAME``, ``--batch-submit`` of ``judge`` and ``generate``, ``--semantic``.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from medreview.cli.network import with_settings
from medreview.cli.output import counted, counted_each, left_out, progress, result, say
from medreview.text import in_words
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.judges.batch_jobs import Job
    from medreview.judges.batch_out import BatchOut
    from medreview.judges.llm_stage import QuestionPlan, Tally
    from medreview.judges.semantic_stage import SemanticSummary
    from medreview.llm.batch_server import Batch
    from medreview.pipeline import Generating, Judges, Meaning
    from medreview.pipeline.batches import Submitted, Taken
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
                told = {"judges": [asdict(tally) for tally in stopped.tallies], "interrupted": True}
                result(told, *(line for tally in stopped.tallies for line in did(tally)), as_json=as_json)
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
    from medreview.judges.judge_caveats import own_work_ahead
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


Semantic = Annotated[
    bool | None,
    typer.Option(
        "--semantic/--no-semantic",
        help="Ask a model of meaning, for the order only; default: as [semantic] of the settings says.",
        show_default=False,
    ),
]


def meaning_from_config(wanted: bool | None, *, local_only: bool = False) -> "Meaning | None":
    """The model that is to be asked, which says what it costs before; ``None`` where none is wanted."""

    from medreview.configured import meaning_of

    meaning = with_settings(lambda config: meaning_of(config, wanted, local_only=local_only))
    return replace(meaning, say=say) if meaning else None


def plan_and_say(study: "Study", meaning: "Meaning", synonyms: "Path | None", *, as_json: bool) -> None:
    """What asking would be, as the result of a command; nothing is asked."""
    from medreview import pipeline

    with progress() as bar:
        planned = pipeline.plan_meaning(study, meaning, synonyms, bar)
    result(planned, *(planned.lines or [f"{planned.model}: nothing is left to ask"]), as_json=as_json)


def ordered(summary: "SemanticSummary | None") -> str:
    """What a model did, as the end of a sentence; ``""`` where none was asked or nothing was left to do."""
    return f"; {counted(summary.pairs, 'pair')} ordered with {summary.model}" if summary and summary.pairs else ""


def leave_by_summary(summary: "SemanticSummary | None") -> None:
    """Say why pairs have no score of the model, and leave with the exit code of questions without an answer."""
    if summary and summary.stopped:
        say(summary.stopped, f"{counted(summary.left, 'pair')} keep the order that they have; given again, it goes on.")
        leave_by(summary.left, summary.left + summary.pairs)


_LOOKS_EVERY: Final = 2.0
"""Seconds between looks whether a study that is open elsewhere is free."""


def run_batches(
    path: Path,
    asked_for: "Judges | Generating",
    same: str,
    *,
    shard_mb: int | None = None,
    limit: int | None = None,
    wait: bool = True,
    as_json: bool = False,
    before: "Callable[[Study], None]" = lambda study: None,
    figures: "Callable[[Study], tuple[dict[str, Any], list[str]]]" = lambda study: ({}, []),
) -> None:
    """Submit what waits to the model's server, or go on with what was submitted, and take the results in.

    ``same`` is the command that goes on with it; ``before`` prepares the study, ``figures`` adds to the result. Ends
    with ``leave_by`` the questions that had no answer of use.
    """
    from medreview.judges.batch_out import SHARD_BYTES
    from medreview.llm.batch_server import BatchServer
    from medreview.pipeline import batches
    from medreview.study import Study

    server = BatchServer(asked_for.model)
    size = SHARD_BYTES if shard_mb is None else shard_mb * 1_000_000
    taken: list[Taken] = []
    more: dict[str, Any] = {}
    lines: list[str] = []
    with progress() as bar:
        with Study.open(path) as study:
            before(study)
            done = batches.submit(
                study, asked_for, server, shard_bytes=size, limit=limit, progress=bar, tell=_say_what_is_asked
            )
        if done.refused:
            say(done.refused)
        for job in done.others:
            say(
                f"  {visible(job.batch_id or job.job_id)} is under way for {visible(job.name)} as it was set up then; "
                "with these settings again it is collected, or it is given up with `medreview batches`."
            )
        for job in done.jobs:
            say(f"  {visible(job.batch_id)} at {visible(job.host)}: {counted(job.requests, 'question')}")
        if wait:
            for job, batch in batches.finished(server, done.jobs, tell=_say_state, progress=bar):
                with _opened_when_free(path) as study:
                    taken.append(batches.take(study, asked_for, server, job, batch, bar))
                    more, lines = figures(study)
    for one in taken:
        left_out(one.results.bad)
        left_out(one.results.conflicts)
    told = {
        "submitted": done.written and asdict(done.written),
        "refused": done.refused,
        "under_way": [] if wait else [asdict(job) for job in done.jobs],
        "taken": [asdict(one) for one in taken],
    }
    result(told | more, *_told(done, taken, same, wait), *lines, as_json=as_json)
    refused = 1 if done.refused else 0
    leave_by(sum(map(_failed, taken)) + refused, sum(one.job.requests for one in taken) + refused)


@contextmanager
def _opened_when_free(path: Path) -> "Iterator[Study]":
    """The study, open for writing as soon as it is so nowhere else: it may be reviewed while a batch is waited for."""
    from medreview.study import Study
    from medreview.study.lock import InUse

    told = False
    while True:
        try:
            study = Study.open(path)
        except InUse as error:
            if not told:
                say(f"The results wait until the study is free. {error}")
            told = True
            time.sleep(_LOOKS_EVERY)
            continue
        with study:
            yield study
        return


def _failed(taken: "Taken") -> int:
    unusable = sum(number for status, number in taken.results.statuses.items() if status != "ok")
    return min(taken.job.requests, unusable + taken.missing)


def _say_what_is_asked(written: "BatchOut") -> None:
    if written.shards:
        say(asked(written))


def _say_state(job: "Job", batch: "Batch") -> None:
    counts = "" if batch.completed is None else f", {batch.completed:,} of {job.requests:,} answered"
    failed = f", {batch.failed:,} failed" if batch.failed else ""
    say(f"  {visible(job.batch_id)}: {in_words(batch.state)}{counts}{failed}")


def _told(done: "Submitted", taken: "Sequence[Taken]", same: str, waited: bool) -> list[str]:
    if not done.jobs:
        written = done.written
        known = f" ({written.known:,} answered before)" if written and written.known else ""
        return [f"{counted(written.units if written else 0, 'unit')} waiting, nothing to ask{known}; none submitted."]
    if not waited:
        return [f"{counted(len(done.jobs), 'batch', 'batches')} under way; their results come in with: {same}"]
    lines = []
    for one in taken:
        came = one.results
        new = counted_each(came.statuses) or "nothing new"
        known = f", {came.known:,} known before" if came.known else ""
        missing = f", {counted(one.missing, 'question')} without a result" if one.missing else ""
        why = f". {one.job.error}" if one.job.error else ""
        lines.append(f"{one.job.batch_id} {in_words(one.job.status)}: {new}{known}{missing}{why}")
        if came.foreign:
            lines.append(f"  {counted(came.foreign, 'result')} left out: {came.why}")
    if taken and (waiting := taken[-1].results.waiting):
        lines.append(f"{counted(waiting, 'unit')} waiting; what can be asked of them is submitted with: {same}")
    return lines


def asked(done: "BatchOut", where: str = "") -> str:
    """What a batch asks and costs, in a sentence; ``where`` it was written."""
    known = f" ({done.known:,} answered before)" if done.known else ""
    cost = "" if done.cost is None else f", about {done.cost:,.2f} at the configured prices"
    return (
        f"{counted(done.requests, 'question')} on {counted(done.units, 'unit')}{known}{where}; up to "
        f"{done.prompt_tokens:,} tokens in and about {done.completion_tokens:,} out{cost}."
    )
