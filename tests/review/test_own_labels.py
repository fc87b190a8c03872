"""Labels on the axes of a study's own, and tags, in sittings: saved, undone, blind, compared, settled like others."""

import pytest

from medreview.errors import UserError
from medreview.review.conflicts import conflicts
from medreview.review.guidelines import in_force, with_axes
from medreview.review.history import History
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.reviewer_state import load_reviewer_state, remarks
from medreview.study.check import check
from medreview.study.own_axes import EXAMPLE, set_axes, shipped_text
from tests.review.sittings import sit
from tests.support.unit_study import decide, fill, units_of

AXES = shipped_text("harm") + shipped_text(EXAMPLE)


@pytest.fixture
def asked(study):
    set_axes(study, "kb", AXES)
    return study


def own(study, unit="s1", who="kb"):
    return remarks(load_reviewer_state(study.reader, unit, who))


def test_a_label_a_tag_and_their_undo_stand_beside_the_verdict(asked):
    session = sit(asked)
    session.decide("partial")
    session.label("harm", "moderate")
    session.label("missing", "warning", "dose")
    session.tag("#Dose")
    assert "#dose" in session.receipt
    assert own(asked) == ["harm: moderate", "missing: dose, warning", "#dose"]
    assert session.tags_used() == ["dose"]
    session.label("missing")
    session.tag("dose")
    assert own(asked) == ["harm: moderate", "missing: none"]

    again = sit(asked)
    for _ in range(4):
        again.undo()
    assert own(asked) == ["harm: moderate"]
    again.undo()
    assert (own(asked), again.own.label) == ([], "partial")
    for _ in range(5):
        again.redo()
    assert own(asked) == ["harm: moderate", "missing: none"]
    assert check(asked.reader) == []


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda session: session.label("harm", "awful"), "severity of harm takes one of none, mild, moderate"),
        (lambda session: session.label("harm", "mild", "severe"), "takes one of"),
        (lambda session: session.label("harm"), "takes one of"),
        (lambda session: session.label("tone", "calm"), "no axis 'tone' for a statement; there is harm, readability"),
        (lambda session: session.tag("two words"), "A tag is one word"),
        (lambda session: session.tag("\x1b[31m"), "A tag is one word"),
        (lambda session: session.tag("x" * 25), "up to 24"),
    ],
)
def test_what_is_no_label_and_no_tag_is_refused_with_what_there_is(asked, act, words):
    session = sit(asked)
    with pytest.raises(UserError) as told:
        act(session)
    assert words in str(told.value)
    assert own(asked) == []


def test_without_axes_the_key_is_refused_with_the_way_to_have_some(study):
    assert "--add harm` adds severity of harm" in sit(study).refusal("axes")


def test_a_label_is_blind_until_the_judges_were_seen_and_the_second_pass_begins_without_it(asked):
    session = sit(asked, blind=True, reveal="each")
    session.go(list(session.queue.units).index("s1"))
    session.label("harm", "mild")
    session.decide("partial")
    session.label("readability", "easy")
    modes = dict(asked.reader.execute("SELECT axis, mode FROM axis_label WHERE unit = 's1'").fetchall())
    assert modes == {"own.harm": "blind", "evidence": "blind", "own.readability": "assisted"}
    assert own(asked) == ["harm: mild", "readability: easy"]
    assert remarks(load_reviewer_state(asked.reader, "s1", "kb", 2)) == []
    assert remarks(load_reviewer_state(asked.reader, "s1", "anna")) == []


def test_two_who_differ_on_an_axis_are_settled_in_the_queue_of_conflicts(asked):
    for who, harm, missing in (("ada", "mild", "dose;warning"), ("bo", "severe", "dose;warning")):
        decide(asked, who, "s1", "own.harm", harm)
        decide(asked, who, "s1", "own.missing", missing)
    (one,) = conflicts(asked.reader)
    assert (one.unit, one.axis) == ("s1", "own.harm")
    session = open_session(asked, "chair", open_queue(asked, "conflicts", "chair"))
    with pytest.raises(UserError, match="Nobody differs"):
        session.label("missing", "dose")
    session.label("harm", "severe")
    assert "settled: harm severe, by a third reviewer" in session.receipt
    assert list(conflicts(asked.reader, settled=False)) == []
    assert load_reviewer_state(asked.reader, "s1", "ada").also["own.harm"] == "mild"
    session.undo()
    assert len(list(conflicts(asked.reader, settled=False))) == 1


def test_other_units_have_the_axes_that_name_their_kind(empty_study):
    fill(empty_study)
    set_axes(empty_study, "kb", AXES)
    unit = units_of(empty_study)["answer"]
    session = open_session(empty_study, "kb", open_queue(empty_study, "answers", "kb"), at=unit)
    session.label("harm", "death")
    session.tag("ward-7")
    assert own(empty_study, unit) == ["harm: death", "#ward-7"]
    assert session.also_words == []
    with pytest.raises(UserError, match="no axis 'missing' for a"):
        session.label("missing", "dose")
    assert open_session(empty_study, "kb", open_queue(empty_study, "qa", "kb")).own_axes == {}


def test_guidelines_are_shown_with_the_levels_of_the_axes_and_keep_their_version(asked):
    before = in_force(asked.reader)
    shown = with_axes(asked.reader, before.text, "statement")
    assert "## severity of harm" in shown
    assert "- `3` severe: A life in danger" in shown
    assert "Any number of these, or none of them." in shown
    assert before == in_force(asked.reader)
    assert "what is missing" not in with_axes(asked.reader, before.text, "answer")


def test_ones_decisions_are_found_by_the_words_of_an_own_level(asked):
    session = sit(asked)
    session.label("harm", "moderate")
    session.decide("partial")
    found = History(asked.reader, "kb", query="moderate")
    assert [found.act(place).said for place in range(len(found))] == ["harm moderate"]
    assert len(History(asked.reader, "kb", query="harm")) == 1
