"""What is known of an answer beside its text: on a page of its own, and in a word beside question and answer."""

import json
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.study import Study
from tests.support.workbench import blind_workbench, on_screen, press, screen_text, workbench

ANSWER = {
    "id": "c1",
    "question": "And if that fails?",
    "model": "atlas-2",
    "response": "Add basal insulin when oral therapy fails. Review the dose every three months.",
    "turns": [
        {"role": "system", "text": "Answer briefly."},
        {"role": "user", "text": "What comes first in type 2 diabetes?"},
        {"role": "assistant", "content": "Metformin, unless the eGFR is below 30."},
    ],
    "finish": "length",
    "created_at": 1764400000,
    "ward": "ICU",
    "run": 3,
}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in (ANSWER, {"id": "c2", "response": "Rest helps a cold."})))
    study = Study.create(tmp_path / "s.medreview")
    pipeline.run(study, [path], {}, pipeline.PageProvider(saved=empty(tmp_path)))
    return study


def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "manifest.jsonl").touch()
    return folder


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)], ids=["80x24", "100x30", "160x50"])
async def test_a_key_shows_what_is_known_of_an_answer(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot)
        shown = screen_text(app)
        assert "asked after 2 turns" in shown
        assert size == (80, 24) or "atlas-2  truncated" in shown
        await press(pilot, "o")
        page = screen_text(app)
        for words in ("how it ended: truncated", "given at: 2025-11-29T07:06:40", "ward: ICU", "run: 3",
                      "system prompt: Answer briefly.", "asked before: What comes first",
                      "answered before: Metformin, unless", "asked: And if that fails?"):  # fmt: skip
            assert words in page
        await press(pilot, "q")
        assert "asked after 2 turns" in screen_text(app)


async def test_a_blind_queue_shows_the_turns_and_nothing_that_may_name_the_model(study: Study) -> None:
    async with on_screen(blind_workbench(study, "responses", filter="insulin"), 100, 30) as (app, pilot):
        await press(pilot, "o")
        page = screen_text(app)
        assert "asked before: What comes first" in page
        assert not any(word in page for word in ("atlas", "ICU", "c1", "a.jsonl"))


async def test_nothing_known_is_said_in_the_last_row(study: Study) -> None:
    async with on_screen(workbench(study, filter="cold"), 100, 30) as (app, pilot):
        await press(pilot, "o")
        assert "About the answer R02" in screen_text(app)


@pytest.mark.parametrize(("words", "found"), [("extra.ward=ICU", 2), ("extra.run=3", 2), ("finish=truncated", 2)])
def test_a_queue_is_narrowed_by_it(study: Study, words: str, found: int) -> None:
    from medreview.review.queue import kind_named
    from medreview.review.queue_filters import FilterWords, select_statements

    assert len(select_statements(study.reader, words).statements) == found
    completed = FilterWords(study.reader, kind_named("responses"), "open").completions("extra.w")
    assert [one.shown for one in completed] == ["extra.ward="]
