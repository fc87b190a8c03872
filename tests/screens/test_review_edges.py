import asyncio
import json
from pathlib import Path

import pytest
from textual.events import MouseScrollDown, Paste
from textual.pilot import Pilot

from medreview.config import Config
from medreview.errors import UserError
from medreview.review.actions import PAUSE_S, REVIEW, KeyRepeat, actions_for
from medreview.review.queue import open_queue
from medreview.screens.app import Workbench
from medreview.screens.review import ReviewScreen
from medreview.study import Study
from medreview.units.statement import STATEMENT_ASKS
from tests.support.full_disk import full_disk
from tests.support.workbench import (
    PLAIN,
    events,
    on_screen,
    pane_text,
    press,
    press_at,
    put_in,
    review_screen,
    screen_text,
    workbench,
)

each_size = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@each_size
async def test_hostile_text_is_shown_as_marks(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study, filter="response=R02"), *size) as (app, pilot):
        for key in ("j", "k", "v", "v", "right_square_bracket", "y"):
            await press(pilot, key)
            shown = screen_text(app)
            bad = [char for char in shown if (ord(char) < 32 and char != "\n") or 127 <= ord(char) < 160]
            assert not bad
            assert not set("\u202e\u202c\u200b") & set(shown)
        await press(pilot, "left_square_bracket")
        assert "[red]bold[/red]" in screen_text(app)
        assert "hidden" in pane_text(app, "bar")
        assert "\x1b" not in app.clipboard
        assert app.clipboard


async def test_sources_that_cannot_be_read_say_why(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "right_square_bracket")
        shown = " ".join(screen_text(app).split())
        assert "The link is dead" in shown
        assert "status 404" in shown
        assert "dead link" in pane_text(app, "bar")
        await put_in(pilot, "colon", text="model=boreal")
        await press(pilot, "right_square_bracket")
        assert "This PDF is a scan" in screen_text(app)
        await put_in(pilot, "colon", "ctrl+u", text="model=cirrus")
        assert "cites no source" in screen_text(app)
        await press(pilot, "m", "slash", "x", "enter", "escape", "3")
        assert [row["label"] for row in events(study)] == ["contradicted"]


@each_size
async def test_an_empty_queue_is_a_sentence(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study, "deferred"), *size) as (app, pilot):
        assert "There is no statement in this queue" in screen_text(app)
        opens = (
            "leave",
            "help",
            "guidelines",
            "glossary",
            "figures",
            "filter",
            "palette",
            "history",
            "search",
            "hallucination",
            "note",
        )
        await press(pilot, *(action.keys[0] for action in REVIEW if action.id not in opens))
        assert not events(study)
        await press(pilot, "n")
        assert "no statement" in pane_text(app, "foot")


async def test_what_cannot_be_saved_is_said_and_changes_nothing(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        with full_disk(study, "decide", "note"):
            await press(pilot, "2")
            assert "NOT SAVED: The disk that holds sepsis.medreview is full" in " ".join(pane_text(app, "foot").split())
            assert "1 of 8" in pane_text(app, "header")
            assert "decided 0" in pane_text(app, "header")
            assert not events(study)
            await put_in(pilot, "n", text="kept")
            assert "NOT SAVED" in pane_text(app, "foot")
            assert "kept" in pane_text(app, "foot")
        await press(pilot, "enter", "2")
        assert [row["kind"] for row in events(study)] == ["note", "decide"]
        assert "2 of 8" in pane_text(app, "header")


async def test_a_read_only_study_takes_no_decision(study_path: Path) -> None:
    with Study.open(study_path, read_only=True) as study:
        async with on_screen(workbench(study)) as (app, pilot):
            await press(pilot, "1")
            assert "open for reading only" in " ".join(pane_text(app, "foot").split())
            await press(pilot, "j", "q")


@pytest.mark.parametrize(("delay", "rate"), [(0.25, 30), (0.5, 11), (1.0, 2)], ids=["quick", "usual", "slow"])
async def test_a_held_key_decides_once(study: Study, delay: float, rate: int) -> None:
    app = workbench(study)
    now = 100.0
    app.held = KeyRepeat(lambda: now)

    async def hold(pilot: Pilot[None], key: str) -> None:
        """As a keyboard repeats it, six times; then it is let go."""
        nonlocal now
        start = now
        for at in (start, *(start + delay + step / rate for step in range(5))):
            now = at
            await press_at(pilot, key, now)
        now += 0.1

    async with app.run_test(size=(80, 24)) as pilot:
        await hold(pilot, "1")  # the judge differs: the strip opens, and 1 would be a verdict in it
        assert "held 1 ignored" in pane_text(app, "foot")
        await hold(pilot, "s")  # a reason, and on the next statement it would put off
        assert "stronger than source   saved #" in pane_text(app, "foot")
        assert "held s ignored" in pane_text(app, "foot")
        await hold(pilot, "4")
        await hold(pilot, "q")  # a reason; after it, it would leave
        await hold(pilot, "s")
        assert "4 of 8" in pane_text(app, "header")
        await hold(pilot, "a")
        assert [row["kind"] for row in events(study)] == ["decide", "reason", "decide", "reason", "defer", "decide"]
        assert "5 of 8" in pane_text(app, "header")
        now += PAUSE_S
        await press_at(pilot, "a", now)  # let go, and pressed again
        assert "6 of 8" in pane_text(app, "header")


async def test_a_paste_decides_nothing(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        app.screen.post_message(Paste("1123\n\x1b[31m"))
        await pilot.pause()
        assert not events(study)
        await press(pilot, "n")
        app.screen.post_message(Paste("two\nlines \x1b[31m"))
        await press(pilot, "enter")
        assert json.loads(events(study, "note")[0]["payload"])["text"] == "two lines \u241b[31m"


async def test_flags_and_putting_off(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "d", "f", "p", "d")
        assert "you: badly parsed · feedback" in pane_text(app, "header")
        assert "decided 0" in pane_text(app, "header")
        await press(pilot, "s")
        assert "2 of 8" in pane_text(app, "header")
        assert "deferred 1 · open 7" in pane_text(app, "header")
        await press(pilot, "k", "t")
        assert "2 of 8" in pane_text(app, "header")


async def test_help_lists_every_action_and_its_key(study: Study) -> None:
    async with on_screen(workbench(study, keys={"defer": "ö"})) as (app, pilot):
        await press(pilot, "question_mark")
        shown = []
        for _ in range(13):
            shown.append(screen_text(app))
            await press(pilot, "space")
        text = "\n".join(shown)
        for name in actions_for(STATEMENT_ASKS, {}):
            assert f"[{name}]" in text
        assert any(line.startswith("   ö ") and "[defer]" in line for line in text.splitlines())
        await press(pilot, "q")
        await press(pilot, "ö")
        assert events(study, "defer")


def test_a_duplicate_key_and_an_unknown_action_are_refused(study: Study) -> None:
    with pytest.raises(UserError, match="both 'accept' and 'defer'"):
        workbench(study, keys={"defer": "a"})
    with pytest.raises(UserError, match="not an action"):
        workbench(study, keys={"fly": "z"})


async def test_the_notice_is_shown_and_every_action_can_be_performed(study: Study) -> None:
    app = Workbench(
        study, Config(reviewer="kb"), PLAIN, queue=open_queue(study, "responses", "kb"), notice="careful \x1b[31m"
    )
    async with app.run_test(size=(80, 24)) as pilot:
        assert "careful ␛[31m" in pane_text(app, "foot")
        for action in REVIEW:
            if action.id in ("leave", "figures"):
                continue
            await press(pilot, action.keys[0])
            if not isinstance(app.screen, ReviewScreen) or "Esc" in pane_text(app, "foot"):
                await press(pilot, "escape")
            assert isinstance(app.screen, ReviewScreen), action.id


async def test_the_wheel_moves_the_text_and_the_bar_follows(study: Study) -> None:
    async with on_screen(workbench(study, mouse=True)) as (app, pilot):
        await press(pilot, "g")
        before = pane_text(app, "bar")
        wheel = MouseScrollDown(review_screen(app).source, 5, 5, 0, 1, 0, False, False, False)
        review_screen(app).source.post_message(wheel)
        await pilot.pause()
        assert review_screen(app).source.first_offset > 0
        assert pane_text(app, "bar") != before


async def test_a_test_sees_the_screen_that_a_key_leads_to_however_little_time_it_is_given(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textual.pilot.wait_for_idle", lambda *_: asyncio.sleep(0))
    async with on_screen(workbench(study)) as (app, pilot):
        for key in ("question_mark", "escape", "q"):
            await press(pilot, key)
            assert screen_text(app).strip(), key


SIZES = [(1, 1), (2, 1), (1, 50), (300, 1), (3, 3), (80, 2), (80, 3), (10, 4), (80, 4), (80, 5), (80, 6), (80, 7),
         (20, 8), (80, 8), (80, 9), (160, 9), (80, 10), (40, 10), (80, 11), (80, 12), (60, 20), (20, 200), (80, 24),
         (90, 40), (100, 26), (100, 30), (121, 30), (160, 50), (300, 100)]  # fmt: skip


@pytest.mark.parametrize("queue", ["responses", "pairs"])
async def test_whatever_the_size_a_list_or_a_line_can_be_open(study: Study, queue: str) -> None:
    async with on_screen(workbench(study, queue)) as (app, pilot):
        for key in ("colon", "slash", "n", "H", "question_mark"):
            for size in SIZES if key == "colon" else SIZES[::4]:
                await pilot.resize_terminal(*size)
                await press(pilot, key, "down")  # opened at this size
                assert app.is_running, (key, size)
                await press(pilot, "escape")
            await pilot.resize_terminal(80, 24)
            await press(pilot, key)
            for size in SIZES if queue == "responses" else SIZES[::3]:  # open while the size changes
                await pilot.resize_terminal(*size)
                assert app.is_running, (key, size)
            await press(pilot, "escape")
        assert isinstance(app.screen, ReviewScreen)


@pytest.mark.parametrize("height", [9, 8, 7, 6, 5])
async def test_the_line_of_a_list_is_in_sight_on_a_low_terminal(study: Study, height: int) -> None:
    app = workbench(study)
    async with app.run_test(size=(80, height)) as pilot:
        await press(pilot, "colon", "d", "o")
        assert "do" in screen_text(app).splitlines()[-2]
