"""Text that was read by OCR: the bar says so, and what may have been read wrong has a sign."""

import pytest

from medreview.judges.offline_stage import judge_offline
from medreview.judges.verdicts import refresh
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.screens.widgets.document import DocumentView
from medreview.sources.ocr_pages import NO_TEXT_BY_OCR
from medreview.study import Study
from tests.support.scanned_study import TEXT, fill_scanned
from tests.support.study_builder import StudyBuilder, build
from tests.support.workbench import blind_workbench, press, resize, review_screen, screen_text, workbench


@pytest.fixture
def scanned(empty_study):
    fill_scanned(empty_study)
    judge_offline(empty_study, processes=0)
    refresh(empty_study)
    return empty_study


def row_with(shown: str, words: str) -> str:
    return next(row for row in shown.splitlines() if words in row)


async def test_the_bar_says_how_sure_the_page_under_the_eyes_was_read_and_a_word_in_doubt_has_a_sign(scanned):
    app = workbench(scanned)
    async with app.run_test(size=(80, 24)) as pilot:
        shown = screen_text(app)
        assert "poster.example · ok · read by OCR 93%" in row_with(shown, "[1]")
        assert "p. 2/2" in row_with(shown, "[1]")
        assert "Adults are given?300 micrograms" in shown
        assert "^^ 500 micrograms in the statement (read by OCR, 71%)" in shown
        assert "? before a word: OCR may have read it wrong" in shown
        assert "number differs (scan?)" in shown
        assert "4 not addressed" in shown

        await press(pilot, "w")
        assert "quote on a scanned page: “" in screen_text(app)
        await press(pilot, "b", "j", "j", "w")
        assert "quote on page: “" in screen_text(app)
        await press(pilot, "b")
        shown = screen_text(app)
        assert "page 2 read by OCR" in row_with(shown, "[1]")
        assert "p. 1/2" in row_with(shown, "[1]")

        await press(pilot, "k", "k")
        await resize(app, pilot, 160, 50)
        shown = screen_text(app)
        assert "── read by OCR 93% ──" in shown
        assert "given?300" in shown


async def test_what_was_read_by_ocr_is_told_in_a_blind_queue_too(scanned):
    app = blind_workbench(scanned, "responses")
    async with app.run_test(size=(80, 24)):
        shown = screen_text(app)
    assert "read by OCR" in row_with(shown, "[1]")
    assert "given?300" in shown
    assert "in the statement" not in shown


async def test_a_sign_takes_no_room_and_is_drawn_before_the_word_wherever_its_row_begins(scanned):
    app = workbench(scanned)
    async with app.run_test(size=(80, 24)):
        view = review_screen(app).query_one("#source", DocumentView)
        plain, doubtful = "one two  300\n300 (400) five", [(9, 12), (13, 16), (18, 21)]
        view.show(plain)
        view.mark("doubtful", doubtful)
        rows = [view.render_line(y).text.rstrip() for y in range(2)]
    assert rows == ["   one two ?300", "  ?300?(400) five"]


def test_line_mode_puts_a_word_in_doubt_in_brackets(scanned):
    session = ReviewSession(scanned, "kb", open_queue(scanned, "responses", "kb"))
    told = session.source_places().told(TEXT, TEXT.index("Adults"), TEXT.index("Repeat"))
    assert told == "Adults are given [71% sure: 300] micrograms of adrenaline into the muscle.\n"


@pytest.mark.parametrize(
    ("evidence", "offered"),
    [("The PDF has 0 words on 1 page.", True), (f"OCR (an engine) {NO_TEXT_BY_OCR}.", False)],
)
async def test_ocr_is_offered_where_it_was_not_tried(tmp_path, evidence, offered):
    def rows(rows: StudyBuilder) -> None:
        rows.page("u", "", page_state="pdf_scan", state_evidence=evidence)
        rows.response("r", "Give 500 mg.", statements=["Give 500 mg."], cites=["u"])

    with Study.create(tmp_path / "a.medreview") as study:
        build(study, rows)
        app = workbench(study)
        async with app.run_test(size=(80, 24)):
            shown = " ".join(screen_text(app).split())

    assert "This PDF is a scan" in shown
    assert ("medreview[ocr] can read such pages" in shown) is offered
