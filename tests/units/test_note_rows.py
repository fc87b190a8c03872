"""Files with a clinical note in each record: one case for all notes of it, and no case that is not whole."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from medreview.import_files import import_file
from medreview.progress import SILENT
from medreview.study import Study
from medreview.study.check import check

NOTES: list[dict[str, Any]] = [
    {"case": "adm-1", "id": "n2", "kind": "progress", "at": "2031-01-03", "author": "ward", "text": "No fever."},
    {"case": "adm-2", "kind": "hp", "at": "2031-02-01", "text": "Fell on the stairs.", "title": "Fall, woman of 80"},
    {"case": "adm-1", "id": "n1", "kind": "hp", "at": "2031-01-01T22:10", "text": "Cough for three days.", "bed": 4},
]


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "s.medreview") as made:
        yield made


def bring(study: Study, *records: dict[str, Any], **mapping: str) -> Any:
    path = study.path.with_name("notes.jsonl")
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return import_file(study, path, mapping, SILENT)


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
    done = bring(study, *records, stay="id", day="at", words="text", **{"unit:": "case"})
    assert (done.cases, done.bad) == (1, [])
    assert [row[0] for row in stored(study)] == ["7", "7"]
