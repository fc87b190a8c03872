"""Write docs/reference/medreview.1, the manual page, from the commands themselves.

    python -m tests.tools.man_page

A test compares the page with what this makes; a wheel puts it where ``man medreview`` finds it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from medreview.cli.app import GROUPS, every_command
from medreview.cli.command_group import summary
from medreview.cli.command_tree import EXIT_CODES, examples
from medreview.config import ENVIRONMENT

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "medreview.1"
_BEGIN: Final = r"""
.TH MEDREVIEW 1 "" "medreview" "User Commands"
.nh
.ad l
.SH NAME
medreview \- check what a language model says about medicine against the sources it cites
.SH SYNOPSIS
.B medreview
.I COMMAND
.RI [ ARGUMENT ...]
.br
.B medreview
.IR FILE | STUDY
.SH DESCRIPTION
A workbench in the terminal. A study is one file; it holds answers, the pages that they cite, and every decision.
.B medreview
alone lists your studies. A file of answers becomes a study and is opened.
.B medreview
.I COMMAND
.B \-h
has the arguments and options of a command.
""".lstrip()
_END: Final = r"""
.SH FILES
.B medreview config where
names the settings, the folder of state, the study and its copies.
.SH SEE ALSO
.B medreview docs
opens the manual.
""".lstrip()


def man_page() -> str:
    """The whole page, in the language of man(7)."""
    return _BEGIN + "\n".join([*_commands(), *_tables()]) + "\n" + _END


def _commands() -> Iterator[str]:
    commands = every_command()
    for heading, names in GROUPS.items():
        yield f".SH {heading.upper()}"
        for name in names:
            for words, command in commands.items():
                if words == name or words.startswith(f"{name} "):
                    yield from (".TP", f".B {_shown(words)}", f"{_shown(summary(command))}.")
                    if not hasattr(command, "commands"):
                        yield from (".br", f".I {_shown(examples(command)[0])}")


def _tables() -> Iterator[str]:
    for title, rows in (("ENVIRONMENT", ENVIRONMENT), ("EXIT STATUS", EXIT_CODES)):
        yield f".SH {title}"
        for name, meaning in rows.items():
            yield from (".TP", f".B {name}", _shown(meaning))


def _shown(text: str) -> str:
    """A text that man(7) prints as it is."""
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", r"\e").replace("-", r"\-").replace("`", ""))


if __name__ == "__main__":
    PAGE.write_text(man_page(), encoding="utf-8")
