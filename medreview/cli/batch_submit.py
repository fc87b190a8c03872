"""Batches at a server from the command line: ``--batch-submit`` of ``medreview judge`` and ``medreview generate``."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from medreview.cli.ask_models import leave_by
from medreview.cli.output import counted, counted_each, left_out, progress, result, say
from medreview.visible import visible
from medreview.words import in_words

if TYPE_CHECKING:
    from medreview.judges.batch_jobs import Job
    from medreview.judges.batch_out import BatchOut
    from medreview.llm.batch_state import Batch
    from medreview.pipeline.batched import Batched
    from medreview.pipeline.batches import Submitted, Taken
    from medreview.study import Study

_LOOKS_EVERY: Final = 2.0
"""Seconds between looks whether a study that is open elsewhere is free."""


def run_batches(
    path: Path,
    batched: "Batched",
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

    server = BatchServer(batched.settings)
    size = SHARD_BYTES if shard_mb is None else shard_mb * 1_000_000
    taken: list[Taken] = []
    more: dict[str, Any] = {}
    lines: list[str] = []
    with progress() as bar:
        with Study.open(path) as study:
            before(study)
            done = batches.submit(
                study, batched, server, shard_bytes=size, limit=limit, progress=bar, tell=_say_what_is_asked
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
                    taken.append(batches.take(study, batched, server, job, batch, bar))
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
