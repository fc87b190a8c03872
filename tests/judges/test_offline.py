import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from medreview.evidence.assess import assess
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sign_names import SIGNS
from medreview.judges.offline_stage import judge, judge_offline
from medreview.study import Study
from tests.judges.renal_study import ANSWER, QUESTION, RENAL, STATEMENTS, VITAMIN, fill
from tests.support.study_builder import rows_of

PAGE = """For adults with septic shock, at least 30 mL/kg of crystalloid should be given within the first 3 hours.
Antibiotics should be started within one hour of recognition.
Warfarin is not recommended during the first trimester of pregnancy.
"""
INDEX = SourceIndex(PAGE)


def test_verdicts_with_reason_and_verbatim_quote() -> None:
    wrong = judge("In septic shock give 50 mL/kg of crystalloid within the first 3 hours.", INDEX)
    assert (wrong.raw_label, wrong.verdict) == ("contradicted", "contradicted")
    assert wrong.reason == "at least 30 mL/kg in the source, 50 mL/kg in the statement."
    assert wrong.quote is not None
    assert wrong.quote_span is not None
    assert PAGE[slice(*wrong.quote_span)] == wrong.quote
    told = judge("Antibiotics should be started within one hour.", INDEX)
    assert told.verdict == "supported"
    lost = judge("Warfarin is recommended during the first trimester of pregnancy.", INDEX)
    assert lost.verdict == "contradicted"


def test_nothing_shared_is_not_addressed_without_a_quote() -> None:
    said = judge("Zebras graze.", INDEX)
    assert (said.verdict, said.quote, said.quote_span) == ("not_addressed", None, None)


def test_it_says_unsure_when_it_cannot_tell() -> None:
    said = judge("Septic shock in adults often needs hours of careful warming.", INDEX)
    assert (said.raw_label, said.verdict) == ("unsure", None)
    assert said.reason


def test_it_is_unsure_where_only_one_of_the_two_is_negated() -> None:
    page = "Metformin lowers blood glucose in adults with type 2 diabetes who do not smoke."
    told = judge("Metformin lowers blood glucose in adults with type 2 diabetes.", SourceIndex(page))
    assert told.raw_label == "unsure"
    assert told.reason == "Only the passage is negated; the rules cannot tell what that changes."
    assert judge(page, SourceIndex(page)).verdict == "supported"


def test_an_assessment_at_hand_gives_the_same_judgement() -> None:
    statement = "Antibiotics should be started within 3 hours of recognition."
    assert judge(statement, INDEX, assess(statement, INDEX)) == judge(statement, INDEX)


@given(st.text(max_size=60), st.text(max_size=120))
def test_any_pair_gets_a_judgement_with_a_true_quote(statement: str, source: str) -> None:
    said = judge(statement, SourceIndex(source))
    assert 0 <= said.confidence <= 1
    assert said.verdict == (None if said.raw_label == "unsure" else said.raw_label)
    if said.quote_span is not None:
        assert source[slice(*said.quote_span)] == said.quote


def test_each_pair_has_its_signs_and_what_the_page_lacks(tmp_path: Path) -> None:
    with Study.create(tmp_path / "a.medreview") as study:
        fill(study, [(QUESTION, ANSWER, list(STATEMENTS.items()))], {"p1": RENAL, "p2": VITAMIN})
        judge_offline(study, processes=0)
        rows = rows_of(study, "SELECT signs, lacking, text FROM evidence JOIN statement USING (statement_id)")
    assert len(rows) == 2 * len(STATEMENTS)
    assert {len(json.loads(row["signs"])) for row in rows} == {len(SIGNS)}
    assert any(json.loads(row["lacking"]) for row in rows)
    assert all(0 <= start < end <= len(row["text"]) for row in rows for start, end in json.loads(row["lacking"]))
