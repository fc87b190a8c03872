"""Shards as the commands make them, and what comes of them when they are merged."""

import shutil
from pathlib import Path

from medreview import pipeline
from medreview.study import Study
from tests.study.flipped_bits import logical
from tests.support.commands import Program
from tests.support.study_builder import build, rows_of
from tests.support.unit_study import decide

SAMPLE = Path(__file__).parents[2] / "sample_data"


def test_what_was_judged_and_decided_in_shards_comes_back(tmp_path: Path, medreview: Program, demo: Path) -> None:
    away = Path(shutil.copy(demo, tmp_path / "whole.medreview"))
    medreview("team", "split", demo, 3)
    files = sorted(demo.parent.glob("*-of-3.medreview"))
    pairs = "SELECT statement_id, snapshot_id FROM judgement GROUP BY 1, 2"
    for file in (*files, away):
        with Study.open(file) as study:
            rows = rows_of(study, pairs)
            build(study, lambda to, rows=rows: [
                to.judgement("elsewhere", row["statement_id"], row["snapshot_id"], "contradicted") for row in rows
            ])  # type: ignore[misc]  # fmt: skip
            pipeline.roll_up(study)
            if file != away:
                decide(study, "zoe", rows[0]["statement_id"], "evidence", "partial")
    assert "3 events added" in medreview("team", "merge", demo, *files).stdout
    assert "whole, 3 events" in medreview("check", demo).stdout
    before = logical(demo)
    assert "0 events added" in medreview("team", "merge", demo, *files).stdout
    assert logical(demo) == before
    verdicts = "SELECT * FROM verdict ORDER BY statement_id"
    with Study.open(demo, read_only=True) as merged, Study.open(away, read_only=True) as whole:
        assert rows_of(merged, verdicts) == rows_of(whole, verdicts)


def test_what_is_fetched_and_judged_in_shards_gives_the_verdicts_of_the_whole(
    tmp_path: Path, medreview: Program
) -> None:
    whole, study = tmp_path / "whole.medreview", tmp_path / "study.medreview"
    medreview("import", whole, SAMPLE / "responses.jsonl")
    refused = medreview("team", "split", whole, 2, check=2).stderr
    assert "have no statements yet, and statements that are made in a shard do not come back" in refused
    assert f"First run `medreview parse {whole}`" in refused
    medreview("parse", whole)
    shutil.copy(whole, study)
    medreview("team", "split", study, 2)
    shards = sorted(tmp_path.glob("study-*.medreview"))
    for each in (whole, *shards):
        medreview("fetch", each, "--pages", SAMPLE / "pages")
        medreview("judge", each)
    assert "36 pages added" in medreview("team", "merge", study, *shards).stdout
    assert "0 pairs judged offline" in medreview("judge", study).stdout
    verdicts = "SELECT * FROM verdict ORDER BY statement_id"
    with Study.open(study, read_only=True) as merged, Study.open(whole, read_only=True) as one:
        assert rows_of(merged, verdicts) == rows_of(one, verdicts)
        assert {row["verdict"] for row in rows_of(merged, verdicts)} > {None}


def test_a_shard_that_is_there_is_not_written_over(medreview: Program, demo: Path) -> None:
    medreview("team", "split", demo, 2)
    assert "may hold work" in medreview("team", "split", demo, 2, check=2).stderr
    assert len(list(demo.parent.glob("*-of-2.medreview"))) == 2
