"""The cards of welcome: over the screen, never in the way, and not twice."""

import pytest

from medreview.config import Config
from medreview.review.consent import set_consent
from medreview.review.queue import open_queue
from medreview.screens.app import Workbench
from medreview.screens.layout import Shape
from medreview.screens.tour import Tour, cards, is_seen
from medreview.study import Study
from medreview.study.state_folder import state_folder
from tests.support.workbench import PLAIN, events, on_screen, pane_text, press, screen_text


@pytest.fixture(autouse=True)
def _not_seen() -> None:
    (state_folder() / "tour-seen").unlink(missing_ok=True)


def welcomed(study: Study) -> Workbench:
    return Workbench(study, Config(reviewer="kb"), PLAIN, queue=open_queue(study, "flagged", "kb"), tour=True)


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)])
async def test_four_cards_and_then_never_again(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(welcomed(study), *size) as (app, pilot):
        await pilot.pause()
        for number in range(1, 5):
            assert f"{number} of 4" in pane_text(app, "foot")
            await press(pilot, "enter")
        assert "of 4" not in pane_text(app, "foot")
        assert not events(study)
    assert is_seen()
    async with on_screen(welcomed(study), *size) as (app, pilot):
        await pilot.pause()
        assert "1 of 4" not in pane_text(app, "foot")
        app.show_tour()
        await pilot.pause()
        assert "1 of 4" in pane_text(app, "foot")


async def test_esc_ends_it_for_good_and_any_other_key_does_what_it_does(study: Study) -> None:
    async with on_screen(welcomed(study)) as (app, pilot):
        await press(pilot, "3")
        assert len(events(study, "decide")) == 1
        assert "of 4" not in pane_text(app, "foot")
    assert not is_seen()
    async with on_screen(welcomed(study)) as (app, pilot):
        await press(pilot, "escape")
        assert "of 4" not in pane_text(app, "foot")
    assert is_seen()


async def test_what_must_be_read_first_puts_it_off(study: Study) -> None:
    set_consent(study, "lead", "You take part in a study.")
    async with on_screen(welcomed(study)) as (app, pilot):
        assert "You take part" in screen_text(app)
        await press(pilot, "y", "escape")
        assert "of 4" not in pane_text(app, "foot")
    async with on_screen(welcomed(study)) as (app, pilot):
        await pilot.pause()
        assert "1 of 4" in pane_text(app, "foot")


@pytest.mark.parametrize(("shape", "columns"), [("one", 60), ("one", 80), ("two", 100), ("three", 120)])
def test_every_card_is_whole(shape: Shape, columns: int) -> None:
    tour = Tour(lambda: shape, lambda _seen: None)
    for number, card in enumerate(cards(shape)):
        tour.at = number
        rows = ["".join(text for text, _ in row) for row in tour.rows(columns)]
        assert len(rows) <= 3
        assert all(len(row) <= columns for row in rows)
        assert " ".join(" ".join(rows[:-1]).split()) == " ".join(card.split())
