"""Running a generator from the command line: the options and the work that all ``medreview generate`` commands share.

Each command states only its own options.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from medreview.cli.ask_models import leave_by, planned, run_batches, say_what_is_waited_for
from medreview.cli.network import with_settings
from medreview.cli.options import Json
from medreview.cli.output import counted, counted_each, left_out, progress, result, say
from medreview.errors import UserError
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.generators.counts import GenerationCounts
    from medreview.generators.generator import Generator
    from medreview.judges.batch_out import BatchOut
    from medreview.judges.llm_stage import QuestionPlan, Tally
    from medreview.pipeline.asking import Generated, Generating, Make
    from medreview.study import Study


Command = Callable[..., None]

_Model = Annotated[str, typer.Option("--model", metavar="NAME", help="The model of the settings that writes.")]
_Verifier = Annotated[str, typer.Option("--judge", metavar="NAME", help="The model that verifies what was written.")]
_Limit = Annotated[int | None, typer.Option(min=1, help="At most so many inputs now.")]
_Again = Annotated[bool, typer.Option("--again", help="Also inputs of which nothing was made before.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be asked and cost; ask nothing.")]
LocalOnly = Annotated[bool, typer.Option("--local-only", help="Refuse models outside this machine.")]
_BatchOutFile = Annotated[
    Path | None, typer.Option("--batch-out", metavar="FILE", help="Write the next questions to FILE, to run elsewhere.")
]
_BatchInFiles = Annotated[
    list[Path] | None, typer.Option("--batch-in", metavar="FILE", help="Take results back; may be repeated.")
]
_BatchSubmit = Annotated[
    bool, typer.Option("--batch-submit", help="Run it as a batch at the model's server, or go on with one there.")
]
_NoWait = Annotated[
    bool, typer.Option("--no-wait", help="With --batch-submit: do not wait; the same command collects it.")
]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options that all generators have say.

    ``verified``: what is written goes to a judge; without a name that is the first one of the settings that is another
    model than the one that writes.
    """

    model: str
    judge: str = ""
    limit: int | None = None
    again: bool = False
    dry_run: bool = False
    local_only: bool = False
    batch_out: Path | None = None
    batch_in: Sequence[Path] = ()
    as_json: bool = False
    batch_submit: bool = False
    no_wait: bool = False
    verified: bool = False


def generator_command(*, verifies: bool = False) -> Callable[[Command], Command]:
    """Gives a command the options that all generators have, in place of its parameter ``wanted``.

    ``verifies``: it has ``--judge`` as well, the model that verifies what was written.
    """
    shared = [one for one in signature(_wanted).parameters.values() if verifies or one.name != "judge"]

    def of(command: Command) -> Command:
        own = [one for one in signature(command).parameters.values() if one.name != "wanted"]

        @wraps(command)
        def called(**given: Any) -> None:
            wanted = _wanted(**{one.name: given.pop(one.name) for one in shared})
            command(**given, wanted=wanted)

        called.__signature__ = Signature([*own, *shared])  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in (*own, *shared)}
        return called

    return of


def _wanted(
    model: _Model = "",
    judge: _Verifier = "",
    limit: _Limit = None,
    again: _Again = False,
    dry_run: DryRun = False,
    local_only: LocalOnly = False,
    batch_out: _BatchOutFile = None,
    batch_in: _BatchInFiles = None,
    batch_submit: _BatchSubmit = False,
    no_wait: _NoWait = False,
    as_json: Json = False,
) -> Wanted:
    return Wanted(
        model, judge, limit, again, dry_run, local_only, batch_out, batch_in or (), as_json, batch_submit, no_wait
    )


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

    ``before`` prepares the study, such as by importing a file; for the file that it ``brings`` a study is made where
    there is none. ``figures`` adds to the result: values for ``--json``,
    and lines. Exit code 1 when every input that was put failed, 3 when some did; what is invalid is no failure.
    """
    from medreview import pipeline
    from medreview.cli.importing import opened_or_made
    from medreview.study import Study

    generating = _generating(make, wanted)
    _one_way(wanted)
    makes = brings is not None and brings.exists()
    if wanted.batch_submit and not wanted.dry_run:
        if makes and not path.exists():
            with opened_or_made(path) as study:
                before(study)
        _submitted(path, generating, wanted, before, figures)
        return
    with opened_or_made(path) if makes else Study.open(path) as study, progress() as bar:
        before(study)
        if wanted.dry_run:
            plan, later = pipeline.plan_generation(study, generating, limit=wanted.limit, progress=bar)
            told = {"plan": asdict(plan), "later_calls": later}
            result(told, _planned(plan, later), as_json=wanted.as_json)
            return
        generator = generating.make(study, generating.model, generating.prompts)
        _say_before(generator, generating)
        if wanted.batch_out:
            written = pipeline.batch_out(study, generating, wanted.batch_out, limit=wanted.limit, progress=bar)
            result(written, *_written(written, generator), as_json=wanted.as_json)
            return
        if wanted.batch_in:
            taken = pipeline.batch_in(study, generating, list(wanted.batch_in), progress=bar)
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
        result(
            told,
            _asked(done.tally),
            *count_lines(done.counts),
            *_still(done.waiting, generator),
            *_lacking(done, generator),
            *lines,
            as_json=wanted.as_json,
        )
    leave_by(done.tally.failed, done.tally.units)


def _one_way(wanted: Wanted) -> None:
    if sum(map(bool, (wanted.batch_out, wanted.batch_in, wanted.batch_submit))) > 1:
        raise UserError("Give one of --batch-out, --batch-in and --batch-submit.")
    if wanted.no_wait and not wanted.batch_submit:
        raise UserError("--no-wait goes with --batch-submit.")


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

    models = [generating.model, *([generating.judge] if generating.judge not in (None, generating.model) else [])]
    say(*where_texts_go(models, generator.goes_out or f"{generator.noun.capitalize()}s go"))
    for sentence in generator.deviations:
        say(f"Other than in the paper: {sentence}")
    if own := verifies_its_own(generating.model, generating.judge):
        say(own.words)
    params = generating.model.params
    if params.get("temperature") == 0 and "seed" not in params:
        say("At temperature 0 a further attempt may be the same as the one before; a `seed` in `params` changes that.")


def _planned(plan: "QuestionPlan", later: int) -> str:
    more = f"; about {later:,} more calls follow on these" if later else ""
    return f"{planned(plan, 'input')}{more}; what is invalid is asked again"


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

    made = counted_each(counts.products) or "nothing"
    came = f"with a product: {made}" if counts.products or not counts.made else "for the report"
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


def _lacking(done: "Generated", generator: "Generator") -> list[str]:
    """What there would have to be for the run to have any input."""
    return [generator.lacking] if generator.lacking and not done.counts.items and not done.waiting else []


def _still(waiting: int, generator: "Generator") -> list[str]:
    return [f"{counted(waiting, generator.noun)} waiting; the same command goes on"] if waiting else []
