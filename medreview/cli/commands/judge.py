"""The commands ``judge`` and ``judges batches``: offline by rules, or by models, live or in batches.

``--batch-out FILE``, ``--batch-in FILE`` and ``--batch-submit``; what was submitted to servers, and what became of it.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from medreview.cli.ask_models import (
    Semantic,
    asked,
    check_batch_options,
    did,
    judges_named,
    leave_by,
    leave_by_summary,
    meaning_from_config,
    planned,
    run_batches,
    say_what_is_waited_for,
    say_where_texts_go,
)
from medreview.cli.completion import judges, reviewers, tasks
from medreview.cli.importing import ordered
from medreview.cli.network import with_settings
from medreview.cli.options import (
    BatchFiles,
    BatchSubmit,
    DryRun,
    Json,
    LocalOnly,
    NoWait,
    ReasonsOnly,
    RemarksOf,
    StudyFile,
    Ties,
    choose_remarks,
    keep_rule,
    only_one,
    open_study,
    takes,
)
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
    from medreview.judges.worked_examples import LabelsShown
    from medreview.llm.settings import JudgeSettings
    from medreview.pipeline import Choice, Examples, Judges
    from medreview.study import Study


def _written(done: "BatchOut", study: Path, name: str, shown: Sequence[str]) -> list[str]:
    if not done.shards:
        known = f" ({done.known:,} answered before)" if done.known else ""
        return [f"{counted(done.units, 'unit')} waiting, nothing to ask{known}; no file written."]
    return [
        asked(done, f" in {', '.join(shard.file for shard in done.shards)}"),
        f"Manifest: {done.manifest}",
        f"Results come back with: {command('judge', study, '--judge', name, *shown, '--batch-in', 'FILE')}",
    ]


def _taken(done: "BatchIn") -> str:
    """What came of the results of a batch, in half a sentence."""
    new = counted_each(done.statuses) or "nothing new"
    known = f", {done.known:,} known before" if done.known else ""
    return (
        f"{new}{known}; {counted(done.judged, 'unit')} judged, {done.abstained:,} abstained, {done.waiting:,} waiting"
    )


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """The options of ``judge``."""

    names: Annotated[
        list[str] | None,
        Option(
            "--judge",
            metavar="NAME",
            autocompletion=judges,
            help="Ask this model of the settings; repeat it for a jury.",
        ),
    ] = None
    task: Annotated[
        str,
        Option(metavar="TASK", autocompletion=tasks, help="What to ask; `medreview judges prompts` lists the tasks."),
    ] = ""
    cited_only: Annotated[
        bool, Option("--cited-only", help="Only pairs in which the statement itself cites the source.")
    ] = False
    where: Annotated[
        str,
        Option(metavar="FILTER", help="Only a part of the study, by the filters of queues: `model=atlas-2 page=ok`."),
    ] = ""
    reviewer: Annotated[
        str | None,
        Option(metavar="NAME", autocompletion=reviewers, help="Whose labels `mine=` and `state=` in --where ask for."),
    ] = None
    only: Annotated[
        list[str] | None,
        Option(
            "--only", metavar="labelled|audit|flagged", help="Only such statements; may be repeated: all must hold."
        ),
    ] = None
    limit: Annotated[int | None, Option(min=1, help="Ask each model at most so many units now.")] = None
    seed: Annotated[
        int | None,
        Option(
            min=0,
            metavar="N",
            help="With --limit: draw the units at random; with --examples: which are shown. The same seed draws the "
            "same again.",
        ),
    ] = None
    examples: Annotated[
        int | None,
        Option(
            min=1,
            metavar="N",
            help="Show N statements that a reviewer labelled as worked examples, never on themselves.",
        ),
    ] = None
    examples_from: Annotated[
        str | None, Option("--from", metavar="NAME", autocompletion=reviewers, help="With --examples: whose labels.")
    ] = None
    assisted: Annotated[
        bool, Option("--assisted", help="With --examples: also labels given with the judges in sight.")
    ] = False
    again: Annotated[bool, Option("--again", help="Also where it gave no answer of use before.")] = False
    dry_run: DryRun = False
    local_only: LocalOnly = False
    out: Annotated[
        Path | None, Option("--batch-out", metavar="FILE", help="Write the questions to FILE, to run elsewhere.")
    ] = None
    shard_mb: Annotated[int | None, Option(min=1, help="Size of one such file; default: 100 MB.")] = None
    back: BatchFiles = None
    submit: BatchSubmit = False
    no_wait: NoWait = False
    remarks_of: RemarksOf = None
    reasons_only: ReasonsOnly = None
    ties: Ties = None
    processes: Annotated[int | None, Option(min=0, help="Offline judge: default one per processor.")] = None
    semantic: Semantic = None
    as_json: Json = False

    @property
    def judges(self) -> "Judges":
        """The judges that are named, what they are asked, and about which part of the study."""
        return judges_named(
            self.names or (),
            task=self.task,
            again=self.again,
            local_only=self.local_only,
            choice=self.choice,
            examples=self.worked,
        )

    @property
    def worked(self) -> "Examples | None":
        """The worked examples to show; raises :class:`UserError` for options of examples without any."""
        from medreview.pipeline import Examples

        if self.examples is None:
            if self.examples_from is not None or self.assisted:
                raise UserError("--from and --assisted say which labels are shown as examples: add --examples N.")
            return None
        labels: LabelsShown = "all" if self.assisted else "blind"
        return Examples(self.examples, self.examples_from, labels, 1 if self.seed is None else self.seed)

    @property
    def choice(self) -> "Choice":
        """The part of the study that is asked about."""
        from medreview.pipeline import Choice

        seed = None if self.examples is not None and self.limit is None else self.seed
        return Choice(self.where, self.reviewer, tuple(self.only or ()), self.cited_only, seed)

    @property
    def chosen(self) -> list[str]:
        """The options that choose it, as they are given."""
        words = [word for each in self.only or () for word in ("--only", each)]
        for option, value in (("--where", self.where), ("--reviewer", self.reviewer), ("--limit", self.limit)):
            words += [option, str(value)] if value else []
        words += ["--seed", str(self.seed)] if self.seed is not None and self.examples is None else []
        return [*(["--cited-only"] if self.cited_only else []), *words]

    @property
    def shown(self) -> list[str]:
        """The options that choose the worked examples, as they are given."""
        if self.examples is None:
            return []
        words = ["--examples", str(self.examples)]
        for option, value in (("--from", self.examples_from), ("--seed", self.seed)):
            words += [option, str(value)] if value is not None else []
        return [*words, *(["--assisted"] if self.assisted else [])]


@takes(JudgeOptions)
def judge(study: StudyFile, wanted: JudgeOptions) -> None:
    """Judge statements against sources, by rules or by models.

    Rules judge without a model; --judge names models. All judgements are rolled up. Without --judge the offline judge
    compares words, numbers, units and negations. It is triage, not a verdict. With --semantic a model of meaning has a
    part in its order, not in its labels; --no-semantic takes it out again. With it, the models of the settings are
    asked (`medreview judges` lists them); nothing is asked or paid twice. --cited-only, --where and --only choose what
    models are asked about; --dry-run counts what was chosen. --examples shows them statements that a reviewer labelled,
    none of the same question or page. Ctrl-C waits for what is in flight, a second one does not. Exit code 1 when every
    question failed, 3 when some did.

    Example: medreview judge sepsis.medreview --judge llama --only audit --cited-only --limit 200 --seed 7 --dry-run
    """
    from medreview.judges.tasks.hallucination import ASSISTED

    remarks = wanted.remarks_of or wanted.reasons_only is not None
    if remarks and wanted.task != ASSISTED:
        raise UserError(f"--remarks-of and --reasons-only go with --task {ASSISTED}.")
    if wanted.task == ASSISTED and wanted.names:
        with open_study(study, read_only=not remarks) as opened:
            choose_remarks(opened, wanted.remarks_of, wanted.reasons_only)
    if wanted.ties is not None:
        keep_rule(study, wanted.ties)
    check_batch_options(wanted.out, wanted.back, wanted.submit, wanted.no_wait)
    if wanted.submit and not wanted.dry_run:
        _batch_submit(study, wanted)
    elif wanted.out is not None:
        _batch_out(study, wanted.out, wanted)
    elif wanted.back:
        _batch_in(study, wanted.back, wanted)
    elif wanted.names:
        _ask_models(study, wanted)
    else:
        _judge_offline(study, wanted)


def _one_judge(wanted: JudgeOptions) -> "tuple[str, Judges]":
    if wanted.names is None or len(wanted.names) != 1:
        raise UserError("A batch is for one judge: name it with --judge NAME, once.")
    return wanted.names[0], wanted.judges


def _batch_out(study: Path, path: Path, wanted: JudgeOptions) -> None:
    """Write the questions that wait for one judge to files for an engine elsewhere."""
    from medreview import pipeline
    from medreview.judges.batch_out import SHARD_BYTES

    name, judges = _one_judge(wanted)
    say_where_texts_go(judges)
    size = SHARD_BYTES if wanted.shard_mb is None else wanted.shard_mb * 1_000_000
    with open_study(study) as opened, progress() as bar:
        _say_examples(opened, judges)
        done = pipeline.batch_out(opened, judges, path, shard_bytes=size, limit=wanted.limit, progress=bar)
    result(done, *_written(done, study, name, wanted.shown), as_json=wanted.as_json)


def _batch_in(study: Path, paths: Sequence[Path], wanted: JudgeOptions) -> None:
    """Take the results of a batch back; ends with ``leave_by`` the lines that gave no answer of use."""
    from medreview import pipeline

    _, judges = _one_judge(replace(wanted, again=False, local_only=False))
    with open_study(study) as opened, progress() as bar:
        done = pipeline.batch_in(opened, judges, paths, progress=bar)
    left_out(done.bad)
    if done.foreign:
        say(f"  {counted(done.foreign, 'result')} answer no question of this judge in this study: {done.why}")
    left_out(done.conflicts)
    result(done, _taken(done), as_json=wanted.as_json)
    failed = sum(number for status, number in done.statuses.items() if status != "ok") + done.foreign + len(done.bad)
    leave_by(failed, failed + done.statuses.get("ok", 0) + done.known)


def _batch_submit(study: Path, wanted: JudgeOptions) -> None:
    """Submit what waits for one judge to its server, or go on with what was submitted, and take the results in."""
    name, judges = _one_judge(wanted)
    say_where_texts_go(judges)
    task = ("--task", wanted.task) if wanted.task else ()
    run_batches(
        study, judges, command("judge", study, "--judge", name, *task, *wanted.chosen, *wanted.shown, "--batch-submit"),
        shard_mb=wanted.shard_mb, limit=wanted.limit, wait=not wanted.no_wait, as_json=wanted.as_json,
        before=lambda opened: _say_examples(opened, judges),
    )  # fmt: skip


def _say_examples(opened: "Study", judges: "Judges") -> None:
    """Say what of whose labels goes along, before anything does."""
    if told := judges.told_of_examples(opened):
        say(told)


def _ask_models(study: Path, wanted: JudgeOptions) -> None:
    """Ask the judges that are named, or in a dry run say what that would cost.

    Ends with ``leave_by`` the units that had no answer of use.
    """
    from medreview import pipeline
    from medreview.judges.judge_caveats import own_work_ahead
    from medreview.judges.tasks.parsing import REFERENCE_PARSING, STATEMENT_PARSING

    judges, limit, as_json = wanted.judges, wanted.limit, wanted.as_json
    if wanted.dry_run:
        with open_study(study) as opened, progress() as bar:
            _say_examples(opened, judges)
            plans = pipeline.plan_for(opened, judges, limit=limit, progress=bar)
        result({"plans": [asdict(plan) for plan in plans]}, *map(planned, plans), as_json=as_json)
        return
    with open_study(study) as opened, progress() as bar:
        say_where_texts_go(judges)
        _say_examples(opened, judges)
        if judges.task not in (STATEMENT_PARSING, REFERENCE_PARSING):  # reading is no judgement
            say(*(own.words for each in judges.settings if (own := own_work_ahead(opened.reader, each))))
        try:
            done = pipeline.judge_by(opened, judges, limit=limit, progress=bar, on_wait=say_what_is_waited_for)
        except pipeline.Interrupted as stopped:
            told = {"judges": [asdict(tally) for tally in stopped.tallies], "interrupted": True}
            result(told, *(line for tally in stopped.tallies for line in did(tally)), as_json=as_json)
            raise
    lines = [line for tally in done.judges for line in did(tally)]
    result(asdict(done), *lines, f"{counted(done.flagged, 'statement')} flagged", as_json=as_json)
    leave_by(sum(tally.failed for tally in done.judges), sum(tally.units for tally in done.judges))


def _judge_offline(study: Path, wanted: JudgeOptions) -> None:
    """Judge by rules, and order by a model of meaning where one is wanted."""
    from medreview import pipeline
    from medreview.config import load_config

    as_json, meaning = wanted.as_json, meaning_from_config(wanted.semantic, local_only=wanted.local_only)
    if wanted.task or wanted.chosen or wanted.worked or wanted.again or (wanted.dry_run and meaning is None):
        raise UserError(
            "--task, --again, --dry-run, --limit, --seed, --cited-only, --where, --only and --examples are for models: "
            "name one with --judge NAME."
        )
    synonyms = load_config().synonyms_file
    if meaning and wanted.dry_run:
        with open_study(study) as opened, progress() as bar:
            plan = pipeline.plan_meaning(opened, meaning, synonyms, bar)
        result(plan, *(plan.lines or [f"{plan.model}: nothing is left to ask"]), as_json=as_json)
        return
    with open_study(study) as opened, progress() as bar:
        done = pipeline.judge(opened, bar, wanted.processes, synonyms, meaning)
        undone = pipeline.order_by_rules(opened, bar) if wanted.semantic is False else 0
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
        str | None, Option(metavar="ID", help="Ask its server to do no more of this one; what is done comes in.")
    ] = None,
    give_up: Annotated[
        str | None, Option("--give-up", metavar="ID", help="Wait for it no more; its questions are submitted again.")
    ] = None,
    delete: Annotated[
        str | None, Option("--delete-files", metavar="ID", help="Delete its files at the server, once it is over.")
    ] = None,
    local_only: LocalOnly = False,
    as_json: Json = False,
) -> None:
    """List the batches that were sent to servers of models.

    They were submitted with --batch-submit. It says their state, answers, and what went wrong. The command that
    submitted a batch waits for it and takes its results in, also when it was cancelled. One that is given up may go on
    at its server, and cost. Servers keep the questions and the answers until they are deleted.

    Example: medreview judges batches sepsis.medreview --cancel batch_68a1
    """
    from medreview.judges.batch_jobs import job_named, jobs
    from medreview.pipeline import batches as submitted

    only_one({"--cancel": cancel, "--give-up": give_up, "--delete-files": delete})
    if wanted := cancel or give_up or delete:
        with open_study(study) as opened:
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
    with open_study(study, read_only=True) as opened:
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
