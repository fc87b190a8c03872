"""The rows of keys follow the state: what would be refused is not offered, by the rule that refuses it."""

import pytest

from medreview.config import Config
from medreview.review.actions import shown_key
from medreview.review.queue import open_queue
from medreview.screens.app import Workbench
from medreview.screens.review import ReviewScreen
from medreview.study import Study
from tests.support.workbench import (
    PLAIN,
    blind_workbench,
    events,
    on_screen,
    pane_text,
    press,
    review_screen,
    screen_text,
    statements,
    workbench,
)

SIZES = pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)])


@SIZES
@pytest.mark.parametrize("blind", [False, True], ids=["open", "blind"])
async def test_what_is_refused_says_why_and_is_not_offered(study: Study, size: tuple[int, int], blind: bool) -> None:
    async with on_screen(blind_workbench(study, "responses") if blind else workbench(study), *size) as (app, pilot):
        for _ in statements(app).queue.units:
            screen = review_screen(app)
            rows = screen._key_rows(screen.plan_for(app.size), size[0])
            shown = {text for row in rows for text, style in row if style == "key"}
            for name, action in screen.actions.items():
                why = screen._acts.refusal(name)
                assert not (why and shown_key(action.keys[0]) in shown)
                if why:
                    before = events(study)
                    await press(pilot, action.keys[0])
                    assert " ".join(why.split()) in " ".join(pane_text(app, "foot").split())
                    assert events(study) == before
            await press(pilot, "j")


@SIZES
async def test_a_is_offered_with_what_it_accepts_or_not_at_all(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study, "responses", filter="response=R01"), *size) as (app, pilot):
        shown = []
        for _ in statements(app).queue.units:
            told = statements(app).accept_words
            assert (f"a accept: {told}" in pane_text(app, "foot")) == bool(told)
            shown.append(told)
            await press(pilot, "j")
        assert "supported 2-1" in shown
        study.write(lambda write: write.execute("UPDATE verdict SET verdict = NULL, supported = NULL, tied = 1"))
        await press(pilot, "k", "k", "k")
        foot = pane_text(app, "foot")
        assert " a accept" not in foot
        assert ("no a: judges tie" in foot) == (size[0] >= 100)


@SIZES
async def test_everything_else_is_always_at_the_end_of_the_row(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        for key in ("j", "m", "1", "right_square_bracket", "k", "s", "u"):
            await press(pilot, key)
            assert pane_text(app, "foot").splitlines()[1].endswith(": all  ? keys")


async def test_source_reference_and_undo_are_offered_where_there_are_any(study: Study) -> None:
    async with on_screen(workbench(study), 160, 50) as (app, pilot):
        assert "] next source" in pane_text(app, "foot")
        assert "L reference" not in pane_text(app, "foot")
        assert "u undo" not in pane_text(app, "foot")
        await press(pilot, "1", "enter")
        assert pane_text(app, "foot").splitlines()[2].endswith("u undo")
        await press(pilot, "u")
        assert "u undo" not in pane_text(app, "foot")
        while statements(app).item is not None and len(statements(app).item.sources) > 1:
            await press(pilot, "j")
        assert "] next source" not in pane_text(app, "foot")


async def test_a_study_that_is_only_read_offers_no_verdict(study: Study) -> None:
    path = study.path
    study.close()
    with Study.open(path, read_only=True) as read:
        app = Workbench(read, Config(reviewer="kb"), PLAIN, queue=open_queue(read, "responses", "kb"))
        async with app.run_test(size=(80, 24)) as pilot:
            foot = pane_text(app, "foot")
            assert "supported" not in foot
            assert "n note" not in foot
            assert "nothing is decided here" in foot
            for key in ("1", "a", "h", "s"):
                await press(pilot, key)
                assert "open for reading only" in screen_text(app)
                assert isinstance(app.screen, ReviewScreen)


async def test_naming_words_has_a_letter_for_each_word_of_the_statement_and_no_other(study: Study) -> None:
    async with on_screen(workbench(study), 160, 50) as (app, pilot):
        await press(pilot, "j", "h", "1", "f")
        screen, item = review_screen(app), statements(app).item
        assert item is not None
        (place,) = item.places
        marks = screen.response.marks.of_kind("hint")
        assert len(marks) == len(item.text.split())
        assert all(place.start <= mark.start < place.end and mark.end == mark.start + 1 for mark in marks)
