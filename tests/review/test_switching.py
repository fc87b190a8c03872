"""From a statement to its pairs and back: the place is kept, and what is hidden stays hidden."""

import pytest

from medreview.errors import UserError
from medreview.review.audit import draw
from medreview.review.open_session import CameFrom, Switch, open_session, switch
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build, rows_of
from tests.support.unit_samples import two_responses
from tests.support.workbench import press, screen_text, workbench

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@pytest.fixture
def study(empty_study: Study) -> Study:
    two_responses(empty_study)
    return empty_study


def sit(study: Study, queue: str, unit: str = "", **more: object) -> ReviewSession:
    return open_session(study, "kb", open_queue(study, queue, "kb", **more), at=unit)  # type: ignore[arg-type]


def at(study: Study, found: Switch) -> ReviewSession:
    return open_session(study, "kb", found.queue, at=found.unit)


def told(found: Switch) -> tuple[str, str, str]:
    return found.queue.kind.name, found.queue.mode, found.unit


def test_the_pair_is_that_of_the_source_on_the_screen_and_the_way_back_leads_to_the_queue_one_came_from(
    study: Study,
) -> None:
    session = sit(study, "flagged", "r1.1")
    session.turn_source(1)
    there = switch(session)
    assert told(there) == ("pairs", "open", "pair:r1.1:u2")
    pairs = at(study, there)
    assert told(switch(pairs, there.came_from)) == ("flagged", "open", "r1.1")
    pairs.previous()
    assert told(switch(pairs, there.came_from)) == ("flagged", "open", "r1.1")
    pairs.go(list(pairs.queue.units).index("pair:r1.0:u1"))
    assert told(switch(pairs, there.came_from)) == ("responses", "open", "r1.0")


def test_where_the_judges_are_hidden_the_other_queue_is_blind(study: Study) -> None:
    blind = sit(study, "responses", "r1.0", blind=True)
    there = switch(blind)
    assert told(there) == ("pairs", "blind", "pair:r1.0:u1")
    assert told(switch(at(study, there), there.came_from)) == ("responses", "blind", "r1.0")
    pairs = sit(study, "pairs", "pair:r2.1:u2")
    assert told(switch(pairs)) == ("responses", "blind", "r2.1")
    opened = CameFrom(open_queue(study, "responses", "kb"), "r1.0")
    assert told(switch(pairs, opened)) == ("responses", "blind", "r2.1")
    assert not rows_of(study, "SELECT * FROM judges_shown")


def test_a_whole_response_leads_to_its_first_statement_or_where_that_may_be_seen_to_the_first_that_fails(
    study: Study,
) -> None:
    hidden = sit(study, "whole_responses", "response:r1")
    assert told(switch(hidden)) == ("responses", "blind", "r1.0")
    shown = sit(study, "whole_responses", "response:r1", blind=False)
    assert told(switch(shown)) == ("responses", "open", "r1.1")


def test_a_statement_without_a_text_of_a_source_has_no_pairs_and_a_second_pass_has_none_beside(study: Study) -> None:
    build(study, _unread)
    with pytest.raises(UserError, match="no pairs"):
        switch(sit(study, "responses", "r3.1"))
    draw(study, "kb", size=1)
    session = sit(study, "responses")
    session.pass_no = 2
    with pytest.raises(UserError, match="second pass"):
        switch(session)


def _unread(rows: StudyBuilder) -> None:
    rows.source("never")
    rows.response("r3", "Rest.", statements=("Rest.",), cites=("never",))


@SIZES
async def test_one_key_goes_to_the_pairs_and_back_with_what_follows_from_them(
    study: Study, size: tuple[int, int]
) -> None:
    app = workbench(study, "responses")
    async with app.run_test(size=size) as pilot:
        await press(pilot, "j", "P")
        assert " pairs  " in screen_text(app)
        assert ("R01 S2" if size == (80, 24) else "▸    S2 [1]") in screen_text(app)
        await press(pilot, "4", "1", "k", "P")
        back = screen_text(app)
        assert "by response" in back
        assert "derived from 2 of 2 pairs: supported" in back
        await press(pilot, "k", "P", "P")
        assert "by response" in screen_text(app)
    shown = {
        row["unit"] for row in rows_of(study, "SELECT unit FROM event WHERE kind = 'shown' AND unit LIKE 'pair:%'")
    }
    assert shown <= {"pair:r1.1:u1", "pair:r1.1:u2", "pair:r2.0:u1", "pair:r1.0:u1"}
