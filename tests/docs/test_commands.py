"""Commands that the pages print: the reference is the program's own help, and every line is one that it takes."""

import ast
import re
import shlex
import shutil
import subprocess
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import pytest
import typer

from medreview.cli.app import every_command
from medreview.cli.command_tree import command_of
from medreview.cli.meant_words import meant
from tests.docs.test_pages import PAGES, ROOT
from tests.tools import man_page
from tests.tools.commands_page import PAGE, commands_page

COMMANDS = every_command()
"""The commands of the program by what is typed for them."""


def command_lines(path: Path) -> list[str]:
    """Every line that starts the program, in blocks of shell commands and before their outputs."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S) for line in block.splitlines()]
    lines += [line.removeprefix("$ ") for line in re.findall(r"^\$ .*$", text, re.MULTILINE)]
    starts = re.compile(r"(?:\.venv/bin/|uv run |uvx --from \S+ )?medreview (.*)")
    return [found[1] for line in lines if (found := starts.match(line))]


LINES = [(path.relative_to(ROOT).as_posix(), line) for path in PAGES for line in command_lines(path)]


def test_the_reference_is_what_the_program_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == commands_page(), "write it anew: python -m tests.tools.commands_page"


def test_the_manual_page_is_what_the_program_says_and_has_no_mistake() -> None:
    assert man_page.PAGE.read_text(encoding="utf-8") == man_page.man_page(), "python -m tests.tools.man_page"
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8", man_page.PAGE], capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        assert "Find the few judges that agree best with you." in done.stdout


def test_every_function_that_is_written_as_a_command_is_one() -> None:
    folder = ROOT / "medreview" / "cli"
    files = [*(folder / "commands").glob("*.py"), folder / "generate_questions.py"]
    written = {
        (path.stem, function.name)
        for path in files
        for function in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(function, ast.FunctionDef) and "Example: medreview" in (ast.get_docstring(function) or "")
    }
    callbacks = [command.callback for command in COMMANDS.values() if command.callback is not None]
    assert written == {(made.__module__.rpartition(".")[2], made.__name__) for made in callbacks}


@pytest.mark.parametrize(("page", "line"), LINES, ids=[f"{page}: {line}" for page, line in LINES])
def test_a_command_line_is_one_that_the_program_takes(page: str, line: str) -> None:
    words, _ = meant(shlex.split(re.split(r" [<>|] ?", line)[0], comments=True))
    name, arguments = command_of(words, COMMANDS)
    with redirect_stdout(StringIO()), suppress(typer.Exit):  # an option that prints and ends is taken, too
        COMMANDS[name].make_context(name, arguments)
    assert len(LINES) > 40
