"""References in a sitting: what they do to flags, what they tell of other units, and the key that leads to them."""

import pytest

from medreview.errors import UserError
from medreview.judges.verdict_fingerprint import is_current
from medreview.judges.verdicts import refresh
from medreview.references.model import Asked, Notice, ReferenceCheck
from medreview.review.open_session import Switch, cross, open_session, switch
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from tests.support.reference_study import CHECKS, LATER, SECOND, add_check, fill_references
from tests.support.study_builder import build, rows_of

FLAGS = {
    "r1.3": "reference: other work",
    "r1.1": "reference: retracted",
    "r1.4": "reference: not found",
    "r1.2": "reference: mismatch",
}


@pytest.fixture
def study(empty_study: Study) -> Study:
    fill_references(empty_study)
    return empty_study


def sit(study: Study, queue: str, unit: str = "", *, blind: bool | None = None, filter: str = "") -> ReviewSession:
    return open_session(study, "kb", open_queue(study, queue, "kb", blind=blind, filter=filter), at=unit)


def at(study: Study, found: Switch) -> ReviewSession:
    session = open_session(study, "kb", found.queue, at=found.unit)
    if found.text:
        session.show_text(found.text)
    return session


def told(found: Switch) -> tuple[str, str, str]:
    return found.queue.kind.name, found.queue.mode, found.unit


def badges(study: Study) -> dict[str, str]:
    """Those of the flagged queue, in its order."""
    stored = {row["statement_id"]: row["badges"] for row in rows_of(study, "SELECT statement_id, badges FROM verdict")}
    return {unit: stored[unit] for unit in open_queue(study, "flagged", "kb").units}


def test_another_work_heads_the_flagged_queue_and_a_label_of_a_reviewer_takes_the_place_of_the_verdict(
    study: Study,
) -> None:
    assert list(badges(study).items()) == list(FLAGS.items())
    assert [study.reader.execute("SELECT snapshot_id FROM verdict WHERE statement_id = 'r1.3'").fetchone()[0]] == [
        "pu3"
    ]

    session = sit(study, "references", "reference:f3", blind=False)
    session.decide("match")
    assert list(badges(study)) == ["r1.1", "r1.4", "r1.2"]
    session.undo()
    assert list(badges(study).items()) == list(FLAGS.items())
    session.go(list(session.queue.units).index("reference:f2"))
    session.decide("other_work")
    assert list(badges(study)) == ["r1.2", "r1.3", "r1.1", "r1.4"]
    session.go(list(session.queue.units).index("reference:f4"))
    session.decide("cannot_judge")
    assert badges(study)["r1.4"] == "reference: not found"
    session.leave()

    assert is_current(study.reader)
    before = rows_of(study, "SELECT * FROM verdict ORDER BY statement_id")
    refresh(study)
    assert rows_of(study, "SELECT * FROM verdict ORDER BY statement_id") == before


def test_a_label_on_a_reference_takes_nothing_else_in_that_changed(study: Study) -> None:
    build(study, lambda rows: rows.judgement("two", "r1.1", "pu1", "contradicted"))
    assert not is_current(study.reader)
    sit(study, "references", "reference:f3", blind=False).decide("match")
    assert not is_current(study.reader)


def test_a_retracted_work_is_one_also_where_it_is_described_wrongly(study: Study) -> None:
    check = CHECKS[1]._replace(record=SECOND._replace(notices=(Notice("retracted"),)))
    build(study, lambda rows: add_check(rows, "f2", check, LATER))
    refresh(study)
    assert badges(study)["r1.2"].split(" · ") == ["reference: retracted", "reference: mismatch"]
    sit(study, "references", "reference:f2", blind=False).decide("other_work")
    assert badges(study)["r1.2"] == "reference: other work"  # that work was not meant


def test_queues_are_narrowed_by_what_the_rules_say_of_references_but_not_blind_ones(study: Study) -> None:
    assert sit(study, "responses", filter="reference=other_work").queue.units == ["r1.3"]
    assert sit(study, "references", filter="verdict=mismatch", blind=False).queue.units == ["reference:f2"]
    assert len(sit(study, "references", filter="kind=article standing=list").queue.units) == 4
    for queue, narrowed in (("responses", "reference=match"), ("references", "verdict=match")):
        with pytest.raises(UserError, match="blind"):
            sit(study, queue, filter=narrowed, blind=True)


@pytest.mark.parametrize(
    ("queue", "first", "known"),
    [
        ("responses", "r1.1", {"reference:f1", "reference:f3"}),  # the bar goes through all sources
        ("pairs", "pair:r1.3:u3", {"reference:f3"}),
        ("references", "reference:f3", {"r1.3", "pair:r1.1:u3"}),
    ],
)
def test_what_was_seen_of_a_reference_or_beside_a_statement_makes_the_other_label_an_assisted_one(
    study: Study, queue: str, first: str, known: set[str]
) -> None:
    sit(study, queue, first, blind=False).leave()
    every = {"r1.3": "responses", "r1.2": "responses", "pair:r1.1:u3": "pairs", "pair:r1.1:u2": "pairs",
             "reference:f1": "references", "reference:f3": "references"}  # fmt: skip
    others = {unit: name for unit, name in every.items() if name != queue}
    for unit, name in others.items():
        session = sit(study, name, unit, blind=True)
        assert (session.shows_judges, session.knows_judges, unit) == (
            False,
            unit in known or _beside(first, unit),
            unit,
        )


def _beside(first: str, unit: str) -> bool:
    """A statement and its own pairs tell of each other."""
    return first in unit or unit in first


def test_a_reference_of_a_statement_that_is_kept_blind_is_kept_blind_with_it(study: Study) -> None:
    session = sit(study, "responses", "r1.3", blind=True)
    session.defer()
    session.leave()
    kept = sit(study, "references", "reference:f3", blind=False)
    assert not kept.shows_judges
    assert "other work" not in str(kept.judge_words)
    kept.go(list(kept.queue.units).index("reference:f2"))
    assert kept.shows_judges


def test_what_is_kept_blind_with_a_statement_is_told_beside_no_other_statement_that_cites_the_same_reference(
    study: Study,
) -> None:
    study.write(
        lambda connection: connection.execute(
            "INSERT INTO marker (statement_id, ordinal, text, number, source_id) "
            "SELECT 'r1.2', 9, text, number, source_id FROM marker WHERE statement_id = 'r1.3'"
        )
    )
    refresh(study)
    told = sit(study, "responses", "r1.2")
    assert "reference: other work" in told.badges
    assert told.is_other_work("u3")
    told.leave()

    session = sit(study, "responses", "r1.3", blind=True)
    session.defer()
    session.leave()
    kept = sit(study, "responses", "r1.2")
    assert kept.shows_judges
    place = kept.queue.units.index("r1.2")
    assert "other work" not in kept.badges + kept.listed(place).badges
    assert not kept.is_other_work("u3")
    kept.show_text("u3")
    assert "OTHER WORK" not in str(kept.reference)


def test_the_key_leads_to_the_reference_of_the_source_on_the_screen_and_back_to_that_source(study: Study) -> None:
    session = sit(study, "flagged", "r1.3")
    session.turn_source(1)
    assert session.source is not None
    shown = session.source.source_id
    there = cross(session)
    assert told(there) == ("references", "open", f"reference:f{shown[1]}")
    references = at(study, there)
    references.decide("match")
    references.next()
    back = cross(references, there.came_from)
    assert told(back) == ("flagged", "open", "r1.3")
    assert at(study, back).text_key == shown

    pairs = switch(session)
    over = cross(at(study, pairs), pairs.came_from)
    again = cross(at(study, over), over.came_from)
    assert told(again) == ("pairs", "open", f"pair:r1.3:{shown}")
    assert told(switch(at(study, again), again.came_from)) == ("flagged", "open", "r1.3")


def test_of_a_source_whose_reference_is_fine_another_one_is_told_that_the_statement_cites(study: Study) -> None:
    build(study, lambda rows: rows.marker("r1.2", None, 4))
    build(study, lambda rows: add_check(rows, "f2", ReferenceCheck("match", SECOND), LATER))
    session = sit(study, "responses", "r1.2")
    assert session.text_key == "u2"
    assert session.reference is not None
    assert session.reference.said == "ref [4] not found: asked Crossref, PubMed"
    assert told(cross(session)) == ("references", "open", "reference:f4")
    blind = sit(study, "responses", "r1.2", blind=True)
    assert told(cross(blind)) == ("references", "blind", "reference:f2")


def test_nothing_to_look_up_takes_no_row_and_a_service_that_gave_no_answer_takes_one(study: Study) -> None:
    said = []
    for at_utc, asked in ((LATER, ()), (f"{LATER}1", (Asked("pubmed", "citation", "failed"),))):
        check = ReferenceCheck("not_checkable", asked=asked)
        build(study, lambda rows, check=check, at_utc=at_utc: add_check(rows, "f2", check, at_utc))  # type: ignore[misc]
        session = sit(study, "responses", "r1.2")
        assert session.reference is not None
        said.append((session.reference.said, session.reference.worth_a_row))
    assert said == [
        ("reference has nothing to look up", False),
        ("reference could not be looked up: asked PubMed (failed)", True),
    ]


def test_where_the_judges_are_hidden_the_reference_opens_blind_and_opened_by_itself_it_leads_to_who_cites_it(
    study: Study,
) -> None:
    blind = sit(study, "responses", "r1.2", blind=True)
    assert (blind.reference, dict(blind.references), blind.is_other_work("u3")) == (None, {}, False)
    there = cross(blind)
    assert told(there) == ("references", "blind", "reference:f2")
    assert told(cross(at(study, there), there.came_from)) == ("responses", "blind", "r1.2")
    by_itself = sit(study, "references", "reference:f4")
    assert told(cross(by_itself)) == ("responses", "blind", "r1.4")
    assert not rows_of(study, "SELECT * FROM judges_shown")


def test_an_open_reference_opens_at_the_record_that_the_rules_speak_of_and_a_blind_one_at_the_first(
    study: Study,
) -> None:
    shown = sit(study, "references", "reference:f3", blind=False)
    assert "Statins and the eye" in shown.source_text()
    assert set(shown.source_highlights().remarks.values()) == {
        "differs: another title", "differs: another first author",
    }  # fmt: skip
    blind = sit(study, "references", "reference:f3", blind=True)
    assert blind.text_key == "record:1"
    assert not blind.source_highlights().remarks
    assert not blind.source_highlights().marks


def test_what_has_no_reference_and_a_second_pass_lead_nowhere(study: Study) -> None:
    build(study, lambda rows: rows.response("r2", "Rest.", statements=("Rest.",), cites=("u1",)))
    with pytest.raises(UserError, match="No reference was checked"):
        cross(sit(study, "responses", "r2.1"))
    session = sit(study, "responses", "r1.1")
    session.pass_no = 2
    with pytest.raises(UserError, match="second pass"):
        cross(session)


def test_a_pair_with_a_page_that_is_another_work_says_so_where_the_judges_are_shown(study: Study) -> None:
    session = sit(study, "pairs", "pair:r1.3:u3", blind=False)
    assert "reference is ANOTHER WORK: “Statins and the eye: a cohort of drivers” 2011" in session.machines.words
    assert "reference: other work" in session.machines.badges
    session.go(list(session.queue.units).index("pair:r1.3:u2"))
    assert "reference inaccurate: year 2033, not 2035" in session.machines.words
    assert "OTHER WORK" not in session.machines.words
