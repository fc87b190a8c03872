"""Questions with answers, questions made from texts, and revised statements: how they are read and shown."""

from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.import_files import import_file
from medreview.progress import SILENT
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.ids import ids_of, is_here, kind_of, unit_id
from medreview.units.documents import changes
from medreview.units.kind import Gold, UnitKind, UnitView
from medreview.units.qa import QA, QAItem, faults
from medreview.units.question import QuestionKind
from medreview.units.revision import Revision
from medreview.units.stored import (
    NewOpinion,
    NewPassage,
    NewUnit,
    add_gold,
    add_opinions,
    add_passages,
    add_reference,
    add_units,
    load_gold,
    load_passage,
    load_unit,
    show_correct_answers,
    stored_opinions,
)
from tests.support.bringing import bring
from tests.support.study_builder import build

ITEMS = Path(__file__).parents[2] / "sample_data" / "qa_items.jsonl"
QA_ITEM = QA()


def units(study: Study, kind: UnitKind) -> list[str]:
    return [row["unit"] for row in study.reader.execute(f"{kind.rows} ORDER BY ordinal")]


def card(view: UnitView) -> dict[str, str]:
    return {part.label: part.text for part in view.parts}


def test_the_sample_comes_in_whole_with_what_two_annotators_said(study):
    done = import_file(study, ITEMS, {}, SILENT)
    assert (done.kind, done.added, done.labels, done.bad, done.odd) == ("qa", 8, 6, [], [])
    assert [column.column for column in done.unused] == ["planted"]
    said = study.reader.execute("SELECT reviewer, count(*) FROM reviewer_label GROUP BY reviewer").fetchall()
    assert [tuple(row) for row in said] == [("ann-1", 3), ("ann-2", 3)]
    again = import_file(study, ITEMS, {}, SILENT)
    assert (again.added, again.known, again.labels) == (0, 8, 0)
    clusters = [row["cluster"] for row in study.reader.execute(f"{QA_ITEM.rows} ORDER BY ordinal")]
    assert clusters == [1, 2, 2, 1, 5, 5, 7, 7], "items of one passage stand together"


def test_question_options_answer_and_passage_are_shown_and_where_its_writer_found_it_only_afterwards(study):
    import_file(study, ITEMS, {}, SILENT)
    unit = units(study, QA_ITEM)[1]
    view = QA_ITEM.load(study.reader, unit)
    shown = card(view)
    assert "  ·  B  International normalised ratio (INR)  ·  C  Platelet count" in shown["options"]
    assert shown["answer"] == "B  International normalised ratio (INR)"
    (passage,) = view.documents
    assert {mark.shade for mark in passage.marks} == {"lexical"}
    assert "INR" in {passage.text[mark.start : mark.end] for mark in passage.marks}
    (found,) = QA_ITEM.machines(study.reader, unit).opinions[0].passages
    assert (found.status, passage.text[slice(*found.spans[0])]) == ("exact", found.quote)
    assert QA_ITEM.cluster(study.reader, unit) == QA_ITEM.cluster(study.reader, units(study, QA_ITEM)[2])


def test_records_of_cliniqlink_are_read_as_they_are(study):
    source = {
        "isbn": "000-1",
        "page": 12,
        "paragraph_id": "p12-3",
        "paragraph": "The spleen is fed by the splenic artery.",
    }
    done = bring(
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
    choice, short, hops = (card(QA_ITEM.load(study.reader, unit)) for unit in units(study, QA_ITEM))
    assert choice["answer"] == "B  Splenic"
    assert (short["shown wrong"], short["answer"].split(":")[0]) == ("The renal artery.", "none given")
    assert (hops["wrong 1"], hops["wrong 2"]) == ("It is an artery.", "Organs need none.")
    assert QA_ITEM.load(study.reader, units(study, QA_ITEM)[0]).documents[0].title == "000-1, p. 12, p12-3"


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
    done = bring(study, good, {**good, "question": " "}, {**good, "answer": []}, {**good, "question": "When?"})
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
    view = QA_ITEM.load(study.reader, units(study, QA_ITEM)[0])
    assert (card(view)["answer"], view.documents[0].title) == ("C  three", "Book")


def test_items_of_one_passage_are_found_by_it_and_not_by_going_through_all(study):
    plan = study.reader.execute(f"EXPLAIN QUERY PLAN {QA_ITEM.rows}").fetchall()
    assert any("unit_of" in row["detail"] for row in plan)


@pytest.mark.parametrize(
    "record",
    [
        {"question": "How much?", "answer": "Take 5 mg.", "type": "clinical", "model": "atlas-2"},
        {"question": "Which?", "answer": "B", "type": "multiple_choice", "response": "I think it is B."},
    ],
)
def test_answers_of_models_are_not_taken_for_items(study, record):
    assert bring(study, record).kind == "responses"


@pytest.mark.parametrize(
    ("item", "odd"),
    [
        (QAItem("true_false", "A?", (), ("maybe",)), "not one of true and false"),
        (QAItem("list", "A?", tuple(zip("ABCD", "wxyz", strict=True)), ("w",)), "fewer than two"),
        (QAItem("list", "A?", tuple(zip("ABCD", "wxyz", strict=True)), ("w", "v")), "not one of its options (v)"),
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
    done = bring(study, {"type": "multiple_choice", "question": "Which?", "options": ["x", "y"], "answer": "A"})
    assert (done.added, [odd.line for odd in done.odd]) == (1, [1, 1])
    view = QA_ITEM.load(study.reader, units(study, QA_ITEM)[0])
    assert card(view)["answer"] == "A  x"
    assert (view.documents, view.missing != "") == ((), True)


def test_the_table_has_a_row_for_each_item_as_wide_as_its_columns(study):
    import_file(study, ITEMS, {}, SILENT)
    (table,) = QA_ITEM.tables
    rows = [tuple(row) for row in table.read(study.reader)]
    assert {len(row) for row in rows} == {len(table.columns)}
    assert [row[1] for row in rows] == [f"QA{number}" for number in range(1, 9)]


CHECKS = Path(__file__).parents[2] / "sample_data" / "question_checks.jsonl"
QUESTION = QuestionKind()


def test_the_sample_comes_in_with_the_right_labels_of_what_was_planted(study):
    done = import_file(study, CHECKS, {}, SILENT)
    assert (done.kind, done.added, done.gold, done.opinions, done.bad, done.odd) == ("question", 7, 2, 2, [], [])
    gold = study.reader.execute("SELECT label FROM gold ORDER BY label").fetchall()
    assert [row["label"] for row in gold] == ["not_answerable", "not_self_contained"]
    (table,) = QUESTION.tables
    assert {len(tuple(row)) for row in table.read(study.reader)} == {len(table.columns)}


def test_the_quote_of_who_wrote_it_is_no_part_of_the_view_and_is_found_in_the_text_afterwards(study):
    import_file(study, CHECKS, {}, SILENT)
    third = units(study, QUESTION)[2]
    view = QUESTION.load(study.reader, third)
    assert {mark.shade for document in view.documents for mark in document.marks} == {"lexical"}
    assert "The dose is 10 to 15" not in repr(view)
    machines = QUESTION.machines(study.reader, third)
    assert machines.badges == "quote altered"
    (found,) = machines.opinions[-1].passages
    assert view.documents[0].text[slice(*found.spans[0])] == "The dose is 5 to 10 mg per kg of body weight"


def test_a_question_without_a_text_can_only_be_found_not_self_contained(study):
    import_file(study, CHECKS, {}, SILENT)
    view = QUESTION.load(study.reader, units(study, QUESTION)[6])
    assert (view.documents, "No text came" in view.missing) == ((), True)
    assert "press 3" in QUESTION.fits(view, "answerable")
    assert QUESTION.fits(view, "not_self_contained") == ""
    assert QUESTION.fits(QUESTION.load(study.reader, units(study, QUESTION)[0]), "answerable") == ""


def test_a_set_of_questions_is_told_from_answers_whose_column_is_not_known(study):
    asked = {"question": "How much?", "origin": "forum"}
    assert bring(study, asked, {"question": "When?", "origin": "reference"}).kind == "question"
    assert bring(study, {**asked, "answer": "Take 5 mg."}).kind == "responses"
    with pytest.raises(UserError, match="no column for the response"):
        bring(study, {**asked, "llm_says": "Take 5 mg."})
    said = bring(study, {"prompt_text": "How often?"}, mapping={"prompt_text": "question", "unit:": "question"})
    assert (said.kind, said.added) == ("question", 1)
    origins = study.reader.execute(f"SELECT origin FROM ({QUESTION.rows}) WHERE origin <> ''").fetchall()
    assert [row[0] for row in origins] == ["forum", "reference"]


def test_questions_that_are_there_already_by_their_text_are_named(study):
    asked = {"question": "How much aspirin?", "reference_answer": "75 mg"}
    done = bring(study, asked, {**asked, "question": "how much  Aspirin?", "reference_answer": "100 mg"}, asked)
    assert (done.added, done.known) == (2, 1)
    assert [(odd.line, odd.reason) for odd in done.odd] == [
        (2, "is a question that is there already, in another record")
    ]
    again = bring(study, {**asked, "reference_answer": "81 mg"})
    assert [odd.line for odd in again.odd] == [1]


def test_the_text_may_be_a_page_of_the_study(study):
    build(study, lambda rows: rows.snapshot(rows.source("renal"), "Metformin is stopped below 30.", page_state="ok"))
    bring(study, {"question": "When is metformin stopped?", "reference_answer": "Below 30.",
                    "quote": "Metformin is stopped below 30.", "url": "https://renal.example/#dose"})  # fmt: skip
    (unit,) = units(study, QUESTION)
    (page,) = QUESTION.load(study.reader, unit).documents
    assert (page.key, page.snapshot_id, page.state) == ("source", "renal@1", "ok")
    (found,) = QUESTION.machines(study.reader, unit).opinions[0].passages
    assert (found.key, found.status) == ("source", "exact")


def test_questions_beside_columns_that_nobody_knows_are_refused_with_both_ways_to_go_on(study):
    record = {"question": "Is it so?", "topic": "x"}
    with pytest.raises(UserError, match=r"--map COLUMN=response, or with --map unit:=question"):
        bring(study, record)
    assert bring(study, record, mapping={"unit:": "question"}).added == 1


def test_the_correct_answer_is_not_told_where_answers_to_the_question_are_reviewed_with_it_hidden(study):
    bring(study, {"question": "May I crush the tablet?", "reference_answer": "No, swallow it whole."})
    (unit,) = units(study, QUESTION)
    assert "swallow it whole" in repr(QUESTION.load(study.reader, unit))
    study.write(lambda connection: add_reference(connection, "May I crush the tablet?", "No, swallow it whole.", "x"))
    view = QUESTION.load(study.reader, unit)
    assert ("swallow it whole" in repr(view), "hidden" in view.parts[1].text) == (False, True)
    show_correct_answers(study, "shown")
    assert "swallow it whole" in repr(QUESTION.load(study.reader, unit))


REVISIONS = Path(__file__).parents[2] / "sample_data" / "revisions.jsonl"
REVISION = Revision()


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("Stop it 2 days before.", "Stop it 3 days before.", ["“2 days” became “3 days”"]),
        ("Give 50 mL/kg now.", "Give 30 mL/kg or more now.", ["“50 mL/kg” became “30 mL/kg or more”"]),
        ("It always helps.", "It helps.", ["“always” left out"]),
        ("It helps some.", "It helps some adults.", ["“some.” became “some adults.”"]),
        ("Give it at once, and then look again.", "Give it soon, and then look twice.",
         ["“at once,” became “soon,”", "“again.” became “twice.”"]),
        ("The  same\nwords.", "The same words.", []),
        ("", "New.", ["“New.” added"]),
    ],
)  # fmt: skip
def test_what_differs_is_said_in_words(before, after, said):
    assert [str(change) for change in changes(before, after)] == said


def test_the_sample_comes_in_and_both_wordings_stand_on_the_card(study):
    done = import_file(study, REVISIONS, {}, SILENT)
    assert (done.kind, done.added, done.gold, done.opinions, done.bad, done.odd) == ("revision", 6, 3, 5, [], [])
    first, removed = (REVISION.load(study.reader, units(study, REVISION)[number]) for number in (0, 3))
    assert [(part.label, part.main) for part in first.parts] == [
        ("original", True), ("revised", True), ("differs", True),
    ]  # fmt: skip
    assert [part.label for part in removed.parts] == ["original", "removed"]
    (table,) = REVISION.tables
    assert {len(tuple(row)) for row in table.read(study.reader)} == {len(table.columns)}


def test_the_judgement_of_the_revised_text_its_quote_and_explanation_are_hidden_until_decided(study):
    import_file(study, REVISIONS, {}, SILENT)
    session = ReviewSession(study, "kb", open_queue(study, "revisions", "kb"), reveal="each")
    session.go(list(session.queue.units).index(units(study, REVISION)[0]))
    assert session.view is not None
    assert not any(hidden in repr(session.view) for hidden in ("juror-two", "The amount is"))
    assert {mark.kind for mark in session.source_highlights().marks} == {"lexical"}
    assert session.machines.opinions == ()
    session.decide("supported")
    assert [opinion.judge for opinion in session.machines.opinions] == ["juror-two", "boreal"]
    assert {mark.kind for mark in session.source_highlights().marks} == {"lexical", "quote", "says"}


def test_a_label_of_removals_is_refused_for_a_revision_and_the_other_way_round(study):
    import_file(study, REVISIONS, {}, SILENT)
    session = ReviewSession(study, "kb", open_queue(study, "revisions", "kb"))
    place = list(session.queue.units).index
    session.go(place(units(study, REVISION)[0]))
    with pytest.raises(UserError, match="press 1, 2 or 3"):
        session.decide("removal_right")
    assert session.own.label is None
    session.go(place(units(study, REVISION)[4]))
    with pytest.raises(UserError, match="press 4 or 5"):
        session.decide("supported")
    session.decide("removal_wrong")
    assert session.label_of(units(study, REVISION)[4]) == "removal_wrong"


def test_a_statement_of_the_study_is_named_and_its_page_is_the_source(study):
    def material(rows):
        rows.page("renal", "Stop metformin below 30.")
        rows.response("r1", "Stop metformin below 45.", statements=("Stop metformin below 45.",), cites=("renal",))

    build(study, material)
    done = bring(study, {"statement_id": "r1.1", "original": "", "revised": "Stop metformin below 30.",
                           "url": "https://renal.example/"})  # fmt: skip
    assert (done.added, done.odd) == (1, [])
    (unit,) = units(study, REVISION)
    view = REVISION.load(study.reader, unit)
    assert {part.label: part.text for part in view.parts}["original"] == "Stop metformin below 45."
    assert (view.response_id, view.group, view.documents[0].snapshot_id) == ("r1", "R01", "renal@1")
    assert REVISION.cluster(study.reader, unit) == "r1"


def test_records_that_neither_revise_nor_remove_are_left_out_and_labels_that_do_not_fit_are_dropped(study):
    good = {"original": "It helps all.", "revised": "It helps some.", "passage": "It helps some people."}
    done = bring(
        study,
        {**good, "labels": [{"annotator": "a", "label": "removal right"}, {"annotator": "b", "label": "supported"}]},
        {**good, "revised": ""},
        {**good, "action": "remove"},
        {**good, "original": " "},
        {**good, "gold": "removal_right", "original": "It helps most."},
    )
    assert [bad.line for bad in done.bad] == [2, 3, 4]
    assert (done.added, done.labels, done.gold) == (2, 1, 0)
    assert [(odd.line, "does not fit" in odd.reason) for odd in done.odd] == [(1, True), (5, True)]


def test_a_unit_passage_gold_label_and_opinions_come_back_as_they_were_stored_and_once(study: Study) -> None:
    passage = NewPassage("Warfarin is monitored by the INR.", "Anticoagulants", "https://text.example/1")
    item = NewUnit("qa", "How is warfarin monitored?", {"passage": passage.passage_id, "answers": ["INR"]}, "q1")
    gold = Gold("relevance", "5", why="textbook")
    for _ in range(2):
        study.write(lambda c: add_passages(c, [passage], "a.jsonl"))
        study.write(lambda c: add_units(c, [item], "a.jsonl"))
        study.write(lambda c: add_gold(c, [(item.unit, gold)], "kb"))
        opinions = [
            NewOpinion(item.unit, judge, "relevance", raw, raw) for judge, raw in zip("abc", "554", strict=True)
        ]
        study.write(lambda c, said=opinions: add_opinions(c, said, "a.jsonl"))
    stored = load_unit(study.reader, item.unit)
    assert (stored.text, stored.content, stored.record_id, stored.ordinal) == (item.text, item.content, "q1", 1)
    assert load_passage(study.reader, passage.passage_id) == passage
    assert load_gold(study.reader, item.unit, "relevance") == gold
    machines = stored_opinions(study.reader, item.unit, "relevance")
    assert (machines.level, len(machines.opinions)) == ("5", 3)


def test_the_id_of_a_unit_says_its_kind_and_what_it_is_made_of() -> None:
    pair = unit_id("pair", "s1", "u2")
    assert (kind_of(pair), ids_of(pair)) == ("pair", ("s1", "u2"))
    assert (unit_id("statement", "s1"), kind_of("s1"), ids_of("s1")) == ("s1", "statement", ("s1",))
    parts = {"statement": {"s1"}, "source": {"u2"}}
    assert is_here(pair, set(), parts)
    assert not is_here(unit_id("pair", "u2", "s1"), set(), parts)
    assert not is_here("pair:s1", set(), parts)
    assert is_here("qa:x1", {"qa:x1"}, parts)
