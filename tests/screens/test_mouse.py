"""The mouse: a click does what stands there, the wheel scrolls what is under it, and the setting turns it off."""

import pytest
from textual.events import MouseScrollDown
from textual.pilot import Pilot

from medreview.config import Config
from medreview.screens.app import Workbench
from medreview.screens.home import HomeScreen
from medreview.screens.review import ReviewScreen
from medreview.screens.terminal_driver import _MOUSE_OFF, _MOUSE_ON
from medreview.screens.widgets.painted import key_at
from medreview.study import Study
from tests.support.workbench import (
    PLAIN,
    events,
    on_screen,
    pane_text,
    press,
    review_screen,
    screen_text,
    statements,
    workbench,
)

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)])


async def click(app: Workbench, pilot: Pilot[None], words: str, below: int = 0) -> None:
    """Click on the first cell of some words, looked for from a row of the screen on."""
    for y, row in enumerate(screen_text(app).splitlines()):
        if y >= below and words in row:
            await pilot.click(offset=(row.index(words), y))
            await pilot.pause()
            return
    raise AssertionError(f"{words} is not on the screen")


async def wheel(app: Workbench, pilot: Pilot[None], x: int, y: int) -> None:
    app.screen._forward_event(MouseScrollDown(None, x, y, 0, 1, 0, False, False, False))
    await pilot.pause()


def test_a_cell_belongs_to_the_key_that_it_names() -> None:
    row = [(" ", ""), ("1", "key"), (" supported", ""), ("   ", ""), ("w b", "key"), (" word", ""), ("", "fill"),
           ("?", "key"), (" keys ", "")]  # fmt: skip
    found = [key_at(row, x, 40) for x in range(40)]
    assert found[1:12] == ["1"] * 11
    assert found[12:15] == [""] * 3
    assert (found[15], found[17], found[20]) == ("w", "b", "w")
    assert found[25:32] == [""] * 7
    assert found[34:38] == ["?"] * 4


@SIZES
async def test_a_click_on_a_key_presses_it(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study), *size) as (app, pilot):
        await press(pilot, "j")
        await click(app, pilot, "contradicted", size[1] - 3)
        assert "Why" in pane_text(app, "foot")
        await click(app, pilot, "q quantity", size[1] - 3)
        assert [row["kind"] for row in events(study)] == ["decide", "reason"]
        assert statements(app).position == 2
        await click(app, pilot, "u undo", size[1] - 3)
        await click(app, pilot, "u undo", size[1] - 3)  # pressed twice, never held
        assert len(events(study, "retract")) == 2
        await click(app, pilot, "keys", size[1] - 3)
        assert not isinstance(app.screen, ReviewScreen)
        await click(app, pilot, "q Esc")
        assert isinstance(app.screen, ReviewScreen)


async def test_a_click_leads_to_an_item_a_source_and_an_entry(study: Study) -> None:
    async with on_screen(workbench(study), 160, 50) as (app, pilot):
        first = statements(app).position
        await click(app, pilot, "S3")
        assert statements(app).position == first + 2
        place = statements(app).place
        await pilot.click(offset=(review_screen(app)._bar.region.x + 7, review_screen(app)._bar.region.y))
        await pilot.pause()
        assert statements(app).place != place
        await press(pilot, "colon", *"undo")
        await press(pilot, "ctrl+u", *"glossary")
        await click(app, pilot, "glossary", 30)
        assert "GLOSSARY" in screen_text(app).upper()


async def test_the_wheel_scrolls_the_pane_under_it(study: Study) -> None:
    async with on_screen(workbench(study), 120, 26) as (app, pilot):
        source, response = review_screen(app).source, review_screen(app).response
        before = response.scroll_offset.y
        top = source.scroll_offset.y
        await wheel(app, pilot, source.region.x + 3, source.region.y + 3)
        assert source.scroll_offset.y > top
        assert response.scroll_offset.y == before


async def test_a_click_opens_a_queue_on_the_first_screen(study: Study) -> None:
    async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
        assert isinstance(app.screen, HomeScreen)
        await click(app, pilot, "by response")
        assert statements(app).queue.kind.name == "responses"


def test_the_mouse_is_on_unless_the_settings_turn_it_off_and_its_moves_are_never_asked_for() -> None:
    assert Config(reviewer="kb").mouse
    assert "1003" not in _MOUSE_ON + _MOUSE_OFF
