"""References, records and answers of authorities are kept and come back as they were."""

import json
import sqlite3

import pytest

from medreview.references.model import (
    Asked,
    Author,
    FieldDifference,
    Identifier,
    Notice,
    Record,
    Reference,
    ReferenceCheck,
    check_of,
    record_of_json,
    reference_of,
    to_json,
)
from medreview.references.services.client import AnswerStore, MemoryAnswers, StudyAnswers
from medreview.study import Study
from medreview.study.check import check
from medreview.text import Span

TEXT = "Moreno A, et al. Drug X and falls. J Test Med. 2019;12(3):45-51. doi:10.5555/x.1"
REFERENCE = Reference(
    text=TEXT,
    start=7,
    end=7 + len(TEXT),
    standing="list",
    number=3,
    kind="article",
    authors=(Author("Moreno", "A"), Author("Test Study Group", body=True)),
    et_al=True,
    title="Drug X and falls",
    container="J Test Med",
    year=2019,
    volume="12",
    issue="3",
    pages="45-51",
    identifiers=(Identifier("doi", "10.5555/x.1"),),
    url="https://doi.org/10.5555/x.1",
    places={"title": Span(17, 33), "year": Span(47, 51)},
    unsure=("container",),
)
RECORD = Record(
    authority="library",
    record_id="moreno2018",
    kind="article",
    title="Drug X and falls in older people",
    authors=(Author("Moreno", "Ana"),),
    complete=False,
    containers=("Journal of Test Medicine", "J Test Med"),
    years=(2018, 2019),
    identifiers=(Identifier("doi", "10.5555/x.1"), Identifier("pmid", "99999991")),
    notices=(Notice("retracted", "10.5555/x.9", "2021-02-03"),),
)
CHECK = ReferenceCheck(
    verdict="mismatch",
    record=RECORD,
    differences=(FieldDifference("year", "2019", "2016", False, "three years apart"),),
    candidates=(Record("library", "other"),),
    because="The journal is another one.",
    asked=(Asked("library", "identifier", "found"), Asked("pubmed", "citation", "failed", "no answer")),
)


def test_what_is_written_comes_back_as_it_was_also_by_way_of_a_file() -> None:
    for value, back in ((REFERENCE, reference_of), (RECORD, record_of_json), (CHECK, check_of)):
        assert back(json.loads(json.dumps(to_json(value)))) == value
    for empty, back in (
        (Reference(""), reference_of),
        (Record("a", ""), record_of_json),
        (ReferenceCheck("match"), check_of),
    ):
        assert back(to_json(empty)) == empty


def test_fields_at_their_defaults_are_not_written_and_a_place_is_two_numbers() -> None:
    assert to_json(Reference("A thing.")) == {"text": "A thing."}
    assert to_json(Record("library", "7")) == {"authority": "library", "record_id": "7"}
    assert to_json(REFERENCE)["places"] == {"title": [17, 33], "year": [47, 51]}
    assert to_json(REFERENCE)["authors"] == [
        {"family": "Moreno", "given": "A"},
        {"family": "Test Study Group", "body": True},
    ]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("text", "no object"),
        ({}, "text is missing"),
        ({"text": 3}, "reference.text: '3'"),
        ({"text": "x", "year": "2019"}, "reference.year"),
        ({"text": "x", "year": True}, "reference.year"),
        ({"text": "x", "year": 2**70}, "reference.year"),
        ({"text": "half \ud800"}, "reference.text"),
        ({"text": "x", "standing": "elsewhere"}, "reference.standing"),
        ({"text": "x", "authors": "Moreno"}, "reference.authors"),
        ({"text": "x", "authors": [{"given": "A"}]}, "reference.authors: family is missing"),
        ({"text": "x", "places": {"colour": [1, 2]}}, "reference.places"),
        ({"text": "x", "places": {"title": [1]}}, "reference.places"),
        ({"text": "x", "mood": "good"}, "nothing is called 'mood'"),
    ],
)
def test_anything_else_is_refused_with_the_name_of_the_field(value: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        reference_of(value)


def test_a_check_is_refused_for_one_wrong_word_deep_inside() -> None:
    wrong = to_json(CHECK)
    wrong["record"]["notices"][0]["kind"] = "praised"
    with pytest.raises(ValueError, match=r"check\.record\.notices\.kind"):
        check_of(wrong)
    with pytest.raises(ValueError, match=r"check\.verdict"):
        check_of({"verdict": "invented"})


FOUND = Record(
    "crossref",
    "10.5555/x.1",
    kind="article",
    title="Drug X",
    authors=(Author("Moreno", "A"),),
    years=(2019,),
    identifiers=(Identifier("doi", "10.5555/x.1"),),
    notices=(Notice("retracted"),),
)


def _asked(answers: AnswerStore) -> None:
    assert answers.known("crossref", "10.5555/x.1") is None
    answers.keep("crossref", "10.5555/x.1", [FOUND])
    answers.keep("pubmed", "10.5555/x.1", ())
    assert answers.known("crossref", "10.5555/x.1") == (FOUND,)
    assert answers.known("pubmed", "10.5555/x.1") == ()
    assert answers.known("pubmed", "10.5555/x.2") is None


def test_an_answer_is_known_by_its_authority_and_query_and_nothing_is_an_answer(study: Study) -> None:
    _asked(MemoryAnswers())
    _asked(StudyAnswers(study))
    study.close()


def test_a_study_keeps_answers_and_changes_none_of_them(study: Study) -> None:
    answers = StudyAnswers(study)
    answers.keep("pubmed", "drug x 2019", ())
    for change in ("UPDATE authority_answer SET records = '[1]'", "DELETE FROM authority_answer"):
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            study.write(lambda connection, change=change: connection.execute(change))  # type: ignore[misc]
    assert check(study.reader) == []
    study.close()
    with Study.open(study.path, read_only=True) as again:
        assert StudyAnswers(again).known("pubmed", "drug x 2019") == ()
        StudyAnswers(again).keep("pubmed", "drug y 2019", ())
        assert StudyAnswers(again).known("pubmed", "drug y 2019") is None


def test_who_asks_again_is_told_the_newest_answer(study: Study) -> None:
    rows = [("pubmed", "x", "2026-01-01T00:00:00+00:00", "[]"), ("pubmed", "x", "2025-01-01T00:00:00+00:00", "[1]")]
    study.write(lambda connection: connection.executemany("INSERT INTO authority_answer VALUES (?, ?, ?, ?)", rows))
    assert StudyAnswers(study).known("pubmed", "x") == ()
    study.close()
