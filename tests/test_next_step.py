"""Commands that are printed are right as they stand: they are given here as a shell would give them."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from medreview.next_step import command, quoted, shell, words_of
from medreview.screens.home_rows import folded
from medreview.study import Study
from medreview.visible import visible_line
from tests.support.commands import Program

AWKWARD = "my studies/it's a demo.medreview"


def printed(text: str) -> list[list[str]]:
    """The commands in a text, as the words that a shell makes of them."""
    return [shlex.split(found)[1:] for found in re.findall(r"medreview [a-z ]+ '.*\.medreview'[^`\n]*", text)]


def test_words_are_quoted_and_none_becomes_an_option() -> None:
    assert command("fetch", Path("a b.medreview")) == "medreview fetch 'a b.medreview'"
    assert command("judge", Path("-x.medreview"), "--judge", "$(rm)") == (
        "medreview judge ./-x.medreview --judge '$(rm)'"
    )
    assert command("run", Path("../it's"), "FILE") == "medreview run '../it'\"'\"'s' FILE"


def test_words_that_cannot_be_shown_are_escapes_that_a_shell_reads() -> None:
    words = [
        "a\nb",
        "\u202ex' \\ $HOME",
        "\x1b[31m1",
        "tab\tbed",
        "it's \ufff9 é",
        os.fsdecode(b"caf\xe9 9"),
        "plain",
        "a b",
    ]
    line = shell("printf", "%s\\0", *map(Path, words))
    assert visible_line(line) == line
    assert words_of(line)[2:] == [quoted(word) for word in words]
    told = subprocess.run(["bash", "-c", line], capture_output=True, check=True).stdout
    assert told.split(b"\0")[:-1] == [os.fsencode(word) for word in words]
    for columns in (20, 40, 90):
        rows = "\n".join(folded(line, columns))
        assert subprocess.run(["bash", "-c", rows], capture_output=True, check=True).stdout == told


def test_what_a_command_names_as_the_next_can_be_given(tmp_path: Path, demo_file: Path) -> None:
    medreview = Program(tmp_path)
    (tmp_path / "my studies").mkdir()
    missing = medreview("stats", AWKWARD, check=2).stderr
    assert printed(missing) == [["run", AWKWARD, "FILE"]]
    (tmp_path / "a.jsonl").write_text('{"response": "Metformin is not started below an eGFR of 30."}')
    told = medreview("run", AWKWARD, "a.jsonl").stdout
    shutil.copy(demo_file, tmp_path / AWKWARD)

    told += medreview("review", AWKWARD, check=2).stderr  # no terminal here
    told += medreview("sources", "addresses", AWKWARD).stdout
    with Study.open(tmp_path / AWKWARD) as study:
        study.write(lambda connection: connection.execute("UPDATE source SET current_snapshot = NULL"))
    told += medreview("sources", "addresses", AWKWARD).stdout

    commands = printed(told)
    assert {" ".join(word for word in words if word != AWKWARD) for words in commands} == {
        "review", "review --plain", "fetch", "sources addresses --registry"
    }  # fmt: skip
    assert all(AWKWARD in words for words in commands)
    medreview("review", AWKWARD, "--plain", input="q\n")
