"""The table of verdicts, on a real study file."""

import pytest

from medreview.judges import verdicts
from medreview.judges.verdicts import refresh
from medreview.study import Study
from tests.support.study_builder import build


def ten(rows):
    rows.response("r1")
    for number in range(10):
        rows.statement("r1", f"Number {number}.", f"s{number}")


@pytest.fixture
def study(tmp_path):
    with Study.create(tmp_path / "a.medreview") as opened:
        build(opened, ten)
        yield opened


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
