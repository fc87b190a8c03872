"""Two reviewers differ: what is a conflict, what settles it, and when it is open again."""

import shutil
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.review.conflicts import (
    ConflictUnits,
    adjudicate,
    adjudication,
    conflict_units,
    conflicts,
    count_conflicts,
    load_conflict,
)
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.unblinding import others_notes, saw_others
from medreview.study import Study
from medreview.study.check import check
from medreview.study.merge import merge
from tests.support.study_builder import build, rows_of
from tests.support.unit_study import decide, decide_all, do, fill, units_of

LEVELS = ("supported", "partial", "contradicted", "not_addressed")


def test_two_copies_with_two_hundred_labels_each_differ_where_their_labels_do_and_are_settled_one_by_one(
    tmp_path: Path,
) -> None:
    ours, theirs = tmp_path / "ours.medreview", tmp_path / "theirs.medreview"
    units = [f"r1.{number}" for number in range(1, 201)]
    with Study.create(ours) as study:
        build(study, lambda rows: rows.response("r1", statements=[f"Statement {n}." for n in range(200)]))
    shutil.copy(ours, theirs)
    with Study.open(ours) as study:
        for number, unit in enumerate(units):
            decide(study, "ada", unit, "evidence", LEVELS[number % 4])
    with Study.open(theirs) as study:
        for number, unit in enumerate(units):
            given = decide(study, "bo", unit, "evidence", LEVELS[number % 4 if number % 5 else (number + 1) % 4])
            if number == 0:
                do(study, "bo", "reason", unit, {"decision": given.event_id, "code": "number"})
                do(study, "bo", "note", unit, {"text": "500, not 50"})
    with Study.open(ours) as study:
        assert merge(study, theirs).added == 202
        found = list(conflicts(study.reader))
        assert sorted(one.unit for one in found) == sorted(units[::5])
        (counted,) = count_conflicts(found)
        assert (counted.reviewers, counted.conflicts, counted.open) == (("ada", "bo"), 40, 40)
        first = load_conflict(study.reader, units[0], "evidence")
        assert first is not None
        ada, bo = first.labels
        assert (ada.label, bo.label, bo.reason, bo.note) == ("supported", "partial", "number", "500, not 50")
        assert ada.at_utc < bo.at_utc
        assert (ada.mode, ada.independent, bo.independent) == ("blind", True, True)

        before = rows_of(study, "SELECT * FROM decision_current ORDER BY event_id")
        for one in found:
            adjudicate(study, "chair", one, one.labels[1].label)
        assert list(conflicts(study.reader, settled=False)) == []
        assert rows_of(study, "SELECT * FROM decision_current ORDER BY event_id") == before
        assert check(study.reader) == []


@pytest.fixture
def study(empty_study):
    fill(empty_study)
    decide_all(empty_study, "ada", 0)
    decide_all(empty_study, "bo", 1)
    return empty_study


def test_units_of_every_kind_can_be_in_conflict_and_are_settled_by_a_third_or_by_agreement(study):
    mine = units_of(study)
    found = [one for one in conflicts(study.reader) if one.unit in mine.values()]
    assert {one.kind for one in found} == set(mine)
    by = {}
    for one, who in zip(found, ("ada", "chair", "bo"), strict=False):
        adjudicate(study, who, one, one.labels[0].label)
        settled = load_conflict(study.reader, one.unit, one.axis).settled
        by[who] = (settled.reviewer, settled.by, settled.stands)
    assert by == {"ada": ("ada", "agreement", True), "chair": ("chair", "third", True), "bo": ("bo", "agreement", True)}
    with pytest.raises(UserError, match="not a label of the axis"):
        adjudicate(study, "chair", found[0], "best")


def test_a_conflict_is_open_again_when_a_label_changes_or_what_settled_it_is_taken_back(study):
    (one,) = conflicts(study.reader, "statement")
    axis = one.axis

    def state() -> tuple[bool, str]:
        now = load_conflict(study.reader, one.unit, axis)
        return now.open, now.settled.label if now.settled else ""

    given = adjudicate(study, "chair", one, "contradicted")
    assert state() == (False, "contradicted")
    do(study, "chair", "retract", one.unit, undoes_event=given.event_id)
    assert state() == (True, "")
    adjudicate(study, "chair", one, "partial")
    changed = decide(study, "bo", one.unit, axis, "supported")
    assert state() == (True, "partial")
    do(study, "bo", "retract", one.unit, undoes_event=changed.event_id)
    assert state() == (False, "partial")
    decide(study, "bo", one.unit, axis, "contradicted")
    assert load_conflict(study.reader, one.unit, axis) is None


def test_an_equal_order_in_other_words_and_labels_of_the_second_pass_are_no_conflict(study):
    unit = "qa:none"
    decide(study, "ada", unit, "rank", "1=2>3")
    decide(study, "bo", unit, "rank", "2=1>3")
    assert load_conflict(study.reader, unit, "rank") is None
    (one,) = conflicts(study.reader, "statement")
    decide(study, "bo", one.unit, one.axis, one.labels[0].label)
    decide(study, "bo", one.unit, one.axis, "partial", pass_no=2)
    assert list(conflicts(study.reader, "statement")) == []


def test_two_who_edited_a_fact_differ_where_their_words_do(study):
    unit = units_of(study)["suggestion"]
    for who, words in (("ada", "The INR is 2 to 3."), ("bo", "The INR is between 2 and 3.")):
        decide(study, who, unit, "suggestion", "edited", said={"text": words})
    found = load_conflict(study.reader, unit, "suggestion")
    assert [one.text for one in found.labels] == ["The INR is 2 to 3.", "The INR is between 2 and 3."]
    assert adjudication(found, "zoe", "edited").payload["text"] == "The INR is between 2 and 3."  # the newest words
    decide(study, "bo", unit, "suggestion", "edited", said={"text": "The INR is 2 to 3."})
    assert load_conflict(study.reader, unit, "suggestion") is None
    assert unit not in conflict_units(study.reader).get("suggestion", ConflictUnits([], set())).units


def test_another_reviewers_note_is_seen_only_after_ones_own_label_and_is_remembered(study):
    unit = next(conflicts(study.reader, "statement")).unit
    do(study, "bo", "note", unit, {"text": "see the table"})
    assert others_notes(study.reader, unit, "zoe") == ()
    assert not saw_others(study.reader, unit, "zoe")
    assert others_notes(study.reader, unit, "ada") == ()  # decided blind, and its judges are hidden yet
    do(study, "ada", "reveal", unit)
    assert [(note.reviewer, note.text) for note in others_notes(study.reader, unit, "ada")] == [("bo", "see the table")]
    assert saw_others(study.reader, unit, "ada")
    assert others_notes(study.reader, unit, "bo") == ()
    do(study, "zoe", "shown", unit, block="conflicts", mode="open")
    assert saw_others(study.reader, unit, "zoe")


def test_two_way_labels_differ_on_the_two_way_scale_whatever_the_scale_of_the_other(study):
    unit = units_of(study)["pair"]  # ada: contradicted, bo: partial
    assert [one.axis for one in conflicts(study.reader, "pair")] == ["evidence"]
    decide(study, "cy", unit, "support", "not_supported")
    assert [one.axis for one in conflicts(study.reader, "pair")] == ["evidence"]  # all three: not supported
    decide(study, "bo", unit, "evidence", "supported")
    found = load_conflict(study.reader, unit, "support")
    assert {one.reviewer: one.label for one in found.labels} == {
        "ada": "not_supported", "bo": "supported", "cy": "not_supported",
    }  # fmt: skip
    session = open_session(study, "chair", open_queue(study, "conflicts_pairs", "chair"), at=unit)
    session.decide("partial")
    assert [(one.axis, one.settled.label) for one in conflicts(study.reader, "pair")] == [
        ("evidence", "partial"), ("support", "not_supported"),
    ]  # fmt: skip
    assert list(conflicts(study.reader, "pair", settled=False)) == []
    decide(study, "cy", unit, "support", "supported")
    assert [one.axis for one in conflicts(study.reader, "pair", settled=False)] == ["support"]


def test_flags_that_one_reviewer_set_and_another_who_decided_did_not_are_a_conflict(study):
    unit = units_of(study)["statement"]
    do(study, "ada", "flag", unit, {"flag": "dispute", "on": True})
    do(study, "ada", "flag", unit, {"flag": "badly_parsed", "on": True})
    do(study, "zoe", "flag", unit, {"flag": "feedback", "on": True})
    found = [one for one in conflicts(study.reader, "statement") if one.axis != "evidence"]
    assert {one.axis: {given.reviewer: given.label for given in one.labels} for one in found} == {
        "dispute": {"ada": "flagged", "bo": "not_flagged", "zoe": "not_flagged"},
        "feedback": {"ada": "not_flagged", "bo": "not_flagged", "zoe": "flagged"},
    }
    session = open_session(study, "chair", open_queue(study, "conflicts", "chair"), at=unit)
    session.flag("dispute")
    assert "settled: dispute flagged, by a third reviewer" in session.receipt
    session.flag("dispute")
    assert load_conflict(study.reader, unit, "dispute").settled.label == "not_flagged"
    session.undo()
    assert load_conflict(study.reader, unit, "dispute").settled.label == "flagged"
    decide(study, "bo", unit, "evidence", "supported")
    assert load_conflict(study.reader, unit, "dispute").settled.stands  # another label is no other flag
    do(study, "ada", "flag", unit, {"flag": "dispute", "on": False})
    assert load_conflict(study.reader, unit, "dispute") is None
    with pytest.raises(UserError, match="Nobody differs on this statement \\(dispute\\)"):
        session.flag("dispute")
    assert check(study.reader) == []
