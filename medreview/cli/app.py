"""The commands as one Typer application."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from medreview.cli.commands import (
    assisted,
    audit,
    background,
    backup,
    batches,
    check,
    citations,
    config,
    conflicts,
    demo,
    diff,
    evidence,
    export,
    facts,
    fetch,
    generate,
    gold,
    guidelines,
    import_,
    judge,
    judges,
    jury,
    merge,
    package,
    parse,
    prompts,
    recent,
    references,
    replay,
    report,
    reproduce,
    review,
    run,
    second_pass,
    share,
    stats,
    trust,
    urls,
    where,
)
from medreview.errors import MENDABLE
from medreview.visible import visible_line


class _Commands(TyperGroup):
    """The commands; what is said of wrong words quotes these as they came, and is made safe to show first."""

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
    "Exit codes: 0 done, 1 a check failed, 2 something you can mend, 130 stopped; docs/commands.md has all.",
)


def _version(wanted: bool) -> None:
    if wanted:
        import medreview

        print(f"medreview {medreview.__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")]


@app.callback()
def _options(context: typer.Context, version: Version = False) -> None:
    if context.invoked_subcommand is None:  # not by `no_args_is_help`: its help would come as a message on one line
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(MENDABLE)


for command in (
    demo.demo,
    review.review,
    recent.recent,
    audit.audit,
    guidelines.guidelines,
    background.background,
    gold.gold,
    second_pass.second_pass,
    share.share,
    package.package,
    conflicts.conflicts,
    run.run,
    import_.import_,
    fetch.fetch,
    parse.parse,
    judge.judge,
    judges.judges,
    replay.replay,
    reproduce.reproduce,
    batches.batches,
    jury.jury,
    report.report,
    assisted.assisted,
    facts.facts,
    diff.diff,
    stats.stats,
    export.export,
    citations.citations,
    references.references,
    urls.urls,
    evidence.evidence,
    prompts.prompts,
    trust.trust,
    merge.merge,
    backup.backup,
    check.check,
    where.where,
):
    app.command(command.__name__.rstrip("_").replace("_", "-"))(command)
app.add_typer(generate.generate, name="generate")
app.add_typer(config.config, name="config")
