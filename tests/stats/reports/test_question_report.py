"""What was said of questions, against values worked out by hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.import_files import import_file
from medreview.progress import SILENT
from medreview.stats.formulas.intervals import wilson
from medreview.stats.reports.question_report import QuestionReport, question_report
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder

SAMPLE = Path(__file__).parents[3] / "sample_data" / "question_checks.jsonl"


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "s.medreview") as made:
        import_file(made, SAMPLE, {}, SILENT)
        yield made


def said(study: Study, reviewer: str, *levels: str) -> None:
    """A reviewer's labels of the first questions."""
    recorder = Recorder(reviewer)
    units = study.reader.execute("SELECT unit_id FROM unit WHERE kind = 'question' ORDER BY ordinal").fetchall()
    for unit, level in zip(units, levels, strict=False):
        event = NewEvent(
            "decide", unit["unit_id"], {"axis": "answerability", "label": level, "exposure": {"judge_verdict": "no"}}
        )
        study.write(lambda connection, event=event: recorder.append(connection, event, block="questions", mode="blind"))  # type: ignore[misc]


def told(report: QuestionReport) -> dict[str, tuple[dict[str, int], float | None, int]]:
    first = ((rater, rater.strata[0]) for rater in report.raters)
    return {f"{rater.by} {rater.mode}".strip(): (dict(one.labels), one.answerable.value, one.answerable.dropped)
            for rater, one in first}  # fmt: skip


def test_the_share_that_is_answerable_by_each_rater_and_how_often_two_say_the_same(study):
    yes, no, unclear = "answerable", "not_answerable", "not_self_contained"
    said(study, "anna", yes, yes, no, unclear)
    said(study, "ben", yes, no, no)
    report = question_report(study.reader)

    assert report.questions == 7
    assert told(report) == {
        "anna blind": ({yes: 2, no: 1, unclear: 1}, 2 / 4, 3),
        "ben blind": ({yes: 1, no: 2, unclear: 0}, 1 / 3, 4),
        "juror-one": ({yes: 1, no: 0, unclear: 0}, 1.0, 6),
        "juror-two": ({yes: 1, no: 0, unclear: 0}, 1.0, 6),
    }
    share = report.raters[0].strata[0].answerable
    assert (share.low, share.high) == wilson(2, 4)
    (both,) = report.agreement
    assert (both.first, both.second, both.alike.value, both.alike.n) == ("anna", "ben", 2 / 3, 3)


def test_writers_and_origins_are_strata_where_there_are_several(study):
    assert question_report(study.reader).raters[0].judge
    said(study, "anna", *["answerable"] * 7)
    strata = question_report(study.reader).raters[0].strata
    found = {(one.split, one.stratum): (one.labels["answerable"], one.answerable.n) for one in strata}
    rows = study.reader.execute(
        """SELECT 'origin' AS split, origin AS name, count(*) AS n FROM unit GROUP BY origin
           UNION ALL SELECT 'model', model, count(*) FROM unit GROUP BY model"""
    ).fetchall()
    several = {row["split"] for row in rows if sum(one["split"] == row["split"] for one in rows) > 1}
    assert several
    assert found == {("", ""): (7, 7)} | {
        (row["split"], row["name"]): (row["n"], row["n"]) for row in rows if row["split"] in several
    }


def test_nobody_has_said_anything(tmp_path):
    with Study.create(tmp_path / "empty.medreview") as study:
        assert question_report(study.reader) == QuestionReport(0, (), ())
