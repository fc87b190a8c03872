"""What authorities answered is known afterwards; that an authority has nothing is an answer, too."""

from medreview.references.answer_store import MemoryAnswers
from medreview.references.model import Record


def test_an_answer_is_known_by_its_authority_and_query_and_nothing_is_an_answer() -> None:
    answers = MemoryAnswers()
    assert answers.known("crossref", "10.5555/x.1") is None
    answers.keep("crossref", "10.5555/x.1", [Record("crossref", "10.5555/x.1", title="Drug X")])
    answers.keep("pubmed", "10.5555/x.1", ())
    assert answers.known("crossref", "10.5555/x.1") == (Record("crossref", "10.5555/x.1", title="Drug X"),)
    assert answers.known("pubmed", "10.5555/x.1") == ()
    assert answers.known("pubmed", "10.5555/x.2") is None
