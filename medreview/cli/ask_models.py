"""Putting questions to models: to judges, to generators, to a model of meaning; live or in batches at a server.

What ``judge`` and all ``generate`` commands share; each states only its own options.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer import Option

from medreview.cli.completion import judges, models
from medreview.cli.importing import opened_or_made
from medreview.cli.network import with_settings
from medreview.cli.options import (
    BatchFiles,
    BatchSubmit,
    Command,
    DryRun,
    Json,
    LocalOnly,
    NoWait,
    only_one,
    open_study,
    takes,
)
from medreview.cli.output import counted, counted_each, left_out, one_line, progress, result, say
from medreview.errors import UserError
from medreview.text import in_words
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.generators.counts import GenerationCounts
    from medreview.generators.generator import Generator
    from medreview.judges.batch_jobs import Job
    from medreview.judges.batch_out import BatchOut
    from medreview.judges.llm_stage import QuestionPlan, Tally
    from medreview.judges.semantic_stage import SemanticSummary
    from medreview.llm.batch_server import Batch
    from medreview.pipeline import Choice, Examples, Generating, Judges, Meaning
    from medreview.pipeline.asking import Make
    from medreview.pipeline.batches import Submitted, Taken
    from medreview.study import Study


EVERY_ONE_FAILED: Final = 1
SOME_FAILED: Final = 3
"""Exit codes of ``judge`` for questions without an answer of use."""


def leave_by(failed: int, all_of_them: int) -> None:
    """Leave with exit code 1 when every question failed, 3 when some did; return when none did."""
    if failed:
        raise typer.Exit(EVERY_ONE_FAILED if failed == all_of_them else SOME_FAILED)


def say_what_is_waited_for(answers: int) -> None:
    """Say how many answers are still to come after a Ctrl-C."""
    paid = "is paid for" if answers == 1 else "are paid for"
    say(f"waiting for {counted(answers, 'answer')} that {paid}; Ctrl-C again to end")


def judges_named(
    names: Sequence[str],
    *,
    task: str = "",
    again: bool = False,
    local_only: bool = False,
    choice: "Choice | None" = None,
    examples: "Examples | None" = None,
) -> "Judges":
    """The configured judges of these names, and the task to put to them; with the user's own prompts, if any."""
    from medreview.configured import judges_of

    return with_settings(
        lambda config: judges_of(
            config, names, task=task, again=again, local_only=local_only, choice=choice, examples=examples
        )
    )


def say_where_texts_go(judges: "Judges") -> None:
    """Name where texts and keys go, and which file says so, before anything is sent."""
    from medreview.llm.settings import where_texts_go

    say(*where_texts_go(judges.settings))


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
            f"  requests with retries: sent {tally.requests_sent:,}, kept {tally.requests_kept:,}, "
            f"lost {tally.requests_lost:,}{before}: what is lost was not answered in full, and may have been paid for"
        )
    if tally.in_parts:
        thing = "page" if tally.task == DEFAULT else "unit"
        lines.append(f"  {counted(tally.in_parts, thing)} longer than its context, judged in parts")
    lines += [f"  {visible(change)}" for change in tally.changes]
    if tally.dead:
        lines.append(f"  given up: {visible(tally.dead)}")
    elif tally.failure:
        lines.append(f"  {counted(tally.failed, 'unit')} without an answer of use, such as: {one_line(tally.failure)}")
    return lines


Semantic = Annotated[
    bool | None,
    Option(
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


def leave_by_summary(summary: "SemanticSummary | None") -> None:
    """Say why pairs have no score of the model, and leave with the exit code of questions without an answer."""
    if summary and summary.stopped:
        say(summary.stopped, f"{counted(summary.left, 'pair')} keep the order that they have; given again, it goes on.")
        leave_by(summary.left, summary.left + summary.pairs)


def check_batch_options(out: Path | None, back: Sequence[Path] | None, submit: bool, no_wait: bool) -> None:
    """Raise :class:`UserError` for options of batches that exclude each other."""
    only_one({"--batch-out": out, "--batch-in": back, "--batch-submit": submit})
    if no_wait and not submit:
        raise UserError("--no-wait goes with --batch-submit.")


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

    server = BatchServer(asked_for.model)
    size = SHARD_BYTES if shard_mb is None else shard_mb * 1_000_000
    taken: list[Taken] = []
    more: dict[str, Any] = {}
    lines: list[str] = []
    with progress() as bar:
        with open_study(path) as study:
            before(study)
            done = batches.submit(
                study, asked_for, server, shard_bytes=size, limit=limit, progress=bar, tell=_say_what_is_asked
            )
        if done.refused:
            say(done.refused)
        for job in done.others:
            say(
                f"  {visible(job.batch_id or job.job_id)} is under way for {visible(job.name)} as it was set up then; "
                "with these settings again it is collected, or it is given up with `medreview judges batches`."
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
    from medreview.study.lock import InUse

    told = False
    while True:
        try:
            study = open_study(path)
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


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options that all generators have.

    ``verified``: what is written goes to a judge; without a name that is the first one of the settings that is another
    model than the one that writes.
    """

    model: Annotated[
        str, Option("--model", metavar="NAME", autocompletion=models, help="The model of the settings that writes.")
    ] = ""
    judge: Annotated[
        str, Option("--judge", metavar="NAME", autocompletion=judges, help="The model that verifies what was written.")
    ] = ""
    limit: Annotated[int | None, Option(min=1, help="At most so many inputs now.")] = None
    again: Annotated[bool, Option("--again", help="Also inputs of which nothing was made before.")] = False
    dry_run: DryRun = False
    local_only: LocalOnly = False
    batch_out: Annotated[
        Path | None, Option("--batch-out", metavar="FILE", help="Write the next questions to FILE, to run elsewhere.")
    ] = None
    batch_in: BatchFiles = None
    batch_submit: BatchSubmit = False
    no_wait: NoWait = False
    as_json: Json = False
    verified: bool = False


def generator_command(*, verifies: bool = False) -> Callable[[Command], Command]:
    """Gives a command the options that all generators have, in place of its parameter ``wanted``.

    ``verifies``: it has ``--judge`` as well, the model that verifies what was written.
    """
    return takes(Wanted, without="" if verifies else "judge")


def generate_with(
    path: Path,
    make: "Make",
    wanted: Wanted,
    *,
    brings: Path | None = None,
    before: "Callable[[Study], None]" = lambda study: None,
    figures: "Callable[[Study, GenerationCounts], tuple[dict[str, Any], list[str]]]" = lambda study, counts: ({}, []),
) -> None:
    """Run a generator on a study as the options want: live, dry, or by batch files.

    ``before`` prepares the study, such as by importing a file; for the file that it ``brings`` a missing study is made.
    ``figures`` adds to the result: values for ``--json``, and lines. Exit code 1 when every input that was put failed,
    3 when some did; what is invalid is no failure.
    """
    from medreview import pipeline

    generating = _generating(make, wanted)
    check_batch_options(wanted.batch_out, wanted.batch_in, wanted.batch_submit, wanted.no_wait)
    makes = brings is not None and brings.exists()
    if wanted.batch_submit and not wanted.dry_run:
        if makes and not path.exists():
            with opened_or_made(path) as study:
                before(study)
        _submitted(path, generating, wanted, before, figures)
        return
    with opened_or_made(path) if makes else open_study(path) as study, progress() as bar:
        before(study)
        if wanted.dry_run:
            plan, later = pipeline.plan_generation(study, generating, limit=wanted.limit, progress=bar)
            calls = f"; about {later:,} more calls follow on these" if later else ""
            line = f"{planned(plan, 'input')}{calls}; what is invalid is asked again"
            result({"plan": asdict(plan), "later_calls": later}, line, as_json=wanted.as_json)
            return
        generator = generating.make(study, generating.model, generating.prompts)
        _say_before(generator, generating)
        if wanted.batch_out:
            written = pipeline.batch_out(study, generating, wanted.batch_out, limit=wanted.limit, progress=bar)
            result(written, *_written(written, generator), as_json=wanted.as_json)
            return
        if wanted.batch_in:
            taken = pipeline.batch_in(study, generating, wanted.batch_in, progress=bar)
            counts = generating.batch_task(study).counts()
            left_out(taken.bad)
            left_out(taken.conflicts)
            if taken.foreign:
                say(f"  {counted(taken.foreign, 'result')} answer no question of this run: {taken.why}")
            more, lines = figures(study, counts)
            told = {"batch": asdict(taken), "counts": asdict(counts), **more}
            result(told, *count_lines(counts), *_still(taken.waiting, generator), *lines, as_json=wanted.as_json)
            return
        try:
            done = pipeline.generate(
                study, generating, limit=wanted.limit, progress=bar, on_wait=say_what_is_waited_for
            )
        except pipeline.Interrupted as stopped:
            result({"tally": asdict(stopped.tallies[0]), "interrupted": True}, as_json=wanted.as_json)
            raise
        more, lines = figures(study, done.counts)
        told = {"tally": asdict(done.tally), "counts": asdict(done.counts), "waiting": done.waiting, **more}
        # what there would have to be for the run to have any input
        lacking = [generator.lacking] if generator.lacking and not done.counts.items and not done.waiting else []
        result(
            told,
            _asked(done.tally),
            *count_lines(done.counts),
            *_still(done.waiting, generator),
            *lacking,
            *lines,
            as_json=wanted.as_json,
        )
    leave_by(done.tally.failed, done.tally.units)


def _submitted(
    path: Path,
    generating: "Generating",
    wanted: Wanted,
    before: "Callable[[Study], None]",
    figures: "Callable[[Study, GenerationCounts], tuple[dict[str, Any], list[str]]]",
) -> None:
    """Run the next question on every input as a batch at the model's server; the same command puts further ones."""

    def prepared(study: "Study") -> None:
        before(study)
        _say_before(generating.make(study, generating.model, generating.prompts), generating)

    def counted_now(study: "Study") -> tuple[dict[str, Any], list[str]]:
        counts = generating.batch_task(study).counts()
        more, lines = figures(study, counts)
        return {"counts": asdict(counts), **more}, [*count_lines(counts), *lines]

    run_batches(
        path,
        generating,
        "the same command",
        limit=wanted.limit,
        wait=not wanted.no_wait,
        as_json=wanted.as_json,
        before=prepared,
        figures=counted_now,
    )


def _generating(make: "Make", wanted: Wanted) -> "Generating":
    from medreview.configured import judges_of, model_of, prompts_of
    from medreview.judges.judge_caveats import verifies_its_own
    from medreview.pipeline import Generating

    def chosen(config: Any) -> "Generating":
        if not wanted.model:
            raise UserError("Name the model that writes with --model NAME: a table [models.NAME] of the settings.")
        model = model_of(config, wanted.model, local_only=wanted.local_only)
        judge = None
        if wanted.judge:
            judge = judges_of(config, [wanted.judge], local_only=wanted.local_only).settings[0]
        elif wanted.verified:
            other = next((name for name, one in config.judges.items() if not verifies_its_own(model, one)), "")
            judge = judges_of(config, [other], local_only=wanted.local_only).settings[0] if other else model
        return Generating(make, model, judge, prompts_of(config), wanted.again)

    return with_settings(chosen)


def _say_before(generator: "Generator", generating: "Generating") -> None:
    """Where texts go, where this departs from the paper, and what cannot work as hoped."""
    from medreview.judges.judge_caveats import verifies_its_own
    from medreview.llm.settings import where_texts_go

    say(*where_texts_go(generating.models, generator.goes_out or f"{generator.noun.capitalize()}s go"))
    for sentence in generator.deviations:
        say(f"Other than in the paper: {sentence}")
    if own := verifies_its_own(generating.model, generating.judge):
        say(own.words)
    params = generating.model.params
    if params.get("temperature") == 0 and "seed" not in params:
        say("At temperature 0 a further attempt may be the same as the one before; a `seed` in `params` changes that.")


def _written(done: "BatchOut", generator: "Generator") -> list[str]:
    if not done.shards:
        return [f"{counted(done.units, generator.noun)} waiting, nothing to ask; no file written."]
    cost = "" if done.cost is None else f", about {done.cost:,.2f} at the configured prices"
    files = ", ".join(shard.file for shard in done.shards)
    return [
        f"{counted(done.requests, 'question')} in {files}; up to {done.prompt_tokens:,} tokens in and about "
        f"{done.completion_tokens:,} out{cost}.",
        f"Manifest: {done.manifest}",
        "Results come back with the same command, with --batch-in and their file in place of --batch-out.",
    ]


def _asked(tally: "Tally") -> str:
    cost = "" if tally.cost is None else f", cost {tally.cost:,.4f}"
    kept = f", {tally.kept:,} answered before" if tally.kept else ""
    lost = f", {tally.requests_lost:,} lost (perhaps paid for)" if tally.requests_lost else ""
    dead = f"; given up: {visible(tally.dead)}" if tally.dead else ""
    sent = f" in {counted(tally.requests_sent, 'request')}" if tally.requests_sent > tally.calls else ""
    return f"{visible(tally.judge)}: {counted(tally.calls, 'call')}{sent}{kept}{lost}{cost}{dead}"


def count_lines(counts: "GenerationCounts") -> list[str]:
    """The counts of a run in words."""
    from medreview.cli.reports.generation import by_code
    from medreview.generators.counts import products_in_words

    made = products_in_words(counts.products) or "nothing"
    came = f"with a product: {made}" if counts.products or not counts.made else counts.instead
    lines = [f"{counted(counts.items, 'input')} done, {counts.made:,} {came}"]
    if counts.nothing:
        lines.append(f"  without one: {by_code(counts.nothing)}")
    if counts.attempts:
        valid = counts.statuses.get("ok", 0)
        retried = f", {counts.retried:,} of them after an invalid one" if counts.retried else ""
        lines.append(f"  {counted(counts.attempts, 'attempt')}{retried}; {valid:,} valid")
    if counts.codes:
        lines.append(f"  invalid by: {by_code(counts.codes)}")
    if counts.dropped:
        lines.append(f"  left out by rule: {by_code(counts.dropped)}")
    return lines


def _still(waiting: int, generator: "Generator") -> list[str]:
    return [f"{counted(waiting, generator.noun)} waiting; the same command goes on"] if waiting else []
