"""What stands above a page on the screen, which pane paging moves, and how answers and what is left out are drawn."""

import pytest

from medreview.judges.verdicts import refresh
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build
from tests.support.workbench import (
    blind_workbench,
    pane_text,
    press,
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
    app = workbench(judged, filter="response=R01")
    async with app.run_test(size=size) as pilot:
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
    app = workbench(study)
    async with app.run_test(size=(160, 50)) as pilot:
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
    app = workbench(study, filter="response=R00")
    async with app.run_test(size=size) as pilot:
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
