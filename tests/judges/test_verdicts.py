"""The table of verdicts, on a real study file."""

import pytest

from medreview.judges import verdicts
from medreview.judges.verdicts import refresh
from medreview.study import Study
from medreview.study.rows import insert
from medreview.text import sha256


@pytest.fixture
def study(tmp_path):
    with Study.create(tmp_path / "a.medreview") as opened:
        response = {"response_id": "r1", "ordinal": 1, "record_id": "", "model": "", "origin": "", "imported_at": ""}
        response |= {"imported_from": "", "text_sha256": sha256("x"), "question": "", "text": "x"}
        rows = [
            {"statement_id": f"s{n}", "response_id": "r1", "ordinal": n, "text_sha256": sha256(str(n)), "text": str(n)}
            for n in range(10)
        ]
        opened.write(lambda connection: insert(connection, "response", [response]))
        opened.write(lambda connection: insert(connection, "statement", rows))
        yield opened


def test_every_statement_gets_its_row_also_across_batches(study, monkeypatch):
    monkeypatch.setattr(verdicts, "_BATCH", 3)

    flagged = refresh(study)

    rows = study.reader.execute("SELECT statement_id, badges FROM verdict ORDER BY 1").fetchall()
    assert [row["statement_id"] for row in rows] == [f"s{n}" for n in range(10)]
    assert {row["badges"] for row in rows} == {"no source cited"}
    assert flagged == 10


def test_a_second_time_changes_nothing(study):
    refresh(study)
    before = study.reader.execute("SELECT * FROM verdict").fetchall()
    refresh(study)

    assert [tuple(row) for row in before] == [tuple(row) for row in study.reader.execute("SELECT * FROM verdict")]
