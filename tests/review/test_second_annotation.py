"""The share that a second reviewer annotates: the same in every copy, and only ever larger."""

import pytest

from medreview.errors import UserError
from medreview.review.repeat_annotation import drawn, ready_units, set_share, share_progress, shares
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build
from tests.support.unit_study import decide


@pytest.fixture
def study(empty_study):
    build(empty_study, lambda rows: rows.response("r1", statements=[f"Statement {n}." for n in range(400)]))
    return empty_study


def members(study: Study) -> list[str]:
    return drawn(study.reader, study.meta("study_id"), shares(study.reader)["statement"])


def test_a_larger_share_keeps_who_is_drawn_and_a_smaller_one_or_another_seed_is_refused(study):
    set_share(study, "kb", "statement", 0.2)
    few = members(study)
    set_share(study, "kb", "statement", 0.45)
    many = members(study)
    assert many[: len(few)] == few
    assert 35 < len(few) < 125 < len(many) < 235  # five standard deviations around 80 and 180
    assert set_share(study, "kb", "statement", 0.45).seed == 0
    events = study.reader.execute("SELECT count(*) FROM event WHERE kind = 'share_rate'").fetchone()[0]
    assert events == 2
    for kind, rate, seed, why in (
        ("statement", 0.3, None, "only ever raised"),
        ("statement", 0.5, 7, "the seed 0"),
        ("statement", 1.5, None, "up to 1"),
        ("cell", 0.5, None, "no kind of unit"),
    ):
        with pytest.raises(UserError, match=why):
            set_share(study, "kb", kind, rate, seed)


def test_what_another_has_decided_waits_for_the_second_reviewer_alone(study):
    set_share(study, "kb", "statement", 0.45)
    first, second, *_ = members(study)
    decide(study, "ada", first, "evidence", "supported")
    decide(study, "ada", second, "evidence", "supported")
    decide(study, "bo", second, "evidence", "partial")
    ready = ready_units(study.reader, study.meta("study_id"), "statement", "bo")
    assert ready == [first, second]
    progress = share_progress(study.reader, study.meta("study_id"), shares(study.reader)["statement"], "bo")
    assert (progress.units, progress.ready, progress.waiting, progress.twice) == (400, 2, 1, 1)
    assert ready_units(study.reader, study.meta("study_id"), "statement", "ada") == [second]
    # What was left out of this copy is known by who decided it.
    third, fourth = members(study)[2:4]

    def left_out(rows: StudyBuilder) -> None:
        for unit, decides in ((third, 1), (fourth, 0)):
            rows.add("withheld", hash=unit, event_id=unit, reviewer="ada", unit=unit, decides=decides)

    build(study, left_out)
    for who, units in (("bo", [first, second, third]), ("ada", [second])):
        assert ready_units(study.reader, study.meta("study_id"), "statement", who) == units
