"""A group of commands: its help in plain text, and the sub-command that runs where none is named."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, Final

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from medreview.errors import MENDABLE
from medreview.visible import visible_line

_NEAR: Final = 0.7
"""How alike a word and a name are, from 0 to 1, for the one to be meant by the other."""


class CommandGroup(TyperGroup):
    """Commands of one group. Where the first word names none of them, ``otherwise`` runs, if there is such a one."""

    otherwise = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not self.otherwise and not ctx.resilient_parsing:
            print(ctx.get_help(), file=sys.stderr)
            raise typer.Exit(MENDABLE)
        named = self._names(args[0]) or args[0] in ctx.help_option_names if args else ctx.resilient_parsing
        return super().parse_args(ctx, args if named or not self.otherwise else [self.otherwise, *args])

    def _names(self, word: str) -> bool:
        """Whether a word names a command, or is meant to: it is nearly the name of one, or could be nothing else."""
        if word in self.commands or word.startswith("-"):
            return word in self.commands
        takes = bool(self.otherwise) and self.commands[self.otherwise].params[0].param_type_name == "argument"
        return not takes or bool(get_close_matches(word, self.commands, cutoff=_NEAR))

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        found = super().shell_complete(ctx, incomplete)
        if self.otherwise:
            command = self.commands[self.otherwise]
            inner = command.make_context(self.otherwise, [], ctx, resilient_parsing=True)
            found += command.shell_complete(inner, incomplete)
            found += command.params[0].shell_complete(inner, incomplete)
        return found

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except TyperException as error:
            below = {name: vars(one).get("commands", ()) for name, one in self.commands.items()}
            every = {name: f"{above} {name}" for above, names in below.items() for name in names}
            every |= {name: name for name in self.commands}
            if near := get_close_matches(args[0], every, 1, _NEAR):
                error.message += f" Did you mean {every[near[0]]!r}?"
            raise

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
