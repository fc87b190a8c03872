"""Answers as units: what a file brings, what is shown, what machines say; decided, exported, and in again."""

import csv
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.exchange.exports.export import export, without_judges
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.reviewer_state import load_reviewer_state
from medreview.study import Study
from medreview.study.check import check
from medreview.text import Span
from medreview.units.registry import KINDS
from medreview.units.stored import load_gold, show_correct_answers
from tests.support.answer_study import CONTEXT, CORRECT, FACT, RECORDS, answer_units, bring_answers, find, write_answers
from tests.support.study_builder import rows_of

ANSWER = KINDS["answer"]


@pytest.fixture
def study(tmp_path: Path, study: Study) -> Study:
    bring_answers(study, tmp_path)
    return study


def words(text: str, span: Span) -> str:
    return text[span.start : span.end]


def test_a_file_of_answers_brings_responses_their_gold_and_correct_answer_and_names_the_span_that_is_not_there(
    tmp_path: Path,
) -> None:
    with Study.create(tmp_path / "a.medreview") as study:
        done = bring_answers(study, tmp_path)
        assert (done.kind, done.added, done.gold, done.labels, done.bad) == ("answer", 3, 3, 2, [])
        assert [(odd.line, odd.reason) for odd in done.odd] == [
            (2, "has a gold span that is not in its answer: “take it in week 40”")
        ]
        again = bring_answers(study, tmp_path)
        assert (again.added, again.known, again.gold, again.labels) == (0, 3, 0, 0)
        first, second, third = answer_units(study)
        gold = load_gold(study.reader, second, "hallucination")
        assert gold.label == "context"
        assert [words(CONTEXT, span) for _, span, _ in gold.spans] == [
            "Do not take ibuprofen after week 28", "You may take ibuprofen in week 35",
        ]  # fmt: skip
        others = [load_gold(study.reader, unit, "hallucination") for unit in (first, third)]
        assert [(one.label, one.why, one.attention) for one in others if one] == [
            ("fact", "It can close the ductus.", False), ("none", "", True),
        ]  # fmt: skip
        rows = rows_of(study, "SELECT record_id, model, origin, text FROM response ORDER BY ordinal")
        assert rows[0] == {"record_id": "a1", "model": "atlas-2", "origin": "HealthQA", "text": FACT}
        assert check(study.reader) == []


def test_a_record_that_says_two_things_at_once_is_left_out_with_its_line_and_the_rest_is_kept(tmp_path: Path) -> None:
    wrong = [
        {**RECORDS[0], "hallucination_type": "odd"},
        {**RECORDS[0], "hallucination_type": "none"},
        {**RECORDS[0], "answer": " "},
        {**RECORDS[0], "annotations": [{"group": "robot", "type": "none"}]},
        {**RECORDS[0], "hallucinated_spans": [7]},
        {**RECORDS[2], "hallucination_type": "yes", "correct_answer": "Another one."},
    ]
    with Study.create(tmp_path / "a.medreview") as study:
        done = bring_answers(study, tmp_path, [RECORDS[0], *wrong])
        assert [(bad.line, bad.reason) for bad in done.bad] == [
            (2, "has the type “odd”, which is not one of none, fact, input, context, other"),
            (3, "has spans of a hallucination and the type none"),
            (4, "has no response"),
            (5, "has an annotation of the group “robot”, which is not expert, layperson or model"),
            (6, "has spans that are not a list of texts"),
        ]
        assert [(odd.line, odd.reason) for odd in done.odd] == [
            (7, "has a gold label that names no type: “yes”"),
            (7, "has another correct answer than the one to its question that is there already, which stays"),
        ]
        assert (done.added, done.gold) == (2, 1)


def test_a_table_in_columns_is_read_as_the_same_answers(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(
        "question,answer,type,marked,annotator,annotation\n"
        f'Safe?,"{FACT}",input-conflicting,"[""Take it with food""]",p1,none\n'
        f'Safe?,"{FACT}",input-conflicting,"[""Take it with food""]",p2,fact\n',
        "utf-8",
    )
    with Study.create(tmp_path / "a.medreview") as study:
        done = pipeline.bring_in(study, path, {"type": "gold", "marked": "spans"})
        assert (done.kind, done.added, done.known, done.gold, done.labels) == ("answer", 1, 1, 1, 2)
        (unit,) = answer_units(study)
        assert ANSWER.machines(study.reader, unit).opinions == ()
        rows = rows_of(study, "SELECT reviewer, label, mode FROM reviewer_label ORDER BY reviewer")
        assert [tuple(row.values()) for row in rows] == [("p1", "none", "assisted"), ("p2", "fact", "assisted")]


def test_what_people_and_models_said_elsewhere_comes_in_as_labels_of_their_names_and_as_opinions(
    tmp_path: Path,
) -> None:
    said = [
        {"annotator": "dr2", "group": "experts", "type": "context", "reason": "28 against 35",
         "spans": ["after week 28", {"text": "in week 35", "type": "fact"}]},
        {"group": "layperson", "label": "yes", "spans": ["week 28"]},
        {"annotator": "gpt", "group": "model", "hallucination": "fact", "spans": ["after week 28", "in week 35"]},
    ]  # fmt: skip
    with Study.create(tmp_path / "a.medreview") as study:
        bring_answers(study, tmp_path, [{**RECORDS[1], "annotations": said}])
        (unit,) = answer_units(study)
        own = load_reviewer_state(study.reader, unit, "dr2")
        assert (own.label, own.note) == ("context", "28 against 35")
        assert [(mine.exact, mine.label) for mine in own.spans] == [
            ("after week 28", "context"),
            ("in week 35", "fact"),
        ]
        lay = load_reviewer_state(study.reader, unit, "layperson 2")
        assert (lay.label, lay.note, lay.spans) == (None, "hallucinated: yes; week 28", ())
        groups = rows_of(study, "SELECT DISTINCT reviewer, json_extract(payload, '$.group') AS g FROM event ORDER BY 1")
        assert [tuple(row.values()) for row in groups] == [("dr2", "expert"), ("layperson 2", "layperson")]
        (opinion,) = ANSWER.machines(study.reader, unit).opinions
        assert (opinion.judge, opinion.label, opinion.passages[0].quote) == (
            "gpt",
            "fact",
            "after week 28 … in week 35",
        )
        assert check(study.reader) == []


def test_ordinary_answers_are_no_file_of_gold(tmp_path: Path) -> None:
    path = write_answers(tmp_path / "plain.jsonl", [{"answer": FACT, "type": "yes/no"}])
    with Study.create(tmp_path / "a.medreview") as study:
        assert pipeline.bring_in(study, path, {}).kind == "responses"
        assert rows_of(study, "SELECT * FROM gold") == []
        assert len(answer_units(study)) == 1


def test_an_answer_shows_its_question_and_text_and_the_correct_answer_only_when_the_study_says_so(study: Study) -> None:
    unit = answer_units(study)[0]
    view = ANSWER.load(study.reader, unit)
    assert [part.text for part in view.parts if part.main] == ["Can I take ibuprofen in the last weeks of pregnancy?"]
    assert [(one.key, one.text) for one in view.documents] == [("response", FACT)]
    assert [one.text for one in ANSWER.afterwards(study.reader, unit)] == [CORRECT]
    show_correct_answers(study, "shown")
    assert [one.key for one in ANSWER.load(study.reader, unit).documents] == ["response", "correct_answer"]
    assert ANSWER.afterwards(study.reader, unit) == ()
    with pytest.raises(KeyError):
        ANSWER.load(study.reader, "answer:r0")


def test_judges_are_told_with_their_places_and_majority_and_what_they_said_after_remarks_is_no_vote(
    study: Study,
) -> None:
    unit = answer_units(study)[1]
    find(study, "one", unit, "none")
    find(study, "one", unit, "context", "week 28", "week 35", prompt="p/2")
    find(study, "two", unit, "context", "Paracetamol can be used", "week 99")
    find(study, "three", unit, "fact", "week 35")
    find(study, "four", unit, "")
    find(study, "three", unit, "none", assisted_by=("e1",))
    said = ANSWER.machines(study.reader, unit)
    assert [(one.judge, one.said, one.counts) for one in said.opinions] == [
        ("one", "context", True), ("two", "context", True), ("three", "fact", True),
        ("three", "before: fact; after an expert's remarks: none", False), ("four", "no answer", False),
    ]  # fmt: skip
    assert (said.level, said.words) == ("context", "judges context 2, fact 1")
    assert said.badges == "finding: context · finding: fact"
    marked = [words(CONTEXT, span) for one in said.opinions for passage in one.passages for span in passage.spans]
    assert marked == ["week 28", "week 35", "Paracetamol can be used", "week 35"]
    assert [(p.quote, p.status, len(p.spans)) for p in said.opinions[1].passages][1] == ("week 99", "absent", 0)
    ratings = [(one.rater, one.value) for one in ANSWER.machine_ratings(study.reader) if one.unit == unit]
    assert sorted(ratings) == [("one", "context"), ("three", "fact"), ("two", "context")]


def test_the_tables_of_an_export_have_the_answers_with_their_correct_ones(study: Study) -> None:
    tables = {table.file: table for table in ANSWER.tables}
    rows = list(tables["answers.csv"].read(study.reader))
    assert [len(row) for row in rows] == [len(tables["answers.csv"].columns)] * 3
    assert (rows[0][6], rows[0][7]) == (FACT, CORRECT)
    assert list(tables["answer_spans.csv"].read(study.reader)) == []


def test_an_export_for_who_is_not_done_has_no_correct_answer_of_what_is_not_decided(study: Study) -> None:
    def correct() -> set[object]:
        with without_judges(study.reader, "kb"):
            return {row[7] for row in ANSWER.tables[0].read(study.reader)}

    assert correct() == {None}
    show_correct_answers(study, "shown")
    assert correct() == {CORRECT}
    show_correct_answers(study, "after")
    session = open_session(study, "kb", open_queue(study, "answers", "kb"))
    for unit in session.queue.units:
        session.go(list(session.queue.units).index(unit))
        session.decide("fact")
    assert correct() == {CORRECT}


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_labels_spans_findings_and_correct_answers_come_out_of_an_export_and_in_again(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with Study.create(tmp_path / "a.medreview") as study:
        bring_answers(study, tmp_path)
        first, unit, _ = answer_units(study)
        find(study, "one", unit, "context", "after week 28", "in week 35")
        session = open_session(study, "kb", open_queue(study, "answers", "kb", blind=False))
        session.go(list(session.queue.units).index(unit))
        session.decide("context")
        session.go(list(session.queue.units).index(unit))
        for _ in range(2):
            session.take_finding(session.open_finding())
        session.add_span("response", session.default_span("response"), label="fact", reason="Not after week 20.")
        before = load_reviewer_state(study.reader, unit, "kb")
        export(study, folder)
        answers = {row["unit_id"]: row for row in rows(folder, "answers.csv")}
        assert answers[first]["correct_answer"].startswith("No. Ibuprofen and other NSAIDs")
        spans = [row for row in rows(folder, "answer_spans.csv") if row["reviewer_id"] == "kb"]
        assert [(row["type"], row["exact"], row["reason"]) for row in spans] == [
            ("context", "after week 28", ""), ("context", "in week 35", ""),
            ("fact", before.spans[2].exact, "Not after week 20."),
        ]  # fmt: skip
        assert (spans[1]["with_span"], spans[1]["from_span"], spans[2]["from_finding"]) == (
            spans[0]["span_id"], "2", "",
        )  # fmt: skip
    with Study.create(tmp_path / "b.medreview") as again:
        pipeline.bring_in(again, folder, {}, as_copy=True)
        assert load_reviewer_state(again.reader, unit, "kb") == before
        (reference,) = again.reader.execute("SELECT text FROM reference_answer").fetchall()
        assert reference[0].startswith("No. Ibuprofen")
        assert again.reader.execute("SELECT count(*) FROM gold WHERE axis = 'hallucination'").fetchone()[0] == 3
        assert check(again.reader) == []
