"""What of a response is no statement: dim in it, listed by l, and made a statement."""

import json
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.config import Config
from medreview.review.queue import open_queue
from medreview.screens.app import Workbench
from medreview.study import Study
from medreview.study.check import check
from tests.support.workbench import PLAIN, events, pane_text, press, review_screen, screen_text, workbench

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
RESPONSE = "Hello! Metformin is safe in pregnancy. Is it safe for you? Rest helps as well."
BESIDE = "Aspirin is not safe in pregnancy."


@pytest.fixture
def study(tmp_path: Path, empty_study: Study) -> Study:
    answers = tmp_path / "answers.jsonl"
    lines = [{"question": "Q?", "response": text} for text in (RESPONSE, BESIDE)]
    answers.write_text("\n".join(json.dumps(line) for line in lines))
    pipeline.bring_in(empty_study, answers, {})
    pipeline.parse(empty_study)
    pipeline.judge(empty_study)
    return empty_study


@SIZES
async def test_a_key_makes_a_statement_of_what_was_left_out(study: Study, size: tuple[int, int]) -> None:
    app = workbench(study, queue="responses")
    async with app.run_test(size=size) as pilot:
        view = review_screen(app)
        marks = [(mark.start, mark.end) for mark in view.response.marks.of_kind("left_out")]
        assert [RESPONSE[start:end] for start, end in marks] == ["Hello!", "Is it safe for you?"]
        await press(pilot, "l")
        assert "Left out 1 of 2: “Hello!”" in pane_text(app, "foot")
        assert "a courtesy" in pane_text(app, "foot")
        assert "Metformin is safe in pregnancy." in screen_text(app)
        await press(pilot, "w")
        assert "Left out 2 of 2: “Is it safe for you?”" in pane_text(app, "foot")
        assert RESPONSE[slice(*view.response.marks.of_kind("chosen")[0][:2])] == "Is it safe for you?"
        await press(pilot, "enter")
        assert "“Is it safe for you?” is a statement now   saved #" in pane_text(app, "foot")
        assert not view.response.marks.of_kind("chosen")
        assert len(view.response.marks.of_kind("left_out")) == 1
        assert view.session.counts.open == 4
        (event,) = events(study, "promote")
        assert view.session.queue.units[2] == event["unit"]
        await press(pilot, "u")
        assert "undone: made a statement of" in " ".join(pane_text(app, "foot").split())
        assert len(view.response.marks.of_kind("left_out")) == 2
        assert view.session.counts.open == 3
        await press(pilot, "U")
        assert view.session.unit == event["unit"]
        assert "Is it safe for you?" in screen_text(app)
    row = study.reader.execute("SELECT badges FROM verdict WHERE statement_id = ?", (event["unit"],)).fetchone()
    assert row is not None
    assert check(study.reader) == []


@SIZES
async def test_where_nothing_is_left_out_the_key_says_so(study: Study, size: tuple[int, int]) -> None:
    app = workbench(study, queue="responses")
    async with app.run_test(size=size) as pilot:
        await press(pilot, "j", "j", "l")
        assert "Everything in this response is a statement." in pane_text(app, "foot")


async def test_left_out_text_is_dim_and_has_a_sign_beside_it_without_colours(study: Study) -> None:
    queue = open_queue(study, "responses", "kb")
    app = Workbench(study, Config(reviewer="kb"), PLAIN._replace(ascii_only=True), queue=queue)
    async with app.run_test(size=(160, 50)):
        view = review_screen(app).response
        strip = view.line(0)
        text = strip.text.rstrip()
        assert text.startswith(":Hello!")
        dim = [segment.text for segment in strip if segment.style and segment.style.dim]
        assert "".join(dim).startswith("Hello!")
        assert "Metformin" not in "".join(dim)
