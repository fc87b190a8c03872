"""A note that was begun, on the screens."""

from medreview.config import Config
from medreview.review.resuming import stored_drafts
from medreview.review.text_entry import MOST
from medreview.screens.app import Workbench
from medreview.screens.terminal_driver import NotRead
from medreview.study import Study
from tests.support.workbench import (
    PLAIN,
    events,
    on_screen,
    pane_text,
    paste,
    press,
    screen_text,
    statements,
    workbench,
)


async def test_escape_keeps_what_was_typed_and_n_offers_it_again(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "n", *"dose", "escape")
        assert "kept as a draft" in pane_text(app, "foot")
        assert "draft of a note (n)" in pane_text(app, "header")
        await press(pilot, "j", "k", "n")
        assert "note S1: dose" in pane_text(app, "foot")
        assert "draft of" in pane_text(app, "foot")
        await press(pilot, *"s?", "enter")
        assert "saved #" in pane_text(app, "foot")
        assert "draft" not in pane_text(app, "header")
        assert [row["kind"] for row in events(study)] == ["note"]
    assert stored_drafts(study.reader, "kb") == []


async def test_ctrl_x_discards_a_draft_and_keeps_the_note_that_is_saved(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "n", *"saved", "enter", "n", *" and", "escape", "n", "ctrl+x")
        assert "The draft is discarded." in pane_text(app, "foot")
        await press(pilot, "n")
        assert pane_text(app, "foot").splitlines()[0] == " note S1: saved"
    assert stored_drafts(study.reader, "kb") == []


async def test_the_first_screen_leads_to_what_was_begun(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "j", "j", "n", *"later", "escape", "k")
        app.leave()
    again = Workbench(study, Config(reviewer="kb"), PLAIN)
    async with again.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "not saved: a note on R01 S3, draft of" in screen_text(again)
        assert "“later”" in screen_text(again)
        await press(pilot, "j", "enter")
        await pilot.pause()
        item = statements(again).item
        assert item is not None
        assert item.ordinal == 3
        await press(pilot, "n")
        assert "note S3: later" in pane_text(again, "foot")


async def test_a_review_that_opens_at_once_says_what_was_begun(study: Study) -> None:
    async with on_screen(workbench(study), 160, 50) as (app, pilot):
        await press(pilot, "n", *"later", "escape")
        assert "draft of a note" in pane_text(app, "judges")
        app.leave()
    again = workbench(study)
    async with again.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Not saved: a note on R01 S1, draft of" in pane_text(again, "foot")


async def test_what_cannot_be_read_stays_said_while_the_line_is_open_and_never_hides_a_receipt(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        app.post_message(NotRead(undecodable=1))
        await pilot.pause()
        assert "1 byte that is not UTF-8 was ignored" in pane_text(app, "foot")
        await press(pilot, "n", *"caf")
        assert "UTF-8" not in pane_text(app, "foot")
        app.post_message(NotRead(undecodable=2))
        await press(pilot, *" au")
        app.post_message(NotRead(undecodable=1))
        await press(pilot, *" lait")
        assert "3 bytes that are not UTF-8 were ignored: set the terminal to UTF-8" in pane_text(app, "foot")
        await press(pilot, "enter")
        assert "saved #" in pane_text(app, "foot")


async def test_a_line_takes_so_many_characters_and_says_so(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "n")
        await paste(pilot, "a" * (MOST + 1))
        assert "A line holds 10,000 characters" in pane_text(app, "foot")
        await press(pilot, "backspace", "b")
        assert "A line holds" not in pane_text(app, "foot")
        await press(pilot, "c", "enter")
        (note,) = events(study, "note")
        assert len(note["payload"]) < MOST + 50
        assert "c" not in note["payload"][-5:]


async def test_ctrl_q_as_after_a_stopped_output_leaves_neither_the_workbench_nor_the_line(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "n", *"dose", "ctrl+s", "ctrl+q", "ctrl+z", *" of", "enter", "ctrl+q")
        assert "saved #" in pane_text(app, "foot")
        await press(pilot, "q", "ctrl+q")
        assert app.is_running
        assert [row["kind"] for row in events(study)] == ["note"]


async def test_the_first_screen_counts_the_drafts_that_it_has_no_room_for(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        for _ in range(4):
            await press(pilot, "n", *"later", "escape", "j")
        await press(pilot, "q")
        await pilot.pause()
        assert screen_text(app).count("not saved: a note on") == 3
        assert "and 1 note more not saved" in screen_text(app)
