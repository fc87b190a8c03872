"""Two reviewers work on copies of one study; their records become one."""

import shutil

import pytest

from medreview.errors import UserError
from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent, Recorder
from medreview.study.merge import merge
from tests.support.study_builder import build


def decide(study, reviewer, unit, label):
    event = NewEvent("decide", unit, {"axis": "evidence", "label": label})
    study.write(lambda connection: Recorder(reviewer).append(connection, event, block="flagged", mode="open"))


@pytest.fixture
def two(tmp_path):
    ours, theirs = tmp_path / "ours.medreview", tmp_path / "theirs.medreview"
    with Study.create(ours) as study:
        build(study, lambda rows: rows.response("r1", "A. B.", statements=["A.", "B."]))
        decide(study, "kb", "r1.1", "supported")
    shutil.copy(ours, theirs)
    return ours, theirs


def test_the_union_of_both_records_and_nothing_twice(two):
    ours, theirs = two
    with Study.open(theirs) as study:
        decide(study, "anna", "r1.1", "contradicted")
        decide(study, "anna", "r1.2", "partial")
    with Study.open(ours) as study:
        decide(study, "kb", "r1.2", "supported")

        first = merge(study, theirs)
        again = merge(study, theirs)

        labels = study.reader.execute("SELECT reviewer, unit, label FROM decision_current ORDER BY 1, 2").fetchall()
        assert (first.added, first.known) == (2, 1)
        assert (again.added, again.known) == (0, 3)
        assert [tuple(row) for row in labels] == [
            ("anna", "r1.1", "contradicted"),
            ("anna", "r1.2", "partial"),
            ("kb", "r1.1", "supported"),
            ("kb", "r1.2", "supported"),
        ]
        assert check(study.reader) == []


def test_a_study_is_not_merged_with_itself(two):
    with Study.open(two[0]) as study, pytest.raises(UserError, match="itself"):
        merge(study, two[0])


def test_a_study_that_was_made_separately_is_refused_and_says_why(two, tmp_path):
    with Study.create(tmp_path / "other.medreview", "Sepsis") as other:
        build(other, lambda rows: rows.response("r9", "C.", statements=["C."]))
        decide(other, "anna", "r9.1", "supported")
    with Study.open(two[0]) as study, pytest.raises(UserError, match=r"another study \(Sepsis, study_.*shares no st"):
        merge(study, tmp_path / "other.medreview")


def test_decisions_on_other_material_are_not_taken(two, tmp_path):
    with Study.create(tmp_path / "other.medreview") as other:
        build(other, lambda rows: rows.response("r1", "A. B.", statements=["A.", "B."]))
        decide(other, "anna", "elsewhere", "supported")
    with Study.open(two[0]) as study:
        summary = merge(study, tmp_path / "other.medreview")

        assert (summary.added, summary.foreign) == (0, 1)
