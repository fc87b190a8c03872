"""``medreview`` alone lists the studies that were opened last, and opens the one that is chosen."""

import json
import shutil
from pathlib import Path

import pytest

from medreview.study import Study
from tests.support.commands import MEDREVIEW, Program
from tests.support.terminal import Terminal


@pytest.fixture
def medreview(tmp_path: Path) -> Program:
    """The program with a state folder of its own."""
    return Program(tmp_path, {"XDG_STATE_HOME": str(tmp_path / "state"), "LOGNAME": "kb"})


def studies(medreview: Program) -> list[dict]:
    return json.loads(medreview("review", "--recent", "--json").stdout)["studies"]


def alone(medreview: Program, rows: int = 24) -> Terminal:
    environ = {name: value for name, value in medreview.own.items() if name != "COLUMNS"}
    return Terminal(MEDREVIEW, 80, rows, medreview.folder, **environ)


def noted(medreview: Program, *paths: Path) -> None:
    """Note studies as opened, the last one last."""
    told = [{"path": str(path), "opened_at": f"2026-11-22T10:{n:02}:00+00:00"} for n, path in enumerate(paths)]
    place = medreview.folder / "state" / "medreview"
    place.mkdir(parents=True)
    (place / "recent.json").write_text(json.dumps({"studies": told}))


def test_a_study_is_listed_once_it_was_opened_for_review_and_by_no_other_command(medreview, demo):
    medreview("stats", demo)
    medreview("check", demo)
    assert medreview("review", "--recent").stdout == "No study was opened for review yet.\n"

    medreview("review", demo, "--plain", "--reviewer", "anna", input="1\nq\n")
    medreview("review", demo, "--plain", "--read-only", check=0, input="q\n")

    [study] = studies(medreview)
    assert (study["path"], study["title"], study["reviewer"]) == (str(demo), "sample study", "anna")
    assert study["counts"]["decided"] == 1
    assert study["counts"]["total"] == study["counts"]["open"] + 1
    lines = medreview("review", "--recent").stdout.splitlines()
    assert max(map(len, [lines[0], *lines[2:]])) <= 80
    assert lines[0].startswith(" 1  sample study  ")
    assert "1 of 118 decided" in lines[2]

    assert (
        json.loads(medreview("review", "--recent", "--forget", "demo.medreview", "--json").stdout)["forgotten"] is True
    )
    assert "was not on the list" in medreview("review", "--recent", "--forget", demo).stdout
    assert studies(medreview) == []
    assert demo.exists()


def test_enter_opens_the_newest_that_can_be_opened_for_the_reviewer_it_was_opened_for(medreview, demo):
    medreview("review", demo, "--plain", "--reviewer", "anna", input="q\n")
    gone = medreview.folder / "gone.medreview"
    shutil.copy(demo, gone)
    medreview("review", gone, "--plain", input="q\n")
    gone.unlink()

    with alone(medreview) as terminal:
        terminal.wait("Enter opens 2")
        assert "GONE: no file is there any more" in terminal.shown
        terminal.type("1\n")
        terminal.wait("1 cannot be opened")
        terminal.type("x 1\n")
        terminal.wait("Enter opens 1")
        assert "gone.medreview" not in terminal.shown.rpartition("Recent studies")[2]
        terminal.type("\n")
        terminal.wait("reviewer anna")
        terminal.type("q")
        assert terminal.finish() == 0
    assert [study["path"] for study in studies(medreview)] == [str(demo)]


def test_the_list_is_read_page_by_page_on_a_small_terminal_and_left_with_q(medreview, demo):
    copies = [Path(shutil.copy(demo, medreview.folder / f"copy{number}.medreview")) for number in range(7)]
    noted(medreview, *copies)
    before = {file.name: file.read_bytes() for file in medreview.folder.iterdir() if file.is_file()}

    with alone(medreview, rows=16) as terminal:
        terminal.wait("m shows more")
        assert "copy6" in terminal.shown
        assert "copy0" not in terminal.shown
        terminal.type("nonsense\n")
        terminal.wait("'nonsense' is not in the list")
        for _ in range(2):
            terminal.type("m\n")
            terminal.read(0.2)
        terminal.wait("copy0")
        assert all(len(line) <= 80 for line in terminal.shown.splitlines())
        terminal.type("q\n")
        assert terminal.finish() == 0
    assert {file.name: file.read_bytes() for file in medreview.folder.iterdir() if file.is_file()} == before


def test_a_title_and_a_path_cannot_steer_the_terminal(medreview, tmp_path):
    path = tmp_path / "a\x1b]52;c;SGk=\x07\u202e.medreview"
    Study.create(path, "t\x1b[31m\u202eitle\n2").close()
    noted(medreview, path)

    told = medreview("review", "--recent")
    assert {"\x1b", "\u202e", "\x07"}.isdisjoint(told.stdout + medreview("review", "--recent", "--json").stdout)
    assert studies(medreview)[0]["path"] == str(path)


def test_without_a_terminal_the_help_is_printed_as_it_is_and_nothing_is_asked(medreview, demo):
    noted(medreview, demo)

    done = medreview(check=2)

    assert done.stdout == ""
    assert done.stderr.startswith("Usage: medreview COMMAND|FILE|STUDY ...\n\nCheck what")
    assert "\n         review " in done.stderr


def test_on_a_terminal_with_no_study_yet_what_to_begin_with_is_asked(medreview):
    with alone(medreview, rows=60) as terminal:
        terminal.wait("p      paste a question and an answer")
        terminal.type("none.json\r")
        terminal.wait("There is no file 'none.json'.")
        terminal.type("q\r")
        assert terminal.finish() == 0
    with alone(medreview) as terminal:
        terminal.wait("the sample study")
        terminal.type("\r")
        terminal.wait("decided 0")
        terminal.type("q")
        terminal.wait("leave")
        terminal.type("q")
        assert terminal.finish() == 0
    assert (medreview.folder / "demo.medreview").exists()


def test_where_nothing_was_opened_yet_a_file_is_opened_as_it_is_dropped(medreview, tmp_path):
    answers = tmp_path / "my answers.md"
    answers.write_text("Question: May I?\n\nMetformin is contraindicated below an eGFR of 30 mL/min.\n")

    with alone(medreview) as terminal:
        terminal.wait("try it on the sample study")
        terminal.type("nothing.docx\n")
        terminal.wait("There is no file 'nothing.docx'")
        terminal.type(f"{str(answers).replace(' ', chr(92) + ' ')} \n")
        terminal.wait("reviewer kb")
        terminal.type("q")
        assert terminal.finish() == 0
    assert (tmp_path / "my answers.medreview").exists()
