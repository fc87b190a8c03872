"""References on the screen: the row above the source, both readings side by side, nothing of it where it is blind."""

import pytest

from medreview.study import Study
from tests.support.reference_study import fill_references, judged_otherwise
from tests.support.workbench import blind_workbench, events, press, review_screen, screen_text, screens_of, workbench

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
OTHER = "reference is ANOTHER WORK: “Statins and the eye"


@pytest.fixture
def study(empty_study: Study) -> Study:
    fill_references(empty_study)
    return empty_study


@SIZES
async def test_the_row_above_the_source_says_what_the_reference_is_and_the_key_shows_both_readings(
    study: Study, size: tuple[int, int]
) -> None:
    app = workbench(study, "flagged")
    async with app.run_test(size=size) as pilot:
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
        assert events(study, "decide")[-1]["unit"] == "reference:f3"
        await press(pilot, "L")
        back = screen_text(app)
        assert "triage: flagged" in back
        assert "3 of 4" in back
        assert "reference is ANOTHER WORK · you: match: “Statins" in back
        await press(pilot, "j", "right_square_bracket", "right_square_bracket", "right_square_bracket")
        assert "reference not found: asked Crossref, PubMed" in screen_text(app)


async def test_beside_a_long_statement_or_pinned_figures_the_source_keeps_its_rows(study: Study) -> None:
    app = workbench(study, "flagged")
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "v")
        assert OTHER not in screen_text(app)
        await press(pilot, "v", "w")
        assert OTHER not in screen_text(app)
        await press(pilot, "w")
        assert OTHER in screen_text(app)
        assert review_screen(app).plan_for(app.size).regions["source"].height >= 11


async def test_blind_nothing_on_a_statements_screen_tells_what_the_rules_say_of_references(study: Study) -> None:
    seen = [await screens_of(blind_workbench(study, "responses"))]
    judged_otherwise(study)
    seen.append(await screens_of(blind_workbench(study, "responses")))
    assert seen[0] == seen[1]
    assert not any("ref:" in screen for screen in seen[0])
