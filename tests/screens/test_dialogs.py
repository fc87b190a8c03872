"""What the last rows ask, and what may be done before answering."""

import json

import pytest

from medreview.labels import EVIDENCE, REASONS, Label
from medreview.review.cell_width import width
from medreview.review.span_editing import SpanEdit
from medreview.screens.dialogs import HallucinationDialog, ReasonDialog, RevealDialog, SpanDialog, both_ends
from medreview.screens.panes import PaneHints
from medreview.study import Study
from medreview.units.statement import STATEMENT_ASKS
from tests.support.workbench import events, pane_text, press, statements, workbench


def nothing(*_: object) -> None:
    return None


async def test_help_and_sources_leave_the_reason_strip_open(study: Study) -> None:
    app = workbench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "3")
        for key in ("right_square_bracket", "v", "v", "y"):
            await press(pilot, key)
            assert "R01 S2: contradicted. Why not “supported”?" in pane_text(app, "foot")
        await press(pilot, "question_mark")
        await press(pilot, "q")
        assert "Why not “supported”?" in pane_text(app, "foot")
        await press(pilot, "q")
        assert [json.loads(row["payload"])["code"] for row in events(study, "reason")] == ["number"]


@pytest.mark.parametrize("columns", [60, 80, 160])
@pytest.mark.parametrize("label", EVIDENCE, ids=lambda label: label.level)
def test_the_reason_strip_shows_every_letter_in_its_three_rows(label: Label, columns: int) -> None:
    for theirs in (*(other.name for other in EVIDENCE), "not supported", ""):
        step = ReasonDialog(
            "R02 S1", label, theirs, STATEMENT_ASKS, lambda: "saved ✓", nothing, nothing, nothing, nothing
        )
        strip = step.rows(columns)
        rows = ["".join(text for text, _ in row) for row in strip]
        assert len(rows) <= 3
        assert all(width(row) <= columns for row in rows)
        assert all(f" {reason.key} {reason.name.split()[0]}" in " ".join(rows) for reason in REASONS)
        assert "1-5 another verdict" in rows[-1] or columns == 60


def test_the_letters_of_reasons_are_those_of_nothing_else_in_the_strip() -> None:
    letters = [reason.key for reason in REASONS]
    assert len({*letters, "n", "a"}) == len(letters) + 2
    assert all(letter.isalpha() for letter in letters)


async def test_a_digit_in_the_reason_strip_corrects_the_verdict(study: Study) -> None:
    app = workbench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "3", "4")
        assert "R01 S2: not addressed. Why not “supported”?" in pane_text(app, "foot")
        await press(pilot, "d")
        assert "S2 → not addressed · direction" in pane_text(app, "foot")
        assert [row["kind"] for row in events(study)] == ["decide", "retract", "decide", "reason"]
        assert study.reader.execute("SELECT label FROM decision_first").fetchone()["label"] == "not_addressed"
        await press(pilot, "1", "a")  # the judges' verdict after all
        assert "S3 → not addressed, not supported" in pane_text(app, "foot")
        assert "4 of 8" in pane_text(app, "header")
        assert [row["label"] for row in study.reader.execute("SELECT label FROM decision_first ORDER BY unit")] == [
            "not_addressed"
        ] * 2


async def test_keys_of_ones_own_for_verdicts_correct_too(study: Study) -> None:
    app = workbench(study, keys={"decide_partial": "F3", "decide_contradicted": "F6"})
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "f6", "f3")
        assert "R01 S2: partial. Why not “supported”?" in pane_text(app, "foot")
        assert [row["label"] for row in study.reader.execute("SELECT label FROM decision_first")] == ["partial"]
        await press(pilot, "escape", "h", "f3", "5")  # in this step a verdict does nothing
        assert "h · R01 S2:" in pane_text(app, "foot")
        assert len(events(study, "decide")) == 2


async def test_help_keeps_the_span_that_is_being_marked(study: Study) -> None:
    app = workbench(study)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "j", "h", "1", "w", "question_mark")
        await press(pilot, "escape")
        assert "Span (end moves)" in pane_text(app, "foot")
        await press(pilot, "enter")
        assert json.loads(events(study, "span_add")[0]["payload"])["exact"].endswith("50 mL/kg")


@pytest.mark.parametrize("target", ["response", "source"])
@pytest.mark.parametrize("keys", [(), ("o",)], ids=["end", "start"])
def test_the_span_strip_fits_into_80_columns(target: str, keys: tuple[str, ...]) -> None:
    edit, hints = SpanEdit("two words " * 20, 0, 190), PaneHints(nothing)
    step = SpanDialog("R02 S1", "context", target, "response", edit, nothing, nothing, nothing, nothing, hints)
    rows = step.rows(80)
    words = ["".join(text for text, _ in row) for row in rows]
    assert all(len(row) <= 79 for row in words)
    assert words[-1].endswith("f jump  S response  Esc none")
    assert "end moves" in words[0]


def test_the_hallucination_strip_says_all_its_meanings_in_80_columns() -> None:
    rows = ["".join(text for text, _ in row) for row in HallucinationDialog("R02 S1", nothing, nothing).rows(80)]
    assert len(rows) <= 3
    assert all(len(row) <= 79 for row in rows)
    assert "against established knowledge" in " ".join(rows)
    assert "context: against the response" in " ".join(rows)


def test_the_reveal_says_what_is_saved() -> None:
    step = RevealDialog(
        "R02 S1", "✗ contradicted", "○ NOT ADDRESSED", STATEMENT_ASKS, lambda: "saved #12345 ✓", nothing, nothing
    )
    first = "".join(text for text, _ in step.rows(80)[0])
    assert "saved #12345" in first
    assert len(first) < 80


async def test_no_verdict_is_named_that_the_judges_do_not_have_in_common(study: Study) -> None:
    study.write(lambda connection: connection.execute("UPDATE verdict SET verdict = NULL, supported = NULL"))
    app = workbench(study, "audit", filter="mL/kg", reveal="each")
    async with app.run_test(size=(80, 24)) as pilot:
        while "crystalloid" not in statements(app).item.text:
            await press(pilot, "j")
        await press(pilot, "4")
        assert "judges: NO COMMON VERDICT" in pane_text(app, "foot")
        await press(pilot, "enter")
        assert "No judge says so. Why?" in pane_text(app, "foot")


async def test_nobody_is_asked_why_not_where_a_tied_jury_says_the_same_too(study: Study) -> None:
    study.write(lambda connection: connection.execute("UPDATE verdict SET verdict = NULL, supported = NULL"))
    app = workbench(study, "flagged", filter="mL/kg")
    async with app.run_test(size=(80, 24)) as pilot:
        item = statements(app).item
        assert item is not None
        assert {said.verdict for said in item.judgements if not said.offline} >= {"supported", "contradicted"}
        assert "a accept" not in pane_text(app, "foot")  # what is refused is not offered
        await press(pilot, "a")
        assert "no common verdict" in pane_text(app, "foot")
        await press(pilot, "3")
        assert "Why" not in pane_text(app, "foot")


@pytest.mark.parametrize("columns", [40, 60, 80])
@pytest.mark.parametrize("text", ["一二三四五六七八九十" * 12 + "终", "word " * 60 + "END"], ids=["wide", "narrow"])
def test_the_span_strip_shows_both_ends(text: str, columns: int) -> None:
    step = SpanDialog(
        "R02 S1", "fact", "source", "response", SpanEdit(text, 0, len(text)), nothing, nothing, nothing, nothing
    )
    strip = "".join(words for words, _ in step.rows(columns)[0])
    assert width(strip) <= columns
    assert strip.endswith(text[-1] + "”")
    assert text[:2] in strip


def test_a_long_span_is_cut_between_words() -> None:
    text = "Carriers of a harmful variant need a separate plan, which often includes imaging every year."
    for room in range(24, 80):
        begins, ends = both_ends(text, room).split(" … ")
        assert text.startswith(f"{begins} ")
        assert text.endswith(f" {ends}")
