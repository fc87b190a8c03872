"""What the next key shows is prepared while the reviewer reads, and nothing else comes of it."""

import pytest

from medreview.study import Study
from tests.support.settled import until
from tests.support.workbench import blind_workbench, on_screen, press, review_screen, screen_text, workbench


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
@pytest.mark.parametrize("blind", [False, True], ids=["open", "blind"])
async def test_the_next_page_is_ready_a_moment_after_a_key(study: Study, size: tuple[int, int], blind: bool) -> None:
    async with on_screen(blind_workbench(study, "responses") if blind else workbench(study), *size) as (app, pilot):
        screen = review_screen(app)
        await press(pilot, "j")
        while (coming := screen.session.ahead()) is not None and not coming.source_text():
            await press(pilot, "j")  # which statement has no page to read is for the order of this study to say
        source, here, before = screen.source, screen.session.unit, screen_text(app)
        await until(pilot, lambda: source._ahead is not None)
        ahead = source._ahead
        assert ahead is not None
        assert (screen.session.unit, screen_text(app)) == (here, before)
        await press(pilot, "j")
        assert source._page is ahead
        assert source.text == screen.session.source_text()
        seen = {row[0] for row in study.reader.execute("SELECT unit FROM event WHERE kind = 'shown'")}
        assert seen <= set(screen.session.queue.units[: screen.session.position + 1])


async def test_a_key_comes_before_what_is_prepared(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "j")
        waiting = review_screen(app)._later
        assert waiting is not None
        await press(pilot, "k")
        assert waiting.cancelled()
        assert review_screen(app)._later is not waiting


async def test_a_study_that_cannot_be_read_is_told_of_at_the_key_that_needs_it(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "j")
        screen = review_screen(app)
        study.reader.close()
        screen.source._ahead, screen._prepared = None, ()
        screen.prepare()
        app._read_ahead()
        assert app.is_running
        assert screen.source._ahead is None


async def test_what_is_prepared_already_is_not_prepared_at_every_key(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        screen = review_screen(app)
        screen.prepare()
        assert screen.source._ahead is not None
        screen.source._ahead = None  # whether it is made again
        await press(pilot, "space")
        screen.prepare()
        assert screen.source._ahead is None
        await press(pilot, "n", "x", "enter")  # a note: what is there now may be drawn otherwise
        screen.prepare()
        assert screen.source._ahead is not None
