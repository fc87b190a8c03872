"""Cases from files, with suggested facts, or with a clinical note in each record; bad records named."""

from pathlib import Path
from typing import Any

import pytest

from medreview.import_files import import_file
from medreview.labels import CATEGORY
from medreview.progress import SILENT
from medreview.study import Study
from medreview.study.check import check
from medreview.units.cases import case_of
from medreview.units.suggestion import Suggestion, case_facts
from tests.support.bringing import bring

KIND = Suggestion()
SAMPLE = Path(__file__).parents[2] / "sample_data" / "cases.jsonl"
CASE: dict[str, Any] = {
    "id": "c1", "title": "Pneumonia", "question": "Write the course of the patient with pneumonia.",
    "reference": "Pneumonia of the left lower lobe was treated with amoxicillin for five days.",
    "notes": [
        {"kind": "Progress note", "at": "2031-01-03", "author": "ward", "text": "No fever since yesterday."},
        {"kind": "H&P", "at": "2031-01-01T22:10", "author": "admission", "text": "Cough and fever for three days."},
    ],
    "suggested_by": "atlas-2",
    "key_facts": [
        {"fact": "Amoxicillin was given for five days.", "category": "Management",
         "quote": "treated with amoxicillin for five days"},
        {"fact": "It was viral.", "category": "diagnosis", "quote": "a viral pneumonia", "gold": "discarded",
         "gold_why": "Planted."},
    ],
}  # fmt: skip


def test_a_case_comes_in_with_its_notes_by_date_and_its_suggested_facts(study):
    done = bring(study, CASE)
    assert (done.kind, done.cases, done.added, done.gold, done.bad, done.odd) == ("case", 1, 2, 1, [], [])
    again = bring(study, CASE)
    assert (again.cases, again.added, again.known) == (0, 0, 2)
    first, second = (row[0] for row in study.reader.execute(f"SELECT unit FROM ({KIND.rows}) ORDER BY ordinal"))
    view = KIND.load(study.reader, first)
    assert [part.text for part in view.parts] == ["Amoxicillin was given for five days.", "management", "Pneumonia"]
    assert [document.title for document in view.documents] == [
        "reference text", "H&P 2031-01-01 22:10 admission", "progress note 2031-01-03 ward",
    ]  # fmt: skip
    assert (view.name, KIND.load(study.reader, second).name) == ("C01 F1", "C01 F2")
    assert KIND.cluster(study.reader, first) == case_of(study.reader, KIND.cluster(study.reader, first)).case_id
    assert "atlas-2" not in repr(view).replace("model='atlas-2'", "")
    assert "treated with amoxicillin for five days" not in view.card
    assert check(study.reader) == []


def test_the_quote_and_who_suggested_it_are_the_machines_word(study):
    bring(study, CASE)
    first, second = (fact.unit for fact in case_facts(study.reader))
    view, told = KIND.load(study.reader, first), KIND.machines(study.reader, first)
    (passage,) = told.opinions[0].passages
    ((start, end),) = passage.spans
    assert view.document(passage.key).text[start:end] == passage.quote
    assert (passage.status, told.words, told.badges, told.level) == ("exact", "suggested: atlas-2", "", None)
    assert [(key, mark.start, mark.end) for key, mark in told.marks] == [("reference", start, end)]
    assert KIND.machines(study.reader, second).badges == "quote absent"
    assert list(KIND.machine_ratings(study.reader)) == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"notes": [{"at": "31 Feb", "text": "A"}]}, "has a note 1 with the date '31 Feb'"),
        ({"notes": [{"at": "2031-02-30", "text": "A"}]}, "with the date '2031-02-30'"),
        ({"notes": [{"at": "2031-02-03", "text": "A"}, {"text": "B"}]}, "notes without a date"),
        ({"notes": [{"at": "2031-02-03T08:00Z", "text": "A"}, {"at": "2031-02-03", "text": "B"}]}, "a time zone"),
        ({"notes": [{"kind": "hp", "text": " "}]}, "has a note 1 without a text"),
        ({"notes": "all"}, "has text as its notes, not a list"),
        ({"notes": ["text"]}, "has a note 1 that is not an object"),
        ({"question": ""}, "has no question"),
        ({"notes": [], "reference": ""}, "has neither a reference text nor notes"),
        ({"key_facts": [7]}, "has a key fact 1 that is neither"),
        ({"key_facts": [{"fact": "A", "gold": "wrong"}]}, "there are kept, discarded, edited"),
        ({"key_facts": [{"category": "diagnosis"}]}, "has a key fact 1 without a text"),
    ],
)
def test_a_bad_case_is_named_and_the_rest_is_kept(study, change, why):
    done = bring(study, {**CASE, **change, "unit": "case"}, {**CASE, "question": "Another?", "unit": "case"})
    assert [(bad.line, why in bad.reason) for bad in done.bad] == [(1, True)], done.bad
    assert done.cases == 1


def test_a_question_belongs_to_one_case(study):
    done = bring(study, CASE, {**CASE, "id": "c2", "title": "Another"})
    assert [bad.reason for bad in done.bad] == ["asks what the case in line 1 asks; each needs its own question"]
    (bad,) = bring(study, {**CASE, "reference": "Another text."}).bad
    assert "asks what the case C01 (c1) of this study asks and is another case" in bad.reason


def test_what_is_odd_comes_in_and_is_said(study):
    facts = [{"fact": "A fact.", "category": "mood"}, "Only a text."]
    done = bring(study, {**CASE, "notes": [{"kind": "telephone", "text": "Called."}], "key_facts": facts})
    assert [odd.reason for odd in done.odd] == [
        "has a note 1 of the kind 'telephone', stored as other",
        "has a key fact 1 of the category 'mood', stored as other",
    ]
    assert [fact.category for fact in case_facts(study.reader)] == ["other", "other"]


def test_answers_with_key_facts_beside_them_stay_answers(study):
    record = {"id": "r1", "question": "Q?", "response": "A.", "reference": "T.", "key_facts": ["A fact."]}
    done = bring(study, record)
    assert (done.kind, done.facts) == ("responses", 1)


def test_the_sample_cases_are_as_their_page_says(study):
    done = import_file(study, SAMPLE, {}, SILENT)
    assert (done.cases, done.added, done.gold, done.bad, done.odd, done.unused) == (3, 15, 6, [], [], [])
    levels = {label.level for label in CATEGORY}
    for fact in case_facts(study.reader):
        (opinion,) = KIND.machines(study.reader, fact.unit).opinions
        assert [passage.status for passage in opinion.passages] == ["exact"], fact.text
        assert fact.category in levels - {"other"}
    for (case_id,) in study.reader.execute("SELECT case_id FROM clinical_case").fetchall():
        rows = study.reader.execute("SELECT kind, at FROM case_note WHERE case_id = ? ORDER BY ordinal", (case_id,))
        kinds, dates = zip(*rows, strict=True)
        assert (kinds[0], sorted(dates)) == ("hp", list(dates))
        assert {"progress", "allied"} <= set(kinds)


NOTES: list[dict[str, Any]] = [
    {"case": "adm-1", "id": "n2", "kind": "progress", "at": "2031-01-03", "author": "ward", "text": "No fever."},
    {"case": "adm-2", "kind": "hp", "at": "2031-02-01", "text": "Fell on the stairs.", "title": "Fall, woman of 80"},
    {"case": "adm-1", "id": "n1", "kind": "hp", "at": "2031-01-01T22:10", "text": "Cough for three days.", "bed": 4},
]


def stored(study: Study) -> list[tuple[str, ...]]:
    query = """SELECT c.record_id, c.title, n.ordinal, n.kind, n.at, n.author, n.text
               FROM clinical_case AS c JOIN case_note AS n USING (case_id) ORDER BY c.ordinal, n.ordinal"""
    return [tuple(row) for row in study.reader.execute(query)]


def test_the_notes_of_a_case_become_one_case_in_the_order_of_their_dates(study):
    done = bring(study, *NOTES)
    assert (done.kind, done.cases, done.bad, done.odd) == ("case", 2, [], [])
    assert stored(study) == [
        ("adm-1", "", 1, "hp", "2031-01-01T22:10", "", "Cough for three days."),
        ("adm-1", "", 2, "progress", "2031-01-03", "ward", "No fever."),
        ("adm-2", "Fall, woman of 80", 1, "hp", "2031-02-01", "", "Fell on the stairs."),
    ]
    questions = [row[0] for row in study.reader.execute("SELECT question FROM clinical_case ORDER BY ordinal")]
    assert questions == ["Write the hospital course of the case adm-1.", "Write the hospital course of the case adm-2."]
    assert [column.column for column in done.unused] == ["bed"]
    assert (bring(study, *NOTES).cases, check(study.reader)) == (0, [])


def test_a_note_may_say_what_is_asked_about_its_case(study):
    first, *rest = NOTES
    bring(study, {**first, "question": "What happened?", "reference": "Pneumonia."}, *rest)
    row = study.reader.execute("SELECT question, reference FROM clinical_case WHERE record_id = 'adm-1'").fetchone()
    assert tuple(row) == ("What happened?", "Pneumonia.")


@pytest.mark.parametrize(
    ("bad", "why", "kept"),
    [
        (
            {"case": "adm-1", "kind": "allied", "at": "2031-01-02", "text": " "},
            "has no text, so that the case adm-1",
            1,
        ),
        ({"case": "adm-1", "kind": "allied", "at": "2031-01-02"}, "has no text, so that the case adm-1", 1),
        (
            {"case": "adm-1", "kind": "allied", "at": "2031-01-02", "text": 7},
            "has a number as its text, not text, so that the case adm-1",
            1,
        ),
        ({"kind": "allied", "at": "2031-01-02", "text": "Walks."}, "has no case that the note is of", 2),
        ({"case": "adm-1", "kind": "allied", "at": "yesterday", "text": "Walks."}, "with the date 'yesterday'", 1),
    ],
)
def test_a_note_that_cannot_be_used_is_named_and_no_case_is_stored_without_it(study, bad, why, kept):
    done = bring(study, *NOTES, bad)
    assert [why in record.reason for record in done.bad] == [True], done.bad
    assert done.cases == kept


def test_columns_of_other_names_are_mapped(study):
    records = [
        {"stay": 7, "day": "2031-01-01", "words": "Cough."},
        {"stay": 7, "day": "2031-01-02", "words": "Better."},
    ]
    done = bring(study, *records, mapping={"stay": "id", "day": "at", "words": "text", "unit:": "case"})
    assert (done.cases, done.bad) == (1, [])
    assert [row[0] for row in stored(study)] == ["7", "7"]
