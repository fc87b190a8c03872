"""What stands above a page on the screen, which pane paging moves, and how answers and what is left out are drawn."""

import pytest

from medreview.judges.offline_stage import judge_offline
from medreview.judges.verdicts import refresh
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.screens.widgets.document import DocumentView
from medreview.sources.ocr_pages import NO_TEXT_BY_OCR
from medreview.study import Study
from tests.support.reference_study import fill_references, judged_otherwise
from tests.support.scanned_study import TEXT, fill_scanned
from tests.support.study_builder import StudyBuilder, build
from tests.support.workbench import (
    blind_workbench,
    events,
    on_screen,
    pane_text,
    press,
    resize,
    review_screen,
    screen_text,
    screens_of,
    statements,
    workbench,
)

each_size = pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)], ids=["80x24", "100x30", "160x50"])
QUOTE = "Dopamine is the first choice and 70 mL/kg is a usual dose in all adults with septic shock."
ANSWER = "## Fluid\n\nGive **50 mL/kg** of it, see [the page](https://who.example/x).\n\nPlease see your doctor."


def _judged(rows: StudyBuilder) -> None:
    """Of the first response's fourth statement: a quote that is not on its page, and a source that contradicts it."""
    statement = rows.connection.execute(
        "SELECT statement_id FROM statement ORDER BY rowid LIMIT 1 OFFSET 3"
    ).fetchone()[0]
    rows.judgement("llama/p3", statement, "sepsis@1", "supported", QUOTE, "absent", run=rows.judge_run("llama/p3"))
    rows.judgement(
        "gpt-4o/p3",
        statement,
        "metformin@1",
        "contradicted",
        "zero",
        run=rows.judge_run("gpt-4o/p3", model="gpt-4o", prompt_id="p3"),
    )


@pytest.fixture(autouse=True)
def _two_pages(study: Study) -> None:
    """The second source of the first response can be read."""
    query = "UPDATE citation SET source_id = 'metformin' WHERE source_id = 'dead'"
    study.write(lambda connection: connection.execute(query))


@pytest.fixture
def judged(study: Study) -> Study:
    build(study, _judged)
    refresh(study)
    return study


@each_size
async def test_an_absent_quote_and_a_conflict_are_seen_above_the_page(judged: Study, size: tuple[int, int]) -> None:
    async with on_screen(workbench(judged, filter="response=R01"), *size) as (app, pilot):
        await press(pilot, "j", "j", "j")
        statements(app).show_text("sepsis")
        review_screen(app).paint()
        await pilot.pause()
        bar = pane_text(app, "bar")
        assert "llama/p3's quote is NOT on this page" in bar
        assert "“Dopamine is the first choice" in bar
        assert "70 mL/kg: 0 hits · " in bar
        assert "nearest: m" in bar
        told = bar.splitlines()
        assert len(told) == review_screen(app).plan_for(app.size).regions["bar"].height
        assert not [row for row in told if len(row) > size[0]]
        if size[0] >= 100:
            assert "✓ supports" in bar
            assert "✗ contradicts" in bar
        await press(pilot, "right_square_bracket")
        assert "NOT on this page" not in screen_text(app), "it is about the other page"
        assert "✓ supports" in pane_text(app, "bar")
        assert "✗ contradicts" in pane_text(app, "bar")
        await press(pilot, "k")
        assert "contradicts" not in pane_text(app, "bar")


async def test_blind_nothing_of_it_shows_not_even_by_the_layout(study: Study) -> None:
    seen = [await screens_of(blind_workbench(study, "responses", filter="response=R01"))]
    build(study, _judged)
    refresh(study)
    seen.append(await screens_of(blind_workbench(study, "responses", filter="response=R01")))
    assert seen[0] == seen[1]


async def test_the_title_of_the_pane_that_paging_moves_has_a_sign(study: Study) -> None:
    async with on_screen(workbench(study), 160, 50) as (app, pilot):
        assert pane_text(app, "bar").startswith("▸")
        assert "▸answer" not in pane_text(app, "statement")
        await press(pilot, "tab")
        assert "▸answer" in pane_text(app, "statement")
        assert not pane_text(app, "bar").startswith("▸")


@each_size
async def test_an_answer_is_set_and_says_what_is_left_out(study: Study, size: tuple[int, int]) -> None:
    def answered(rows: StudyBuilder) -> None:
        rows.response("set", ANSWER, question="Is **50 mL/kg** right?", ordinal=0)
        rows.statement("set", "Give **50 mL/kg** of it")
        place = ANSWER.index("Please")
        rows.add("left_out", left_out_id="l", response_id="set", start=place, end=len(ANSWER), reason="disclaimer")

    build(study, answered)
    refresh(study)
    async with on_screen(workbench(study, filter="response=R00"), *size) as (app, pilot):
        if size == (80, 24):
            assert "Give 50 mL/kg of it" in pane_text(app, "statement")
            await press(pilot, "v")
        assert "Is 50 mL/kg right?" in pane_text(app, "statement")
        shown = screen_text(app)
        assert "Give 50 mL/kg of it, see the page." in shown
        assert "Please see your doctor." in shown
        assert "left out: disclaimer" in next(row for row in shown.splitlines() if "Please see" in row)
        assert "**" not in shown
        assert "##" not in shown
        marks = review_screen(app).response.marks
        start, end, _ = marks.of_kind("statement")[0]
        assert ANSWER[start:end] == "Give **50 mL/kg** of it", "places are those of the text as stored"
        await press(pilot, "h", "1")
        assert "Give **50 mL/kg** of it" in screen_text(app), "whose places are chosen is spelt out"
        await press(pilot, "escape")
        assert "**" not in screen_text(app)


SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
OTHER = "reference is ANOTHER WORK: “Statins and the eye"


@pytest.fixture
def referring(empty_study: Study) -> Study:
    fill_references(empty_study)
    return empty_study


@SIZES
async def test_the_row_above_the_source_says_what_the_reference_is_and_the_key_shows_both_readings(
    referring: Study, size: tuple[int, int]
) -> None:
    async with on_screen(workbench(referring, "flagged"), *size) as (app, pilot):
        shown = screen_text(app)
        assert OTHER in shown
        assert ("source 3 is another work" if size[0] > 80 else "another work cited") in shown
        assert review_screen(app).plan_for(app.size).regions["source"].height >= 11
        await press(pilot, "right_square_bracket")
        assert "reference matches · RETRACTED" in screen_text(app)
        await press(pilot, "right_square_bracket")
        assert "reference inaccurate: year 2033, not 2035" in screen_text(app)
        await press(pilot, "left_square_bracket", "left_square_bracket", "L")
        both = screen_text(app)
        assert "references" in both
        assert " of 3 " in both
        assert "✗ other work" in both
        texts = []
        for _ in range(3):
            texts.append(screen_text(app))
            await press(pilot, "right_square_bracket")
        assert sum("differs: another title" in text for text in texts) == 1
        await press(pilot, "1")
        assert events(referring, "decide")[-1]["unit"] == "reference:f3"
        await press(pilot, "L")
        back = screen_text(app)
        assert "triage: flagged" in back
        assert "3 of 4" in back
        assert "reference is ANOTHER WORK · you: match: “Statins" in back
        await press(pilot, "j", "right_square_bracket", "right_square_bracket", "right_square_bracket")
        assert "reference not found: asked Crossref, PubMed" in screen_text(app)


async def test_beside_a_long_statement_or_pinned_figures_the_source_keeps_its_rows(referring: Study) -> None:
    async with on_screen(workbench(referring, "flagged")) as (app, pilot):
        await press(pilot, "v")
        assert OTHER not in screen_text(app)
        await press(pilot, "v", "w")
        assert OTHER not in screen_text(app)
        await press(pilot, "w")
        assert OTHER in screen_text(app)
        assert review_screen(app).plan_for(app.size).regions["source"].height >= 11


async def test_blind_nothing_on_a_statements_screen_tells_what_the_rules_say_of_references(referring: Study) -> None:
    seen = [await screens_of(blind_workbench(referring, "responses"))]
    judged_otherwise(referring)
    seen.append(await screens_of(blind_workbench(referring, "responses")))
    assert seen[0] == seen[1]
    assert not any("ref:" in screen for screen in seen[0])


@pytest.fixture
def scanned(empty_study):
    fill_scanned(empty_study)
    judge_offline(empty_study, processes=0)
    refresh(empty_study)
    return empty_study


def row_with(shown: str, words: str) -> str:
    return next(row for row in shown.splitlines() if words in row)


async def test_the_bar_says_how_sure_the_page_under_the_eyes_was_read_and_a_word_in_doubt_has_a_sign(scanned):
    async with on_screen(workbench(scanned)) as (app, pilot):
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
