"""Questions made from texts: which files hold them, what is shown, what cannot be said without a text."""

import json
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.import_files import Imported, import_file
from medreview.progress import SILENT
from medreview.study import Study
from medreview.units.question import Question
from medreview.units.stored import add_reference, show_correct_answers
from tests.support.study_builder import build

SAMPLE = Path(__file__).parents[2] / "sample_data" / "question_checks.jsonl"
KIND = Question()


@pytest.fixture
def study(tmp_path):
    with Study.create(tmp_path / "s.medreview") as made:
        yield made


def brought(study: Study, *records: dict, mapping: dict | None = None) -> Imported:
    path = study.path.parent / "questions.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return import_file(study, path, mapping or {}, SILENT)


def units(study: Study) -> list[str]:
    return [row["unit"] for row in study.reader.execute(f"{KIND.rows} ORDER BY ordinal")]


def test_the_sample_comes_in_with_the_right_labels_of_what_was_planted(study):
    done = import_file(study, SAMPLE, {}, SILENT)
    assert (done.kind, done.added, done.gold, done.opinions, done.bad, done.odd) == ("question", 7, 2, 2, [], [])
    gold = study.reader.execute("SELECT label FROM gold ORDER BY label").fetchall()
    assert [row["label"] for row in gold] == ["not_answerable", "not_self_contained"]
    (table,) = KIND.tables
    assert {len(tuple(row)) for row in table.read(study.reader)} == {len(table.columns)}


def test_the_quote_of_who_wrote_it_is_no_part_of_the_view_and_is_found_in_the_text_afterwards(study):
    import_file(study, SAMPLE, {}, SILENT)
    third = units(study)[2]
    view = KIND.load(study.reader, third)
    assert {mark.shade for document in view.documents for mark in document.marks} == {"lexical"}
    assert "The dose is 10 to 15" not in repr(view)
    machines = KIND.machines(study.reader, third)
    assert machines.badges == "quote altered"
    (found,) = machines.opinions[-1].passages
    assert view.documents[0].text[slice(*found.spans[0])] == "The dose is 5 to 10 mg per kg of body weight"


def test_a_question_without_a_text_can_only_be_found_not_self_contained(study):
    import_file(study, SAMPLE, {}, SILENT)
    view = KIND.load(study.reader, units(study)[6])
    assert (view.documents, "No text came" in view.missing) == ((), True)
    assert "press 3" in KIND.fits(view, "answerable")
    assert KIND.fits(view, "not_self_contained") == ""
    assert KIND.fits(KIND.load(study.reader, units(study)[0]), "answerable") == ""


def test_a_set_of_questions_is_told_from_answers_whose_column_is_not_known(study):
    asked = {"question": "How much?", "origin": "forum"}
    assert brought(study, asked, {"question": "When?", "origin": "reference"}).kind == "question"
    assert brought(study, {**asked, "answer": "Take 5 mg."}).kind == "responses"
    with pytest.raises(UserError, match="no column for the response"):
        brought(study, {**asked, "llm_says": "Take 5 mg."})
    said = brought(study, {"prompt_text": "How often?"}, mapping={"prompt_text": "question", "unit:": "question"})
    assert (said.kind, said.added) == ("question", 1)
    origins = study.reader.execute(f"SELECT origin FROM ({KIND.rows}) WHERE origin <> ''").fetchall()
    assert [row[0] for row in origins] == ["forum", "reference"]


def test_questions_that_are_there_already_by_their_text_are_named(study):
    asked = {"question": "How much aspirin?", "reference_answer": "75 mg"}
    done = brought(study, asked, {**asked, "question": "how much  Aspirin?", "reference_answer": "100 mg"}, asked)
    assert (done.added, done.known) == (2, 1)
    assert [(odd.line, odd.reason) for odd in done.odd] == [
        (2, "is a question that is there already, in another record")
    ]
    again = brought(study, {**asked, "reference_answer": "81 mg"})
    assert [odd.line for odd in again.odd] == [1]


def test_the_text_may_be_a_page_of_the_study(study):
    build(study, lambda rows: rows.snapshot(rows.source("renal"), "Metformin is stopped below 30.", page_state="ok"))
    brought(study, {"question": "When is metformin stopped?", "reference_answer": "Below 30.",
                    "quote": "Metformin is stopped below 30.", "url": "https://renal.example/#dose"})  # fmt: skip
    (unit,) = units(study)
    (page,) = KIND.load(study.reader, unit).documents
    assert (page.key, page.snapshot_id, page.state) == ("source", "renal@1", "ok")
    (found,) = KIND.machines(study.reader, unit).opinions[0].passages
    assert (found.key, found.status) == ("source", "exact")


def test_questions_beside_columns_that_nobody_knows_are_refused_with_both_ways_to_go_on(study):
    record = {"question": "Is it so?", "topic": "x"}
    with pytest.raises(UserError, match=r"--map COLUMN=response, or with --map unit:=question"):
        brought(study, record)
    assert brought(study, record, mapping={"unit:": "question"}).added == 1


def test_the_correct_answer_is_not_told_where_answers_to_the_question_are_reviewed_with_it_hidden(study):
    brought(study, {"question": "May I crush the tablet?", "reference_answer": "No, swallow it whole."})
    (unit,) = units(study)
    assert "swallow it whole" in repr(KIND.load(study.reader, unit))
    study.write(lambda connection: add_reference(connection, "May I crush the tablet?", "No, swallow it whole.", "x"))
    view = KIND.load(study.reader, unit)
    assert ("swallow it whole" in repr(view), "hidden" in view.parts[1].text) == (False, True)
    show_correct_answers(study, "shown")
    assert "swallow it whole" in repr(KIND.load(study.reader, unit))
