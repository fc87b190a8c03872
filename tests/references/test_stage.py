"""The references of a study are found when its responses are prepared; those of an old study when they are asked."""

import shutil
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.citations.stage import extract_all
from medreview.references.stage import find_all
from medreview.references.study_references import FOUND_BY
from medreview.statements.stage import mark_all
from medreview.study import Study
from medreview.study.check import check_study
from tests.support.study_builder import build, rows_of

TEXT = """Aspirin lowers the risk of a stroke [1]. Statins do, too [2].

Both were tried together (Okafor et al., Test Lancet 2018).

References
1. Moreno A, Lind K. Aspirin after a stroke. J Test Med. 2019;12(3):45-51. doi:10.5555/found.1
2. Lind K. Statins after a stroke. Test Lancet. 2021;4:11-18. https://doi.org/10.5555/found.2
"""
LISTED = '["Vale D. Heparin in stroke. Test Neurol. 2015;3:1-9. doi:10.5555/found.4"]'


@pytest.fixture
def study(study: Study) -> Study:
    build(
        study,
        lambda to: [
            to.response("r1", TEXT, cited=0, parser=None, listed=LISTED),
            to.response("r2", "", invalid="empty", cited=0),
        ],
    )
    return study


def test_each_reference_has_its_place_its_source_and_the_statements_that_cite_it(study: Study) -> None:
    extract_all(study)
    pipeline.parse(study)
    rows = rows_of(study, "SELECT * FROM reference_current ORDER BY ordinal")
    assert [(row["standing"], row["number"]) for row in rows if row["standing"] == "list"] == [("list", 1), ("list", 2)]
    assert {"inline", "list", "given"} == {row["standing"] for row in rows}
    for row in rows:
        assert row["start_cp"] is None or TEXT[row["start_cp"] : row["end_cp"]] == row["text"]
    by_id = {row["reference_id"]: row["number"] for row in rows}
    sources = rows_of(study, "SELECT reference_id, key FROM reference_source JOIN source USING (source_id)")
    assert {(by_id[row["reference_id"]], row["key"]) for row in sources} >= {
        (1, "doi:10.5555/found.1"),
        (2, "doi:10.5555/found.2"),
    }
    assert {row["key"] for row in sources} == {f"doi:10.5555/found.{number}" for number in (1, 2, 4)}
    cited = rows_of(
        study,
        """SELECT s.text AS said, f.standing, f.number FROM statement_reference JOIN statement AS s USING (statement_id)
           JOIN reference AS f USING (reference_id)""",
    )
    said = {(row["said"].split()[0], row["standing"], row["number"]) for row in cited}
    assert {("Aspirin", "list", 1), ("Statins", "list", 2), ("Both", "inline", None)} <= said
    assert ("Aspirin", "list", 2) not in said
    assert check_study(study).faults == []


def test_a_second_time_nothing_is_done_and_newer_rules_look_again(study: Study) -> None:
    extract_all(study)
    assert find_all(study) == 2
    assert find_all(study) == 0
    before = rows_of(study, "SELECT reference_id, found_at FROM reference ORDER BY 1")
    study.write(lambda connection: connection.execute("UPDATE response SET references_by = 'references-0'"))
    study.write(lambda connection: connection.execute("UPDATE reference SET parser = 'references-0'"))
    assert find_all(study) == 2
    assert rows_of(study, "SELECT reference_id, found_at FROM reference ORDER BY 1") == before
    assert {row["parser"] for row in rows_of(study, "SELECT parser FROM reference")} == {FOUND_BY}


def test_the_references_of_a_study_of_an_older_version_are_found_when_they_are_asked_for(tmp_path: Path) -> None:
    path = Path(shutil.copy("tests/study/kept/schema_6.sqlite", tmp_path / "old.medreview"))
    with Study.open(path) as study:
        assert rows_of(study, "SELECT * FROM reference") == []
        mark_all(study)
        find_all(study)
        query = """SELECT f.text FROM reference_current AS f JOIN response AS r USING (response_id)
                   WHERE r.record_id = 'S01'"""
        assert len(rows_of(study, query)) == 2
        assert check_study(study).faults == []
