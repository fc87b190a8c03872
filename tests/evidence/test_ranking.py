import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.errors import UserError
from medreview.evidence.assess import assess
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sentence_analysis import LONGEST_COMPARED
from medreview.evidence.source_highlights import matches
from medreview.evidence.terms import Vocabulary, terms, vocabulary

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


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("Patients were given amoxicillin 0.5 g.", "Patients were given amoxicillin 500 mg."),
        ("Patients were given amoxicillin twice daily.", "Patients were given amoxicillin every 12 hours."),
        ("Patients were given none with a GFR below 30.", "Patients were given none with a GFR <30 mL/min."),
    ],
)
def test_an_amount_is_found_in_another_form(statement: str, passage: str) -> None:
    others = ["Patients were given amoxicillin 250 mg.", "Patients were given amoxicillin every 8 hours.",
              "Patients were given none with a GFR <90 mL/min."]  # fmt: skip
    index = SourceIndex("\n".join([*others, passage]))
    assert best(statement, index) == passage


def test_of_equal_sentences_the_one_after_what_names_its_subject_comes_first() -> None:
    text = "Men had metformin. Nausea was rare in them. Women had zoledronic acid. Nausea was rare in them."
    hits = SourceIndex(text).rank("Nausea was rare in women who had zoledronic acid.")
    assert text[hits[0].start : hits[0].end] == "Women had zoledronic acid."
    assert (hits[1].start, hits[1].end) == (text.rindex("Nausea"), len(text))


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


def test_synonyms_of_a_reviewer_reach_ranking_and_clashes(tmp_path: Path) -> None:
    table = tmp_path / "mine.toml"
    table.write_text('[synonyms]\ngroups = [["zorbium", "frobnil"], ["kranke", "patients"]]\n', "utf-8")
    page = "The clinic opens at noon.\nKranke should get frobnil 5 mg at night."
    statement = "Patients should get zorbium 50 mg at night."
    plain, own = (assess(statement, SourceIndex(page, words)) for words in (None, vocabulary(table)))
    assert own.features is not None
    assert plain.features is not None
    assert own.features.covered > plain.features.covered
    assert [clash.kind for clash in own.clashes] == ["number"]


@pytest.mark.parametrize("content", ["[synonyms]\n", "groups =", '[synonyms]\ngroups = [["...", "flu"]]', None])
def test_a_table_that_cannot_be_used_is_told_in_one_sentence(tmp_path: Path, content: str | None) -> None:
    table = tmp_path / "mine.toml"
    if content is not None:
        table.write_text(content, "utf-8")
    with pytest.raises(UserError, match=r"^The synonyms .*mine\.toml cannot be .*\.$"):
        vocabulary(table)


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


def test_of_a_page_without_borders_only_the_beginning_is_compared() -> None:
    page = "ibuprofen 5 " * 20_000
    index = SourceIndex(page)
    assert len(index.analysis(0).text) == LONGEST_COMPARED
    assert assess("Ibuprofen 5 mg", index).spans[0].end == len(page.strip())
