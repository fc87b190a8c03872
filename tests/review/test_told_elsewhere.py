"""What was seen of the judges on one unit counts as seen on those that it tells of."""

import sqlite3

import pytest

from medreview.review.audit import draw
from medreview.review.open_session import open_session
from medreview.review.queue import open_among, open_queue
from medreview.review.reviewer_state import load_reviewer_state
from medreview.review.session import ReviewSession
from medreview.study import Study
from tests.support.study_builder import rows_of
from tests.support.unit_samples import two_responses


@pytest.fixture
def study(empty_study: Study) -> Study:
    two_responses(empty_study)
    return empty_study


def sit(study: Study, queue: str, unit: str, *, blind: bool) -> ReviewSession:
    session = open_session(study, "kb", open_queue(study, queue, "kb", blind=blind))
    session.go(list(session.queue.units).index(unit))
    return session


def modes(study: Study) -> dict[str, str]:
    return {row["unit"]: row["mode"] for row in rows_of(study, "SELECT unit, mode FROM reviewer_label")}


@pytest.mark.parametrize(
    ("queue", "first", "others"),
    [
        ("responses", "r1.0", {"pair:r1.0:u1": "pairs", "response:r1": "whole_responses"}),
        ("pairs", "pair:r1.0:u1", {"r1.0": "responses", "response:r1": "whole_responses"}),
        ("whole_responses", "response:r1", {"pair:r1.1:u1": "pairs", "r1.0": "responses"}),
    ],
)
def test_a_label_after_the_judges_of_a_related_unit_were_seen_is_assisted_in_a_blind_queue_too(
    study: Study, queue: str, first: str, others: dict[str, str]
) -> None:
    sit(study, queue, first, blind=False).leave()
    every = {**others, "pair:r2.0:u1": "pairs"}
    for unit, its_queue in every.items():
        session = sit(study, its_queue, unit, blind=True)
        assert (session.shows_judges, session.knows_judges) == (False, unit in others)
        session.decide("yes" if unit.startswith("response:") else "supported")
        session.leave()
    assert modes(study) == {**dict.fromkeys(others, "assisted"), "pair:r2.0:u1": "blind"}


def test_a_list_that_shows_judges_leaves_out_units_that_were_decided_blind_until_they_are_shown(study: Study) -> None:
    pairs = list(open_queue(study, "pairs", "kb").units)

    def listed() -> set[str]:
        return set(open_among(study, "kb", pairs, "a cell", name="pairs").units)

    session = sit(study, "pairs", pairs[0], blind=True)
    for place in range(len(pairs)):
        session.go(place)
        session.decide("supported")
        assert listed() == {unit for unit in pairs if unit not in session.acted}
    session.show_judges()
    assert listed() == set(pairs)


def test_pairs_of_a_statement_that_is_kept_for_the_audit_show_no_judges_until_it_is_decided(study: Study) -> None:
    draw(study, "kb", size=1)
    members = [row["statement_id"] for row in rows_of(study, "SELECT statement_id FROM audit_item")]
    member = members[0]  # a second one may have been drawn with it
    pair = f"pair:{member}:u1"
    session = sit(study, "pairs", pair, blind=False)
    assert not session.shows_judges
    assert "audit" in session.hidden_until
    other = next(unit for unit in session.queue.units if not any(drawn in unit for drawn in members))
    session.go(session.queue.units.index(other))
    assert session.shows_judges
    session.leave()

    blind = sit(study, "pairs", pair, blind=True)
    for place in range(len(blind.queue.units)):
        blind.go(place)
        blind.decide("not_addressed")
    blind.show_judges()
    blind.go(blind.queue.units.index(pair))
    assert not blind.shows_judges
    blind.leave()

    audit = sit(study, "audit", member, blind=True)
    for place in range(len(audit.queue.units)):
        audit.go(place)
        audit.decide("supported")
    audit.show_judges()
    audit.leave()
    assert modes(study)[member] == "blind"
    blind = sit(study, "pairs", pair, blind=True)
    blind.show_judges()
    blind.go(blind.queue.units.index(pair))
    assert blind.shows_judges
    assert not load_reviewer_state(study.reader, pair, "kb").kept_blind


def test_nothing_is_told_to_another_reviewer(study: Study) -> None:
    sit(study, "responses", "r1.0", blind=False).leave()

    def units(connection: sqlite3.Connection) -> list[bool]:
        return [load_reviewer_state(connection, unit, "other").saw_judges for unit in ("r1.0", "pair:r1.0:u1")]

    assert units(study.reader) == [False, False]
