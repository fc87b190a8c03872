"""Words around the statement: what must not be cut, hidden or in the way."""

from typing import Any

import pytest

from medreview.screens.app import Workbench
from medreview.study import Study

LONG = "My father has sepsis and heart failure and is on dialysis. " * 6 + "Is it safe?"


@pytest.fixture
def asking(study: Study) -> Study:
    study.write(lambda connection: connection.execute("UPDATE response SET question = ?", (LONG,)))
    return study


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)], ids=["80x24", "100x30", "160x50"])
async def test_v_shows_the_whole_question(kit: Any, asking: Study, size: tuple[int, int]) -> None:
    app = kit.bench(asking)
    async with app.run_test(size=size) as pilot:
        assert "Is it safe?" not in " ".join(kit.part(app, "statement").split())
        await kit.press(pilot, "v")
        assert "Is it safe?" in " ".join(kit.part(app, "statement").split())
        await kit.press(pilot, "v")
        assert "Is it safe?" not in " ".join(kit.part(app, "statement").split())


async def test_many_own_labels_leave_response_and_filter_in_sight(kit: Any, study: Study) -> None:
    app = kit.bench(study, filter="origin=forum")
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "h", "2", "escape", "d", "f", "p", "n", "x", "enter")
        row = kit.part(app, "header").splitlines()[1]
        assert row.startswith(" R01")
        assert "you: hallucination input" in row
        assert row.endswith("filter: origin=forum")


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
async def test_a_read_only_study_says_so_all_the_time(kit: Any, study_path: Any, size: tuple[int, int]) -> None:
    with Study.open(study_path, read_only=True) as study:
        app = kit.bench(study)
        async with app.run_test(size=size) as pilot:
            await kit.press(pilot, "j")
            assert "READ-ONLY" in kit.part(app, "header")


async def test_an_audit_that_cannot_be_drawn_is_a_sentence(kit: Any, study_path: Any) -> None:
    with Study.open(study_path, read_only=True) as study:
        app = Workbench(study, kit.Config(reviewer="kb"), kit.PLAIN)
        async with app.run_test(size=(80, 24)) as pilot:
            await kit.press(pilot, "2")
            foot = app.screen.query_one("#home-foot")
            assert "not drawn yet" in "\n".join(foot.render_line(y).text for y in range(foot.size.height))


async def test_the_only_highlight_is_named_as_such(kit: Any, study: Study) -> None:
    app = kit.bench(study, filter="response=R02")
    async with app.run_test(size=(80, 24)) as pilot:
        stops = kit.review(app).session.source_highlights().stops
        assert len(stops) == 1
        await kit.press(pilot, "m", "m")
        assert "only highlight" in kit.part(app, "foot")


async def test_a_key_held_since_the_first_screen_decides_nothing(kit: Any, study: Study) -> None:
    app = Workbench(study, kit.Config(reviewer="kb"), kit.PLAIN)
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, *["2"] * 8)  # 2 opens the audit, blind; the rest is the keyboard's repeat
        await pilot.pause()
        assert "BLIND" in kit.part(app, "header")
        assert not kit.events(study)


async def test_blind_words_are_whole_in_a_narrow_pane(kit: Any, study: Study) -> None:
    app = kit.bench(study, "audit")
    async with app.run_test(size=(100, 30)):
        assert "shared words are underlined" in " ".join(kit.part(app, "judges").split())


async def test_deferred_statements_wait_in_their_own_queue(kit: Any, study: Study) -> None:
    app = kit.bench(study, filter="response=R01")
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "s", "j", "s")
    app = kit.bench(study, "deferred")
    async with app.run_test(size=(80, 24)) as pilot:
        assert "1 of 2" in kit.part(app, "header")
        await kit.press(pilot, "t")
        assert "2 of 2" in kit.part(app, "header")


async def test_accepting_where_no_judge_looked_says_why(kit: Any, study: Study) -> None:
    app = kit.bench(study, filter="response=R03")
    async with app.run_test(size=(80, 24)) as pilot:
        await kit.press(pilot, "a")
        assert "No judge has looked at this statement" in kit.part(app, "foot")
        assert not kit.events(study)


async def test_the_panel_lists_the_judges_of_the_shown_source_first(kit: Any, study: Study) -> None:
    elsewhere = """UPDATE judgement SET snapshot_id = (SELECT snapshot_id FROM snapshot WHERE page_state = 'http_error')
                   WHERE reason = '30'"""
    study.write(lambda connection: connection.execute(elsewhere))
    app = kit.bench(study, filter="response=R01")
    async with app.run_test(size=(160, 50)) as pilot:
        await kit.press(pilot, "j")
        session = kit.review(app).session
        here = f"in [{session.source.number}]"
        rows = [row for row in kit.part(app, "judges").splitlines() if " in [" in row]
        there = [here in row for row in rows]
        assert there == [True, True, False]
