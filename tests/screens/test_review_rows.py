"""Words around the statement: what must not be cut, hidden or in the way."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from medreview.config import Config
from medreview.review.cell_width import width
from medreview.review.goal import Goal, SittingGoal
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.screens.app import Workbench
from medreview.screens.face import statement_rows
from medreview.screens.review_rows import Subject, header_rows, wide_header_rows
from medreview.screens.widgets.painted import Row
from medreview.study import Study
from medreview.units.registry import KINDS
from tests.screens.sepsis_study import SEPSIS, change_page
from tests.support.unit_samples import two_responses
from tests.support.workbench import (
    PLAIN,
    blind_workbench,
    events,
    on_screen,
    pane_text,
    press,
    put_in,
    review_screen,
    screen_text,
    statements,
    workbench,
)

LONG = "My father has sepsis and heart failure and is on dialysis. " * 6 + "Is it safe?"


@pytest.fixture
def asking(study: Study) -> Study:
    study.write(lambda connection: connection.execute("UPDATE response SET question = ?", (LONG,)))
    return study


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)], ids=["80x24", "100x30", "160x50"])
async def test_v_shows_the_whole_question(asking: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(asking), *size) as (app, pilot):
        assert "Is it safe?" not in " ".join(pane_text(app, "statement").split())
        await press(pilot, "v")
        assert "Is it safe?" in " ".join(pane_text(app, "statement").split())
        await press(pilot, "v")
        assert "Is it safe?" not in " ".join(pane_text(app, "statement").split())


async def test_many_own_labels_leave_response_and_filter_in_sight(study: Study) -> None:
    async with on_screen(workbench(study, filter="origin=forum")) as (app, pilot):
        await press(pilot, "h", "2", "escape", "d", "f", "p", "n", "x", "enter")
        row = pane_text(app, "header").splitlines()[1]
        assert row.startswith(" answer 1")
        assert "you: hallucination input" in row
        assert row.endswith("filter: origin=forum")


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
async def test_a_read_only_study_says_so_all_the_time(study_path: Any, size: tuple[int, int]) -> None:
    with Study.open(study_path, read_only=True) as study:
        async with on_screen(workbench(study), *size) as (app, pilot):
            await press(pilot, "j")
            assert "READ-ONLY" in pane_text(app, "header")


async def test_an_audit_that_cannot_be_drawn_is_a_sentence(study_path: Any) -> None:
    with Study.open(study_path, read_only=True) as study:
        async with on_screen(Workbench(study, Config(reviewer="kb"), PLAIN)) as (app, pilot):
            await press(pilot, "A")
            foot = app.screen.query_one("#home-foot")
            assert "not drawn yet" in "\n".join(foot.render_line(y).text for y in range(foot.size.height))


async def test_the_only_highlight_is_named_as_such(study: Study) -> None:
    async with on_screen(workbench(study, filter="response=R02")) as (app, pilot):
        stops = review_screen(app).session.source_highlights().stops
        assert len(stops) == 1
        await press(pilot, "m", "m")
        assert "only highlight" in pane_text(app, "foot")


async def test_a_key_held_since_the_first_screen_decides_nothing(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "s", "q", *["S"] * 8)  # S opens what was put off; the rest is the keyboard's repeat
        assert "deferred   1 of 1" in pane_text(app, "header")
        assert [row["kind"] for row in events(study)] == ["defer"]  # and nothing is disputed


async def test_blind_words_are_whole_in_a_narrow_pane(study: Study) -> None:
    app = workbench(study, "audit")
    async with app.run_test(size=(100, 30)):
        assert "shared words are underlined" in " ".join(pane_text(app, "judges").split())


async def test_deferred_statements_wait_in_their_own_queue(study: Study) -> None:
    async with on_screen(workbench(study, filter="response=R01")) as (app, pilot):
        await press(pilot, "s", "j", "s")
    async with on_screen(workbench(study, "deferred")) as (app, pilot):
        assert "1 of 2" in pane_text(app, "header")
        await press(pilot, "t")
        assert "2 of 2" in pane_text(app, "header")


async def test_accepting_where_no_judge_looked_says_why(study: Study) -> None:
    async with on_screen(workbench(study, filter="response=R03")) as (app, pilot):
        await press(pilot, "a")
        assert "No judge has looked at this statement" in pane_text(app, "foot")
        assert not events(study)


async def test_the_panel_lists_the_judges_of_the_shown_source_first(study: Study) -> None:
    elsewhere = """UPDATE judgement SET snapshot_id = (SELECT snapshot_id FROM snapshot WHERE page_state = 'http_error')
                   WHERE reason = '30'"""
    study.write(lambda connection: connection.execute(elsewhere))
    async with on_screen(workbench(study, filter="response=R01"), 160, 50) as (app, pilot):
        await press(pilot, "j")
        session = statements(app)
        rows = [row for row in pane_text(app, "judges").splitlines() if " [" in row[:3]]
        assert rows[0].startswith(f" {session.source.bracketed}  ")
        assert rows[1].strip() == "[2]  dead link  llama/p3 ✗"


async def test_stale_labels_are_told_from_those_that_hold(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "5", "enter", "3", "s")
    change_page(study, "sepsis", "Sepsis care in adults. The page has another text now, and says nothing of doses.")
    async with on_screen(workbench(study, filter="response=R01"), 160, 50) as (app, pilot):
        await press(pilot, "k", "k", "k")
        queue = [line[:34].rstrip() for line in screen_text(app).splitlines()]
        assert queue[2].endswith(" 0/4")
        assert queue[4].endswith("0/4")
        assert queue[5].endswith("? S1  STALE cannot judge")
        assert "STALE: page changed · ? cannot judge" in pane_text(app, "judges")
        assert "Decide again" in pane_text(app, "judges")
        await press(pilot, "4", "k")
        queue = [line[:34].rstrip() for line in screen_text(app).splitlines()]
        assert queue[2].endswith(" 1/4")
        assert queue[4].endswith("1/4")
        assert queue[5].endswith("○ S1  not addressed")
        assert "STALE" not in pane_text(app, "judges")
        await press(pilot, "u")
        assert "STALE: page changed" in pane_text(app, "judges")


async def test_a_blind_queue_hides_the_judges_beside_a_stale_label(study: Study) -> None:
    async with on_screen(workbench(study)) as (app, pilot):
        await press(pilot, "j", "5", "escape")
    change_page(study, "sepsis", SEPSIS.replace("30 mL/kg", "40 mL/kg"))
    async with on_screen(blind_workbench(study, "stale")) as (app, pilot):
        assert "STALE: page changed · ? cannot judge" in pane_text(app, "header")
        assert "judges hidden until the block ends, 1 of 1 to go; seen before: assisted" in pane_text(app, "judges")
        assert "atlas-2" not in screen_text(app)
        await pilot.resize_terminal(160, 50)
        await press(pilot, "y")
        assert "atlas-2" not in screen_text(app)
        assert "hidden until the block ends" in pane_text(app, "judges")


async def test_own_labels_are_named_and_leave_the_judges_their_rows(study: Study) -> None:
    async with on_screen(workbench(study), 100, 26) as (app, pilot):
        await put_in(pilot, "j", "4", "s", "k", "5", "escape", "n", text="a long note on what is wrong with it " * 8)
        panel = pane_text(app, "judges")
        assert "quote CHANGED" in panel
        assert "? cannot judge (first not addressed)" in panel
    change_page(study, "sepsis", SEPSIS.replace("30 mL/kg", "40 mL/kg"))
    async with on_screen(workbench(study), 100, 26) as (app, pilot):
        panel = pane_text(app, "judges")
        assert len(panel.splitlines()) <= 7
        assert "no judge has looked at this statement" in panel
        assert "STALE: page changed" in panel


def test_a_statement_with_bars_is_drawn_once(study: Study) -> None:
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
    text = "| Weight | First bolus over half an hour with monitoring |\n| 50 kg | 500 mL of a balanced crystalloid |"
    assert session.item is not None
    item = replace(session.item, text=text)
    rows = ["".join(words for words, _ in row)[7:].rstrip() for row in statement_rows(item, (), 40)]

    assert " ".join(rows).split() == text.split()
    assert max(map(len, rows)) <= 32


async def test_the_name_of_a_judge_is_not_cut_without_a_sign(study: Study) -> None:
    study.write(lambda connection: connection.execute("UPDATE judge_run SET judge = judge || '-with-a-long-name'"))
    async with on_screen(workbench(study), 100, 30) as (app, pilot):
        await press(pilot, "j")
        names = [row for row in pane_text(app, "judges").splitlines() if "/p3" in row]
        assert len(names) == 3
        assert all("… " in row or "long-name " in row for row in names)


async def test_the_strip_says_what_is_wrong_with_a_quote(study: Study) -> None:
    def mark(column: str, value: str | None) -> None:
        study.write(lambda db: db.execute(f"UPDATE judgement SET {column} = ? WHERE quote <> ''", (value,)))

    mark("quote_status", "altered")
    mark("differences", '[{"kind": "word", "quote": [0, 4], "source": [0, 4]}]')
    async with on_screen(workbench(study), 100, 26) as (app, pilot):
        await press(pilot, "j")
        assert "quote CHANGED" in pane_text(app, "judges")
    mark("differences", "[]")
    mark("quote_status", "exact")
    for doubt, words in (("off_topic", "ON ANOTHER TOPIC"), ("alt", "IN HIDDEN TEXT")):
        mark("quote_doubt", doubt)
        async with on_screen(workbench(study), 100, 26) as (app, pilot):
            await press(pilot, "j")
            assert words in pane_text(app, "judges")


@pytest.mark.parametrize("columns", [60, 80])
def test_what_i_said_of_a_pair_leaves_its_name_whole(tmp_path: Path, columns: int) -> None:
    with Study.create(tmp_path / "pairs.medreview") as study:
        two_responses(study)
        session = open_session(study, "kb", open_queue(study, "pairs", "kb", blind=False))
        for place in (0, 1):
            session.go(place)
            session.decide("not_addressed")
        session.flag("dispute")
        session.note("A remark.")
        view = KINDS["pair"].load(study.reader, session.unit)
        row = header_rows(session, Subject(view.name, f"{view.name} atlas-2 · clinic"), "a", columns)[1]
        assert row[0][0].strip() == view.name
        assert "not addressed · dispute" in "".join(text for text, _ in row)


def drawn(row: Row, columns: int) -> str:
    """A row as the screen draws it; one that needs more columns than there are fails."""
    taken = sum(width(text) for text, style in row if style != "fill")
    assert taken <= columns, row
    return "".join(" " * (columns - taken) if style == "fill" else text for text, style in row)


PIECES = (
    "1 of 8",
    "by response",
    "open 7",
    "BLIND",
    "judges shown",
    "reviewer kb",
    "0/60",
    "you:",
    "filter:",
    "quote ",
)


@pytest.mark.parametrize("title", ["sepsis", "Statements on sepsis and septic shock in pregnancy, second round"])
@pytest.mark.parametrize("narrowed", ["", "origin=forum", "response=R01 origin=forum mine=not_addressed page=paywall"])
@pytest.mark.parametrize("blind", [False, True])
def test_nothing_in_the_header_collides_at_any_width(study: Study, title: str, narrowed: str, blind: bool) -> None:
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb", blind=blind))
    session.goal = SittingGoal(Goal(60))
    session.decide_also("hallucination", "input")
    session.decide("not_addressed")
    session.goal = SittingGoal(Goal(60))
    session.queue = session.queue._replace(filter=narrowed)
    subject = Subject("R01", "R01 atlas-2 · forum", "q-17", "" if blind else "quote altered · numbers differ · partial")
    for columns in range(1, 241):
        first, second = header_rows(session, subject, title, columns)
        rows = (
            first,
            second,
            *header_rows(session, None, title, columns),
            *wide_header_rows(session, title, columns, flagged=True),
            *wide_header_rows(session, title, columns),
        )
        if columns < 60:
            continue
        for row in rows:
            text = drawn(row, columns)
            for part in re.split("   *", text.strip()):
                assert sum(piece in part for piece in (title, *PIECES)) <= 1, text
        texts = [drawn(first, columns), *([drawn(rows[-1], columns)] if columns >= 100 else [])]
        assert all(title[:5] in text and ("BLIND" in text) == blind for text in texts)
        assert "open 7" in texts[0]
        assert all(("filter: " in text) == bool(narrowed) for text in (drawn(second, columns), *texts[1:]))


@pytest.mark.parametrize(("size", "shown"), [((80, 24), False), ((160, 50), True)])
async def test_a_queue_is_no_longer_called_blind_when_the_judges_of_the_unit_are_shown(
    study: Study, size: tuple[int, int], shown: bool
) -> None:
    # One statement, whose judges do not say "not addressed": a blind queue has an order of its own in each study.
    async with on_screen(blind_workbench(study, "responses", filter="mL/kg", reveal="each"), *size) as (app, pilot):
        assert "1 of 1" in pane_text(app, "header")
        assert "BLIND" in pane_text(app, "header")
        await press(pilot, "4")
        assert "judges:" in pane_text(app, "foot")
        assert "BLIND" not in pane_text(app, "header")
        assert ("judges shown" in pane_text(app, "header")) == shown
