"""Every command that the user's part of the documentation shows is run, in the order of its page.

A page is run in a folder of its own that has what a reader has: the sample study as ``medreview demo`` makes it, and
``sample_data`` and ``docs`` of this project. A fenced block whose first line is a comment with the name of a file
(``# medreview.toml``) is that file. Every model that a command names is a server on this machine.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.commands import PATIENCE, Done, Program, in_process, own_settings
from tests.support.examples import blocks
from tests.support.http_server import Exchange
from tests.support.judge_endpoint import GOOD, JudgeEndpoint, as_asked, prompt_of, says

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
PAGES: Final = [
    ROOT / "README.md",
    *sorted((DOCS / "tutorials").glob("*.md")),
    *sorted((DOCS / "how-to").glob("*.md")),
    *(page for page in sorted((DOCS / "explanation").glob("*.md")) if page.name != "validation.md"),
]
"""The user's part; what validation.md shows are measurements of hours."""

NOT_RUN: Final = {
    "medreview demo": "the folder has the study that it makes",
    "medreview docs": "opens a browser; tests/cli/test_docs.py",
    "medreview judge demo.medreview --semantic": "an encoder takes its time; tests/cli/test_judge_semantic.py",
    "medreview backup ward.medreview /media/": "a disk of its own; tests/cli/test_commands.py",
    "medreview check /media/": "the same",
    "medreview seal ward.medreview": "asks for the passphrase of a key; tests/cli/test_seal.py",
    "medreview check ward.medreview --allowed-signers": "the same",
    "python -m tests.bench": "measures for minutes to hours; run by hand",
}
"""Beginnings of commands that are not run here -> why."""
OWN: Final = {"answers.docx": DOCS / "tutorials" / "files" / "ward-answers.docx"}
"""A file that a reader has -> what has its place here."""

ENDPOINT: Final = "http://localhost:8000/v1"
"""The address of a model on the pages; the server of the test answers in its place."""
_FILE: Final = re.compile(r"# ([\w-]+\.\w+)\n")
_HERE: Final = re.compile(r"^cat > \S+ <<'(\w+)'\n.*?^\1$", re.MULTILINE | re.DOTALL)
"""A text that is written into a file."""
_BREAK: Final = "\0"
_STARTS: Final = re.compile(r"(?:uv run (?:--no-dev )?|uvx --from \S+ |\.venv/bin/)?(?=medreview\b)")
_SHELL: Final = ("cat", "cp", "echo", "head", "mkdir", "printf", "python", "Rscript")
"""Other programs that are started as the page says."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a reader does next: write a file, or give a line to the shell; ``prints`` is what stands below
    the line, `` ... `` anything."""

    line: str
    file: str = ""
    codes: tuple[int, ...] = (0,)
    prints: str = ""


def steps(text: str) -> Iterator[Step]:
    """The steps of a page in their order."""
    for block in blocks(text):
        if block.language in ("sh", "console"):
            shown = _HERE.sub(_on_a_line, block.code.replace("\\\n", " ")).splitlines()
            lines = [line.removeprefix("$ ") for line in shown if block.language == "sh" or line.startswith("$ ")]
            for line in lines:
                command, _, comment = line.replace(_BREAK, "\n").partition("  #")
                if (command := _STARTS.sub("", command.strip())) and not command.startswith("#"):
                    told = re.search(r"exit code (\d)", comment)
                    prints = block.prints or "" if line is lines[-1] else ""
                    yield Step(command, codes=(0, int(told[1])) if told else (0,), prints=prints)
        elif named := _FILE.match(block.code):
            yield Step(block.code, file=named[1])


def _on_a_line(text: re.Match[str]) -> str:
    return text[0].replace("\n", _BREAK)


def is_run(line: str) -> bool:
    """Whether a line is run: it starts this program or one of the few others, and is not set apart."""
    started = [part.split()[0] for part in line.split(" | ")]
    known = all(name == "medreview" or (name in _SHELL and shutil.which(name)) for name in started)
    return known and "&&" not in line and not line.startswith(tuple(NOT_RUN))


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who gives the commands of a page, in a folder."""

    program: Program
    endpoint: JudgeEndpoint

    def does(self, step: Step) -> None:
        """Do what a step says."""
        if step.file:
            text = step.line.replace(ENDPOINT, f"{self.endpoint.base}/v1")
            (self.program.folder / step.file).write_text(text, encoding="utf-8")
            return
        done = Done([], 0, "", "")
        for part in map(str.strip, step.line.split(" | ")):
            start = self._medreview if part.startswith("medreview ") else self._shell
            done = start(part, done.stdout)
            assert done.returncode in step.codes, done.stdout + done.stderr
        said = " ".join(f"{done.stderr} {done.stdout}".split())
        for part in step.prints.replace(" ... ", "\n").splitlines():
            assert " ".join(part.split()) in said, f"it does not say {part!r}, but\n{done.stdout}"

    def _medreview(self, command: str, given: str) -> Done:
        command, _, output = command.partition(" > ")
        command, _, source = command.partition(" < ")
        folder = self.program.folder
        if source:
            given = (folder / source.strip()).read_text(encoding="utf-8")
        words = [word.replace(ENDPOINT, f"{self.endpoint.base}/v1") for word in shlex.split(command)[1:]]
        words = [each for word in words for each in (self._files(word) if "*" in word else [word])]
        opens = words[0] == "review" or (folder / words[0]).is_file()
        if opens and not {"--plain", "--picture", "--recent", "--help"} & {*words}:
            words.append("--plain")  # the same without a terminal; the end of input leaves it
        done = in_process(words, folder, self.program.own, given)
        if output:
            (folder / output.strip()).write_text(done.stdout, encoding="utf-8")
        return done

    def _files(self, pattern: str) -> list[str]:
        return sorted(path.relative_to(self.program.folder).as_posix() for path in self.program.folder.glob(pattern))

    def _shell(self, command: str, given: str) -> Done:
        return subprocess.run(
            ["bash", "-c", re.sub(r"^python ", f"{shlex.quote(sys.executable)} ", command)],
            cwd=self.program.folder, input=given, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip


def sample_judge(exchange: Exchange) -> None:
    """A model that knows the sample answers: ``small`` says what juror-one says of them, any other what juror-two says.

    Of everything else it says one and the same.
    """
    asked = json.loads(exchange.body)
    prompt = prompt_of(asked)
    judge = "juror-one" if asked.get("model") == "small" else "juror-two"
    told = [it for it in _judgements() if it["judge"] == judge and it["statement"] in prompt]
    told.sort(key=lambda it: (not it["quote"] or it["quote"] not in prompt, bool(it["quote"])))  # of which page it is
    fields = ("quote", "label", "confidence", "reason")
    answer = {name: told[0][name] for name in fields} if told else GOOD
    says(json.dumps(as_asked(answer, prompt)), usage=(len(prompt) // 4, 50))(exchange)


@cache
def _judgements() -> list[dict[str, Any]]:
    with (ROOT / "sample_data" / "judgements.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture
def reader(tmp_path: Path, sample_file: Path) -> Iterator[Reader]:
    """A reader in a folder with the sample study and the files of this project, and one model for all."""
    shutil.copy(sample_file, tmp_path / "demo.medreview")
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    shutil.copytree(DOCS / "tutorials", tmp_path / "docs" / "tutorials")
    for name, file in OWN.items():
        shutil.copy(file, tmp_path / name)
    with JudgeEndpoint(sample_judge) as endpoint:
        yield Reader(Program(tmp_path), endpoint)


def models_of(lines: list[str]) -> tuple[set[str], set[str]]:
    """The names of judges and of writing models in the commands of a page."""
    said = " ".join(lines)
    return {*re.findall(r"--judge[ =]([\w-]+)", said)}, {*re.findall(r"--model[ =]([\w-]+)", said)}


@pytest.mark.parametrize(
    "path",
    [path for path in PAGES if any(is_run(step.line) for step in steps(path.read_text(encoding="utf-8")))],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_the_commands_of_a_page_run_in_their_order(path: Path, reader: Reader) -> None:
    done = [step for step in steps(path.read_text(encoding="utf-8")) if step.file or is_run(step.line)]
    judges, models = models_of([step.line for step in done])
    fields = json.dumps("m"), json.dumps(f"{reader.endpoint.base}/v1")
    tables = [f"judges.{name}" for name in sorted(judges)] + [f"models.{name}" for name in sorted(models)]
    if not any(step.file == "medreview.toml" for step in done):
        own_settings(
            reader.program.folder, "".join(f"[{it}]\nmodel = {fields[0]}\nbase_url = {fields[1]}\n" for it in tables)
        )
    for step in done:
        try:
            reader.does(step)
        except AssertionError as fault:
            raise AssertionError(f"{step.line}\n{fault}") from None
