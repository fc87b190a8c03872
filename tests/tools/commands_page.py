"""Write docs/reference/commands.md, the reference of the commands, from the commands themselves.

    python -m tests.tools.commands_page

A test compares the page with what this makes.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from medreview.cli.app import every_command
from medreview.cli.command_tree import EXIT_CODES, examples, paragraphs

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"
HEAD: Final = """# Commands

Every command with its arguments and options, as `medreview COMMAND --help` prints them. Results go to standard output,
messages and progress to standard error; a command whose output is piped shows no progress. `--json` prints the result
for a script. `medreview --spec` prints all of this page as JSON, `man medreview` is it as a manual page where the
program is installed with one.

This page is made by `python -m tests.tools.commands_page` from the program's own help.
"""
_TYPE: Final = re.compile(r" <[^>]+>$")


def commands_page() -> str:
    """The whole page."""
    commands = every_command()
    sections = [line for name, command in commands.items() for line in _section(name, command)]
    return "\n".join([HEAD, *_exit_codes(), *_index(commands), *sections]).rstrip() + "\n"


def _exit_codes() -> Iterator[str]:
    yield from ("| exit code | when |", "| --- | --- |")
    yield from (f"| {code} | {_cell(meaning)} |" for code, meaning in EXIT_CODES.items())
    yield ""


def _index(commands: Mapping[str, Any]) -> Iterator[str]:
    yield "| command | what it does |"
    yield "| --- | --- |"
    for name, command in commands.items():
        yield f"| [`{name}`](#{name.replace(' ', '-')}) | {_cell(paragraphs(command)[0])} |"
    yield ""


def _section(name: str, command: Any) -> Iterator[str]:
    context = command.context_class(command, info_name=f"medreview {name}")
    yield from (f"## {name}", "")
    for paragraph in paragraphs(command):
        yield from (paragraph, "")
    yield from ("```sh", *examples(command), "```", "")
    if not command.params:
        return
    yield from ("| argument or option | what it is |", "| --- | --- |")
    for parameter in command.params:
        written, meaning = parameter.get_help_record(context)
        if parameter.param_type_name == "argument":
            written = _TYPE.sub("", written)
        yield f"| `{_cell(written)}` | {_cell(meaning)} |"
    yield ""


def _cell(text: str) -> str:
    return re.sub(r" {2,}", " ", text).replace("|", "\\|").strip()


if __name__ == "__main__":
    PAGE.write_text(commands_page(), encoding="utf-8")
