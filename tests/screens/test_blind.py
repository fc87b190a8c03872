"""Two studies that differ only in what judges say look the same as long as a blind block is open."""

import json
import re
import shutil
from pathlib import Path

import pytest

from medreview.config import Config
from medreview.judges.verdicts import refresh
from medreview.review.audit import draw
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.screens.app import Workbench
from medreview.screens.page import ChoicePage
from medreview.study import Study
from tests.support.settled import until
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

each_size = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@each_size
async def test_blind_hides_the_machine_until_the_decision(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study, "audit", filter="response=R01"), *size) as (app, pilot):
        for _ in range(4):
            shown = screen_text(app)
            assert "BLIND" in shown
            for word in (
                "atlas",
                "gpt",
                "llama",
                "SUPPORTED",
                "CHANGED",
                "quote",
                "forum",
                "TIE",
                "WHY",
                " sure",
                "^^",
            ):
                assert word not in shown, word
            assert {mark.kind for mark in review_screen(app).session.source_highlights().marks} == {"lexical"}
            await press(pilot, "j")
        await press(pilot, "i")
        assert "hidden" in pane_text(app, "foot")
        await press(pilot, "a")
        assert "hidden until the block ends, 4 of 4 to go" in pane_text(app, "foot")
        assert not events(study)


async def test_blind_decision_reveal_and_change(study: Study) -> None:
    async with on_screen(workbench(study, "audit", filter="mL/kg", reveal="each")) as (app, pilot):
        await press(pilot, "j", "k")
        item = statements(app).item
        while item is None or "crystalloid" not in item.text:
            await press(pilot, "j")
            item = statements(app).item
        await press(pilot, "3")
        assert "judges: ✓ SUPPORTED" in pane_text(app, "foot")
        assert "you: ✗ contradicted" in pane_text(app, "foot")
        assert "WHY quote changed 50/30 · judges supported ✓2 ✗1 · a accepts it" in pane_text(app, "judges")
        decide, reveal = events(study)
        assert (decide["kind"], decide["mode"], reveal["kind"]) == ("decide", "blind", "reveal")
        assert set(json.loads(decide["payload"])["exposure"].values()) == {"no"}
        await press(pilot, "2")  # change: both labels stay
        assert "Why not" in pane_text(app, "foot")
        await press(pilot, "x")
        assert [row["kind"] for row in events(study)] == ["decide", "reveal", "revise", "reason"]
        assert json.loads(events(study, "revise")[0]["payload"])["exposure"]["judge_verdict"] == "before"
        first = study.reader.execute("SELECT label FROM decision_first").fetchone()
        current = study.reader.execute("SELECT label FROM decision_current").fetchone()
        assert (first["label"], current["label"]) == ("contradicted", "partial")


async def test_blind_and_equal_goes_on_at_once(study: Study) -> None:
    async with on_screen(workbench(study, "audit", filter="Norepinephrine", reveal="each")) as (app, pilot):
        await press(pilot, "1")
        assert "you and the judges" in screen_text(app)
        assert "as the judges: 1 of 1" in screen_text(app)  # a block of one
        await press(pilot, "enter")
        assert "end of the queue · nothing in it is open" in " ".join(pane_text(app, "foot").split())


@each_size
async def test_a_block_is_decided_blind_and_its_judges_come_at_its_end(study: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(study, "audit", filter="response=R01"), *size) as (app, pilot):
        await press(pilot, "r")
        assert "hidden until the block ends, 4 of 4 to go" in " ".join(pane_text(app, "foot").split())
        await press(pilot, "4", "3", "4")
        shown = screen_text(app)
        for word in ("atlas", "gpt", "llama", "SUPPORTED", "CHANGED", "WHY", "TIE", "together", "judges: "):
            assert word not in shown, word
        await press(pilot, "s")
        assert "End of the block: the judges can be shown now" in screen_text(app)
        assert "3 decided, 1 put off" in screen_text(app)
        assert " deferred   saved #" in screen_text(app)  # the receipt stays in sight
        for word in ("atlas", "gpt", "llama", "SUPPORTED", "CHANGED", "WHY", "TIE", "together", "as the judges"):
            assert word not in screen_text(app), word
        await press(pilot, "enter")
        assert "end of the queue" in " ".join(pane_text(app, "foot").split())
        assert "reveal" not in {row["kind"] for row in events(study)}
        await press(pilot, "i")
        assert "hidden" in pane_text(app, "foot")
        await press(pilot, "q")
        assert "counted when your blind block is done" in screen_text(app)
        await press(pilot, "i")
        assert "Figures are hidden until the judges of your blind block are shown" in screen_text(app)
    async with on_screen(workbench(study, "audit", filter="response=R01"), *size) as (app, pilot):
        await press(pilot, "k", "r")
        assert "End of the block" in screen_text(app)
        await press(pilot, "r")
        assert "judges: " in pane_text(app, "foot")
        assert [row["kind"] for row in events(study)][-3:] == ["reveal"] * 3
        asked = 0
        while "The block, with its judges" not in screen_text(app):
            asked += "judges: " in pane_text(app, "foot")
            await press(pilot, "m", "enter")  # m in between: Enter at once would be one held down
            assert asked <= 3
        assert asked >= 1
        assert "as the judges: " in screen_text(app)
        await press(pilot, "m", "enter")
        assert "judges: " not in pane_text(app, "foot")
        await press(pilot, "i")
        assert "hidden here like the judges, until you decide what you put off" in pane_text(app, "foot")


async def test_what_was_put_off_blind_is_blind_in_an_open_queue(study: Study) -> None:
    async with on_screen(blind_workbench(study, "responses"), 160, 50) as (app, pilot):
        item = statements(app).item
        assert item is not None
        await press(pilot, "s")
    app = workbench(study, "responses", filter=f"response={item.response_name}")
    async with app.run_test(size=(160, 50)) as pilot:
        rows = [line[:34] for line in screen_text(app).splitlines()]
        assert not any(item.response_name in row and item.model in row for row in rows)
        session = statements(app)
        away = session.queue.units.index(item.statement_id) - session.position  # it opens on the first that is open
        await press(pilot, *["j" if away > 0 else "k"] * abs(away))
        assert "BLIND" in pane_text(app, "header")
        assert "hidden until its block ends" in pane_text(app, "judges")
        assert item.model not in pane_text(app, "header") + pane_text(app, "statement") + pane_text(app, "judges")
        await press(pilot, "a")
        assert "hidden" in pane_text(app, "foot")
        await press(pilot, "i")
        assert "hidden" in pane_text(app, "foot")


@pytest.mark.parametrize(("size", "told"), [((80, 24), 0), ((160, 50), 7)], ids=["80x24", "160x50"])
async def test_what_the_list_tells_of_others_is_seen_where_there_is_a_list(
    study: Study, size: tuple[int, int], told: int
) -> None:
    async with workbench(study).run_test(size=size) as pilot:
        await press(pilot, "q")
    rows = study.reader.execute("SELECT DISTINCT unit FROM event WHERE kind = 'listed'").fetchall()
    listed = {row["unit"] for row in rows}
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb", blind=True))
    for place, unit in enumerate(session.queue.units):
        session.go(place)
        assert session.knows_judges == (unit in listed or unit in shown(study))
    session.leave()
    assert len(listed - shown(study)) == told
    assert session.counts.decided == 0


def shown(study: Study) -> set[str]:
    """What was on the screen with its judges."""
    return {row[0] for row in study.reader.execute("SELECT unit FROM event WHERE kind = 'shown' AND mode = 'open'")}


_TIME = re.compile(r"#\d+|\d\d:\d\d:\d\d|[\d.]+ s in all, [\d.]+ s for one|[^ ]*/\S*medreview")


async def walk(path: Path) -> list[str]:
    """The queue pane, its heading, the first screen and the end of the queue while the audit is reviewed blind."""
    with Study.open(path) as study:
        draw(study, "kb", rate=1.0)
        app = Workbench(study, Config(reviewer="kb"), PLAIN, queue=open_queue(study, "audit", "kb"))
        seen = []
        async with app.run_test(size=(160, 50)) as pilot:
            for number, key in enumerate("54545454"):
                await press(pilot, key)
                seen.append(screen_text(app))
                if number == 4:
                    await press(pilot, "q")
                    await until(pilot, lambda: "By your labels" in screen_text(app))
                    seen.append(screen_text(app))
                    await pilot.resize_terminal(80, 24)
                    await pilot.pause()
                    seen.append(screen_text(app))
                    await press(pilot, "enter")
                    await pilot.resize_terminal(160, 50)
                    await press(pilot, "j")
            await press(pilot, "enter")
            assert isinstance(app.screen, ChoicePage)
            seen.append(screen_text(app))
        return [_TIME.sub("", text) for text in seen]


async def test_queue_first_screen_and_end_say_nothing_of_the_judges(study_path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / study_path.name
    other.parent.mkdir()
    shutil.copy(study_path, other)
    with Study.open(other) as study:
        study.write(lambda db: db.execute("UPDATE judgement SET verdict = 'not_addressed', quote = '', reason = ''"))
        study.write(lambda db: db.execute("DELETE FROM verdict"))
        refresh(study)
    one, two = await walk(study_path), await walk(other)
    assert one == two
