"""What authorities answered is known afterwards; that an authority has nothing is an answer, too."""

import sqlite3
from pathlib import Path

import pytest

from medreview.references.model import Author, Identifier, Notice, Record
from medreview.references.services.client import AnswerStore, MemoryAnswers, StudyAnswers
from medreview.study import Study
from medreview.study.check import check

RECORD = Record(
    "crossref",
    "10.5555/x.1",
    kind="article",
    title="Drug X",
    authors=(Author("Moreno", "A"),),
    years=(2019,),
    identifiers=(Identifier("doi", "10.5555/x.1"),),
    notices=(Notice("retracted"),),
)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "answers.medreview")


def _asked(answers: AnswerStore) -> None:
    assert answers.known("crossref", "10.5555/x.1") is None
    answers.keep("crossref", "10.5555/x.1", [RECORD])
    answers.keep("pubmed", "10.5555/x.1", ())
    assert answers.known("crossref", "10.5555/x.1") == (RECORD,)
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
