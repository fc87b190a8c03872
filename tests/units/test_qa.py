"""Questions with their answers: how files of them are told and read, what is odd about them, what is shown."""

import json
from pathlib import Path

import pytest

from medreview.import_files import Imported, import_file
from medreview.progress import SILENT
from medreview.study import Study
from medreview.units.kind import UnitView
from medreview.units.qa import QA, QAItem, faults

SAMPLE = Path(__file__).parents[2] / "sample_data" / "qa_items.jsonl"
KIND = QA()


@pytest.fixture
def study(tmp_path):
    with Study.create(tmp_path / "s.medreview") as made:
        yield made


def brought(study: Study, *records: dict, name: str = "items.jsonl") -> Imported:
    path = study.path.parent / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return import_file(study, path, {}, SILENT)


def units(study: Study) -> list[str]:
    return [row["unit"] for row in study.reader.execute(f"{KIND.rows} ORDER BY ordinal")]


def card(view: UnitView) -> dict[str, str]:
    return {part.label: part.text for part in view.parts}


def test_the_sample_comes_in_whole_with_what_two_annotators_said(study):
    done = import_file(study, SAMPLE, {}, SILENT)
    assert (done.kind, done.added, done.labels, done.bad, done.odd) == ("qa", 8, 6, [], [])
    assert [column.column for column in done.unused] == ["planted"]
    said = study.reader.execute("SELECT reviewer, count(*) FROM reviewer_label GROUP BY reviewer").fetchall()
    assert [tuple(row) for row in said] == [("ann-1", 3), ("ann-2", 3)]
    again = import_file(study, SAMPLE, {}, SILENT)
    assert (again.added, again.known, again.labels) == (0, 8, 0)
    clusters = [row["cluster"] for row in study.reader.execute(f"{KIND.rows} ORDER BY ordinal")]
    assert clusters == [1, 2, 2, 1, 5, 5, 7, 7], "items of one passage stand together"


def test_question_options_answer_and_passage_are_shown_and_where_its_writer_found_it_only_afterwards(study):
    import_file(study, SAMPLE, {}, SILENT)
    unit = units(study)[1]
    view = KIND.load(study.reader, unit)
    shown = card(view)
    assert "  ·  B  International normalised ratio (INR)  ·  C  Platelet count" in shown["options"]
    assert shown["answer"] == "B  International normalised ratio (INR)"
    (passage,) = view.documents
    assert {mark.shade for mark in passage.marks} == {"lexical"}
    assert "INR" in {passage.text[mark.start : mark.end] for mark in passage.marks}
    (found,) = KIND.machines(study.reader, unit).opinions[0].passages
    assert (found.status, passage.text[slice(*found.spans[0])]) == ("exact", found.quote)
    assert KIND.cluster(study.reader, unit) == KIND.cluster(study.reader, units(study)[2])


def test_records_of_cliniqlink_are_read_as_they_are(study):
    source = {
        "isbn": "000-1",
        "page": 12,
        "paragraph_id": "p12-3",
        "paragraph": "The spleen is fed by the splenic artery.",
    }
    done = brought(
        study,
        {"type": "multiple_choice", "question": "Which artery feeds the spleen?", "correct_answer": "b",
         "options": {"A": "Left gastric", "B": "Splenic", "C": "Renal", "D": "Hepatic"}, "source": source},
        {"type": "short_inverse", "question": "What feeds the spleen?", "answer": "The renal artery.",
         "false_answer": "The renal artery.", "incorrect_explanation": "It is the splenic artery.", "source": source},
        {"type": "multi_hop_inverse", "question": "What happens when the artery is closed?", "answer": "Nothing.",
         "reasoning": "Step 1: It is an artery.\n\nStep 2: Organs need none.",
         "incorrect_reasoning_step": "- **Step 2** is wrong.", "source": source},
    )  # fmt: skip
    assert (done.added, done.odd, done.unused) == (3, [], [])
    choice, short, hops = (card(KIND.load(study.reader, unit)) for unit in units(study))
    assert choice["answer"] == "B  Splenic"
    assert (short["shown wrong"], short["answer"].split(":")[0]) == ("The renal artery.", "none given")
    assert (hops["wrong 1"], hops["wrong 2"]) == ("It is an artery.", "Organs need none.")
    assert KIND.load(study.reader, units(study)[0]).documents[0].title == "000-1, p. 12, p12-3"


def test_a_table_with_a_row_for_each_annotator_is_one_item_with_both_labels(study):
    path = study.path.parent / "items.csv"
    path.write_text(
        "qa_type,question,options,correct_answer,paragraph,annotator_id,gp_relevance,has_dispute,has_feedback\n"
        'tf,Aspirin thins blood.,,True,"Aspirin acts on platelets. It thins no blood.",a1,5,0,0\n'
        'tf,Aspirin thins blood.,,True,"Aspirin acts on platelets. It thins no blood.",a2,9,1,0\n'
        'tf,Aspirin thins blood.,,True,"Aspirin acts on platelets. It thins no blood.",a3,2,It does not,0\n'
    )
    done = import_file(study, path, {}, SILENT)
    assert (done.added, done.labels) == (1, 2)
    assert [(odd.line, "'9'" in odd.reason) for odd in done.odd] == [(3, True)]
    rows = study.reader.execute("SELECT reviewer, kind, payload FROM event WHERE kind IN ('flag', 'note') ORDER BY seq")
    assert [(row["reviewer"], row["kind"]) for row in rows] == [("a3", "flag"), ("a3", "note")]


def test_a_record_without_question_or_answer_is_left_out_with_its_line(study):
    good = {"type": "short", "question": "How much?", "answer": "5 mg", "passage": "Take 5 mg."}
    done = brought(study, good, {**good, "question": " "}, {**good, "answer": []}, {**good, "question": "When?"})
    assert (done.added, [(bad.line, bad.reason) for bad in done.bad]) == (
        2,
        [(2, "has no question"), (3, "has no answer")],
    )


def test_cells_of_a_table_that_hold_json_are_read_and_what_cannot_be_stored_costs_its_own_row(study):
    path = study.path.parent / "items.csv"
    path.write_text(
        'type,question,options,answer,source\n'
        'mc,Which?,"[""one"", ""two"", ""three"", ""four""]",C,"{""title"": ""Book"", ""text"": ""It is three.""}"\n'
        'mc,When?,"[""one"", ""two"", ""three"", ""four""]",C,"{""title"": ""\\ud800"", ""paragraph"": ""Now.""}"\n'
        'mc,\x1b[31mWhere?\x07,"{""A"": ""\u202ehere"", ""B"": ""there"", ""C"": ""up"", ""D"": ""off""}",A,\n'
    )  # fmt: skip
    done = import_file(study, path, {}, SILENT)
    assert (done.added, [bad.line for bad in done.bad]) == (2, [3])
    view = KIND.load(study.reader, units(study)[0])
    assert (card(view)["answer"], view.documents[0].title) == ("C  three", "Book")


def test_items_of_one_passage_are_found_by_it_and_not_by_going_through_all(study):
    plan = study.reader.execute(f"EXPLAIN QUERY PLAN {KIND.rows}").fetchall()
    assert any("unit_of" in row["detail"] for row in plan)


@pytest.mark.parametrize(
    "record",
    [
        {"question": "How much?", "answer": "Take 5 mg.", "type": "clinical", "model": "atlas-2"},
        {"question": "Which?", "answer": "B", "type": "multiple_choice", "response": "I think it is B."},
    ],
)
def test_answers_of_models_are_not_taken_for_items(study, record):
    assert brought(study, record).kind == "responses"


@pytest.mark.parametrize(
    ("item", "odd"),
    [
        (QAItem("true_false", "A?", (), ("maybe",)), "not one of true and false"),
        (QAItem("list", "A?", tuple(zip("ABCD", "wxyz", strict=True)), ("w",)), "fewer than two"),
        (QAItem("list", "A?", tuple(zip("ABCD", "wxyz", strict=True)), ("w", "v")), "none of its options (v)"),
        (QAItem("multiple_choice", "A?", (("A", "yes"),), ("yes",)), "without four or five options"),
        (QAItem("multiple_choice", "A?", tuple(zip("ABCD", "wxyW", strict=True)), ("w",)), "same option twice"),
        (QAItem("short", "A?", (), ("word " * 41,)), "more than 40 words"),
        (QAItem("short", "Is aspirin an antiplatelet?", (), ("Aspirin",)), "answer in its question"),
        (QAItem("short_inverse", "A?", (), ("b",), wrong_answer="B."), "its flaw"),
        (QAItem("short_inverse", "A?", (), ("b",), wrong_answer="B."), "same text"),
        (QAItem("multi_hop", "A?", (), ("b",), ("one",)), "fewer than two"),
        (QAItem("essay", "A?", (), ("b",)), "'essay'"),
    ],
)  # fmt: skip
def test_what_a_type_asks_for_and_an_item_lacks_is_said(item, odd):
    assert any(odd in fault.words for fault in faults(item)), list(faults(item))


def test_an_odd_item_is_taken_in_with_a_warning_and_can_be_reviewed(study):
    done = brought(study, {"type": "multiple_choice", "question": "Which?", "options": ["x", "y"], "answer": "A"})
    assert (done.added, [odd.line for odd in done.odd]) == (1, [1, 1])
    view = KIND.load(study.reader, units(study)[0])
    assert card(view)["answer"] == "A  x"
    assert (view.documents, view.missing != "") == ((), True)


def test_the_table_has_a_row_for_each_item_as_wide_as_its_columns(study):
    import_file(study, SAMPLE, {}, SILENT)
    (table,) = KIND.tables
    rows = [tuple(row) for row in table.read(study.reader)]
    assert {len(row) for row in rows} == {len(table.columns)}
    assert [row[1] for row in rows] == [f"QA{number}" for number in range(1, 9)]
