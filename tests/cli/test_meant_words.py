"""What a command line means that names no command of today: an old name, a path alone, a word with a slip in it."""

from pathlib import Path

import pytest

from medreview.cli.app import every_command
from medreview.cli.command_tree import command_of
from medreview.cli.meant_words import OLD_NAMES, meant
from tests.support.commands import Program

COMMANDS = every_command()


@pytest.mark.parametrize("old", OLD_NAMES)
def test_an_old_name_is_a_command_of_today(old: str) -> None:
    words, sentence = meant([old, "a.medreview", "b.svg", "--json"])
    name, rest = command_of(words, COMMANDS)
    options = {option for one in COMMANDS[name].params for option in one.opts}

    assert old not in COMMANDS
    assert not hasattr(COMMANDS[name], "commands")
    assert {word for word in rest if word.startswith("--")} <= options
    assert sentence.startswith(f"`medreview {old}` is now `medreview {OLD_NAMES[old]}`; ")
    assert COMMANDS[name].make_context(name, ["--help"] if old == "trust" else rest, resilient_parsing=True)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("picture s.medreview p.svg --size 80x24", "review --picture p.svg s.medreview --size 80x24"),
        ("picture s.medreview", "review --picture s.medreview"),
        ("s.medreview --blind", "review s.medreview --blind"),
        ("- s.medreview", "review - s.medreview"),
        ("answers/some", "review answers/some"),
        ("stats s.medreview", "stats s.medreview"),
        ("help", "--help"),
        ("help plan audit", "plan audit --help"),
        ("--version", "--version"),
        ("", ""),
    ],
)
def test_words_are_read_as_they_are_meant(typed: str, words: str) -> None:
    assert meant(typed.split())[0] == words.split()


def test_an_old_name_works_and_says_the_new_one_beside_the_result(medreview: Program, demo: Path) -> None:
    old = "where"
    done = medreview(old, demo, "--json")

    assert done.stdout == medreview("config", "where", demo, "--json").stdout
    assert done.stderr == (
        f"medreview: `medreview {old}` is now `medreview config where`; the next version drops the old name.\n"
    )


def test_a_path_alone_is_reviewed_whatever_its_name(medreview: Program, demo: Path, tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("Take 5 mg.")
    for path in (demo, tmp_path / "answers"):
        assert "review" in medreview(path.name, check=2).stderr.partition("needs a terminal")[2]
    assert medreview("none.docx", check=2).stderr == medreview("review", "none.docx", check=2).stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["revue"], "Did you mean 'review'?"),
        (["conflict"], "Did you mean 'team conflicts'?"),
        (["nonsense"], "No such command 'nonsense'."),
        (["judges", "promts"], "Did you mean 'prompts'?"),
        (["judges", "gpt"], "There is no judge 'gpt'"),
        (["config", "schow"], "Did you mean 'show'?"),
        (["plan", "adit"], "Did you mean 'audit'?"),
        (["plan"], "Show the random audit"),
        (["review"], "Name a study, or a file of answers"),
        (["review", "--paste", "--recent"], "Give one of --paste, --recent and --picture"),
        (["review", "a.medreview", "--size", "80x24"], "go with --picture"),
        (["review", "a.medreview", "--json"], "--json goes with --recent"),
        (["review", "--picture", "a.svg"], "Name one study with --picture"),
        (["review", "--recent", "a.medreview"], "take no other study"),
        (["import", "a.medreview", "b.csv", "--suggest"], "add --as facts"),
        (["import", "a.medreview", "b.csv", "c.csv", "--as", "facts"], "--as facts takes one file"),
        (["check", "DEMO", "--sent-anyway"], "goes with --identifiers"),
        (["check", "DEMO", "--identifiers", "--against", "x"], "a check of its own"),
    ],
)
def test_a_slip_is_named(medreview: Program, demo: Path, words: list[str], said: str) -> None:
    given = [str(demo) if word == "DEMO" else word for word in words]
    assert said in medreview(*given, check=2).stderr


def test_help_is_there_by_its_short_name_too(medreview: Program) -> None:
    for words in ((), ("plan",), ("plan", "audit"), ("judges",), ("judges", "list")):
        assert medreview(*words, "-h").stdout == medreview(*words, "--help").stdout
