"""Finding: the line of everything, filters that are completed and saved, searches, the list of my decisions."""

import json
from pathlib import Path

import pytest

from medreview.config import Config
from medreview.import_files import import_file
from medreview.progress import SILENT
from medreview.review.queue import saved_filters
from medreview.screens.app import Workbench
from medreview.screens.history_page import HistoryScreen
from medreview.screens.home import HomeScreen
from medreview.screens.page import PageScreen
from medreview.screens.review import ReviewScreen
from medreview.study import Study
from tests.support.unit_samples import SAMPLES
from tests.support.workbench import (
    PLAIN,
    blind_workbench,
    events,
    on_screen,
    pane_text,
    paste,
    press,
    put_in,
    review_screen,
    screen_text,
    workbench,
)

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


def home(study: Study) -> Workbench:
    return Workbench(study, Config(reviewer="kb"), PLAIN)


@SIZES
async def test_the_line_lists_everything_narrows_by_words_and_does_it(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        before = screen_text(app)
        await press(pilot, "colon")
        assert "hallucination" in pane_text(app, "listed")
        assert "One" not in pane_text(app, "listed")
        await press(pilot, "enter")  # nothing was typed and nothing chosen
        assert screen_text(app) == before
        await press(pilot, "colon")
        await paste(pilot, "put it off")
        assert "▸ s " in pane_text(app, "listed")
        await press(pilot, "enter")
        assert [row["kind"] for row in events(study)] == ["defer"]
        await put_in(pilot, "colon", text="queue flagged")
        assert review_screen(app).session.queue.kind.name == "flagged"
        await put_in(pilot, "colon", text="this page")
        assert isinstance(app.screen, PageScreen)
        await press(pilot, "q", "colon", "escape")
        assert "listed" not in {widget.id for widget in review_screen(app).children if widget.region}


async def test_the_line_opens_over_a_card_that_leaves_the_bar_no_row(study: Study, tmp_path: Path) -> None:
    item = {
        "unit": "qa",
        "question": "Is this long? " * 60,
        "answer": "Yes.",
        "passage": "It is.",
        "passage_title": "Page",
    }
    (tmp_path / "qa.jsonl").write_text(json.dumps(item), encoding="utf-8")
    import_file(study, tmp_path / "qa.jsonl", {}, SILENT)
    async with on_screen(workbench(study, "qa")) as (app, pilot):
        await press(pilot, "v")  # all of the card
        before = screen_text(app)
        assert "── card ──" in before
        await press(pilot, "colon")
        assert "── card ──" not in screen_text(app)
        await press(pilot, "escape")
        assert screen_text(app) == before


async def test_typing_a_filter_filters_at_once_as_ever_and_words_never_decide(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        every = len(review_screen(app).session.queue.units)
        for typed in ("model=atlas-2", "filter model=atlas-2", "  model=atlas-2 "):
            await put_in(pilot, "colon", text=typed)
            assert review_screen(app).session.queue.filter == "model=atlas-2"
            await press(pilot, "colon", "enter")  # an empty line shows all again
            assert len(review_screen(app).session.queue.units) == every
        await put_in(pilot, "colon", text="colour=red")
        assert "cannot use 'colour'" in pane_text(app, "foot")
        await put_in(pilot, "ctrl+u", text="supported")
        assert not events(study)  # the word may have been meant for the statements
        await press(pilot, "escape", "=")
        assert ": filter" in pane_text(app, "foot")


async def test_names_and_values_of_filters_are_completed(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "=", *"res", "tab", "tab")
        assert ": filter response=R0" in pane_text(app, "foot")
        assert "R02" in pane_text(app, "listed")
        await press(pilot, "down", "down", "tab", "enter")
        assert review_screen(app).session.queue.filter == "response=R02"


async def test_a_blind_queue_completes_nothing_that_tells(study: Study) -> None:
    async with on_screen(blind_workbench(study, "responses")) as (app, pilot):
        await press(pilot, "colon", *"mo", "tab")
        assert "model=" not in screen_text(app)
        await press(pilot, "ctrl+u")
        await paste(pilot, "model=")
        assert "atlas" not in screen_text(app)
        await press(pilot, "enter")
        assert "that would show what is hidden" in " ".join(pane_text(app, "foot").split())


@SIZES
async def test_a_saved_filter_is_on_the_first_screen_opens_and_is_deleted(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        for typed in ("response=R02", "save second answer"):
            await put_in(pilot, "colon", text=typed)
        assert "saved as “second answer”" in pane_text(app, "foot")
        units = list(review_screen(app).session.queue.units)
        await press(pilot, "q")
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)
        await press(pilot, *"jjjjjjjj")
        assert "SAVED FILTERS" in screen_text(app)
        row = next(line for line in screen_text(app).splitlines() if "second answer" in line)
        assert f"{len(units)}  by response, filter response=R02" in row
        await put_in(pilot, "colon", text="second ans")
        await pilot.pause()
        assert list(review_screen(app).session.queue.units) == units
        await press(pilot, "q")
        await pilot.pause()
        await put_in(pilot, "colon", text="delete second")
        await pilot.pause()
        assert not saved_filters(study.reader, "kb")
        assert "SAVED FILTERS" not in screen_text(app)


@SIZES
async def test_my_decisions_are_listed_narrowed_and_gone_to(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        first = review_screen(app).session.unit
        await press(pilot, "2")
        await press(pilot, "s", "H")
        await pilot.pause()
        text = screen_text(app)
        assert "My decisions" in text
        assert text.index("deferred") < text.index("partial")
        await press(pilot, "slash", *"part", "enter")
        assert "deferred" not in screen_text(app)
        await press(pilot, "enter")
        await pilot.pause()
        assert review_screen(app).session.unit == first
        await press(pilot, "3")  # and it can be changed
        assert [row["label"] for row in events(study, "decide")] == ["partial", "contradicted"]


async def test_a_unit_of_another_queue_is_opened_in_one_that_has_it_and_blind_stays_blind(study: Study) -> None:
    SAMPLES["qa"](study)
    async with on_screen(blind_workbench(study, "responses")) as (app, pilot):
        unit = review_screen(app).session.unit
        await press(pilot, "2")
        await put_in(pilot, "colon", text="queue QA")
        await pilot.pause()
        assert review_screen(app).session.queue.kind.name == "qa"
        await press(pilot, "H")
        await pilot.pause()
        await press(pilot, "enter")
        await pilot.pause()
        session = review_screen(app).session
        assert (session.unit, session.mode, session.shows_judges) == (unit, "blind", False)
        await press(pilot, "q")
        await pilot.pause()
        await press(pilot, "H")
        await pilot.pause()
        assert isinstance(app.screen, HistoryScreen)
        await press(pilot, "q")
        assert isinstance(app.screen, HomeScreen)


@SIZES
async def test_a_search_goes_through_the_pane_that_is_read_and_my_notes(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "n", *"check dose", "enter")
        await press(pilot, "tab")
        word = review_screen(app).session.beside_text().split()[0]
        await put_in(pilot, "slash", text=word)
        assert review_screen(app).reading.searching
        assert f"/{word} 1/" in screen_text(app)
        await put_in(pilot, "tab", "slash", text="no such words anywhere")
        assert "is not in this text" in pane_text(app, "foot")
        await press(pilot, "ctrl+u", "tab")
        assert "search my notes:" in pane_text(app, "foot")
        await press(pilot, *"dose", "enter")
        await pilot.pause()
        assert isinstance(app.screen, HistoryScreen)
        assert "check dose" in screen_text(app)
        await press(pilot, "q")
        assert isinstance(app.screen, ReviewScreen)


@SIZES
async def test_the_pace_stands_in_the_header_and_the_goal_is_said_once(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study, goal="2"), *size) as (app, pilot):
        assert "0/2" in pane_text(app, "header")
        told = 0
        for key in ("4", "x", "j", "1", "enter", "k", "j", "j", "k"):
            await press(pilot, key)
            told += "The goal of this sitting is reached: 2 decided" in " ".join(screen_text(app).split())
        assert told == 1
        assert "2/2" in pane_text(app, "header")
