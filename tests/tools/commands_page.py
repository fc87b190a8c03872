"""Write docs/reference/commands.md, the reference of the commands, from the commands themselves.

    python -m tests.tools.commands_page

A test compares the page with what this makes.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from medreview.cli.command_tree import every_command

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"
HEAD: Final = """# Commands

Every command with its arguments and options, as `medreview COMMAND --help` prints them. Results go to standard output,
messages and progress to standard error; a command whose output is piped shows no progress. `--json` prints the result
for a script.

| exit code | when |
| --- | --- |
| 0 | done |
| 1 | a check failed (`check`, `citations --check`, `config`, `judges --ping`), or every question to a model |
| 2 | something you can mend: one sentence on standard error says what |
| 3 | some questions to a model had no answer of use, or some results of `--batch-in`; the others are stored |
| 70 | the workbench ended on an error of its own; [nothing is lost](../how-to/reviewing.md#leave) |
| 129, 143 | the workbench ended because the terminal was lost (SIGHUP) or because the system sent SIGTERM |
| 130 | stopped with Ctrl-C or SIGINT; what was stored stays, and the same command goes on from there |
| 141 | the reader of the output went away (`medreview stats ... \\| head`) |

This page is made by `python -m tests.tools.commands_page` from the program's own help.
"""
_EXAMPLE: Final = re.compile(r"Example: (.+)$", re.MULTILINE)
_TYPE: Final = re.compile(r" <[^>]+>$")


def commands_page() -> str:
    """The whole page."""
    commands = every_command()
    sections = [line for name, command in commands.items() for line in _section(name, command)]
    return "\n".join([HEAD, *_index(commands), *sections]).rstrip() + "\n"


def _index(commands: Mapping[str, Any]) -> Iterator[str]:
    yield "| command | what it does |"
    yield "| --- | --- |"
    for name, command in commands.items():
        yield f"| [`{name}`](#{name.replace(' ', '-')}) | {_cell(_paragraphs(command.help)[0])} |"
    yield ""


def _section(name: str, command: Any) -> Iterator[str]:
    context = command.context_class(command, info_name=f"medreview {name}")
    yield from (f"## {name}", "")
    for paragraph in _paragraphs(command.help):
        yield from (paragraph, "")
    yield from ("```sh", *_EXAMPLE.findall(command.help), "```", "")
    yield from ("| argument or option | what it is |", "| --- | --- |")
    for parameter in command.params:
        written, meaning = parameter.get_help_record(context)
        if parameter.param_type_name == "argument":
            written = _TYPE.sub("", written)
        yield f"| `{_cell(written)}` | {_cell(meaning)} |"
    yield ""


def _paragraphs(told: str) -> list[str]:
    """A command's help without its example, a paragraph a line."""
    paragraphs = _EXAMPLE.sub("", told).split("\n\n")
    return [" ".join(paragraph.split()) for paragraph in paragraphs if paragraph.strip()]


def _cell(text: str) -> str:
    return re.sub(r" {2,}", " ", text).replace("|", "\\|").strip()


if __name__ == "__main__":
    PAGE.write_text(commands_page(), encoding="utf-8")
