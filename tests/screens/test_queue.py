"""The queue pane: what each unit is, how far the queue is, and how wide it is."""

from typing import Final

import pytest

from medreview.cli.opening import _report
from medreview.config import Config
from medreview.review.audit import draw
from medreview.review.cell_width import fit_words
from medreview.review.goal import SittingPace
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.why_flagged import short
from medreview.screens.app import Workbench
from medreview.screens.home import HomeScreen
from medreview.screens.page import ChoicePage
from medreview.screens.queue_rows import BESIDE, QueueRows, pane_columns, progress_row, within
from medreview.screens.review_rows import wide_header_rows
from medreview.screens.widgets.lines import RowsView
from medreview.study import Study
from medreview.visible import visible
from tests.support.settled import until
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
    workbench,
)

WIDE: Final = (160, 50)


def text_of(row: object) -> str:
    return "".join(text for text, _ in row)  # type: ignore[attr-defined]


def queue_text(app: object) -> list[str]:
    view = app.screen.query_one("#queue")  # type: ignore[attr-defined]
    assert isinstance(view, RowsView)
    return [view.render_line(y).text.rstrip() for y in range(view.count)]


async def test_each_row_says_name_flag_and_first_words(study: Study) -> None:
    async with on_screen(workbench(study, "flagged"), 240, 50) as (app, pilot):
        rows = queue_text(app)
        assert rows[0] == " ▸· R02 S2  quote not on page      It may be continued at any…"
        await press(pilot, "2", "escape")
        assert any(row.lstrip(" ▸").startswith("~ R02 S2  partial") for row in queue_text(app))


async def test_the_row_of_the_unit_is_a_bar_over_the_whole_width_also_without_colour(study: Study) -> None:
    app = workbench(study, "flagged")
    async with app.run_test(size=WIDE):
        view = app.screen.query_one("#queue", RowsView)
        strip = view.render_line(0)
        assert all(segment.style is not None and segment.style.reverse for segment in strip)
        assert strip.cell_length == view.size.width
        assert not any(segment.style and segment.style.reverse for segment in view.render_line(1))
        assert strip.text.startswith(" ▸")


async def test_a_blind_queue_has_names_and_first_words_and_one_width(study: Study) -> None:
    app = blind_workbench(study, "responses")
    async with app.run_test(size=WIDE):
        rows = queue_text(app)
        assert all("quote" not in row and "judges" not in row and "·" not in row for row in rows)
        assert any("Norepinephrine" in row for row in rows)
        blind = app.screen.query_one("#queue").size.width
    assert blind == pane_columns(160, 0)


async def test_keys_change_the_width_for_the_whole_sitting(study: Study) -> None:
    async with on_screen(workbench(study, "flagged"), *WIDE) as (app, pilot):
        before = app.screen.query_one("#queue").size.width
        await press(pilot, "greater_than_sign", "greater_than_sign")
        assert app.screen.query_one("#queue").size.width == before + 12
        assert queue_text(app)[0].count(" ") > 4  # with words of the statement
        await press(pilot, "q", "V", "less_than_sign")
        assert app.screen.query_one("#queue").size.width == before + 6
        await pilot.resize_terminal(120, 30)
        await press(pilot, *["greater_than_sign"] * 9)
        assert app.screen.query_one("#queue").size.width == 120 - BESIDE
        await pilot.resize_terminal(100, 30)
        await press(pilot, "greater_than_sign")
        assert "from 120 columns" in " ".join(pane_text(app, "foot").split())


async def test_the_heading_counts_what_is_decided_and_from_five_on_says_how_long_the_rest_takes(study: Study) -> None:
    async with on_screen(workbench(study), *WIDE) as (app, pilot):
        assert pane_text(app, "queue-head").splitlines()[0].endswith("░ 0/8")
        for _ in range(4):
            await press(pilot, "5", "escape", "j")
        assert pane_text(app, "queue-head").splitlines()[0].endswith("4/8")
        await press(pilot, "5", "escape")
        assert pane_text(app, "queue-head").splitlines()[0].endswith("5/8 ~1 min")
        await press(pilot, "u")
        assert "4/8" in pane_text(app, "queue-head")
        await put_in(pilot, "colon", text="response=R02")
        assert review_screen(app).session.queue.filter == "response=R02"
        assert f"/{len(review_screen(app).session.queue.units)}" in pane_text(app, "queue-head")


@pytest.mark.parametrize("columns", range(24, 100))
def test_the_heading_fits_every_width(study: Study, columns: int) -> None:
    for name in ("flagged", "unchecked", "responses"):
        session = ReviewSession(study, "kb", open_queue(study, name, "kb"))
        session.pace = SittingPace()
        for _ in range(5):
            session.pace.add(90_000)
        row = text_of(progress_row(session, columns))
        assert len(row) < columns
        assert "0/" in row


def test_words_are_cut_between_words() -> None:
    assert fit_words("quote not on page", 17) == "quote not on page"
    assert fit_words("quote not on page", 16) == "quote not on…"
    assert fit_words("quote not on page", 10) == "quote not…"
    assert fit_words("quote not on page", 9) == "quote…"
    assert fit_words("paracetamol", 6) == "parac…"
    assert fit_words("paracetamol", 0) == ""


def test_the_width_follows_the_longest_flag_within_bounds(study: Study) -> None:
    session = ReviewSession(study, "kb", open_queue(study, "flagged", "kb"))
    longest = QueueRows(session, 34).measure(range(9))
    assert longest > 20
    assert pane_columns(160, 0) == pane_columns(160, longest) == 34
    assert pane_columns(160, 40) == 41
    assert pane_columns(160, 70) == 45
    assert pane_columns(240, 0) > pane_columns(160, 0)
    assert within(160, 10) == 24


def test_every_row_fits_every_width_and_cuts_between_words(study: Study) -> None:
    for name in ("flagged", "responses"):
        session = ReviewSession(study, "kb", open_queue(study, name, "kb"))
        session.decide("cannot_judge")
        session.next()
        session.defer()
        flags = short(" · ".join(entry.badges for entry in map(session.listed, range(len(session.queue.units)))))
        texts = (session.listed(place).text for place in range(len(session.queue.units)))
        words = visible(f" {' '.join((flags, *texts))} deferred ")
        for columns in range(24, 90):
            rows = QueueRows(session, columns)
            for place in range(len(rows)):
                row = text_of(rows.row(place))
                assert len(row) <= columns - 2, row
                if row.endswith("…") and columns > 40:
                    assert f" {row[:-1].split()[-1]} " in words


def test_where_no_queue_stands_beside_the_header_says_why(study: Study) -> None:
    session = ReviewSession(study, "kb", open_queue(study, "flagged", "kb"))
    for columns in range(60, 241):
        row = text_of(wide_header_rows(session, "sepsis", columns, flagged=True)[0])
        assert "quote" in row
        assert len(row) <= columns
    blind = ReviewSession(study, "kb", open_queue(study, "responses", "kb", blind=True))
    assert "quote" not in text_of(wide_header_rows(blind, "sepsis", 160, flagged=True)[0])


def said(app: Workbench) -> str:
    return " ".join(screen_text(app).split())


async def test_a_queue_that_is_done_is_summed_up_and_leads_on(study: Study) -> None:
    app = Workbench(study, Config(reviewer="kb"), PLAIN)
    app._report = _report
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "V")
        for _ in range(9):
            await press(pilot, "5", "enter")
            if isinstance(app.screen, ChoicePage):
                break
        assert isinstance(app.screen, ChoicePage)
        text = said(app)
        assert "The queue is done: by response" in text
        assert "8 of 8 decided." in text
        assert "cannot judge 8 ━━━━" in text
        assert "The judges said the same as you on 0 of" in text
        before = len(events(study))
        await press(pilot, "enter", "enter", "4")  # neither is meant for this page
        assert isinstance(app.screen, ChoicePage)
        assert len(events(study)) == before
        await press(pilot, "e")
        await until(pilot, lambda: "export of labels written:" in said(app))
        assert (study.path.parent / "sepsis-labels" / "labels.csv").exists()
        await press(pilot, "o")
        await until(pilot, lambda: "report written:" in said(app))
        assert (study.path.parent / "sepsis.html").exists()
        await press(pilot, "q")
        assert isinstance(app.screen, HomeScreen)


async def test_at_the_end_what_is_open_is_one_key_away(study: Study) -> None:
    async with on_screen(workbench(study, "responses")) as (app, pilot):
        await press(pilot, *["j"] * 7, "5", "enter")
        assert isinstance(app.screen, ChoicePage)
        assert "The end of the queue: by response" in said(app)
        assert "1 of 8 decided, 7 open." in said(app)
        assert "t the 7 still open" in said(app)
        await press(pilot, "t")
        assert review_screen(app).session.position == 0
        assert [row["kind"] for row in events(study)] == ["decide"]


async def test_a_done_queue_leads_to_the_next(study: Study) -> None:
    async with on_screen(workbench(study, "responses", filter=""), 160, 50) as (app, pilot):
        for _ in range(8):
            await press(pilot, "s" if review_screen(app).session.position == 2 else "5", "enter")
            if isinstance(app.screen, ChoicePage):
                break
        assert "7 of 8 decided, 1 put off." in said(app)
        await press(pilot, "t")
        assert review_screen(app).session.queue.kind.name == "deferred"


async def test_a_blind_queue_says_nothing_of_the_judges_at_its_end(study: Study) -> None:
    draw(study, "kb", rate=1.0)
    app = workbench(study, "audit")
    app._report = _report
    async with app.run_test(size=(80, 24)) as pilot:
        for key in "54545454":
            await press(pilot, key)
        assert "End of the block" in said(app)
        await press(pilot, "enter")
        text = said(app)
        assert "The queue is done: audit: random" in text
        assert "The judges said" not in text
        await press(pilot, "o")
        assert "waits until the judges of your blind block are shown" in said(app)
