"""The commands as one Typer application."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer import Option
from typer.core import TyperGroup
from typer.exceptions import TyperException

from medreview.cli.commands import (
    cited_pages,
    config,
    generate,
    judge,
    judge_runs,
    judges,
    papers,
    plan,
    prepare,
    references,
    results,
    review,
    seal,
    study_file,
    study_plan,
    swap,
)
from medreview.errors import MENDABLE
from medreview.visible import visible_line


class _Commands(TyperGroup):
    """The commands; error messages quote wrong words as they came, and are made safe to show first."""

    def make_context(self, *given: Any, **more: Any) -> Any:
        with _shown():
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:
        with _shown():
            return super().invoke(ctx)


@contextmanager
def _shown() -> Iterator[None]:
    try:
        yield
    except TyperException as error:
        error.message = visible_line(error.message)
        raise


app = typer.Typer(
    cls=_Commands,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Check what a language model says about medicine against the sources it cites.\n\n"
    "Start with `medreview demo`, or with `medreview run STUDY FILE` on your own answers. "
    "After that `medreview` alone lists your studies and opens one.\n\n"
    "Exit codes: 0 done, 1 a check failed, 2 something you can mend, 130 stopped; docs/reference/commands.md has all.",
)


def _version(wanted: bool) -> None:
    if wanted:
        import medreview

        print(f"medreview {medreview.__version__}")
        raise typer.Exit


Version = Annotated[bool, Option("--version", callback=_version, is_eager=True, help="Show the version.")]


@app.callback()
def _options(context: typer.Context, version: Version = False) -> None:
    if context.invoked_subcommand is None:  # not by `no_args_is_help`: its help would come as a message on one line
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(MENDABLE)


for command in (
    review.demo, review.review, review.paste, review.recent, review.picture,
    study_plan.audit, study_plan.guidelines, study_plan.axes, study_plan.background, study_plan.consent,
    study_plan.gold, study_plan.second_pass, study_plan.share, study_plan.declare, study_file.package, study_file.split,
    review.conflicts,
    prepare.run, prepare.import_, cited_pages.fetch, cited_pages.attach, prepare.parse,
    judge.judge, judges.judges, judge_runs.judge_runs, swap.swap, papers.replay, papers.reproduce, judge.batches,
    judges.jury,
    results.report, papers.assisted, prepare.facts, cited_pages.diff, results.stats, study_file.export,
    cited_pages.citations, references.references, cited_pages.urls, references.evidence, judges.prompts,
    study_file.identifiers,
    config.trust, study_file.merge, study_file.backup, study_file.check, seal.seal, config.where,
):  # fmt: skip
    app.command(command.__name__.rstrip("_").replace("_", "-"))(command)
app.add_typer(generate.generate, name="generate")
app.add_typer(plan.plan, name="plan")
app.add_typer(config.config, name="config")
