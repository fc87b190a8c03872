"""Every judge's words can be read at every size: label, quote in its own page, reason in full, who it is."""

import pytest

from medreview.review.judge_words import words_on_unit
from medreview.screens.judge_rows import spoken_rows
from medreview.study import Study
from medreview.units.kind import Machines, Opinion, UnitView
from tests.support.workbench import blind_workbench, pane_text, press, screen_text, statements, workbench

LONG = "The page speaks of " + "crystalloid given by vein in the first hours " * 12 + "and of nothing else."


def jury(study: Study) -> None:
    """A second judge on the statement about crystalloid, with a long reason, who quotes another page."""
    rows = study.reader.execute(
        """SELECT j.judgement_id, j.statement_id FROM judgement AS j JOIN judge_run USING (judge_run_id)
           WHERE kind <> 'offline'"""
    ).fetchall()
    assert rows
    study.write(lambda connection: connection.execute("UPDATE judgement SET reason = ?", (LONG,)))


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)], ids=["80x24", "100x30", "160x50"])
async def test_one_key_walks_through_the_judges_and_back_to_none(study: Study, size: tuple[int, int]) -> None:
    jury(study)
    app = workbench(study, filter="mL/kg")
    async with app.run_test(size=size) as pilot:
        session = statements(app)
        count = len(session.judge_words)
        assert count > 1
        seen = []
        for place in range(count):
            await press(pilot, "w")
            words = session.read_words
            assert words is not None
            shown = pane_text(app, "judges")
            assert f"judge {place + 1} of {count}" in shown
            assert words.judge.split()[0] in shown
            assert "reason:" in shown
            assert f" · {words.state}" in shown
            assert words.model in shown
            if words.document:
                assert session.text_key == words.document
            seen.append(words.judgement)
        assert len(set(seen)) == count
        await press(pilot, "w")
        assert session.read_words is None
        await press(pilot, "b")
        assert session.read_words is not None
        assert session.read_words.judgement == seen[-1]
        await press(pilot, "W")
        assert "What was said of" in screen_text(app)
        await press(pilot, "q")
        session.go(session.position)
        assert session.read_words is None


async def test_the_source_keeps_rows_while_a_judge_is_read(study: Study) -> None:
    jury(study)
    app = workbench(study, filter="mL/kg")
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "w")
        assert app.screen.query_one("#source").size.height >= 8
        assert "W all of it" in pane_text(app, "judges")


async def test_before_a_blind_decision_no_key_tells_a_word(study: Study) -> None:
    app = blind_workbench(study, "responses")
    async with app.run_test(size=(80, 24)) as pilot:
        for key in ("w", "b", "W"):
            await press(pilot, key)
            assert "judges are hidden" in pane_text(app, "foot")
            assert statements(app).judge_words == ()


async def test_a_long_name_gives_way_to_what_the_quote_is_worth(study: Study) -> None:
    name = "a-judge-with-the-longest-name-that-anybody-ever-gave-to-a-model-of-theirs"
    study.write(lambda connection: connection.execute("UPDATE judge_run SET judge = judge || ?", (name,)))
    app = workbench(study, filter="mL/kg")
    async with app.run_test(size=(80, 24)):
        first, second = pane_text(app, "judges").splitlines()
        assert "WHY quote changed 50/30" in first
        assert name[-10:] not in second
        assert "… " in second
        assert "page [30]" in second


@pytest.mark.parametrize("most", [-1, 0, 1, 2])
async def test_a_panel_of_hardly_any_rows_has_the_head_of_a_judges_words(study: Study, most: int) -> None:
    jury(study)
    app = workbench(study, filter="mL/kg")
    async with app.run_test(size=(100, 30)):
        rows = spoken_rows(statements(app).judge_words[0], 0, 2, 40, most)
        assert len(rows) == max(1, most)
        assert "judge 1 of 2" in "".join(text for text, _ in rows[0])


async def test_the_judges_are_read_in_the_order_of_their_rows_whatever_page_is_open(study: Study) -> None:
    app = workbench(study)
    async with app.run_test(size=(160, 50)) as pilot:
        session = statements(app)
        for place in range(len(session.queue.units)):
            session.go(place)
            for _ in session.item.sources if session.item else ():
                await press(pilot, "right_square_bracket")
                here, words = session.card.here, session.judge_words
                await press(pilot, "w")
                if here.lines:
                    assert session.read_words is not None
                    assert session.read_words.judge == here.lines[0].judge
                assert session.judge_words == words  # also on the page that it brought to the screen
                session.reads = None


def test_the_judges_of_the_page_that_is_open_come_first_and_the_rules_last() -> None:
    said = [("c", "2"), ("a", "1"), ("offline", "1"), ("b", "2")]
    machines = Machines(tuple(Opinion(name, name, "", "", "", None, about=page) for name, page in said))
    view = UnitView("s", "statement", "S1", "R01", "", "", ())
    for here, order in (("1", "acb"), ("2", "cba"), (None, "cab")):
        names = [words.judgement for words in words_on_unit(view, machines, here)]
        assert names == [*order, "offline"]


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
async def test_a_pair_warns_of_the_quote_that_its_statement_warns_of(study: Study, size: tuple[int, int]) -> None:
    app = workbench(study, filter="mL/kg")
    async with app.run_test(size=size) as pilot:
        assert "quote changed" in pane_text(app, "judges")
        await press(pilot, "P")
        assert " [" in screen_text(app)
        assert "quote changed" in pane_text(app, "judges")
