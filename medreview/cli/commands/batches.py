"""The command ``batches``: what was submitted to servers, and what became of it."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, one_line, result, say
from medreview.cli.trusting import with_settings
from medreview.errors import UserError
from medreview.visible import visible
from medreview.words import in_words

if TYPE_CHECKING:
    from medreview.config import Config
    from medreview.judges.batch_jobs import Job
    from medreview.llm.settings import JudgeSettings


def batches(
    study: StudyFile,
    cancel: Annotated[
        str | None, typer.Option(metavar="ID", help="Ask its server to do no more of this one; what is done comes in.")
    ] = None,
    give_up: Annotated[
        str | None,
        typer.Option("--give-up", metavar="ID", help="Wait for it no more; its questions are submitted again."),
    ] = None,
    delete: Annotated[
        str | None,
        typer.Option("--delete-files", metavar="ID", help="Delete its files at the server, once it is over."),
    ] = None,
    local_only: Annotated[bool, typer.Option("--local-only", help="Refuse models outside this machine.")] = False,
    as_json: Json = False,
) -> None:
    """List the batches that were submitted to servers with --batch-submit: state, answers, what went wrong.

    The command that submitted a batch waits for it and takes its results in, also when it was cancelled. One that is
    given up may go on at its server, and cost. Servers keep the questions and the answers until they are deleted.

    Example: medreview batches sepsis.medreview --cancel batch_68a1
    """
    from medreview.judges.batch_jobs import job_named, jobs
    from medreview.pipeline import batches as submitted
    from medreview.study import Study

    if sum(one is not None for one in (cancel, give_up, delete)) > 1:
        raise UserError("Give one of --cancel, --give-up and --delete-files.")
    if wanted := cancel or give_up or delete:
        with Study.open(study) as opened:
            job = job_named(opened.reader, wanted)
            if cancel:
                job = submitted.cancel(opened, _asked_by(job, local_only), job)
            elif delete:
                job = submitted.delete_files(opened, _asked_by(job, local_only), job)
                say("The server says that it has none of its files any more.")
            else:
                job = submitted.give_up(opened, job)
                say("What the server does of it may have to be paid all the same.")
        result(asdict(job), *_told(job), as_json=as_json)
        return
    with Study.open(study, read_only=True) as opened:
        found = jobs(opened.reader)
    lines = [line for job in found for line in _told(job)]
    result({"batches": [asdict(job) for job in found]}, *(lines or ["No batch was submitted."]), as_json=as_json)


def _asked_by(job: "Job", local_only: bool) -> "JudgeSettings":
    """The judge or the model that the job was submitted for, as it is set up now."""
    from medreview.configured import judges_of, model_of
    from medreview.judges.tasks.registry import NAMES

    def of(config: "Config") -> "JudgeSettings":
        if job.task in NAMES:
            return judges_of(config, [job.name], local_only=local_only).settings[0]
        return model_of(config, job.name, local_only=local_only)

    settings = with_settings(of)
    if settings.host != job.host:
        raise UserError(f"{job.name} is at {settings.host} now; the batch is at {job.host}.")
    return settings


def _told(job: "Job") -> list[str]:
    state = in_words(job.status) if job.state in ("created", "ended") and job.status else in_words(job.state)
    answers = "" if job.completed is None else f", {job.completed:,} answered"
    failed = f", {job.failed:,} failed" if job.failed else ""
    taken = ", taken in" if job.state == "ended" else ""
    lines = [
        f"{visible(job.batch_id or job.job_id)}: {visible(job.name)}, {in_words(job.task)}, "
        f"{counted(job.requests, 'question')}; {state}{answers}{failed}{taken}",
        f"  {visible(job.model)} at {visible(job.host)}, {job.planned_at[:16].replace('T', ' ')}",
    ]
    if job.error:
        lines.append(f"  {one_line(job.error)}")
    return lines
