import json
from pathlib import Path
from typing import Any

import pytest
from textual.events import MouseScrollDown, Paste

from medreview.config import Config
from medreview.errors import UserError
from medreview.review.actions import REVIEW
from medreview.review.queue import open_queue
from medreview.screens.app import Workbench
from medreview.screens.review import ReviewScreen
from medreview.study import Study

each_size = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@each_size
async def test_hostile_text_is_shown_as_marks(kit: Any, study: Study, size: tuple[int, int]) -> None:
    app = kit.bench(study, filter="response=R02")
    async with app.run_test(size=size) as pilot:
        for key in ("j", "k", "v", "v", "right_square_bracket", "y"):
            await kit.press(pilot, key)
            shown = kit.screen_text(app)
            bad = [char for char in shown if (ord(char) < 32 and char != "\n") or 127 <= ord(char) < 160]
            assert not bad
            assert not set("\u202e\u202c\u200b") & set(shown)
        await kit.press(pilot, "left_square_bracket")
        assert "[red]bold[/red]" in kit.screen_text(app)
        assert "hidden" in kit.part(app, "bar")
        assert "\x1b" not in app.clipboard
        assert app.clipboard


async def test_sources_that_cannot_be_read_say_why(kit: Any, study: Study) -> None:
    app = kit.bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "right_square_bracket")
        shown = " ".join(kit.screen_text(app).split())
        assert "The link is dead" in shown
        assert "status 404" in shown
        assert "http error" in kit.part(app, "bar")
        await kit.press(pilot, "colon")
        await kit.typed(pilot, "model=boreal")
        await kit.press(pilot, "enter", "right_square_bracket")
        assert "This PDF is a scan" in kit.screen_text(app)
        await kit.press(pilot, "colon", "ctrl+u")
        await kit.typed(pilot, "model=cirrus")
        await kit.press(pilot, "enter")
        assert "cites no source" in kit.screen_text(app)
        await kit.press(pilot, "m", "slash", "x", "enter", "escape", "3")
        assert [row["label"] for row in kit.events(study)] == ["contradicted"]


@each_size
async def test_an_empty_queue_is_a_sentence(kit: Any, study: Study, size: tuple[int, int]) -> None:
    app = kit.bench(study, "deferred")
    async with app.run_test(size=size) as pilot:
        assert "There is no statement in this queue" in kit.screen_text(app)
        opens = ("leave", "help", "figures", "filter", "search", "hallucination", "note")
        await kit.press(pilot, *(action.keys[0] for action in REVIEW if action.id not in opens))
        assert not kit.events(study)
        await kit.press(pilot, "n")
        assert "no statement" in kit.part(app, "foot")


async def test_what_cannot_be_saved_is_said_and_changes_nothing(kit: Any, study: Study) -> None:
    study.write(
        lambda connection: connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON event WHEN new.kind IN ('decide', 'note') "
            "BEGIN SELECT raise(ABORT, 'database or disk is full'); END"
        )
    )
    app = kit.bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "2")
        assert "NOT SAVED: The disk that holds sepsis.medreview is full" in " ".join(kit.part(app, "foot").split())
        assert "1 of 8" in kit.part(app, "header")
        assert "decided 0" in kit.part(app, "header")
        assert not kit.events(study)
        await kit.press(pilot, "n")
        await kit.typed(pilot, "kept")
        await kit.press(pilot, "enter")
        assert "NOT SAVED" in kit.part(app, "foot")
        assert "kept" in kit.part(app, "foot")
        study.write(lambda connection: connection.execute("DROP TRIGGER full"))
        await kit.press(pilot, "enter", "2")
        assert [row["kind"] for row in kit.events(study)] == ["note", "decide"]
        assert "2 of 8" in kit.part(app, "header")


async def test_a_read_only_study_takes_no_decision(kit: Any, study_path: Path) -> None:
    with Study.open(study_path, read_only=True) as study:
        app = kit.bench(study)
        async with app.run_test(size=(80, 24)) as pilot:
            await kit.press(pilot, "1")
            assert "open for reading only" in " ".join(kit.part(app, "foot").split())
            await kit.press(pilot, "j", "q")


async def test_a_held_digit_decides_once(kit: Any, study: Study) -> None:
    app = kit.bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, *["4"] * 12)
        assert len(kit.events(study, "decide")) == 1
        assert not kit.events(study, "reason")
        await pilot.pause(0.2)
        await kit.press(pilot, "4")
        assert [json.loads(row["payload"])["code"] for row in kit.events(study, "reason")] == ["direction"]


async def test_a_paste_decides_nothing(kit: Any, study: Study) -> None:
    app = kit.bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        app.screen.post_message(Paste("1123\n\x1b[31m"))
        await pilot.pause()
        assert not kit.events(study)
        await kit.press(pilot, "n")
        app.screen.post_message(Paste("two\nlines \x1b[31m"))
        await kit.press(pilot, "enter")
        assert json.loads(kit.events(study, "note")[0]["payload"])["text"] == "two lines \u241b[31m"


async def test_flags_and_putting_off(kit: Any, study: Study) -> None:
    app = kit.bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "d", "f", "p", "d")
        assert "you: badly parsed · feedback" in kit.part(app, "header")
        assert "decided 0" in kit.part(app, "header")
        await kit.press(pilot, "s")
        assert "2 of 8" in kit.part(app, "header")
        assert "deferred 1 · open 7" in kit.part(app, "header")
        await kit.press(pilot, "k", "t")
        assert "2 of 8" in kit.part(app, "header")


async def test_help_lists_every_action_and_its_key(kit: Any, study: Study) -> None:
    app = kit.bench(study, keys={"defer": "z"})
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "question_mark")
        shown = []
        for _ in range(12):
            shown.append(kit.screen_text(app))
            await kit.press(pilot, "space")
        text = "\n".join(shown)
        for action in REVIEW:
            assert f"[{action.id}]" in text
        assert any(line.startswith("   z ") and "[defer]" in line for line in text.splitlines())
        await kit.press(pilot, "q")
        await kit.press(pilot, "z")
        assert kit.events(study, "defer")


def test_a_duplicate_key_and_an_unknown_action_are_refused(kit: Any, study: Study) -> None:
    with pytest.raises(UserError, match="both 'accept' and 'defer'"):
        kit.bench(study, keys={"defer": "a"})
    with pytest.raises(UserError, match="no action"):
        kit.bench(study, keys={"fly": "z"})


async def test_the_notice_is_shown_and_every_action_can_be_performed(kit: Any, study: Study) -> None:
    app = Workbench(
        study, Config(reviewer="kb"), kit.PLAIN, queue=open_queue(study, "responses", "kb"), notice="careful \x1b[31m"
    )
    async with app.run_test(size=(80, 24)) as pilot:
        assert "careful ␛[31m" in kit.part(app, "foot")
        for action in REVIEW:
            if action.id in ("leave", "figures"):
                continue
            await kit.press(pilot, action.keys[0])
            if not isinstance(app.screen, ReviewScreen) or "Esc" in kit.part(app, "foot"):
                await kit.press(pilot, "escape")
            assert isinstance(app.screen, ReviewScreen), action.id


async def test_the_wheel_moves_the_text_and_the_bar_follows(kit: Any, study: Study) -> None:
    app = kit.bench(study, mouse=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "g")
        before = kit.part(app, "bar")
        wheel = MouseScrollDown(kit.review(app).source, 5, 5, 0, 1, 0, False, False, False)
        kit.review(app).source.post_message(wheel)
        await pilot.pause()
        assert kit.review(app).source.first_offset > 0
        assert kit.part(app, "bar") != before
