"""The commands as one Typer application, in the groups that ``medreview --help`` shows."""

import os
import shutil
import textwrap
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import typer
from typer import Option
from typer.main import get_command

from medreview.cli.command_group import CommandGroup, group, summary
from medreview.cli.commands import (
    cited_pages,
    config,
    docs,
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

GROUPS: Final[Mapping[str, Mapping[str, Callable[..., None] | typer.Typer]]] = {
    "Start": {
        "demo": review.demo,
        "run": prepare.run,
        "review": review.review,
        "stats": results.stats,
        "report": results.report,
        "export": study_file.export,
    },
    "Steps": {
        "import": prepare.import_,
        "fetch": cited_pages.fetch,
        "parse": prepare.parse,
        "judge": judge.judge,
    },
    "Study": {
        "plan": group(
            "Plan who reviews what, and how: audit, batches, rules.\n\n"
            "Example: medreview plan draw sepsis.medreview pairs 400 --by model",
            {
                "show": plan.show,
                "draw": plan.draw,
                "assign": plan.assign,
                "retract": plan.retract,
                "audit": study_plan.audit,
                "guidelines": study_plan.guidelines,
                "axes": study_plan.axes,
                "background": study_plan.background,
                "consent": study_plan.consent,
                "gold": study_plan.gold,
                "second-pass": study_plan.second_pass,
                "share": study_plan.share,
                "declare": study_plan.declare,
            },
        ),
        "team": group(
            "Send copies to colleagues, and join what they decide.\n\n"
            "Example: medreview team package sepsis.medreview sepsis-for-anna.medreview --for anna",
            {
                "package": study_file.package,
                "merge": study_file.merge,
                "conflicts": review.conflicts,
                "split": study_file.split,
            },
        ),
    },
    "Models": {
        "judges": group(
            "List, test and compare the models that judge.\n\n"
            "Without a command it lists them.\n\n"
            "Example: medreview judges --ping",
            {
                "list": judges.judges,
                "prompts": judges.prompts,
                "batches": judge.batches,
                "choose": judges.jury,
                "runs": judge_runs.judge_runs,
                "swap": swap.swap,
            },
            otherwise="list",
        ),
        "generate": group(
            "Let a model write questions, answers, items, briefs.\n\n"
            "You review what it writes. Nothing is asked or paid twice.\n\n"
            "Example: medreview generate questions sepsis.medreview --model writer",
            {one.__name__.replace("_", "-"): one for one in generate.GENERATORS},
        ),
    },
    "Sources": {
        "sources": group(
            "Give, compare and count the sources of a study.\n\n"
            "Example: medreview sources attach sepsis.medreview 10.1000/renal.2019.7 renal.pdf",
            {
                "attach": cited_pages.attach,
                "diff": cited_pages.diff,
                "addresses": cited_pages.urls,
            },
        ),
        "citations": cited_pages.citations,
        "references": references.references,
        "evidence": references.evidence,
    },
    "Papers": {
        "papers": group(
            "Do what published papers did, on your data or a sample.\n\n"
            "Example: medreview papers replay medhalu trial.medreview --sample",
            {"replay": papers.replay, "reproduce": papers.reproduce, "assisted": papers.assisted},
        ),
    },
    "Care": {
        "check": study_file.check,
        "backup": study_file.backup,
        "seal": seal.seal,
        "config": group(
            "Show and change settings; find mistakes in them.\n\n"
            "Without a command it shows every setting.\n\n"
            "Example: medreview config set keys.defer F9",
            {
                "show": config.show,
                "set": config.set_,
                "unset": config.unset_,
                "explain": config.explain,
                "where": config.where,
                "trust": config.trust,
            },
            otherwise="show",
        ),
        "docs": docs.docs,
    },
}
"""The commands by their names, under the headings that stand beside them in the help."""


class _Program(CommandGroup):
    """All commands; the name of a file or folder that is none of them is reviewed. Its help is one screen."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and os.path.exists(args[0]):
            args = ["review", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        paths = self.commands["review"].params[0]
        return [*super().shell_complete(ctx, incomplete), *paths.shell_complete(ctx, incomplete)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        listed = {heading: {name: summary(self.commands[name]) for name in names} for heading, names in GROUPS.items()}
        listed["Options"] = {one.opts[0]: vars(one)["help"] for one in self.params if one.name != "show_completion"}
        formatter.write(f"Usage: medreview COMMAND|FILE|STUDY ...\n\n{self.help}\n\n")
        for heading, rows in listed.items():
            for name, told in rows.items():
                formatter.write(_row(heading if name == next(iter(rows)) else "", name, told.rstrip(".")))
        formatter.write("\n" + _ENDS)


_ENDS: Final = (
    "`medreview COMMAND -h` tells more. Exit codes: 0 done, 1 a check failed,\n"
    "2 something you can mend, 130 stopped; docs/reference/commands.md has all.\n"
)


def _row(heading: str, name: str, told: str) -> str:
    """One line of the help of the program, more where the terminal is narrow."""
    begin = f"{heading:<8} {name:<10}  "
    room = shutil.get_terminal_size().columns - 1
    return "\n".join(textwrap.wrap(told, max(room, 50), initial_indent=begin, subsequent_indent=" " * 21)) + "\n"


def _version(wanted: bool) -> None:
    if wanted:
        import platform
        import sqlite3

        import medreview
        from medreview.study.migrations import NEWEST

        python, sqlite = platform.python_version(), sqlite3.sqlite_version
        print(f"medreview {medreview.__version__} (Python {python}, SQLite {sqlite}, study format {NEWEST})")
        raise typer.Exit


def _spec(context: typer.Context, wanted: bool) -> None:
    if wanted:
        from medreview.cli.command_tree import specification
        from medreview.cli.output import result

        result(specification(context.command, every_command()), as_json=True)
        raise typer.Exit


app = typer.Typer(
    cls=_Program,
    suggest_commands=False,  # CommandGroup does
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Check what a language model says about medicine against the sources it cites.\n"
    "Begin with `medreview demo`; `medreview FILE` opens answers of your own.",
)


@app.callback()
def _options(
    version: Annotated[
        bool,
        Option(
            "--version", callback=_version, is_eager=True, help="Print the versions of program, Python, study format"
        ),
    ] = False,
    spec: Annotated[
        bool,
        Option("--spec", callback=_spec, is_eager=True, help="Print every command with its options as JSON"),
    ] = False,
) -> None:
    pass


for heading, commands in GROUPS.items():
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=heading)
        else:
            app.command(name, rich_help_panel=heading)(command)


def every_command() -> dict[str, Any]:
    """The commands by what is typed for them; those of a group come after it: ``plan``, ``plan draw``, ..."""
    found: dict[str, Any] = {}
    made: Mapping[str, Any] = vars(get_command(app))["commands"]
    for name in (name for within in GROUPS.values() for name in within):
        found[name] = made[name]
        found |= {f"{name} {inner}": below for inner, below in getattr(made[name], "commands", {}).items()}
    return found
