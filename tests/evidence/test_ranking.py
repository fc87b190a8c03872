import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.evidence.lexical import matches
from medreview.evidence.ranking import SourceIndex
from medreview.evidence.terms import Vocabulary, terms

PAGE = """Ibuprofen
Ibuprofen is a medicine for pain and fever.
Children
Give children 10 mg/kg every 8 hours. Do not give it to infants under 3 months.
Kidney disease
Ibuprofen can harm the kidneys. Avoid it in people with renal failure.
Contact us
Ibuprofen newsletter
"""


def best(statement: str, index: SourceIndex) -> str:
    hit = index.rank(statement)[0]
    return index.text[hit.start : hit.end]


def test_the_passage_that_bears_on_the_statement_is_first() -> None:
    index = SourceIndex(PAGE)
    assert best("Ibuprofen for a child is 10 mg/kg.", index) == "Give children 10 mg/kg every 8 hours."
    assert best("It should be avoided when the kidneys fail.", index) == "Avoid it in people with renal failure."


def test_no_shared_word_gives_no_hit() -> None:
    assert SourceIndex(PAGE).rank("Zebras graze.") == []
    assert SourceIndex("").rank("Ibuprofen") == []
    assert SourceIndex(PAGE).rank("") == []


def test_an_index_can_be_sent_to_another_process() -> None:
    index = SourceIndex(PAGE)
    assert pickle.loads(pickle.dumps(index)).rank("kidneys") == index.rank("kidneys")


def test_terms_meet_by_stem_synonym_and_phrase() -> None:
    def keys(text: str) -> set[str]:
        return {term.key for term in terms(text)}

    assert keys("renal infections") & keys("infected kidneys") == keys("renal infection")
    assert keys("heart attack") & keys("myocardial infarction")
    assert keys("0,50 mg") == keys("0.5 mg")


def test_a_user_table_extends_the_synonyms(tmp_path: Path) -> None:
    table = tmp_path / "mine.toml"
    table.write_text('[synonyms]\ngroups = [["grippe", "influenza"]]\n', "utf-8")
    words = Vocabulary.load(table)
    assert {term.key for term in terms("grippe", words)} == {term.key for term in terms("influenza", words)} != set()


def test_a_table_of_another_form_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "mine.toml"
    table.write_text("[synonyms]\ngroups = [1]\n", "utf-8")
    with pytest.raises(ValueError, match="groups"):
        Vocabulary.load(table)


def test_neutral_matches_are_whole_words_of_any_passage() -> None:
    found = [PAGE[start:end] for start, end in matches("Renal harm in a child", PAGE)]
    assert found == ["Children", "children", "Kidney", "harm", "kidneys", "renal"]


def test_neutral_matches_of_an_index_are_in_order_and_in_its_text() -> None:
    index = SourceIndex(PAGE)
    found = matches("Ibuprofen can harm the kidneys.", index)
    assert found == sorted(found)
    assert "harm" in [PAGE[start:end] for start, end in found]


@given(st.text(max_size=120), st.text(max_size=200))
def test_hits_are_in_range_and_in_order(statement: str, source: str) -> None:
    hits = SourceIndex(source).rank(statement)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 <= hit.start < hit.end <= len(source) for hit in hits)
    for start, end in matches(statement, source):
        assert 0 <= start < end <= len(source)
