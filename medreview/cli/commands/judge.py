"""The commands ``judge`` and ``batches``: offline by rules, or by models, live or in batches.

``--batch-out FILE``, ``--batch-in FILE`` and ``--batch-submit``; what was submitted to servers, and what became of it.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.ask_models import (
    Semantic,
    ask_models,
    asked,
    judges_named,
    leave_by,
    leave_by_summary,
    meaning_from_config,
    ordered,
    plan_and_say,
    run_batches,
    say_where_texts_go,
)
from medreview.cli.network import with_settings
from medreview.cli.options import Json, ReasonsOnly, RemarksOf, StudyFile, Ties, choose_remarks, keep_rule
from medreview.cli.output import counted, counted_each, left_out, one_line, progress, result, say
from medreview.errors import UserError
from medreview.next_step import command
from medreview.text import in_words
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.config import Config
    from medreview.judges.batch_in import BatchIn
    from medreview.judges.batch_jobs import Job
    from medreview.judges.batch_out import BatchOut
    from medreview.llm.settings import JudgeSettings
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
    judges = _one(names, task, again, local_only)
    say_where_texts_go(judges)
    same = command("judge", study, "--judge", names[0], *(("--task", task) if task else ()), "--batch-submit")
    run_batches(study, judges, same, shard_mb=shard_mb, limit=limit, wait=wait, as_json=as_json)


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


def judge(
    study: StudyFile,
    names: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="NAME", help="Ask this model of the settings; repeat it for a jury."),
    ] = None,
    task: Annotated[str, typer.Option(metavar="TASK", help="What to ask; `medreview prompts` lists the tasks.")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Ask each model at most so many units now.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Also where it gave no answer of use before.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be asked and cost; ask nothing.")] = False,
    local_only: Annotated[bool, typer.Option("--local-only", help="Refuse models outside this machine.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--batch-out", metavar="FILE", help="Write the questions to FILE, to run elsewhere."),
    ] = None,
    shard_mb: Annotated[int | None, typer.Option(min=1, help="Size of one such file; default: 100 MB.")] = None,
    back: Annotated[
        list[Path] | None, typer.Option("--batch-in", metavar="FILE", help="Take results back; may be repeated.")
    ] = None,
    submit: Annotated[
        bool,
        typer.Option("--batch-submit", help="Run it as a batch at the model's server, or go on with one there."),
    ] = False,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="With --batch-submit: do not wait; the same command collects it.")
    ] = False,
    remarks_of: RemarksOf = None,
    reasons_only: ReasonsOnly = None,
    ties: Ties = None,
    processes: Annotated[int | None, typer.Option(min=0, help="Offline judge: default one per processor.")] = None,
    semantic: Semantic = None,
    as_json: Json = False,
) -> None:
    """Judge statements against sources, without a model or with --judge by models, and roll all judgements up.

    Without --judge the offline judge compares words, numbers, units and negations. It is triage, not a verdict.
    With --semantic a model of meaning has a part in its order, not in its labels; --no-semantic takes it out again.
    With it, the models of the settings are asked (`medreview judges` lists them); nothing is asked or paid twice.
    Ctrl-C waits for what is in flight, a second one does not. Exit code 1 when every question failed, 3 when some did.

    Example: medreview judge sepsis.medreview --judge llama --judge gpt --dry-run
    """
    from medreview import pipeline
    from medreview.config import load_config
    from medreview.judges.tasks.hallucination import ASSISTED
    from medreview.study import Study

    if (remarks_of or reasons_only is not None) and task != ASSISTED:
        raise UserError(f"--remarks-of and --reasons-only go with --task {ASSISTED}.")
    if task == ASSISTED and names:
        with Study.open(study, read_only=not remarks_of and reasons_only is None) as opened:
            choose_remarks(opened, remarks_of, reasons_only)
    if ties is not None:
        keep_rule(study, ties)
    if sum(way not in (None, False, []) for way in (out, back, submit)) > 1:
        raise UserError("Give one of --batch-out, --batch-in and --batch-submit.")
    if no_wait and not submit:
        raise UserError("--no-wait goes with --batch-submit.")
    if submit and not dry_run:
        batch_submit(
            study, names or (), shard_mb=shard_mb, task=task, limit=limit, again=again, local_only=local_only,
            wait=not no_wait, as_json=as_json,
        )  # fmt: skip
        return
    if out is not None:
        batch_out(
            study, names or (), out, shard_mb=shard_mb, task=task, limit=limit, again=again, local_only=local_only,
            as_json=as_json,
        )  # fmt: skip
        return
    if back:
        batch_in(study, names or (), back, task=task, as_json=as_json)
        return
    if names:
        ask_models(
            study, names, task=task, limit=limit, again=again, dry_run=dry_run, local_only=local_only, as_json=as_json
        )
        return
    meaning = meaning_from_config(semantic, local_only=local_only)
    if task or limit or again or (dry_run and meaning is None):
        raise UserError("--task, --limit, --again and --dry-run are for models: name one with --judge NAME.")
    synonyms = load_config().synonyms_file
    if meaning and dry_run:
        with Study.open(study) as opened:
            plan_and_say(opened, meaning, synonyms, as_json=as_json)
        return
    with Study.open(study) as opened, progress() as bar:
        done = pipeline.judge(opened, bar, processes, synonyms, meaning)
        undone = pipeline.order_by_rules(opened, bar) if semantic is False else 0
    alone = f"; {counted(undone, 'pair')} ordered by the rules alone again" if undone else ""
    result(
        done,
        f"{counted(done.pairs, 'pair')} judged offline{ordered(done.meaning)}{alone}; "
        f"{counted(done.flagged, 'statement')} flagged",
        as_json=as_json,
    )
    leave_by_summary(done.meaning)


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
