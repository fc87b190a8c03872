"""D: the only span at once, of several the one that is chosen."""

import json

import pytest

from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.span_editing import SpanEdit
from medreview.screens.app import Workbench
from medreview.screens.dialogs import ChooseSpanDialog
from medreview.study import Study
from medreview.text import Span
from medreview.units.cited_source import Source
from medreview.units.statement_view import StatementView
from tests.support.workbench import events, pane_text, press, review_screen, screen_text, statements, workbench

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
MARK = {"response": "crystalloid", "source": "capillary refill"}


def shown(app: Workbench) -> tuple[StatementView, Source]:
    """The statement and the source on the screen."""
    session = statements(app)
    assert session.item is not None
    assert session.source is not None
    return session.item, session.source


def marked(app: Workbench, target: str, words: str) -> None:
    """Mark words as the span step does, where they are."""
    session = statements(app)
    text = session.source_text() if target == "source" else shown(app)[0].response
    session.add_span(target, SpanEdit(text, text.index(words), text.index(words) + len(words)))


def live(study: Study) -> list[str]:
    rows = study.reader.execute("SELECT payload FROM span_live ORDER BY event_id").fetchall()
    return [json.loads(row["payload"])["exact"] for row in rows]


@SIZES
async def test_the_only_span_is_deleted_at_once(study: Study, size: tuple[int, int]) -> None:
    app = workbench(study)
    async with app.run_test(size=size) as pilot:
        await press(pilot, "j", "D")
        assert "You have marked no span on this statement." in pane_text(app, "foot")
        await press(pilot, "h", "1", "enter", "D", "D")  # held down: its receipt stays
        assert live(study) == []
        assert "deleted “50”" in pane_text(app, "foot")
        assert not review_screen(app).response.marks.of_kind("span")
        await press(pilot, "u")
        assert len(live(study)) == 1
        assert review_screen(app).response.marks.of_kind("span")


@SIZES
async def test_of_several_one_is_chosen(study: Study, size: tuple[int, int]) -> None:
    app = workbench(study)
    async with app.run_test(size=size) as pilot:
        await press(pilot, "j", "h", "1", "escape")
        marked(app, "source", MARK["source"])
        marked(app, "response", MARK["response"])
        view = review_screen(app)
        await press(pilot, "D")
        assert "Delete span 1 of 2, in the response: “crystalloid”" in pane_text(app, "foot")
        assert [view.response.marks.of_kind("span")[0].start] == [shown(app)[0].response.index("crystalloid")]
        assert "crystalloid" in screen_text(app)
        await press(pilot, "w")
        assert "Delete span 2 of 2, in the source: “capillary refill”" in pane_text(app, "foot")
        (drawn,) = view.source.marks.of_kind("span")
        assert view.session.source_text()[drawn.start : drawn.end] == "capillary refill"
        assert "capillary refill" in screen_text(app)
        await press(pilot, "b", "b", "enter")  # round and round
        assert live(study) == ["crystalloid"]
        assert "deleted “capillary refill”" in pane_text(app, "foot")
        assert view.response.marks.of_kind("span")
        assert not view.source.marks.of_kind("span")
        await press(pilot, "u")
        assert live(study) == ["capillary refill", "crystalloid"]


@SIZES
async def test_esc_and_moving_delete_nothing(study: Study, size: tuple[int, int]) -> None:
    app = workbench(study)
    async with app.run_test(size=size) as pilot:
        await press(pilot, "j")
        for target, words in MARK.items():
            marked(app, target, words)
        view = review_screen(app)
        await press(pilot, "D", "w", "escape")
        assert len(live(study)) == 2
        assert [len(pane.marks.of_kind("span")) for pane in (view.response, view.source)] == [1, 1]
        assert not view.reading.shows_response
        await press(pilot, "D", "k")
        assert "1 of 8" in pane_text(app, "header")
        assert len(live(study)) == 2


async def test_a_digit_is_a_verdict_while_one_chooses(study: Study) -> None:
    app = workbench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j")
        for target, words in MARK.items():
            marked(app, target, words)
        await press(pilot, "D", "5")
        assert [row["label"] for row in events(study, "decide")] == ["cannot_judge"]
        assert len(live(study)) == 2


async def test_a_span_on_another_source_is_shown_there(study: Study) -> None:
    app = workbench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j")
        for target, words in MARK.items():
            marked(app, target, words)
        await press(pilot, "right_square_bracket")
        assert shown(app)[1].place == 2
        await press(pilot, "D", "w")
        assert shown(app)[1].place == 1
        assert "capillary refill" in screen_text(app)


def test_the_strip_fits_into_80_columns() -> None:
    mine = ReviewerSpan("e", "response", Span(0, 200), "two words " * 20, "fact", None)
    step = ChooseSpanDialog(mine, "response", 11, 12, lambda: None, lambda by: None, lambda: None)
    assert all(len("".join(text for text, _ in row)) <= 79 for row in step.rows(80))
