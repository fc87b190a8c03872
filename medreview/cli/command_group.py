"""A group of commands: its help in plain text, and the sub-command that runs where none is named."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from medreview.errors import MENDABLE
from medreview.visible import visible_line


class CommandGroup(TyperGroup):
    """Commands of one group. Where the first word names none of them, ``otherwise`` runs, if there is such a one."""

    otherwise = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            if not args and not self.otherwise:
                print(ctx.get_help(), file=sys.stderr)
                raise typer.Exit(MENDABLE)
            if self.otherwise and not (args and (args[0] in self.commands or args[0] in ctx.help_option_names)):
                args = [self.otherwise, *args]
        return super().parse_args(ctx, args)

    def make_context(self, *given: Any, **more: Any) -> Any:
        with _shown():
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:
        with _shown():
            return super().invoke(ctx)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = [(name, summary(command)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@contextmanager
def _shown() -> Iterator[None]:
    """Messages quote wrong words as they came: they are made safe to show."""
    try:
        yield
    except TyperException as error:
        error.message = visible_line(error.message)
        raise


def summary(command: Any) -> str:
    """What a command does, in the one line that lists have: the first paragraph of its help."""
    return " ".join((command.help or "").partition("\n\n")[0].split()).rstrip(".")


def group(about: str, commands: Mapping[str, Callable[..., None]], *, otherwise: str = "") -> typer.Typer:
    """A group of these commands by their names; ``about`` is its help."""
    kind = type("CommandGroup", (CommandGroup,), {"otherwise": otherwise})
    made = typer.Typer(cls=kind, rich_markup_mode=None, help=about)
    for name, command in commands.items():
        made.command(name)(command)
    return made
