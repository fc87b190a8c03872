"""Several answers in one text: headings with questions are counted, and split where the user says so."""

from collections.abc import Callable
from pathlib import Path

import pytest

from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.headings import splitting_at_headings
from medreview.exchange.imports.open_rows import notes_on, open_rows
from tests.support.read_answers import rows_in

Write = Callable[[str, str | bytes], Path]
HINT = "2 headings: 2 answers? --split-at-headings makes an answer of each"


def split(path: Path) -> list[NamedRow | BadRecord]:
    with splitting_at_headings():
        assert HINT not in notes_on(path)
        return list(open_rows(path)[0])


@pytest.mark.parametrize(
    "text",
    [
        "Question: What is given?\nAspirin is given.\n\nQuestion: What is stopped?\n\nMetformin is stopped.\n",
        "# Answers\n\n## What is given?\n\nAspirin is given.\n\n## What is stopped?\nMetformin is stopped.\n",
        "Q1. What is given?\nAnswer: Aspirin is given.\nQ2. What is stopped?\nAnswer: Metformin is stopped.\n",
        "## Question 1\nWhat is given?\n\nAspirin is given.\n\n"
        "## Question 2\nWhat is stopped?\n\nMetformin is stopped.\n",
        "# What is given?\n\nAspirin is given.\n\n## What is stopped?\n\nMetformin is stopped.\n",
        "**Question 1:** What is given?\n\n**Answer:** Aspirin is given.\n\n**Question 2:** What is stopped?\n\n"
        "**Answer:** Metformin is stopped.\n",
    ],
)
def test_each_heading_with_a_question_is_an_answer_when_wanted(write: Write, text: str):
    path = write("a.md", text)

    assert len(rows_in(path)) == 1
    assert notes_on(path) == [HINT]
    assert [dict(row.values) for row in split(path) if isinstance(row, NamedRow)] == [
        {"question": "What is given?", "response": "Aspirin is given."},
        {"question": "What is stopped?", "response": "Metformin is stopped."},
    ]


def test_headings_within_one_answer_are_no_answers_unless_told(write: Write):
    path = write("a.md", "# What is given?\n\n## Dose\n\nAspirin 75 mg.\n\n## Duration\n\nFor life.\n")

    assert notes_on(path) == []
    assert len(rows_in(path)) == 1


@pytest.mark.parametrize(
    ("first", "questions"),
    [
        ("# Given?\nAspirin.", ["Given?", "Stopped?", "Why?"]),  # as a document's first heading comes
        ("# Answers of May\nThese were collected.", ["Stopped?", "Why?"]),
        ("# Which?", ["Stopped?", "Why?"]),
    ],
)
def test_a_first_heading_that_asks_and_is_answered_is_one_of_them(write: Write, first: str, questions: list[str]):
    rows = split(write("a.md", f"{first}\n\n## Stopped?\nMetformin.\n\n## Why?\nIt harms.\n"))

    assert [row.values["question"] for row in rows if isinstance(row, NamedRow)] == questions


def test_answers_that_a_line_parts_already_are_not_counted(write: Write):
    path = write("a.md", "Question: Given?\nAspirin.\n\n=====\nQuestion: Stopped?\nMetformin.\n")

    assert notes_on(path) == []
    assert len(rows_in(path)) == 2


def test_each_answer_gets_the_references_that_it_cites(write: Write):
    path = write(
        "a.md",
        "## What is given?\nAspirin is given [1, 3-4].\n## What is stopped?\nMetformin is stopped [2].[^1]\n"
        "## References\n1. https://one.example\n2. Two,\n   https://two.example\n3. https://three.example\n"
        "4. https://four.example\n\n[^1]: A note.\n",
    )

    assert [row.values["response"] for row in split(path) if isinstance(row, NamedRow)] == [
        "Aspirin is given [1, 3-4].\n\n## References\n\n1. https://one.example\n3. https://three.example\n"
        "4. https://four.example",
        "Metformin is stopped [2].[^1]\n\n## References\n\n2. Two, https://two.example\n\n[^1]: A note.",
    ]


def test_what_belongs_to_no_answer_is_named_with_its_line(write: Write):
    path = write(
        "a.md",
        "---\nmodel: atlas-2\n---\n# Title\nThese were collected.\n\n"
        "Q1: Given?\nAspirin.\nQ2: Stopped?\n\nQ3: Why?\nIt harms.\n",
    )

    assert split(path) == [
        BadRecord(5, "stands before the first heading with a question"),
        NamedRow(7, {"model": "atlas-2", "question": "Given?", "response": "Aspirin."}),
        BadRecord(9, "is a heading without an answer below it"),
        NamedRow(11, {"model": "atlas-2", "question": "Why?", "response": "It harms."}),
    ]
