"""The commands ``config ...``: settings, what is wrong with them, and the files that are used."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final

import typer
from typer import Argument, Option

from medreview.cli.completion import settings, studies
from medreview.cli.network import ask_for_trust
from medreview.cli.options import Json, study_path
from medreview.cli.output import counted, result, say
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.config_file import ConfigReport


_WIDTH: Final = 80
_FROM: Final = {"default": "default", "own": "your own file", "here": "this folder's file"}


def listed(report: "ConfigReport") -> Iterator[str]:
    """The files, every setting, the environment, and what is wrong."""
    yield f"Your own file:      {report.own or 'none; `medreview config set NAME VALUE` makes it'}"
    yield f"This folder's file: {report.here or 'none'}"
    if report.untrusted:
        yield from _told(
            f"Not trusted, and not used of this folder's file: {', '.join(report.untrusted)}. Once you have read it: "
            f"{command('config', 'trust', report.here)}"
        )
    for value in report.settings:
        yield ""
        unset = f"({value.default})" if value.default != "empty" else '""'
        origin = _FROM[value.origin] + ("" if value.used else ", NOT TRUSTED and not used")
        yield f"{value.name} = {value.value or unset}   ({origin})"
        yield from _told(value.help, "    ")
    yield from ("", "From the environment:")
    for variable in report.environment:
        yield f"  {variable['name']}: {'set' if variable['is_set'] else 'not set'}"
        yield from _told(variable["help"], "    ")
    yield ""
    if not report.problems:
        yield "Nothing is wrong with these settings."
    for problem in report.problems:
        yield from _told(f"WRONG: {problem}")


def explained(found: Mapping[str, str]) -> Iterator[str]:
    """One setting: definition, values, default, what it is now, an example."""
    yield found["name"]
    yield from _told(" ".join(filter(None, (found["help"], found["more"]))), "  ")
    heads = {"allowed": "values", "page": "more"}
    for name in ("allowed", "default", "now", "trust", "example", "page"):
        if found[name]:
            yield f"  {heads.get(name, name) + ':':9}{found[name]}"


def _told(text: str, indent: str = "") -> list[str]:
    return wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False,
                break_long_words=False)  # fmt: skip


Here = Annotated[bool, Option("--here", help="In the medreview.toml of this folder, not in your own file.")]


def show(
    schema: Annotated[
        bool, Option("--schema", help="Print a JSON Schema of the settings file instead, for editors and programs.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show every setting, where it comes from, what is wrong.

    It says of each what it is for.
    Passwords and keys are never shown: of a variable with a key, its name and whether it is set.

    Exit code 1 when something is wrong.

    Example: medreview config show
    """
    if schema:
        from medreview.settings_schema import settings_schema

        result(settings_schema(), as_json=True)
        return
    from medreview.config_file import report

    found = report()
    result(found, *listed(found), as_json=as_json)
    if found.problems:
        raise typer.Exit(1)


def set_(
    pairs: Annotated[
        list[str],
        Argument(metavar="NAME VALUE...", autocompletion=settings, help="A setting and its value, or several."),
    ],
    here: Here = False,
    as_json: Json = False,
) -> None:
    """Write settings into your own file, or this folder's.

    All else in the file stays as it is. Nothing is written that other commands would refuse. A table is given as TOML:
    '{temperature = 0}'.

    Example: medreview config set keys.defer F9
    """
    from medreview.config_file import file_to_write, named, set_values, value_of

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


def unset_(
    name: Annotated[
        str, Argument(metavar="NAME", autocompletion=settings, help="A setting, or a whole table such as judges.NAME.")
    ],
    here: Here = False,
    as_json: Json = False,
) -> None:
    """Take a setting out of your own file, or this folder's.

    Example: medreview config unset keys.defer
    """
    from medreview.config_file import file_to_write, unset

    path = file_to_write(here)
    unset(path, name)
    result({"file": str(path.resolve()), "unset": name}, f"{name} is no longer set in {path}.", as_json=as_json)


def explain(
    name: Annotated[
        str, Argument(metavar="NAME", autocompletion=settings, help="A setting, or a variable of the environment.")
    ],
    as_json: Json = False,
) -> None:
    """Say what a setting is for, what it can be and is now.

    Example: medreview config explain reveal
    """
    from medreview.config_file import explanation

    found = explanation(name)
    result(found, *explained(found), as_json=as_json)


def _say_what_goes_before(name: str, path: str) -> None:
    """Where another file has the last word on what was just written, that it has."""
    from medreview.config_file import report

    found = report()
    if found.problems:
        say(f"{counted(len(found.problems), 'mistake')} in the settings; `{command('config')}` shows what is wrong.")
    for value in found.settings:
        if value.name == name and value.file not in ("", path):
            say(f"In this folder {value.file} goes before it: {name} = {value.value}")


def trust(
    file: Annotated[Path | None, Argument(metavar="[FILE]", help="The settings; default: medreview.toml here.")] = None,
    yes: Annotated[bool, Option("--yes", help="Do not ask: for a script whose writer read it.")] = False,
    forget: Annotated[bool, Option("--forget", help="Trust it no longer.")] = False,
    as_json: Json = False,
) -> None:
    """Let this folder's settings name judges and services.

    The file may name judges, services, a proxy or prompts: it is shown, and used once you say yes. These say which key
    goes to which host. A file in a folder that came from somebody else is not used in that until it was trusted, nor
    after it was changed; the one in your own configuration folder needs no trust.

    Example: medreview config trust medreview.toml
    """
    from medreview.configured import read_guarded
    from medreview.settings_files import distrust
    from medreview.settings_files import trust as keep
    from medreview.settings_places import FILE_NAME

    file = file or Path(FILE_NAME)
    if forget:
        known = distrust(file)
        sentence = f"{file} is trusted no longer." if known else f"{file} was not trusted."
        result({"file": str(file.resolve()), "trusted": False}, sentence, as_json=as_json)
        return
    lines, content = read_guarded(file)
    told = {"file": str(file.resolve()), "trusted": True, "settings": lines}
    if not lines:
        result(told | {"trusted": False}, f"{file} names no judge, service, proxy or prompts: it needs no trust.",
               as_json=as_json)  # fmt: skip
        return
    if yes:
        keep(file, content)
    elif not ask_for_trust(file):
        raise UserError(
            f"{file} is not trusted; nothing was changed. In a script, once you have read it: "
            f"{command('config', 'trust', file, '--yes')}"
        )
    result(told, f"{file} is trusted as it is now:", *lines, as_json=as_json)


def where(
    study: Annotated[
        Path | None,
        Argument(
            metavar="[STUDY]", help="A study, to see its copies too.", callback=study_path, autocompletion=studies
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say where settings, state, study and copies are.

    Example: medreview config where sepsis.medreview
    """
    from medreview.config import load_config
    from medreview.settings_places import FILE_NAME, config_folder, find_configs
    from medreview.study.backup import backup_folder
    from medreview.study.state_folder import state_folder

    found = " and ".join(str(path) for path in find_configs())
    places = {"settings": found or f"none; would be {config_folder() / FILE_NAME}"}
    if untrusted := load_config().untrusted:
        places["untrusted"] = ", ".join(untrusted)
    places["state"] = str(state_folder())
    if study:
        places |= {"study": str(study.resolve()), "copies": str(backup_folder(study.resolve()))}
    result(places, *(f"{name:10}{place}" for name, place in places.items()), as_json=as_json)
