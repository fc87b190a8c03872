"""References of a study are held against a library without a network; what was checked is not checked again."""

import json
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.pipeline import Authorities, check_references, library_of
from medreview.sources.fetching.network import Network, Services
from medreview.study import Study
from medreview.study.check import check_study
from tests.support.study_builder import build, rows_of

TEXT = """Aspirin lowers the risk of a stroke [1]. Statins do, too [2]. Nobody asked about heparin [3].

References
1. Moreno A, Lind K. Aspirin after a stroke. J Test Med. 2019;12(3):45-51. doi:10.5555/checked.1
2. Lind K. Statins after a stroke. Test Lancet. 2021;4:11-18. doi:10.5555/checked.2
3. Okafor B. Heparin in the stroke unit: a trial. Test Neurology. 2018;7:3-9.
"""
FIRST = {"id": "a", "type": "article-journal", "title": "Aspirin after a stroke", "volume": "12", "issue": "3",
         "author": [{"family": "Moreno", "given": "Ana"}, {"family": "Lind", "given": "Kai"}], "page": "45-51",
         "container-title": "Journal of Test Medicine", "issued": {"date-parts": [[2019]]},
         "DOI": "10.5555/checked.1"}  # fmt: skip
OTHER = {"id": "b", "type": "article-journal", "title": "Eye drops for drivers of trams", "page": "1-9",
         "author": [{"family": "Vale", "given": "Dora"}], "container-title": "Test Ophthalmology", "volume": "3",
         "issued": {"date-parts": [[2011]]}, "DOI": "10.5555/checked.2"}  # fmt: skip
THIRD = FIRST | {"id": "c", "title": "Heparin in the stroke unit: a trial", "volume": "7", "page": "3-9", "issue": "",
                 "author": [{"family": "Okafor", "given": "B"}], "container-title": "Test Neurology",
                 "issued": {"date-parts": [[2018]]}, "DOI": "10.5555/checked.3"}  # fmt: skip


@pytest.fixture
def study(study: Study) -> Study:
    build(study, lambda to: to.response("r1", TEXT, cited=0, parser=None))
    pipeline.parse(study)
    return study


def against(folder: Path, *items: object) -> Authorities:
    """A library of these items and no network."""
    (folder / "library.json").write_text(json.dumps(items))
    return Authorities(Services(), Network(), library_of([folder / "library.json"]))


def verdicts(study: Study) -> list[str]:
    query = """SELECT c.verdict FROM reference_current AS f JOIN reference_checked AS c USING (reference_id)
               ORDER BY f.ordinal"""
    return [row["verdict"] for row in rows_of(study, query)]


def test_a_library_tells_a_match_from_another_work_and_triage_begins_with_that(study: Study, tmp_path: Path) -> None:
    done = check_references(study, against(tmp_path, FIRST, OTHER))
    assert verdicts(study) == ["match", "other_work", "not_found"]
    assert (done.current, done.checked, done.changed, done.requests) == (3, 3, 3, 0)
    assert done.verdicts == {"match": 1, "other_work": 1, "not_found": 1}
    badges = {
        row["text"].split()[0]: row["badges"]
        for row in rows_of(study, "SELECT s.text, v.badges FROM verdict AS v JOIN statement AS s USING (statement_id)")
    }
    assert "reference: other work" in badges["Statins"]
    assert "reference" not in badges["Aspirin"]
    assert check_study(study).faults == []


def test_the_same_library_is_not_asked_again_and_another_one_is(study: Study, tmp_path: Path) -> None:
    check_references(study, against(tmp_path, FIRST, OTHER))
    again = check_references(study, against(tmp_path, FIRST, OTHER))
    assert (again.checked, again.changed) == (0, 0)
    assert again.verdicts["match"] == 1
    more = check_references(study, against(tmp_path, FIRST, OTHER, THIRD))
    assert (more.checked, verdicts(study)) == (3, ["match", "other_work", "match"])
    assert len(rows_of(study, "SELECT * FROM reference_check")) == 6


def test_without_a_library_and_without_asking_nothing_is_said_of_any(study: Study) -> None:
    done = check_references(study, Authorities(Services(), Network()))
    assert (done.checked, done.left, done.requests) == (0, 3, 0)
    assert verdicts(study) == []


def test_work_that_was_broken_off_goes_on_where_it_stopped(study: Study, tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    class Stopping:
        def begin(self, title: str, total: int) -> None:
            self.title = title

        def step(self, count: int = 1) -> None:
            if self.title == "references":
                raise Stopped

    with pytest.raises(Stopped):
        check_references(study, against(tmp_path, FIRST, OTHER), Stopping())
    kept = len(rows_of(study, "SELECT * FROM reference_check"))
    assert 0 < kept < 3
    assert check_references(study, against(tmp_path, FIRST, OTHER)).checked == 3 - kept


def test_the_sample_study_has_a_reference_of_every_verdict_where_its_page_says_so(demo_file: Path) -> None:
    query = """SELECT r.record_id, f.number, c.verdict, c.result FROM reference_current AS f
               JOIN response AS r USING (response_id) JOIN reference_checked AS c USING (reference_id)"""
    with Study.open(demo_file, read_only=True) as study:
        found = {(row["record_id"].partition("-")[0], row["number"]): row for row in rows_of(study, query)}
    planted = {("A04", 2): "match", ("B03", 2): "mismatch", ("A07", 3): "other_work", ("B08", 3): "not_found",
               ("B01", 4): "ambiguous", ("B05", 4): "match", ("A02", 3): "match"}  # fmt: skip
    assert {place: found[place]["verdict"] for place in planted} == planted
    assert {row["verdict"] for place, row in found.items() if place not in planted} == {"match"}
    assert "retracted" in found["B05", 4]["result"]
    assert "lindqvist2018" in found["A07", 3]["result"]
