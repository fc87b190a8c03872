"""References and their checks in an export: what a reader sees of them, and that all of it comes in again."""

from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.import_files import import_file
from medreview.progress import SILENT
from medreview.references.model import ReferenceCheck
from medreview.study import Study
from medreview.study.check import check_study
from tests.exchange.exports.test_generation_files import table
from tests.exchange.imports.test_hostile_export import change
from tests.support.reference_study import CHECKS, PRINTED, add_check, fill_references
from tests.support.study_builder import build, rows_of
from tests.support.unit_study import decide


@pytest.fixture
def study(empty_study: Study) -> Study:
    fill_references(empty_study)
    build(empty_study, lambda rows: add_check(rows, "f4", ReferenceCheck("ambiguous"), "2001-01-01T00:00:00+00:00"))
    decide(empty_study, "kb", "reference:f3", "reference", "other_work")
    return empty_study


def test_a_reference_has_its_words_its_verdict_and_what_differs_in_cells_that_are_read_at_once(
    study: Study, tmp_path: Path
) -> None:
    export(study, tmp_path / "out")
    rows = {row["reference_id"]: row for row in table(tmp_path / "out", "references")}
    third = rows["f3"]
    assert [rows[name]["text"] for name in ("f1", "f2", "f3", "f4")] == list(PRINTED)
    assert third["unit_id"] == "reference:f3"
    assert (third["number"], third["kind"], third["authors"], third["year"]) == ("3", "article", "Kern C", "2034")
    assert (third["identifiers"], third["source_ids"]) == ("doi 10.5555/three", "u3")
    assert (third["verdict"], third["authority"], third["found_year"]) == ("other_work", "crossref", "2011")
    assert third["wrong_fields"] == "title authors"
    assert third["candidates"] == "PubMed 99000003: Early fluids and mortality in sepsis"
    assert third["asked"] == "crossref by identifier: found; pubmed by citation: found"
    assert rows["f1"]["notices"] == "RETRACTED 10.5555/notice"
    assert (rows["f4"]["verdict"], rows["f4"]["authority"]) == ("not_found", "")
    differences = table(tmp_path / "out", "reference_differences")
    told = [(row["reference_id"], row["field"], row["found"], row["slip"]) for row in differences]
    assert ("f2", "year", "2033", "0") in told
    assert len(told) == sum(len(check.differences) for check in CHECKS)
    checks = table(tmp_path / "out", "reference_checks")
    assert sorted(row["verdict"] for row in checks if row["reference_id"] == "f4") == ["ambiguous", "not_found"]


def test_an_export_brings_references_and_checks_and_gives_the_same_export(study: Study, tmp_path: Path) -> None:
    export(study, tmp_path / "one")
    with Study.create(tmp_path / "new.medreview") as new:
        import_file(new, tmp_path / "one", {}, SILENT)
        assert check_study(new).faults == []
        for query in (
            "SELECT reference_id, reading, number FROM reference_current ORDER BY 1",
            "SELECT * FROM reference_check ORDER BY check_id",
            "SELECT * FROM reference_source ORDER BY 1, 2",
        ):
            assert rows_of(new, query) == rows_of(study, query)
        import_file(new, tmp_path / "one", {}, SILENT)
        export(new, tmp_path / "two")
    for name in ("references.csv", "reference_differences.csv", "reference_checks.csv", "reference_values.csv",
                 "unit_labels.csv", "events.csv"):  # fmt: skip
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_who_must_not_know_verdicts_yet_gets_what_authorities_have(study: Study, tmp_path: Path) -> None:
    export(study, tmp_path / "blind", blind_for="kb")
    rows = {row["reference_id"]: row for row in table(tmp_path / "blind", "references")}
    assert (rows["f3"]["verdict"], rows["f3"]["found_year"]) == ("other_work", "2011")
    for name in ("verdict", "because", "authority", "found_title", "notices", "differences", "wrong_fields"):
        assert rows["f2"][name] == "", name
    assert rows["f2"]["candidates"] == "Crossref 10.5555/two: Vasopressin as a second agent in shock"
    assert {row["reference_id"] for row in table(tmp_path / "blind", "reference_differences")} == {"f3"}
    told = {row["reference_id"]: row["verdict"] for row in table(tmp_path / "blind", "reference_checks")}
    assert told == {"f1": "", "f2": "", "f3": "other_work", "f4": ""}
    with Study.create(tmp_path / "new.medreview") as new:
        import_file(new, tmp_path / "blind", {}, SILENT)
        assert len(rows_of(new, "SELECT * FROM reference_checked WHERE verdict IS NULL")) == 3


@pytest.mark.parametrize(
    ("file", "column", "value", "why"),
    [
        ("references.csv", "start_cp", "3", "does not stand there"),
        ("references.csv", "response_id", "r7", "response r7 is missing"),
        ("references.csv", "reading", "text:s mood:s", "nothing is called"),
        ("references.csv", "standing", "elsewhere", "CHECK constraint"),
        ("reference_checks.csv", "verdict", "ambiguous", "not the verdict of the result"),
        ("reference_checks.csv", "result", "verdict:s candidates:s", "candidates"),
        ("reference_checks.csv", "reference_id", "f9", "names and values"),
    ],
)
def test_what_was_changed_by_hand_is_refused_with_its_place(
    study: Study, tmp_path: Path, file: str, column: str, value: str, why: str
) -> None:
    export(study, tmp_path / "one")
    change(tmp_path / "one", file, lambda rows: rows[0].update({column: value}))
    with Study.create(tmp_path / "new.medreview") as new, pytest.raises(UserError, match=why):
        import_file(new, tmp_path / "one", {}, SILENT)
