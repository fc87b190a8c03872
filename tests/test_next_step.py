"""Commands that are printed are right as they stand: they are given here as a shell would give them."""

import re
import shlex
import shutil
from pathlib import Path

from medreview.next_step import command
from medreview.review.live_agreement import agreement_lines
from medreview.study import Study
from tests.support.commands import Program

AWKWARD = "my studies/it's a demo.medreview"


def printed(text: str) -> list[list[str]]:
    """The commands in a text, as the words that a shell makes of them."""
    return [shlex.split(found)[1:] for found in re.findall(r"medreview [a-z]+ '.*\.medreview'[^`\n]*", text)]


def test_words_are_quoted_and_none_becomes_an_option() -> None:
    assert command("fetch", Path("a b.medreview")) == "medreview fetch 'a b.medreview'"
    assert command("judge", Path("-x.medreview"), "--judge", "$(rm)") == (
        "medreview judge ./-x.medreview --judge '$(rm)'"
    )
    assert command("run", Path("../it's"), "FILE") == "medreview run '../it'\"'\"'s' FILE"


def test_what_a_command_names_as_the_next_can_be_given(tmp_path: Path, demo_file: Path) -> None:
    medreview = Program(tmp_path)
    (tmp_path / "my studies").mkdir()
    missing = medreview("stats", AWKWARD, check=2).stderr
    assert printed(missing) == [["run", AWKWARD, "FILE"]]
    (tmp_path / "a.jsonl").write_text('{"response": "Metformin is not started below an eGFR of 30."}')
    told = medreview("run", AWKWARD, "a.jsonl").stdout
    shutil.copy(demo_file, tmp_path / AWKWARD)

    told += medreview("review", AWKWARD, check=2).stderr  # no terminal here
    told += medreview("urls", AWKWARD).stdout
    with Study.open(tmp_path / AWKWARD) as study:
        study.write(lambda connection: connection.execute("UPDATE source SET current_snapshot = NULL"))
        told += "\n".join(agreement_lines(study, "kb"))
    told += medreview("urls", AWKWARD).stdout

    commands = printed(told)
    assert {(words[0], *words[2:]) for words in commands} == {
        ("review",), ("review", "--plain"), ("fetch",), ("urls", "--registry")
    }  # fmt: skip
    assert {words[1] for words in commands} == {AWKWARD}
    medreview("review", AWKWARD, "--plain", input="q\n")
