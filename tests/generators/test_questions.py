"""Questions made from texts: which texts they are made from, and what is no valid question."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.generators.questions import MadeQuestion, Questions, check_question
from medreview.generators.source_texts import is_address, page_at, pages_in, passages_in
from medreview.study import Study
from medreview.text import Span
from medreview.units.new_units import ImportRecord, store_records
from medreview.units.question import QuestionKind
from medreview.units.stored import NewPassage
from tests.support.judge_endpoint import JudgeEndpoint, says
from tests.support.study_builder import build, new_version, rows_of

TEXT = (
    "Before planned surgery, aspirin for primary prevention is stopped 7 days before the operation. Nobody needs a "
    "bridge with heparin. After a stent it is continued, and the cardiologist is asked before anything is changed."
)
GOOD = {
    "quote": "aspirin for primary prevention is stopped 7 days before the operation",
    "answer": "7 days before the operation",
    "question": "How long before planned surgery is aspirin stopped when it was taken for primary prevention?",
}


def codes(**changed: str) -> tuple[str, ...]:
    return check_question({**GOOD, **changed}, TEXT).codes


def test_a_valid_question_knows_where_its_quote_stands():
    checked = check_question({**GOOD, "question": f" {GOOD['question']}\n"}, TEXT)
    assert checked.codes == ()
    start = TEXT.index(GOOD["quote"])
    assert checked.value == MadeQuestion(GOOD["question"], GOOD["answer"], GOOD["quote"], Span(start, start + len(GOOD["quote"])))  # fmt: skip # noqa: E501


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"question": "Aspirin is stopped before planned surgery."}, "no_question_mark"),
        ({"question": "Aspirin when stopped?"}, "question_length"),
        ({"question": " ".join(["And when is aspirin stopped before planned surgery"] * 10) + "?"}, "question_length"),
        ({"question": "According to the passage, when is aspirin stopped before surgery?"}, "points_at_text"),
        ({"question": "When is aspirin stopped, as described above, before a surgery?"}, "points_at_text"),
        ({"answer": ""}, "no_answer"),
        ({"answer": "It is stopped 7 days before. " * 10}, "answer_length"),
        ({"question": "Is aspirin stopped 7 days before the operation or later?"}, "answer_in_question"),
        ({"answer": "5 days before the operation"}, "number_not_in_quote"),
        ({"answer": "7 hours before the operation"}, "number_not_in_quote"),
        ({"quote": ""}, "no_quote"),
        ({"quote": "aspirin for primary prevention is stopped 9 days before the operation"}, "quote_altered"),
        ({"quote": "Clopidogrel is stopped with the advice of the anaesthetist only."}, "quote_absent"),
    ],
)  # fmt: skip
def test_each_fault_has_its_word(changed, code):
    assert code in codes(**changed)


def test_a_copy_of_a_short_text_is_no_answer():
    text = "Aspirin is stopped 7 days before the operation."
    assert check_question({**GOOD, "quote": text, "answer": text}, text).codes == ("copy_of_text",)


@pytest.mark.parametrize(
    "changed",
    [
        {"question": "Is the dose of aspirin before planned surgery based on the body weight?", "answer": "No"},
        {"question": "Is normal platelet function needed before planned surgery on aspirin?", "answer": "No."},
    ],
)
def test_a_yes_or_no_and_ordinary_words_are_no_fault(changed):
    assert codes(**changed) == ()


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "s.medreview", "questions") as made:
        yield made


def make(study: Study, *plays: Any, **own: Any) -> tuple[Any, list[str]]:
    with JudgeEndpoint(*plays) as server:
        generating = pipeline.Generating(partial(Questions, **own), server.settings("writer", concurrency=1))
        return pipeline.generate(study, generating).counts, server.prompts


def pages(study: Study) -> None:
    def add(rows: Any) -> None:
        rows.page("read", TEXT)
        rows.page("lost", "", page_state="http_error", status=404)
        rows.source("never")
        rows.response("r1", "x", cites=("read", "lost", "never"))

    build(study, add)


def test_a_question_of_a_page_keeps_the_very_text_that_it_was_made_from(study):
    pages(study)
    counts, prompts = make(study, says(json.dumps(GOOD)), texts=pages_in(study.reader))
    assert (counts.items, counts.made, len(prompts)) == (1, 1, 1)

    (unit,) = rows_of(study, "SELECT unit_id, origin, content FROM unit")
    content = json.loads(unit["content"])
    assert (content["url"], content["snapshot"], content["passage"]) == ("https://read.example/", "read@1", "")
    assert TEXT[content["quote_start"] : content["quote_end"]] == GOOD["quote"]
    assert unit["origin"] == "reference"
    new_version(study, "read", "Another text.")
    view = QuestionKind().load(study.reader, unit["unit_id"])
    assert [document.text for document in view.documents] == [TEXT]
    (table,) = QuestionKind().tables
    assert next(iter(table.read(study.reader)))[-3:] == ["read@1", content["quote_start"], content["quote_end"]]


def test_a_page_is_found_by_its_address_and_what_cannot_be_read_is_named(study):
    pages(study)
    assert page_at(study, "https://read.example/").text_id == "read@1"
    assert is_address("https://read.example/")
    assert not is_address("texts.jsonl")
    with pytest.raises(UserError, match=r"No response of the study cites https://other\.example/"):
        page_at(study, "https://other.example/")
    for name in ("lost", "never"):
        with pytest.raises(UserError, match=rf"The page of https://{name}\.example/ has no text that can be read"):
            page_at(study, f"https://{name}.example/")


def test_a_text_without_anything_to_ask_and_one_that_is_too_long_make_nothing_and_are_counted(study):
    long = "Warfarin is measured by the INR. " * 20_000
    passages = (NewPassage(TEXT, "aspirin"), NewPassage(long, "warfarin"))
    study.write(lambda connection: store_records(connection, [ImportRecord(passages=passages)], "test"))
    nothing = dict.fromkeys(GOOD, "")
    counts, prompts = make(study, says(json.dumps(nothing)))

    assert len(prompts) == 3
    assert (counts.made, counts.nothing) == (0, {"nothing_to_ask": 1, "over_context": 1})
    assert [one.name for one in passages_in(study.reader)] == ["aspirin", "warfarin"]
    assert [one.name for one in passages_in(study.reader, {passages[1].passage_id})] == ["warfarin"]


@pytest.mark.parametrize(
    "bad",
    [
        "", "A question about aspirin?", TEXT, json.dumps({"quote": 7, "answer": [], "question": {}}),
        json.dumps(GOOD | {"question": f"Is it true that {GOOD['answer']} is when aspirin is stopped?"}),
        json.dumps({name: value * 10 for name, value in GOOD.items()}), '{"quote": "", "answer": "", "question": ',
        json.dumps({"type": "object", "properties": {"quote": {"type": "string"}}}),
    ],
)  # fmt: skip
def test_whatever_a_model_writes_instead_is_no_product(study, bad):
    study.write(lambda connection: store_records(connection, [ImportRecord(passages=(NewPassage(TEXT),))], "test"))
    counts, _ = make(study, says(bad))
    assert (counts.made, counts.nothing, counts.products, counts.attempts) == (0, {"invalid": 1}, {}, 3)
    assert rows_of(study, "SELECT * FROM unit") == []
