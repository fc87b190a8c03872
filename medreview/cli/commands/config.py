"""The command ``config``: every setting, what it is for, where it comes from, what is wrong; and writing one."""

from typing import Annotated

import typer

from medreview.cli.options import Json
from medreview.cli.output import counted, result, say
from medreview.cli.reports.settings import explained, listed
from medreview.errors import UserError
from medreview.next_step import command

config = typer.Typer(invoke_without_command=True, rich_markup_mode=None)

Here = Annotated[bool, typer.Option("--here", help="In the medreview.toml of this folder, not in your own file.")]


@config.callback()
def show(context: typer.Context, as_json: Json = False) -> None:
    """Show every setting with its value, where that comes from and what it is for; find every mistake in them.

    Passwords and keys are never shown: of a variable with a key, its name and whether it is set.

    Exit code 1 when something is wrong.

    Example: medreview config
    """
    if context.invoked_subcommand is not None:
        return
    from medreview.config_report import report

    found = report()
    result(found, *listed(found), as_json=as_json)
    if found.problems:
        raise typer.Exit(1)


@config.command("set")
def set_(
    pairs: Annotated[list[str], typer.Argument(metavar="NAME VALUE...", help="A setting and its value, or several.")],
    here: Here = False,
    as_json: Json = False,
) -> None:
    """Write settings into your own file, or with --here into that of this folder. All else in it stays as it is.

    Nothing is written that other commands would refuse. A table is given as TOML: '{temperature = 0}'.

    Example: medreview config set keys.defer F9
    """
    from medreview.config_file import file_to_write, set_values
    from medreview.config_names import named, value_of

    if len(pairs) % 2:
        raise UserError(f"Give each setting a value: {command('config', 'set', 'NAME', 'VALUE')}")
    path = file_to_write(here)
    given = [(named(name), text) for name, text in zip(pairs[::2], pairs[1::2], strict=True)]
    trusted = set_values(path, [(one, value_of(one, text)) for one, text in given])
    names = [one.name for one, _ in given]
    goes_on = " It is trusted as it is now." if trusted else ""
    result({"file": str(path.resolve()), "set": names}, f"Set in {path}: {', '.join(names)}.{goes_on}", as_json=as_json)
    for name in names:
        _say_what_goes_before(name, str(path))


@config.command("unset")
def unset_(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A setting, or a whole table such as judges.NAME.")],
    here: Here = False,
    as_json: Json = False,
) -> None:
    """Take a setting out of your own file, or with --here out of that of this folder.

    Example: medreview config unset keys.defer
    """
    from medreview.config_file import file_to_write, unset

    path = file_to_write(here)
    unset(path, name)
    result({"file": str(path.resolve()), "unset": name}, f"{name} is no longer set in {path}.", as_json=as_json)


@config.command("explain")
def explain(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A setting, or a variable of the environment.")],
    as_json: Json = False,
) -> None:
    """Say what a setting is for, what it can be, what it is now and how to set it.

    Example: medreview config explain reveal
    """
    from medreview.config_report import explanation

    found = explanation(name)
    result(found, *explained(found), as_json=as_json)


def _say_what_goes_before(name: str, path: str) -> None:
    """Where another file has the last word on what was just written, that it has."""
    from medreview.config_report import report

    found = report()
    if found.problems:
        say(f"{counted(len(found.problems), 'mistake')} in the settings; `{command('config')}` shows what is wrong.")
    for value in found.settings:
        if value.name == name and value.file not in ("", path):
            say(f"In this folder {value.file} goes before it: {name} = {value.value}")
