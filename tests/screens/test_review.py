import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key, MouseScrollDown, Paste
from textual.pilot import Pilot

from medreview.config import Config
from medreview.errors import UserError
from medreview.review.actions import REVIEW
from medreview.review.queue import open_queue
from medreview.screens.app import Workbench
from medreview.screens.environment import Look
from medreview.screens.review import ReviewScreen
from medreview.screens.widgets.lines import LinesView, LiveLines
from medreview.study import Study
from medreview.study.events import verify

SIZES = [(80, 24), (160, 50)]
PLAIN = Look("ansi-dark", True, False)
TYPED = {
    "space": " ", "slash": "/", "colon": ":", "comma": ",", "full_stop": ".", "question_mark": "?",
    "left_square_bracket": "[", "right_square_bracket": "]",
}  # fmt: skip
each_size = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


def bench(study: Study, queue: str = "responses", *, filter: str = "", **config: Any) -> Workbench:
    return Workbench(study, Config(reviewer="kb", **config), PLAIN, queue=open_queue(study, queue, "kb", filter=filter))


def screen_text(app: Workbench) -> str:
    """What is on the screen, row by row."""
    width, height = app.size
    rows = [[" "] * width for _ in range(height)]
    for widget in app.screen.children:
        region = widget.region
        if not region or not widget.display or widget not in app.screen._compositor.visible_widgets:
            continue
        for y in range(region.height):
            text = widget.render_line(y).text
            rows[region.y + y][region.x : region.x + len(text)] = text
    return "\n".join("".join(row).rstrip() for row in rows)


def part(app: Workbench, name: str) -> str:
    view = app.screen.query_one(f"#{name}")
    assert isinstance(view, LinesView | LiveLines)
    return "\n".join(view.render_line(y).text.rstrip() for y in range(view.size.height))


def review(app: Workbench) -> ReviewScreen:
    assert isinstance(app.screen, ReviewScreen)
    return app.screen


def events(study: Study, *kinds: str) -> list[sqlite3.Row]:
    """The record in its order, without what was only seen."""
    rows = study.reader.execute("SELECT * FROM event WHERE kind <> 'shown' ORDER BY seq").fetchall()
    return [row for row in rows if not kinds or row["kind"] in kinds]


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys as a quick typist does, and wait until everything is drawn."""
    for key in keys:
        pilot.app.screen.post_message(Key(key, key if len(key) == 1 else TYPED.get(key)))
    await pilot.pause()


async def typed(pilot: Pilot[None], text: str) -> None:
    """Type a text into the open line, quicker than key by key."""
    pilot.app.screen.post_message(Paste(text))
    await pilot.pause()


@each_size
async def test_one_key_decides_saves_and_advances(study: Study, size: tuple[int, int]) -> None:
    app = bench(study)
    async with app.run_test(size=size) as pilot:
        assert "1 of 8" in part(app, "header")
        await press(pilot, "2")  # as the judge says
        assert [row["label"] for row in events(study)] == ["partial"]
        assert "2 of 8" in part(app, "header")
        assert "decided 1 · deferred 0 · open 7" in part(app, "header")
        assert "last  S1 → partial · you and the judges   saved #" in part(app, "foot")
        assert "50 mL/kg of crystalloid" in " ".join(screen_text(app).split())
        payload = json.loads(events(study)[0]["payload"])
        assert payload["exposure"]["judge_verdict"] == "before"
        assert payload["keys"] == 1


@each_size
async def test_override_with_a_reason_in_two_keys(study: Study, size: tuple[int, int]) -> None:
    app = bench(study)
    async with app.run_test(size=size) as pilot:
        await press(pilot, "j", "3")
        assert "Why not “supported”?" in part(app, "foot")
        assert "saved #" in part(app, "foot")
        assert [row["label"] for row in events(study)] == ["contradicted"]
        assert "2 of 8" in part(app, "header")
        await press(pilot, "1")
        decision, reason = events(study)
        assert json.loads(reason["payload"]) == {"decision": decision["event_id"], "code": "number"}
        assert "3 of 8" in part(app, "header")
        assert "S2 → contradicted · number" in part(app, "foot")


async def test_the_reason_strip_can_be_left_in_every_way(study: Study) -> None:
    app = bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "3", "enter")
        assert "3 of 8" in part(app, "header")
        assert not events(study, "reason")
        await press(pilot, "k", "2", "escape")
        assert "2 of 8" in part(app, "header")
        assert "1 supported" in part(app, "foot")
        await press(pilot, "4", "k")  # movement closes the strip and acts
        assert "1 of 8" in part(app, "header")
        assert "1 supported" in part(app, "foot")
        await press(pilot, "j", "5", "space", "n", "w", "h", "y", "enter")  # paging leaves it open; then in words
        assert [json.loads(row["payload"])["text"] for row in events(study, "note")] == ["why"]
        assert "3 of 8" in part(app, "header")


@each_size
async def test_hallucination_with_type_span_and_note(study: Study, size: tuple[int, int]) -> None:
    app = bench(study)
    async with app.run_test(size=size) as pilot:
        await press(pilot, "j", "h", "1")
        assert "FACT" in part(app, "foot")
        assert "Patients with septic shock" in screen_text(app)
        assert review(app).response.marks.of_kind("span")
        await press(pilot, "b", "o", "w")
        await press(pilot, "enter", "n")
        await typed(pilot, "ask")
        await press(pilot, "enter")
        span = json.loads(events(study, "span_add")[0]["payload"])
        item = review(app).session.item
        assert item is not None
        assert span["exact"] == item.response[span["start"] : span["end"]]
        assert span["exact"].startswith("with septic shock")
        assert span["exact"].endswith("first 3 hours")
        assert json.loads(events(study, "note")[0]["payload"])["text"] == "ask"
        assert events(study, "decide")[0]["label"] == "fact"
        assert "hallucination fact" in screen_text(app)
        if size == (80, 24):
            assert not review(app).reading.shows_response


async def test_a_span_in_the_source(study: Study) -> None:
    app = bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "h", "1", "S", "b", "enter")
        (event,) = events(study, "span_add")
        span = json.loads(event["payload"])
        assert span["target"] == "source"
        assert span["exact"].startswith("give 30 mL/kg")
        assert event["snapshot"]
        await press(pilot, "h", "2", "escape")
        assert len(events(study, "span_add")) == 1


async def test_undo_after_reopening_goes_to_the_statement(study_path: Path) -> None:
    with Study.open(study_path) as study:
        app = bench(study)
        async with app.run_test(size=(80, 24)) as pilot:
            await press(pilot, "1", "enter", "5", "enter", "q")
    with Study.open(study_path) as study:
        app = bench(study)
        async with app.run_test(size=(80, 24)) as pilot:
            assert "3 of 8" in part(app, "header")  # the same place
            assert "decided 2" in part(app, "header")
            await press(pilot, "u")
            assert "2 of 8" in part(app, "header")
            assert "undone: cannot judge" in part(app, "foot")
            assert "decided 1" in part(app, "header")
            await press(pilot, "U")
            assert "decided 2" in part(app, "header")
            assert verify(study.reader) == []


@each_size
async def test_blind_hides_the_machine_until_the_decision(study: Study, size: tuple[int, int]) -> None:
    app = bench(study, "audit", filter="response=R01")
    async with app.run_test(size=size) as pilot:
        for _ in range(4):
            shown = screen_text(app)
            assert "BLIND" in shown
            for word in ("atlas", "gpt", "llama", "SUPPORTED", "altered", "quote", "forum", "jury", "^^"):
                assert word not in shown, word
            assert {mark.kind for mark in review(app).session.source_highlights().marks} == {"lexical"}
            await press(pilot, "j")
        await press(pilot, "i")
        assert "hidden" in part(app, "foot")
        await press(pilot, "a")
        assert "hidden until you decide" in part(app, "foot")
        assert not events(study)


async def test_blind_decision_reveal_and_change(study: Study) -> None:
    app = bench(study, "audit", filter="mL/kg")
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "k")
        item = review(app).session.item
        while item is None or "crystalloid" not in item.text:
            await press(pilot, "j")
            item = review(app).session.item
        await press(pilot, "3")
        assert "judges: ✓ SUPPORTED" in part(app, "foot")
        assert "you: ✗ contradicted" in part(app, "foot")
        assert "SUPPORTED .91" in part(app, "judges")
        decide, reveal = events(study)
        assert (decide["kind"], decide["mode"], reveal["kind"]) == ("decide", "blind", "reveal")
        assert set(json.loads(decide["payload"])["exposure"].values()) == {"no"}
        await press(pilot, "2")  # change: both labels stay
        assert "Why not" in part(app, "foot")
        await press(pilot, "9")
        assert [row["kind"] for row in events(study)] == ["decide", "reveal", "revise", "reason"]
        assert json.loads(events(study, "revise")[0]["payload"])["exposure"]["judge_verdict"] == "before"
        first = study.reader.execute("SELECT label FROM decision_first").fetchone()
        current = study.reader.execute("SELECT label FROM decision_current").fetchone()
        assert (first["label"], current["label"]) == ("contradicted", "partial")


async def test_blind_and_equal_goes_on_at_once(study: Study) -> None:
    app = bench(study, "audit", filter="Norepinephrine")
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "1")
        assert "you and the judges" in part(app, "foot")
        assert "end of the queue · nothing in it is open" in " ".join(part(app, "foot").split())


async def test_filter_narrows_and_says_what_is_wrong(study: Study) -> None:
    app = bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "colon")
        await typed(pilot, "colour=red")
        await press(pilot, "enter")
        assert "A filter cannot use 'colour'" in part(app, "foot")
        await press(pilot, "ctrl+u")
        await typed(pilot, "model=boreal")
        await press(pilot, "enter")
        assert "1 of 2" in part(app, "header")
        assert "filter: model=boreal" in part(app, "header")
        await press(pilot, "colon", "ctrl+u", "enter")
        assert "of 8" in part(app, "header")
        assert "filter" not in part(app, "header")
        assert not events(study)


async def test_search_counts_hits_and_n_goes_on(study: Study) -> None:
    app = bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "slash")
        await typed(pilot, "norepinephrine")
        await press(pilot, "enter")
        assert "1/2" in part(app, "bar")
        await press(pilot, "n")
        assert "2/2" in part(app, "bar")
        await press(pilot, "n")
        assert "last hit" in part(app, "foot")
        await press(pilot, "comma")
        assert "1/2" in part(app, "bar")
        await press(pilot, "escape")
        assert "1/2" not in part(app, "bar")
        assert not events(study)
        await press(pilot, "slash")
        await typed(pilot, "aspirin")
        await press(pilot, "enter")
        assert "is not in this source" in part(app, "foot")
        await press(pilot, "escape", "n")
        assert "note S1:" in part(app, "foot")


async def test_highlights_go_round_and_round(study: Study) -> None:
    app = bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j")
        stops = review(app).session.source_highlights().stops
        assert len(stops) > 1
        seen = []
        for _ in range(len(stops) + 1):
            seen.append(review(app).source.active)
            await press(pilot, "m")
        assert set(seen) == set(stops)
        assert seen[0] == seen[len(stops)]
        await press(pilot, "M")
        assert review(app).source.active == seen[0]


async def test_resize_keeps_statement_place_and_half_typed_note(study: Study) -> None:
    app = bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "space", "space", "n")
        await typed(pilot, "half")
        place = review(app).source.first_offset
        for size in ((160, 50), (110, 30), (60, 20), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause(0.2)
            assert "half" in part(app, "foot")
            assert "2 of 8" in part(app, "header")
        assert abs(review(app).source.first_offset - place) < 80
        await press(pilot, "escape")
        assert "n goes on writing it" in part(app, "foot")
        await press(pilot, "j", "k", "n")
        assert "half" in part(app, "foot")
        await press(pilot, "enter", "n")
        assert "half" in part(app, "foot")
        assert [json.loads(row["payload"])["text"] for row in events(study, "note")] == ["half"]


@each_size
async def test_hostile_text_is_shown_as_marks(study: Study, size: tuple[int, int]) -> None:
    app = bench(study, filter="response=R02")
    async with app.run_test(size=size) as pilot:
        for key in ("j", "k", "v", "v", "right_square_bracket", "y"):
            await press(pilot, key)
            shown = screen_text(app)
            bad = [char for char in shown if (ord(char) < 32 and char != "\n") or 127 <= ord(char) < 160]
            assert not bad
            assert not set("\u202e\u202c\u200b") & set(shown)
        await press(pilot, "left_square_bracket")
        assert "[red]bold[/red]" in screen_text(app)
        assert "hidden" in part(app, "bar")
        assert "\x1b" not in app.clipboard
        assert app.clipboard


async def test_sources_that_cannot_be_read_say_why(study: Study) -> None:
    app = bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "right_square_bracket")
        shown = " ".join(screen_text(app).split())
        assert "The link is dead" in shown
        assert "status 404" in shown
        assert "http error" in part(app, "bar")
        await press(pilot, "colon")
        await typed(pilot, "model=boreal")
        await press(pilot, "enter", "right_square_bracket")
        assert "This PDF is a scan" in screen_text(app)
        await press(pilot, "colon", "ctrl+u")
        await typed(pilot, "model=cirrus")
        await press(pilot, "enter")
        assert "cites no source" in screen_text(app)
        await press(pilot, "m", "slash", "x", "enter", "escape", "3")
        assert [row["label"] for row in events(study)] == ["contradicted"]


@each_size
async def test_an_empty_queue_is_a_sentence(study: Study, size: tuple[int, int]) -> None:
    app = bench(study, "deferred")
    async with app.run_test(size=size) as pilot:
        assert "There is no statement in this queue" in screen_text(app)
        opens = ("leave", "help", "figures", "filter", "search", "hallucination", "note")
        await press(pilot, *(action.keys[0] for action in REVIEW if action.id not in opens))
        assert not events(study)
        await press(pilot, "n")
        assert "no statement" in part(app, "foot")


async def test_what_cannot_be_saved_is_said_and_changes_nothing(study: Study) -> None:
    study.write(
        lambda connection: connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON event WHEN new.kind IN ('decide', 'note') "
            "BEGIN SELECT raise(ABORT, 'database or disk is full'); END"
        )
    )
    app = bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "2")
        assert "NOT SAVED: The disk that holds sepsis.medreview is full" in " ".join(part(app, "foot").split())
        assert "1 of 8" in part(app, "header")
        assert "decided 0" in part(app, "header")
        assert not events(study)
        await press(pilot, "n")
        await typed(pilot, "kept")
        await press(pilot, "enter")
        assert "NOT SAVED" in part(app, "foot")
        assert "kept" in part(app, "foot")
        study.write(lambda connection: connection.execute("DROP TRIGGER full"))
        await press(pilot, "enter", "2")
        assert [row["kind"] for row in events(study)] == ["note", "decide"]
        assert "2 of 8" in part(app, "header")


async def test_a_read_only_study_takes_no_decision(study_path: Path) -> None:
    with Study.open(study_path, read_only=True) as study:
        app = bench(study)
        async with app.run_test(size=(80, 24)) as pilot:
            await press(pilot, "1")
            assert "open for reading only" in " ".join(part(app, "foot").split())
            await press(pilot, "j", "q")


async def test_a_held_digit_decides_once(study: Study) -> None:
    app = bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, *["4"] * 12)
        assert len(events(study, "decide")) == 1
        assert not events(study, "reason")
        await pilot.pause(0.2)
        await press(pilot, "4")
        assert [json.loads(row["payload"])["code"] for row in events(study, "reason")] == ["direction"]


async def test_a_paste_decides_nothing(study: Study) -> None:
    app = bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        app.screen.post_message(Paste("1123\n\x1b[31m"))
        await pilot.pause()
        assert not events(study)
        await press(pilot, "n")
        app.screen.post_message(Paste("two\nlines \x1b[31m"))
        await press(pilot, "enter")
        assert json.loads(events(study, "note")[0]["payload"])["text"] == "two lines \u241b[31m"


async def test_flags_and_putting_off(study: Study) -> None:
    app = bench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "d", "f", "p", "d")
        assert "you: badly parsed · feedback" in part(app, "header")
        assert "decided 0" in part(app, "header")
        await press(pilot, "s")
        assert "2 of 8" in part(app, "header")
        assert "deferred 1 · open 7" in part(app, "header")
        await press(pilot, "k", "t")
        assert "2 of 8" in part(app, "header")


async def test_help_lists_every_action_and_its_key(study: Study) -> None:
    app = bench(study, keys={"defer": "x"})
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "question_mark")
        shown = []
        for _ in range(12):
            shown.append(screen_text(app))
            await press(pilot, "space")
        text = "\n".join(shown)
        for action in REVIEW:
            assert f"[{action.id}]" in text
        assert any(line.startswith("   x ") and "[defer]" in line for line in text.splitlines())
        await press(pilot, "q")
        await press(pilot, "x")
        assert events(study, "defer")


def test_a_duplicate_key_and_an_unknown_action_are_refused(study: Study) -> None:
    with pytest.raises(UserError, match="both 'accept' and 'defer'"):
        bench(study, keys={"defer": "a"})
    with pytest.raises(UserError, match="no action"):
        bench(study, keys={"fly": "z"})


async def test_the_notice_is_shown_and_every_action_can_be_performed(study: Study) -> None:
    app = Workbench(
        study, Config(reviewer="kb"), PLAIN, queue=open_queue(study, "responses", "kb"), notice="careful \x1b[31m"
    )
    async with app.run_test(size=(80, 24)) as pilot:
        assert "careful ␛[31m" in part(app, "foot")
        for action in REVIEW:
            if action.id in ("leave", "figures"):
                continue
            await press(pilot, action.keys[0])
            if not isinstance(app.screen, ReviewScreen) or "Esc" in part(app, "foot"):
                await press(pilot, "escape")
            assert isinstance(app.screen, ReviewScreen), action.id


async def test_the_wheel_moves_the_text_and_the_bar_follows(study: Study) -> None:
    app = bench(study, mouse=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "g")
        before = part(app, "bar")
        wheel = MouseScrollDown(review(app).source, 5, 5, 0, 1, 0, False, False, False)
        review(app).source.post_message(wheel)
        await pilot.pause()
        assert review(app).source.first_offset > 0
        assert part(app, "bar") != before
