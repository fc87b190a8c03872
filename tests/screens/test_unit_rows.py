"""Other units than statements on the screen: keys that do something, names told once, the card in its place."""

import pytest

from medreview.screens.panes import Panes
from medreview.study import Study
from tests.support.unit_samples import SAMPLES
from tests.support.workbench import blind_workbench, pane_text, press, review_screen, screen_text

of = pytest.mark.parametrize


@pytest.fixture
def study(empty_study: Study, request: pytest.FixtureRequest) -> Study:
    SAMPLES[request.param](empty_study)
    return empty_study


@of(
    ("study", "queue", "there", "absent"),
    [
        ("ranking", "rankings", ["next best output", "] next text", "v reference"], ["highlight", "whole page"]),
        ("qa", "qa", ["5 highly relevant"], ["] next text", "v response", "badly parsed", "delete span", "Tab pane"]),
        ("suggestion", "suggestions", ["] next text", "c category"], ["v response", "badly parsed", "source"]),
        ("pair", "pairs", ["v response"], ["] next text", "] next source"]),
    ],
    indirect=["study"],
)
async def test_the_key_rows_name_what_does_something_beside_the_unit(study, queue, there, absent):
    app = blind_workbench(study, queue)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        foot = pane_text(app, "foot")
        assert [words for words in there if words not in foot] == []
        assert [words for words in absent if words in foot] == []


@of(("study", "queue"), [("suggestion", "suggestions")], indirect=["study"])
async def test_a_card_without_a_text_beside_stands_with_its_labels_on_their_rows(study, queue):
    app = blind_workbench(study, queue)
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.pause()
        card = pane_text(app, "statement").splitlines()
        session = review_screen(app).session
        view = session.view
        assert view is not None
        first = next(line for line in card if line.strip().startswith("fact"))
        assert view.text.startswith(first.split(maxsplit=1)[1][:20])
        assert review_screen(app).reading.response.text == ""
        assert "hidden until the block ends" in " ".join(pane_text(app, "judges").split())
        await press(pilot, "tab")
        assert "There is no other text here." in screen_text(app)
        reading: Panes = review_screen(app).reading
        assert reading.moved_view is reading.source
        progress, _, heading, *below = (line[:34] for line in screen_text(app).splitlines()[2:])
        assert progress.split() == ["SUGGESTED", "KEY", "FACTS", "░░░░░░░", "0/15"]
        assert heading.rstrip().endswith("0/5")
        assert [line.replace("▸", " ").split()[0] for line in below[:5]] == ["F1", "F2", "F3", "F4", "F5"]
        await pilot.resize_terminal(80, 24)
        await press(pilot, "v")
        assert review_screen(app).reading.response.text == view.card


@of(("study", "queue"), [("qa", "qa")], indirect=["study"])
async def test_under_a_short_text_the_card_takes_the_rows_that_are_empty(study, queue):
    app = blind_workbench(study, queue)
    async with app.run_test(size=(80, 24)) as pilot:
        rows = set()
        for _ in review_screen(app).session.queue.units:
            rows.add(pane_text(app, "statement").rstrip().count("\n") + 1)
            await press(pilot, "j")
        assert max(rows) > 7


@of(("study", "queue"), [("qa", "qa")], indirect=["study"])
async def test_what_was_put_off_says_that_it_waits_for_a_decision(study, queue):
    app = blind_workbench(study, queue)
    async with app.run_test(size=(80, 24)) as pilot:
        session = review_screen(app).session
        for place in range(len(session.queue.units)):
            session.go(place)
            session.defer()
        await press(pilot, "k")
        assert "hidden until you decide what you put off" in screen_text(app)


@of(("study", "queue"), [("ranking", "rankings")], indirect=["study"])
async def test_what_machines_sum_up_is_never_cut_where_a_row_of_its_own_holds_it(study, queue):
    app = blind_workbench(study, queue, reveal="each")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        session = review_screen(app).session
        for place in range(len(session.queue.units)):
            session.go(place)
            assert session.view is not None
            session.decide_order(">".join(map(str, session.view.numbers)), [])
            await press(pilot, "g")
            assert session.machines.words in pane_text(app, "judges")
