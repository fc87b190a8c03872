"""Batches at a server, from the questions of a study to its judgements: submit, wait, take the results in.

What happens at the server is stored before and after each step (``medreview.judges.batch_jobs``), and the study is not
open while a batch is waited for, which may be a day: it can be reviewed meanwhile.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.atomic_output import create, workplace
from medreview.errors import UserError
from medreview.judges import batch_jobs
from medreview.judges.batch_in import BatchIn
from medreview.judges.batch_jobs import Job
from medreview.judges.batch_out import SHARD_BYTES, BatchOut
from medreview.llm.batch_server import Batch, BatchError, BatchServer
from medreview.llm.settings import JudgeSettings
from medreview.next_step import command
from medreview.pipeline.asking import Generating, Judges, batch_in, batch_out
from medreview.progress import SILENT, Progress
from medreview.study import Study
from medreview.text import in_words

LARGEST_RESULT: Final = 1_000_000
"""Bytes of an answer, on average over a file of results; a larger file is not read."""
LARGEST_RESULTS: Final = 4_000_000_000
_ROOM: Final = 1_000_000
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0
_MISSES: Final = 6
"""Rounds in a row in which the server says nothing of use of a batch, after which it is not waited for now."""
_CREATIONS: Final = 3


@dataclass(frozen=True, slots=True)
class Submitted:
    """Batches under way. ``written``: what was asked now; ``None`` where only earlier ones go on.

    ``refused``: why the server did not take what is not under way, a sentence, or ``""``. ``others``: of the same name
    and task, and under way for another run: another model, address, prompt or parameter.
    """

    jobs: list[Job]
    written: BatchOut | None
    refused: str
    others: list[Job]


@dataclass(frozen=True, slots=True)
class Taken:
    """The results of a batch as they came into the study; ``missing`` of its requests have none."""

    job: Job
    results: BatchIn
    missing: int


def submit(
    study: Study,
    asked: Judges | Generating,
    server: BatchServer,
    *,
    shard_bytes: int = SHARD_BYTES,
    limit: int | None = None,
    progress: Progress = SILENT,
    tell: Callable[[BatchOut], None] = lambda _: None,
) -> Submitted:
    """Upload what waits for the model and create a batch of each file, unless some are under way.

    Of batches that are under way what was begun is ended first, and nothing new is submitted beside them. Can be killed
    at any moment: what the server has is asked for by our id before anything is sent again. ``tell`` is given what will
    be asked before any of it goes. Raises :class:`UserError` where nothing is under way in the end for another reason
    than that nothing waits, and where it cannot be known whether a batch exists.
    """
    task = asked.batch_task(study)
    run_id = task.run.judge_run_id
    under_way_at_all = batch_jobs.jobs(study.reader, open_only=True)
    others = [
        job
        for job in under_way_at_all
        if job.run_id != run_id and (job.name, job.task) == (asked.model.name, task.name)
    ]
    before = [_settled(study, server, job) for job in under_way_at_all if job.run_id == run_id]
    lost = [job for job in before if job.state in ("planned", "uploading")]
    under_way = [job for job in before if job not in lost]
    refused, written = "", None
    for job in [job for job in under_way if job.state == "uploaded"]:
        under_way.remove(job)
        try:
            under_way.append(_create(study, server, job))
        except _Refused as error:
            refused = str(error)
    if lost or not before:
        with workplace(study.path) as place:
            only = frozenset[str]().union(*(batch_jobs.keys_of(study.reader, job) for job in lost)) if lost else None
            written = batch_out(
                study,
                asked,
                place / "requests.jsonl",
                shard_bytes=shard_bytes,
                limit=limit,
                only=only,
                progress=progress,
            )
            tell(written)
            shards = [(place / shard.file, shard.sha256) for shard in written.shards]
            made = batch_jobs.planned(study, asked.model, run_id, task.name, shards, instead_of=lost)
            progress.begin("files", len(made))
            for number, (job, (path, _)) in enumerate(zip(made, shards, strict=True)):
                try:
                    under_way.append(_create(study, server, _upload(study, server, job, path)))
                except _Refused as error:
                    refused = str(error)
                    for rest in made[number + 1 :]:
                        batch_jobs.given_up(study, rest, f"It was not submitted: one before it was refused. {refused}")
                    break
                progress.step()
    if refused and not under_way:
        raise UserError(refused)
    return Submitted(sorted(under_way, key=lambda job: job.job_id), written, refused, others)


class _Refused(Exception):
    """The server took nothing; a sentence."""


def _settled(study: Study, server: BatchServer, job: Job) -> Job:
    """A job that is under way, after the server was asked whether it has what was being sent when the program ended."""
    if job.state == "uploading":
        try:
            file_id = server.uploaded(job.file_name, job.bytes)
        except BatchError:
            return job  # a file costs nothing: it is uploaded again
        return batch_jobs.changed(study, job, state="uploaded", file_id=file_id) if file_id else job
    if job.state != "creating":
        return job
    try:
        found = server.created(job.file_id, job.job_id)
    except BatchError as error:
        raise UserError(
            f"Whether {job.host} has begun a batch of {job.requests:,} questions cannot be known, since it does not "
            f"list its batches: {error} If it has none, give this one up with "
            f"`{command('judges', 'batches', study.path, '--give-up', job.job_id)}`, and they are submitted again."
        ) from error
    if found is None:
        return batch_jobs.changed(study, job, state="uploaded")
    return batch_jobs.created(study, job, found.batch_id, found.state)


def _upload(study: Study, server: BatchServer, job: Job, path: Path) -> Job:
    job = batch_jobs.changed(study, job, state="uploading")
    try:
        file_id = server.upload(path, job.file_name)
    except BatchError as error:
        sentence = f"{job.host} did not take the file. {error}"
        if error.unsure:
            batch_jobs.changed(study, job, error=str(error))
            raise UserError(f"{sentence} The same command tries again.") from error
        if error.absent:
            sentence += " It seems to have no batches; --batch-out writes the questions to a file."
        batch_jobs.given_up(study, job, sentence)
        raise _Refused(sentence) from error
    return batch_jobs.changed(study, job, state="uploaded", file_id=file_id, error="")


def _create(study: Study, server: BatchServer, job: Job) -> Job:
    """Create the batch of an uploaded file. Where an error of the server leaves open whether it did, it is asked."""
    job = batch_jobs.changed(study, job, state="creating")
    for tries in range(1, _CREATIONS + 1):
        try:
            made: Batch | None = server.create(job.file_id, job.job_id)
        except BatchError as error:
            if not error.unsure:
                sentence = f"{job.host} did not begin the batch. {error}"
                batch_jobs.given_up(study, job, sentence)
                raise _Refused(sentence) from error
            job = batch_jobs.changed(study, job, error=str(error))
            try:
                made = server.created(job.file_id, job.job_id)
            except BatchError:
                break
            if not error.status and made is None:
                break  # without an answer, the request may still be on its way
        if made is not None:
            return batch_jobs.created(study, job, made.batch_id, made.state)
        if tries < _CREATIONS:
            time.sleep(server.backoff * 2**tries)
    raise UserError(
        f"{job.host} did not say whether it began the batch. {job.error} The same command asks for it and goes on."
    )


def finished(
    server: BatchServer,
    jobs: Sequence[Job],
    *,
    tell: Callable[[Job, Batch], None] = lambda *_: None,
    progress: Progress = SILENT,
    pause: float = _FIRST_PAUSE,
) -> Iterator[tuple[Job, Batch]]:
    """Wait for batches; each with what the server says of it when it is over, as soon as it is.

    The server is asked at once, then after ``pause`` seconds, and ever more seldom, at last once a minute. ``tell`` is
    given a batch whenever its state has changed. The study is not used. Raises :class:`UserError` when the server says
    nothing of use several times in a row, or does not know the batch: the job stays, and can be waited for again.
    """
    left = {job.job_id: job for job in jobs}
    misses = dict.fromkeys(left, 0)
    said = {job.job_id: ("", 0) for job in jobs}
    progress.begin("answers", sum(job.requests for job in jobs))
    while left:
        for job in list(left.values()):
            try:
                batch = _asked_for(server, job)
            except BatchError as error:
                misses[job.job_id] += 1
                if error.absent or misses[job.job_id] >= _MISSES:
                    raise UserError(_no_word(job, error)) from error
                continue
            is_late = batch.state == "completed" and not (batch.output_file_id or batch.error_file_id)
            if is_late and misses[job.job_id] < _MISSES - 1:  # the names of the files may come after the state
                misses[job.job_id] += 1
                continue
            misses[job.job_id] = 0
            state, done = said[job.job_id]
            if batch.state != state:
                tell(job, batch)
            now = min(job.requests, max(done, (batch.completed or 0) + (batch.failed or 0)))
            progress.step(now - done)
            said[job.job_id] = (batch.state, now)
            if batch.is_over:
                del left[job.job_id]
                yield job, batch
        if left:
            time.sleep(pause)
            pause = min(_LONGEST_PAUSE, pause * 1.5)


def _asked_for(server: BatchServer, job: Job) -> Batch:
    """What the server says of a job's batch; raises :class:`BatchError` when it speaks of another one."""
    batch = server.batch(job.batch_id)
    if job.batch_id != batch.batch_id and job.job_id != batch.job and job.file_id != batch.input_file_id:
        raise BatchError("The server tells of another batch than the one it was asked for.")
    return batch


def _no_word(job: Job, error: BatchError) -> str:
    if error.absent:
        return (
            f"{job.host} does not know batch {job.batch_id} any more. {error} Try again, or give it up: "
            "`medreview judges batches` has --give-up."
        )
    return f"{job.host} says nothing of use of batch {job.batch_id}. {error} The same command asks again."


def take(
    study: Study, asked: Judges | Generating, server: BatchServer, job: Job, batch: Batch, progress: Progress = SILENT
) -> Taken:
    """Download the results of a batch that is over, and store what answers a question of it.

    Killed anywhere, it is done again, and the same results add nothing. Raises :class:`UserError` when a file cannot be
    downloaded: the job stays.
    """
    most = min(LARGEST_RESULTS, _ROOM + LARGEST_RESULT * job.requests)
    names: dict[str, str] = {}
    with workplace(study.path) as place:
        for name, file_id in (("results", batch.output_file_id), ("errors", batch.error_file_id)):
            if not file_id:
                continue
            path = place / f"{name}.jsonl"
            try:
                with create(path) as file:
                    server.download(file_id, file, most)
            except BatchError as error:
                raise UserError(
                    f"The {name} of batch {job.batch_id} cannot be had from {job.host}. {error} "
                    "The same command tries again."
                ) from error
            names[str(path)] = f"{name} of {job.batch_id}"
        only = batch_jobs.keys_of(study.reader, job)
        done = batch_in(study, asked, [Path(path) for path in names], progress, only=only)
    done.bad = [(names[path], line, why) for path, line, why in done.bad]
    done.conflicts = [(names[path], line, _renamed(why, names)) for path, line, why in done.conflicts]
    job = batch_jobs.ended(
        study, job, status=batch.state, output_file_id=batch.output_file_id, error_file_id=batch.error_file_id,
        completed=batch.completed, failed=batch.failed, error=batch.problem,
    )  # fmt: skip
    return Taken(job, done, max(0, job.requests - sum(done.statuses.values()) - done.known))


def _renamed(sentence: str, names: dict[str, str]) -> str:
    for path, name in names.items():
        sentence = sentence.replace(path, name)
    return sentence


def cancel(study: Study, settings: JudgeSettings, job: Job) -> Job:
    """Ask the server to do no more of a batch; what it has done is taken in as that of any batch.

    Raises :class:`UserError` when there is nothing to cancel, or the server does not.
    """
    if job.state != "created":
        raise UserError(f"Batch {job.job_id} is {in_words(job.state)}: there is nothing to cancel at the server.")
    try:
        batch = BatchServer(settings).cancel(job.batch_id)
    except BatchError as error:
        raise UserError(f"{job.host} did not cancel batch {job.batch_id}. {error}") from error
    return batch_jobs.changed(study, job, status=batch.state)


def delete_files(study: Study, settings: JudgeSettings, job: Job) -> Job:
    """Delete the files of a batch that is over at the server: the questions, and what was answered.

    Raises :class:`UserError` while it is under way, and when the server does not.
    """
    if job.state in batch_jobs.OPEN:
        raise UserError(f"Batch {job.job_id} is under way; collect it, cancel it or give it up first.")
    server = BatchServer(settings)
    for name in ("file_id", "output_file_id", "error_file_id"):
        if file_id := getattr(job, name):
            try:
                server.delete(file_id)
            except BatchError as error:
                raise UserError(f"{job.host} did not delete the file {file_id}. {error}") from error
            job = batch_jobs.changed(study, job, **{name: ""})
    return job


def give_up(study: Study, job: Job) -> Job:
    """Wait no more for a batch, whatever the server does; its questions wait again, and may be paid twice.

    Raises :class:`UserError` when it is not waited for.
    """
    if job.state not in batch_jobs.OPEN:
        raise UserError(f"Batch {job.job_id} is not under way: it is {in_words(job.state)}.")
    return batch_jobs.given_up(study, job, "It was given up by the user.")
