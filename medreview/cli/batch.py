"""Batches from the command line: ``medreview judge --batch-out FILE``, ``--batch-in FILE`` and ``--batch-submit``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from medreview.cli.ask_models import judges_named, leave_by, say_where_texts_go
from medreview.cli.batch_submit import asked, run_batches
from medreview.cli.output import counted, counted_each, left_out, progress, result, say
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.judges.batch_in import BatchIn
    from medreview.judges.batch_out import BatchOut
    from medreview.pipeline import Judges


def batch_out(
    study: Path,
    names: Sequence[str],
    path: Path,
    *,
    shard_mb: int | None = None,
    task: str = "",
    limit: int | None = None,
    again: bool = False,
    local_only: bool = False,
    as_json: bool = False,
) -> None:
    """Write the questions that wait for one judge to files for an engine elsewhere."""
    from medreview import pipeline
    from medreview.judges.batch_out import SHARD_BYTES
    from medreview.study import Study

    judges = _one(names, task, again, local_only)
    say_where_texts_go(judges)
    size = SHARD_BYTES if shard_mb is None else shard_mb * 1_000_000
    with Study.open(study) as opened, progress() as bar:
        done = pipeline.batch_out(opened, judges, path, shard_bytes=size, limit=limit, progress=bar)
    result(done, *_written(done, study, names[0]), as_json=as_json)


def batch_in(
    study: Path, names: Sequence[str], paths: Sequence[Path], *, task: str = "", as_json: bool = False
) -> None:
    """Take the results of a batch back; ends with ``leave_by`` the lines that gave no answer of use."""
    from medreview import pipeline
    from medreview.study import Study

    judges = _one(names, task, False, False)
    with Study.open(study) as opened, progress() as bar:
        done = pipeline.batch_in(opened, judges, paths, progress=bar)
    left_out(done.bad)
    if done.foreign:
        say(f"  {counted(done.foreign, 'result')} answer no question of this judge in this study: {done.why}")
    left_out(done.conflicts)
    result(done, _taken(done), as_json=as_json)
    failed = sum(number for status, number in done.statuses.items() if status != "ok") + done.foreign + len(done.bad)
    leave_by(failed, failed + done.statuses.get("ok", 0) + done.known)


def batch_submit(
    study: Path,
    names: Sequence[str],
    *,
    shard_mb: int | None = None,
    task: str = "",
    limit: int | None = None,
    again: bool = False,
    local_only: bool = False,
    wait: bool = True,
    as_json: bool = False,
) -> None:
    """Submit what waits for one judge to its server, or go on with what was submitted, and take the results in."""
    from medreview.pipeline.batched import BatchedJudging

    judges = _one(names, task, again, local_only)
    say_where_texts_go(judges)
    same = command("judge", study, "--judge", names[0], *(("--task", task) if task else ()), "--batch-submit")
    run_batches(study, BatchedJudging(judges), same, shard_mb=shard_mb, limit=limit, wait=wait, as_json=as_json)


def _one(names: Sequence[str], task: str, again: bool, local_only: bool) -> "Judges":
    if len(names) != 1:
        raise UserError("A batch is for one judge: name it with --judge NAME, once.")
    return judges_named(names, task=task, again=again, local_only=local_only)


def _written(done: "BatchOut", study: Path, name: str) -> list[str]:
    if not done.shards:
        known = f" ({done.known:,} answered before)" if done.known else ""
        return [f"{counted(done.units, 'unit')} waiting, nothing to ask{known}; no file written."]
    return [
        asked(done, f" in {', '.join(shard.file for shard in done.shards)}"),
        f"Manifest: {done.manifest}",
        f"Results come back with: {command('judge', study, '--judge', name, '--batch-in', 'FILE')}",
    ]


def _taken(done: "BatchIn") -> str:
    """What came of the results of a batch, in half a sentence."""
    new = counted_each(done.statuses) or "nothing new"
    known = f", {done.known:,} known before" if done.known else ""
    return (
        f"{new}{known}; {counted(done.judged, 'unit')} judged, {done.abstained:,} abstained, {done.waiting:,} waiting"
    )
