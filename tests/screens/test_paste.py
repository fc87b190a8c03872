"""An answer that is pasted is checked, and a text that is pasted is that of a source: by the keys alone."""

import json
import sys
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.config import Config
from medreview.screens.app import Workbench
from medreview.study import Study
from tests.support.terminal import Terminal
from tests.support.workbench import PLAIN, on_screen, paste, press, put_in, screen_text, workbench

QUESTION = "Is metformin safe at an eGFR of 25?"
ANSWER = (
    "Metformin is contraindicated below an eGFR of 30 [1].\n\nHalve the dose below 45 [1].\n\n[1] https://127.0.0.1:9/x"
)
ADDRESS = "https://guideline.example/renal-dosing"
PAGE = "Renal dosing. Metformin is contraindicated in patients with an eGFR below 30. Below 45 the dose is halved."
SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@pytest.fixture
def study(tmp_path: Path) -> Study:
    path, pages = tmp_path / "a.jsonl", tmp_path / "pages"
    record = {"question": QUESTION, "response": ANSWER.partition("\n\n[1]")[0], "citations": [ADDRESS]}
    path.write_text(json.dumps(record))
    pages.mkdir()
    (pages / "manifest.jsonl").touch()
    study = Study.create(tmp_path / "s.medreview")
    pipeline.run(study, [path], {}, pipeline.PageProvider(saved=pages))
    return study


@SIZES
async def test_a_question_and_an_answer_are_taken_as_they_were_pasted(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN), *size) as (app, pilot):
        await press(pilot, "I")
        assert "An answer to check" in screen_text(app)
        await paste(pilot, QUESTION)
        await press(pilot, "enter")
        await paste(pilot, ANSWER.replace("\n", "\r\n"))
        shown = screen_text(app)
        assert "(8 words)" in shown
        assert "Halve the dose below 45 [1]." in shown
        assert "Enter checks it" in shown
        await press(pilot, "shift+tab")
        await press(pilot, "!")
        await press(pilot, "ctrl+d")
        await press(pilot, "enter")
    assert app.pasted == [QUESTION + "!", ANSWER]


async def test_lines_that_come_as_keys_are_ended_by_another_key_than_enter(study: Study) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        await press(pilot, "I", "enter", "a", "enter", "b")
        assert "Ctrl+D checks it" in screen_text(app)
        await press(pilot, "ctrl+d")
    assert app.pasted == ["", "a\nb"]


async def test_without_an_answer_nothing_is_taken_and_escape_leads_back(study: Study) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        await press(pilot, "I", "enter", "enter")
        assert "There is no answer yet" in screen_text(app)
        await press(pilot, "escape")
        assert "Enter open" in screen_text(app)
    assert app.pasted == ()


@SIZES
async def test_the_text_of_a_source_is_given_where_it_is_missed(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "f8")
        assert "The content of [1]" in screen_text(app)
        await paste(pilot, PAGE)
        await press(pilot, "enter")
        shown = screen_text(app)
        assert "given by reviewer" in shown
        assert "Renal dosing." in shown
        await put_in(pilot, "f8", text=PAGE + " Renal function is measured every three months.")
        assert "It would take the place of snapshot 1" in screen_text(app)
        await press(pilot, "enter")
        assert "is stored, 25 words" in screen_text(app)
    states = study.reader.execute("SELECT version, page_state FROM snapshot ORDER BY version").fetchall()
    assert [tuple(row) for row in states] == [(1, "given_by_reviewer"), (2, "given_by_reviewer")]


async def test_a_file_is_named_in_the_place_of_a_text(study: Study, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text(PAGE)
    async with on_screen(workbench(study), 100, 30) as (app, pilot):
        await put_in(pilot, "f8", text=str(tmp_path / "g.txt"))
        assert "Renal dosing." in screen_text(app)
        await put_in(pilot, "f8", text=str(tmp_path / "none.txt"))
    assert study.reader.execute("SELECT count(*) FROM snapshot").fetchone()[0] == 1


COMMAND = """
import sys
from medreview.cli.main import main
sys.argv = ["medreview", "paste", sys.argv[1], "--reviewer", "kb"]
main()
"""


def test_a_pasted_answer_is_open_for_review_a_moment_later(tmp_path: Path) -> None:
    path = tmp_path / "p.medreview"
    with Terminal([sys.executable, "-c", COMMAND, str(path)], 80, 24, None) as terminal:
        terminal.wait("An answer to check")
        terminal.type(QUESTION + "\r")
        terminal.wait("the answer")
        terminal.type(f"\x1b[200~{ANSWER}\x1b[201~")
        terminal.wait("Halve the dose")
        terminal.type("\r")
        terminal.wait("by response")
        terminal.type("4")
        terminal.wait("saved")
        terminal.type("q")
        terminal.wait("Enter open")
        terminal.type("q")
        assert terminal.finish() == 0
    with Study.open(path, read_only=True) as study:
        assert study.reader.execute("SELECT question FROM response").fetchone()[0] == QUESTION
        assert study.reader.execute("SELECT count(*) FROM event WHERE kind = 'decide'").fetchone()[0] == 1


def test_a_paste_that_nobody_makes_leaves_no_study(tmp_path: Path) -> None:
    path = tmp_path / "p.medreview"
    with Terminal([sys.executable, "-c", COMMAND, str(path)], 80, 24, None) as terminal:
        terminal.wait("An answer to check")
        terminal.type("\x1b")
        assert terminal.finish() == 0
    assert not path.exists()
