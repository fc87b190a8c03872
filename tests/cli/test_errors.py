"""What goes wrong is one clear sentence and exit code 2, and nothing is lost."""

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys

import pytest

from medreview.cli.app import every_command
from medreview.cli.main import KEEPING
from tests.support.commands import Program, own_settings


def one_sentence(done):
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("medreview: ")
    assert lines[0].endswith(".")
    return lines[0]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("missing.jsonl", None, "missing.jsonl"),
        ("empty.jsonl", b"", "empty"),
        ("cut.json", b'[{"response": "Take 5 mg."}, {"respon', "line 1"),
        ("cyrillic.jsonl", '{"response": "Пациенты принимают 5 мг."}'.encode("cp1251"), "UTF-8"),
        ("other.csv", b"colour,shape\nred,round\n", "--map"),
        ("binary.txt", bytes(range(256)) * 4, "text"),
    ],
)
def test_a_file_that_cannot_be_used(medreview, tmp_path, name, content, says):
    if content is not None:
        (tmp_path / name).write_bytes(content)

    assert says in one_sentence(medreview("run", "a.medreview", name, check=2))


def test_a_folder_instead_of_a_file(medreview, tmp_path):
    (tmp_path / "answers").mkdir()

    assert "folder" in one_sentence(medreview("run", "a.medreview", "answers", check=2))


def test_a_failed_first_run_leaves_no_study_behind(medreview, tmp_path):
    medreview("run", "a.medreview", "missing.jsonl", check=2)

    assert not (tmp_path / "a.medreview").exists()


@pytest.mark.parametrize("command", ["review", "fetch", "parse", "judge", "stats", "check", "backup"])
def test_no_study_there(medreview, command):
    assert "There is no study" in one_sentence(medreview(command, "nowhere.medreview", check=2))


def test_a_study_of_a_newer_version(medreview, demo):
    connection = sqlite3.connect(demo)
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    assert "newer medreview" in one_sentence(medreview("review", demo, check=2))


def test_an_unknown_key_in_the_settings(medreview, demo, tmp_path):
    (tmp_path / "medreview.toml").write_text('colour = "red"\n')

    sentence = one_sentence(medreview("review", demo, check=2))
    assert "unknown key 'colour'" in sentence
    assert "reviewer" in sentence


def test_settings_that_give_one_key_to_two_actions(medreview, demo, tmp_path):
    (tmp_path / "medreview.toml").write_text('[keys]\ndefer = "u"\n')

    assert "'u' is given to both" in one_sentence(medreview("review", demo, check=2))


def test_a_disk_that_takes_no_more(medreview, demo):
    size = demo.stat().st_size

    def bounded():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    done = medreview("backup", demo, "copy.medreview")
    assert "copied" in done.stdout
    answers = demo.with_name("more.jsonl")
    answers.write_text("\n".join(f'{{"response": "Take {n} mg of it. {"x" * 4000}"}}' for n in range(800)))
    one_sentence(medreview.process("import", demo, answers, check=2, preexec_fn=bounded))
    assert "whole" in medreview("check", demo).stdout


def test_a_terminal_that_cannot_draw(medreview, demo):
    sentence = one_sentence(medreview("review", demo, check=2))

    assert "terminal" in sentence


def test_what_a_file_holds_cannot_steer_the_terminal(medreview, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"response": "Take 5 mg."}\n')
    medreview("import", "a.medreview", "a.jsonl")
    medreview("parse", "a.medreview")
    bad = '{"judge": "x", "response": "\\u001b]52;c;SGk=\\u0007", "statement": "s", "source": "u", "label": "yes"}\n'
    (tmp_path / "j.jsonl").write_text(bad)
    done = medreview("import", "a.medreview", "j.jsonl")

    assert "1 left out" in done.stdout
    assert "\x1b" not in done.stderr + done.stdout


def test_json_cannot_steer_the_terminal_and_says_the_same(medreview, tmp_path):
    name = "m\u009b31m\u202e\u200b.jsonl"
    (tmp_path / name).write_text(json.dumps({"response": "Take 5 mg daily."}))

    told = medreview("import", "a.medreview", name, "--json").stdout

    assert set(told).isdisjoint("\u009b\u202e\u200b")
    assert json.loads(told)["files"][0]["file"] == name


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_result_that_cannot_be_written(medreview, tmp_path, options):
    def bounded():
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))

    with (tmp_path / "result").open("w") as result:
        process = medreview.start(
            "judges", "prompts", "source_verification", *options, stdout=result, preexec_fn=bounded
        )
        _, said = process.communicate(timeout=120)

    assert process.returncode == 2
    assert said == "medreview: the result could not be written (File too large).\n"


def test_an_interrupt_of_a_command_that_stores_nothing_promises_nothing(medreview):
    with medreview.start("evidence", "--jsonl") as process:
        process.stdin.write('{"quote": "x", "source_text": "y"}\n')
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)

    assert process.returncode == 130
    assert said == "medreview: stopped.\n"


def test_the_commands_that_promise_to_go_on_are_commands():
    assert every_command().keys() >= KEEPING


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("medreview.toml", "a = {deep}", ("stats", "demo.medreview")),
        ("config/medreview/medreview.toml", "a = {deep}", ("stats", "demo.medreview")),
        ("synonyms.toml", "[synonyms]\ngroups = {deep}", ("run", "new.medreview", "answers.jsonl")),
        (
            "paywalled.toml",
            "domains = {deep}",
            ("sources", "addresses", "demo.medreview", "--paywalled", "paywalled.toml"),
        ),
        ("allowed.toml", "x = {deep}", ("citations", "answers.jsonl", "--allow", "allowed.toml")),
        ("prompts/source_verification.md", "+++\ntask = {deep}\n+++\n```json schema\n{{}}\n```", ("judges", "prompts")),
        ("prompts/source_verification.md", "+++\ntask = 1\n+++\n```json schema\n{deep}\n```", ("judges", "prompts")),
    ],
)
def test_lists_thousands_deep_in_a_file_of_ones_own_are_one_sentence(medreview, demo, tmp_path, name, content, words):
    (tmp_path / "answers.jsonl").write_text('{"response": "Take 5 mg. https://a.example/1"}\n')
    (tmp_path / "config" / "medreview").mkdir(parents=True)
    (tmp_path / "prompts").mkdir()
    own = "".join(f'{key} = "{tmp_path / key}{end}"\n' for key, end in (("prompts", ""), ("synonyms", ".toml")))
    (tmp_path / "config" / "medreview" / "medreview.toml").write_text(own)
    (tmp_path / "synonyms.toml").write_text('[synonyms]\ngroups = [["flu", "grippe"]]\n')
    (tmp_path / name).write_text(content.format(deep="[" * 20_000 + "]" * 20_000))

    assert name.rpartition("/")[2] in one_sentence(medreview(*words, check=2))


@pytest.mark.parametrize("words", [("stats", "demo.medreview"), ("config",), ("config", "set", "reviewer", "kb")])
def test_a_settings_folder_that_cannot_be_read_is_named(medreview, demo, tmp_path, words):
    folder = tmp_path / ("x" * 300)  # which no user may look into, root no more than others
    program = Program(tmp_path, {"XDG_CONFIG_HOME": str(folder)})

    told = one_sentence(program(*words, check=2))

    assert told.startswith(f"medreview: The settings folder {folder / 'medreview'} cannot be read (")


@pytest.mark.parametrize(
    ("words", "module"),
    [
        (("stats", "demo.medreview"), "medreview.errors"),
        (("stats", "demo.medreview"), "medreview.cli.app"),
        (("stats", "demo.medreview"), "medreview.config"),
        (("evidence", "--jsonl"), "medreview.cli.output"),  # for the sentence on the settings
    ],
)
def test_an_interrupt_while_a_module_is_loaded_is_one_sentence(demo, words, module):
    code = f"""
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.argv = ["medreview", *{words!r}]
from medreview.cli.main import main
main()
"""
    environ = os.environ | {"XDG_CONFIG_HOME": str(demo.parent / "config")}
    own_settings(demo.parent, "no TOML" if "evidence" in words else "")
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=demo.parent,
        env=environ,
        input="",
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "medreview: stopped.\n")
