"""References that a file lists as objects beside its answers, from the file to the verdict."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from medreview.citations.stage import extract_all
from medreview.exchange.imports.answer_records import import_responses
from medreview.references.library import Library
from medreview.references.model import Reference, reference_of
from medreview.references.printed.find import find_references
from medreview.references.stage import find_all
from medreview.study import Study
from tests.references.works import EMPA_REG
from tests.support.study_builder import rows_of

DOI = "10.1056/nejmoa1504720"
INVENTED = "Heparin in children. A plan: title and all"
CITED = {"title": INVENTED, "authors": ["Vale, Dora", "Okafor N"], "journal": "Lancet", "year": 2011, "doi": DOI}
ADDRESS = "https://www.nejm.example/empagliflozin"
Given = Callable[..., list[Reference]]


@pytest.fixture
def given(tmp_path: Path) -> Given:
    """The references of a study after one more import of an answer that lists these citations."""
    path = tmp_path / "s.medreview"

    def read(*cited: object) -> list[Reference]:
        record = {"id": 1, "response": "Heparin is safe [1].", "citations": cited}
        (tmp_path / "a.jsonl").write_text(json.dumps(record), encoding="utf-8")
        with Study.open(path) if path.exists() else Study.create(path) as study:
            import_responses(study, tmp_path / "a.jsonl")
            extract_all(study)
            find_all(study)
            rows = rows_of(study, "SELECT reading FROM reference_current ORDER BY ordinal")
        return [reference_of(json.loads(row["reading"])) for row in rows]

    return read


def test_a_real_doi_beside_an_invented_title_is_another_work(given: Given) -> None:
    (read,) = given(CITED)
    assert (read.standing, read.number, read.title, read.container, read.year) == ("given", 1, INVENTED, "Lancet", 2011)
    assert [author.family for author in read.authors] == ["Vale", "Okafor"]
    assert [identifier.value for identifier in read.identifiers] == [DOI]
    assert read.text[slice(*read.places["title"])] == INVENTED
    assert Library([EMPA_REG]).check(read).verdict == "other_work"


def test_the_same_work_said_rightly_is_that_work(given: Given) -> None:
    authors = [{"given": author.given, "family": author.family} for author in EMPA_REG.authors]
    (read,) = given({"marker": "[3]", "title": EMPA_REG.title, "authors": authors, "year": "2015", "url": DOI})
    assert (read.number, len(read.authors)) == (3, len(authors))
    assert Library([EMPA_REG]).check(read).verdict == "match"


def test_words_take_the_place_of_an_address_that_was_kept_alone(given: Given) -> None:
    assert [read.title for read in given({"url": ADDRESS}, {"url": ADDRESS + "/2"})] == ["", ""]
    now = given({"url": ADDRESS, "title": INVENTED}, {"url": ADDRESS + "/2"})
    assert [(read.number, read.title, read.url) for read in now] == [(1, INVENTED, ADDRESS), (2, "", ADDRESS + "/2")]


def test_a_label_before_named_fields_is_no_part_of_them() -> None:
    said = f"[7] Title: {INVENTED}; Authors: Vale D; Year: 2011"
    (read,) = find_references("Heparin is safe [7].", [said])
    assert (read.text, read.number, read.title) == (said, 7, INVENTED)
    assert said[slice(*read.places["title"])] == INVENTED
