"""The table of verdicts, on a real study file."""

import pytest

from medreview.judges import verdict_fingerprint, verdicts
from medreview.judges.verdicts import refresh
from medreview.study import Study
from tests.support.study_builder import build


def ten(rows):
    rows.response("r1")
    for number in range(10):
        rows.statement("r1", f"Number {number}.", f"s{number}")


@pytest.fixture
def study(empty_study):
    build(empty_study, ten)
    return empty_study


def test_every_statement_gets_its_row_also_across_batches(study, monkeypatch):
    monkeypatch.setattr(verdicts, "_BATCH", 3)

    flagged = refresh(study)

    rows = study.reader.execute("SELECT statement_id, badges FROM verdict ORDER BY 1").fetchall()
    assert [row["statement_id"] for row in rows] == [f"s{n}" for n in range(10)]
    assert {row["badges"] for row in rows} == {""}  # where nothing cites anything, that is no reason for a flag
    assert flagged == 0


def test_a_second_time_changes_nothing(study):
    refresh(study)
    before = study.reader.execute("SELECT * FROM verdict").fetchall()
    refresh(study)

    assert [tuple(row) for row in before] == [tuple(row) for row in study.reader.execute("SELECT * FROM verdict")]


@pytest.mark.parametrize(("citing", "flagged"), [(2, True), (1, False)])
def test_who_cites_nothing_is_alone_in_it_where_most_others_of_the_response_do(tmp_path, citing, flagged):
    def add(rows):
        rows.page("u1", "words of the page", snapshot_id="p1")
        rows.response("r1", statements=["a", "b", "c"], cites=["u1"])
        for number in range(1, citing + 1):
            rows.add("marker", statement_id=f"r1.{number}", ordinal=1, text="[1]", number=1, source_id="u1")

    with Study.create(tmp_path / "b.medreview") as study:
        build(study, add)
        refresh(study)
        row = study.reader.execute("SELECT badges FROM verdict WHERE statement_id = 'r1.3'").fetchone()
    assert ("cites nothing itself" in row["badges"]) == flagged


def test_what_a_judge_of_the_whole_response_found_in_a_statement_is_a_badge_of_it_and_of_no_other(study):
    def add(rows):
        rows.response("r2", "Aspirin is safe in dengue. Drink enough. Rest.", statements=["Aspirin is safe", "Rest."])
        rows.statement("r2", "Reworded without a place.")
        runs = {name: rows.judge_run(name, "llm", prompt_id=name) for name in ("alone", "assisted")}
        spans = '[{"quote": "Aspirin", "status": "exact", "spans": [[0, 7]]}]'
        for name, run in runs.items():
            rows.add(
                "hallucination_finding", finding_id=name, judge_run_id=run, response_id="r2",
                assisted=int(name == "assisted"), assisted_by="[]", found=1,
                type="fact" if name == "alone" else "other", spans=spans, reason="", raw_output="", error="",
            )  # fmt: skip

    refresh(study)
    build(study, add)
    assert not verdict_fingerprint.is_current(study.reader)
    refresh(study)
    rows = study.reader.execute("SELECT statement_id, badges FROM verdict WHERE statement_id LIKE 'r2%' ORDER BY 1")
    assert [tuple(row) for row in rows] == [("r2.1", "finding: fact"), ("r2.2", ""), ("r2.3", "")]
