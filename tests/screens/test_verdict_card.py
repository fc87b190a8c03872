"""The verdict card: why, together, each judge with its changed words marked, what gives way; and nothing blind."""

import pytest

from medreview.judges.verdicts import refresh
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.verdict_card import JudgeGroup, JudgeLine, Together, VerdictCard, Words
from medreview.screens.card_rows import card_rows
from medreview.screens.judge_rows import judge_bar
from medreview.screens.quote_rows import quote_rows
from medreview.screens.widgets.painted import Row, cells
from medreview.study import Study
from medreview.text import Span
from medreview.units.statement import STATEMENT_ASKS
from tests.support.unit_samples import SAMPLES
from tests.support.workbench import blind_workbench, pane_text, press, review_screen, statements, workbench

SIZES = pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)], ids=["80x24", "100x30", "160x50"])


def text(row: Row) -> str:
    return "".join("" if "fill" in style else words for words, style in row)


def marked(rows: list[Row]) -> list[str]:
    return [words for row in rows for words, style in row if style == "clash"]


def of_dose(study: Study) -> ReviewSession:
    """At the statement whose judge changed 30 mL/kg into 50."""
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb", filter="mL/kg"))
    assert session.card.reasons
    return session


def test_it_says_why_then_what_the_judges_say_together_then_each_and_the_rules_last(study: Study) -> None:
    rows = card_rows(of_dose(study).card, 60, 16, STATEMENT_ASKS)
    said = [text(row) for row in rows]

    assert said[0].startswith(" ── WHY FLAGGED  quote changed: 50 mL/kg, the page has 30")
    together = next(number for number, row in enumerate(said) if "judges together: ✓ supported 2-1" in row)
    assert "a accepts it" in said[together]
    assert said[together + 1].startswith(" [1]  gpt-4o/p3")
    assert "quote CHANGED" in said[together + 1]
    judge, page = (next(row for row in said if row.strip().startswith(who)) for who in ("judge", "page"))
    assert judge.split("[50]")[0].split()[1:] == page.split("[30]")[0].split()[1:]
    assert set(marked(rows)) == {"[50]", "[30]"}


def test_two_rows_say_the_same_where_there_are_no_more(study: Study) -> None:
    first, second = judge_bar(of_dose(study), 80, "")
    assert text(first).startswith("── WHY quote changed 50/30 · judges supported ✓2 ✗1 · a accepts it")
    assert marked([second]) == ["[50]", "[30]"]


@pytest.mark.parametrize("columns", [48, 60, 96])
@pytest.mark.parametrize("most", range(2, 21))
def test_it_keeps_to_its_rows_and_columns_and_always_says_what_the_judges_say_together(
    study: Study, columns: int, most: int
) -> None:
    rows = card_rows(of_dose(study).card, columns, most, STATEMENT_ASKS)
    assert len(rows) <= most
    assert max(cells([piece for piece in row if "fill" not in piece[1]]) for row in rows) <= columns
    assert "WHY FLAGGED" in text(rows[0])
    assert any("✓ supported 2-1 · a accepts it" in text(row) for row in rows)


def card_of(*lines: JudgeLine) -> VerdictCard:
    return VerdictCard(together=Together("judges", "supported", "2-0", "supported"), here=JudgeGroup("[1]", lines))


def test_a_long_name_is_whole_where_rows_are_free_and_gives_way_where_they_are_not() -> None:
    name = "a-judge-with-a-long-name-of-a-model-2031-04-17"
    card = card_of(JudgeLine(name, "supported", "supported", 0.91, "quote on page"))
    assert any(name in text(row) for row in card_rows(card, 60, 8, STATEMENT_ASKS))
    cut = card_rows(card, 60, 2, STATEMENT_ASKS)[1]
    assert name not in text(cut)
    assert "… " in text(cut)
    assert "✓ supported" in text(cut)


def test_a_long_quote_is_cut_so_that_its_change_is_seen() -> None:
    words = "word " * 40
    quote = Words(f"{words}five doses {words}", (Span(len(words), len(words) + 4),))
    for columns in (30, 60, 100):
        (row,) = quote_rows(quote, columns, "", 1, "  judge  ")
        assert marked([row]) == ["[five]"]
        assert text(row).startswith("  judge  … word")
        assert text(row).endswith("…")
        assert cells(row) <= columns
    (row,) = quote_rows(Words("Give it.", (Span(5, 5),)), 60, "", 1, "")
    assert text(row) == "Give [—]it."


def test_of_other_sources_each_judge_has_a_sign_and_in_one_row_the_signs_alone() -> None:
    others = tuple(
        JudgeGroup(f"[{number}]", (JudgeLine("one", "partial", "partial"), JudgeLine("two", None, "no vote")))
        for number in (2, 3)
    )
    card = card_of(JudgeLine("one", "supported", "supported"))._replace(others=others)
    said = [text(row).rstrip() for row in card_rows(card, 60, 9, STATEMENT_ASKS)]
    assert said[-2:] == [" [2]  one ~   two -", " [3]  one ~   two -"]
    assert text(card_rows(card, 60, 3, STATEMENT_ASKS)[-1]).rstrip() == " [2] ~-   [3] ~-"


@pytest.mark.parametrize("kind", sorted(SAMPLES))
def test_every_kind_of_unit_has_the_same_card(empty_study: Study, kind: str) -> None:
    SAMPLES[kind](empty_study)
    queues = {"response": "whole_responses", "qa": "qa"}
    session = open_session(empty_study, "kb", open_queue(empty_study, queues.get(kind, f"{kind}s"), "kb", blind=False))
    assert session.queue.units
    for place in range(len(session.queue.units)):
        session.go(place)
        machines, card = session.machines, session.card
        rows = [text(row) for row in card_rows(card, 60, 40, session.asks)]
        assert bool(card.together.who) == bool(machines.opinions or machines.level)
        for opinion in machines.opinions:
            assert any(opinion.said in row for row in rows), (opinion, rows)
        assert len(judge_bar(session, 80, "")) == 2
        if machines.level is not None:
            assert card.together.accepts == (not session.refusal("accept"))


@SIZES
async def test_blind_no_row_tells_two_studies_apart_that_differ_in_their_judges_alone(
    study: Study, size: tuple[int, int]
) -> None:
    async def told() -> list[object]:
        app = blind_workbench(study, "responses")
        async with app.run_test(size=size) as pilot:
            session = statements(app)
            found: list[object] = []
            for unit in sorted(session.queue.units):
                session.go(session.queue.units.index(unit))
                await press(pilot, "g")
                assert session.reasons == ()
                found.append(pane_text(app, "judges"))
                found.append(pane_text(app, "statement"))
                found.append(pane_text(app, "bar"))
                found.append(pane_text(app, "header").splitlines()[-1])
                found.append(review_screen(app).plan_for(app.size).regions)
            return found

    before = await told()
    others = """UPDATE judgement SET verdict = 'contradicted', supported = 0, quote_status = 'absent', quote = 'Other
                words that are long enough to be a quote of a page', confidence = 0.31, reason = 'Another one.'
                WHERE judge_run_id IN (SELECT judge_run_id FROM judge_run WHERE kind <> 'offline')"""
    study.write(lambda connection: connection.execute(others))
    refresh(study)
    assert await told() == before


@SIZES
async def test_the_panel_keeps_its_rows_from_one_statement_that_was_judged_to_the_next(
    study: Study, size: tuple[int, int]
) -> None:
    app = workbench(study)
    async with app.run_test(size=size) as pilot:
        heights = set()
        for _ in statements(app).queue.units:
            card = statements(app).card
            if card.here.lines or card.others:
                heights.add(review_screen(app).plan_for(app.size).regions["judges"].height)
            await press(pilot, "j")
        assert len(heights) == 1


def test_a_tie_is_called_one_and_leaves_nothing_to_accept(study: Study) -> None:
    tie = "UPDATE verdict SET verdict = NULL, tied = 1, votes_for = 1, votes_other = 1 WHERE statement_id = ?"
    unit = of_dose(study).unit
    study.write(lambda connection: connection.execute(tie, (unit,)))
    rows = card_rows(of_dose(study).card, 60, 12, STATEMENT_ASKS)
    assert any("TIE 1-1 · no a, press 1-5" in text(row) for row in rows)
