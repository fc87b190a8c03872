"""Labels from Python: recorded as what they are."""

import pytest

import medreview
from medreview.errors import UserError
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.own_axes import add_axis

FEW = medreview.Resampling(replicates=99)


def bookmarks(study):
    return study._study.reader.execute("SELECT * FROM bookmark").fetchall()


def test_a_label_from_python_counts_as_assisted_and_makes_no_working_time_up(demo):
    statement = next(demo.statements(filter='"50 mL/kg"'))

    receipt = demo.decide(statement, "contradicted", reviewer="anna")

    (row,) = demo.labels()
    assert (row.verdict_first, row.verdict_final, row.reviewer_id) == ("contradicted", "contradicted", "anna")
    assert (row.mode, row.exposure_judge_verdict, row.exposure_jury) == ("assisted", "before", "before")
    assert (row.active_ms, row.wall_ms, row.n_keys, row.queue_name) == (None, None, None, "script")
    assert row.last_event_id == receipt.event_id
    assert row.snapshot_id == statement.verdict.snapshot_id
    assert {each.mode for each in demo.agreement(reviewer="anna", resampling=FEW)} == {"assisted"}
    assert bookmarks(demo) == []
    assert demo.check() == []


def test_it_is_for_the_source_that_is_named(demo):
    statement = next(demo.statements(filter='"50 mL/kg"'))

    demo.decide(statement.statement_id, "partial", reviewer="anna", source=statement.sources[1])

    assert demo.labels()[0].source_url == statement.sources[1].url


def test_a_blind_label_stays_beside_the_one_from_python(demo):
    statement = next(demo.statements())
    path = demo.path
    demo.close()
    with Study.open(path) as study:
        session = ReviewSession(study, "anna", open_queue(study, "responses", "anna", blind=True))
        session.go(session.queue.units.index(statement.statement_id))
        session.decide("partial")
    with medreview.open_study(path) as again:
        again.decide(statement, "supported", reviewer="anna")

        (row,) = again.labels()
        assert (row.verdict_first, row.mode, row.verdict_final) == ("partial", "blind", "supported")
        (comparison,) = (
            each for each in again.agreement(mode="blind", scale="levels", resampling=FEW) if each.second == "juror-one"
        )
        assert comparison.first_counts["partial"] == 1


def test_the_workbench_takes_it_back_and_an_export_carries_it(demo, tmp_path):
    statement = next(demo.statements())
    demo.decide(statement, "partial", reviewer="anna")
    demo.export(tmp_path / "out")
    with medreview.create_study("copy.medreview") as copy:
        copy.import_file(tmp_path / "out")
        assert [row.verdict_final for row in copy.labels()] == ["partial"]
        assert copy.check() == []
    path = demo.path
    demo.close()
    with Study.open(path) as study:
        ReviewSession(study, "anna", open_queue(study, "responses", "anna")).undo()
    with medreview.open_study(path, read_only=True) as again:
        assert again.statement(statement.statement_id).labels == {}


def test_who_decides_is_by_default_the_reviewer_of_the_settings(demo, tmp_path):
    (tmp_path / "medreview.toml").write_text('reviewer = "carla"\n')

    demo.decide(next(demo.statements()), "supported")

    assert list(next(demo.statements()).labels) == ["carla"]


def test_mistakes_are_told(demo, sample):
    statement, other = next(demo.statements()), next(demo.statements(filter='"50 mL/kg"'))

    with pytest.raises(medreview.UserError, match="no label 'true'; there are supported, partial"):
        demo.decide(statement, "true")
    with pytest.raises(medreview.UserError, match="no statement 'x'"):
        demo.decide("x", "supported")
    with pytest.raises(medreview.UserError, match="does not cite the source"):
        demo.decide(statement, "supported", source=other.sources[0])
    with pytest.raises(medreview.NotSaved, match="for reading only"):
        sample.decide(statement, "supported")
    assert len(demo.labels()) == 0


def test_a_label_on_an_axis_of_the_study_is_recorded_as_assisted(demo):
    statement = next(demo.statements())
    with pytest.raises(UserError, match="no axes of its own for a statement"):
        demo.label(statement, "harm", "mild", reviewer="anna")
    add_axis(demo._study, "anna", "harm")
    demo.label(statement, "harm", "mild", reviewer="anna")
    demo.label(statement.statement_id, "harm", "severe", reviewer="anna")
    for levels in ((), ("mild", "severe"), ("awful",)):
        with pytest.raises(UserError, match="severity of harm takes one of none, mild"):
            demo.label(statement, "harm", *levels, reviewer="anna")
    with pytest.raises(UserError, match="no statement"):
        demo.label("nowhere", "harm", "mild", reviewer="anna")
    (row,) = demo._study.reader.execute("SELECT mode, current FROM axis_label WHERE axis = 'own.harm'").fetchall()
    assert tuple(row) == ("assisted", "severe")
