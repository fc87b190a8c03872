"""What the last rows ask, and what may be done before answering."""

import json

import pytest

from medreview.review.layout.cells import width
from medreview.review.span_editing import SpanEdit
from medreview.screens.dialogs import HallucinationDialog, RevealDialog, SpanDialog
from medreview.study import Study
from tests.support.workbench import events, pane_text, press, review_screen, workbench


def nothing(*_: object) -> None:
    return None


async def test_help_and_sources_leave_the_reason_strip_open(study: Study) -> None:
    app = workbench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "3")
        for key in ("right_square_bracket", "v", "v", "y"):
            await press(pilot, key)
            assert "3 contradicted. Why not “supported”?" in pane_text(app, "foot")
        await press(pilot, "question_mark")
        await press(pilot, "q")
        assert "Why not “supported”?" in pane_text(app, "foot")
        await press(pilot, "1")
        assert [json.loads(row["payload"])["code"] for row in events(study, "reason")] == ["number"]


async def test_help_keeps_the_span_that_is_being_marked(study: Study) -> None:
    app = workbench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "h", "1", "b", "question_mark")
        await press(pilot, "escape")
        assert "Span (end moves)" in pane_text(app, "foot")
        await press(pilot, "enter")
        assert json.loads(events(study, "span_add")[0]["payload"])["exact"].endswith("first 3 hours")


@pytest.mark.parametrize("target", ["response", "source"])
@pytest.mark.parametrize("keys", [(), ("o",)], ids=["end", "start"])
def test_the_span_strip_fits_into_80_columns(target: str, keys: tuple[str, ...]) -> None:
    step = SpanDialog("context", target, SpanEdit("two words " * 20, 0, 190), nothing, nothing, nothing, nothing)
    rows = step.rows(80)
    words = ["".join(text for text, _ in row) for row in rows]
    assert all(len(row) <= 79 for row in words)
    assert words[-1].endswith("Esc none")
    assert "end moves" in words[0]


def test_the_hallucination_strip_says_all_its_meanings_in_80_columns() -> None:
    rows = ["".join(text for text, _ in row) for row in HallucinationDialog(nothing, nothing).rows(80)]
    assert len(rows) <= 3
    assert all(len(row) <= 79 for row in rows)
    assert "against established knowledge" in " ".join(rows)
    assert "context: against the response" in " ".join(rows)


def test_the_reveal_says_what_is_saved() -> None:
    step = RevealDialog("contradicted", "○ NOT ADDRESSED", "saved #12345", nothing, nothing)
    first = "".join(text for text, _ in step.rows(80)[0])
    assert "saved #12345" in first
    assert len(first) < 80


async def test_a_tied_jury_is_named_by_the_judgement_it_is_shown_with(study: Study) -> None:
    study.write(lambda connection: connection.execute("UPDATE verdict SET verdict = NULL, supported = NULL"))
    app = workbench(study, "audit", filter="mL/kg")
    async with app.run_test(size=(80, 24)) as pilot:
        while "crystalloid" not in review_screen(app).session.item.text:
            await press(pilot, "j")
        await press(pilot, "3")
        assert "judges: ✓ SUPPORTED" in pane_text(app, "foot")
        await press(pilot, "enter")
        assert "Why not “supported”?" in pane_text(app, "foot")


@pytest.mark.parametrize("columns", [40, 60, 80])
@pytest.mark.parametrize("text", ["一二三四五六七八九十" * 12 + "终", "word " * 60 + "END"], ids=["wide", "narrow"])
def test_the_span_strip_shows_both_ends(text: str, columns: int) -> None:
    step = SpanDialog("fact", "source", SpanEdit(text, 0, len(text)), nothing, nothing, nothing, nothing)
    strip = "".join(words for words, _ in step.rows(columns)[0])
    assert width(strip) <= columns
    assert strip.endswith(text[-1] + "”")
    assert text[:2] in strip
