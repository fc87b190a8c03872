"""Axes of a study's own and tags in the files of an export, and back from there."""

import csv
import json
from pathlib import Path

import pytest

from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import import_export
from medreview.review.queue import open_queue
from medreview.review.queue_filters import FilterWords, select_statements
from medreview.review.reviewer_state import load_reviewer_state, remarks
from medreview.study import Study
from medreview.study.own_axes import EXAMPLE, own_axes, set_axes, shipped_text
from tests.support.unit_study import STATEMENT_ID, decide, do, fill, units_of


@pytest.fixture
def study(empty_study: Study) -> Study:
    fill(empty_study)
    set_axes(empty_study, "ada", shipped_text("harm") + shipped_text(EXAMPLE))
    decide(empty_study, "ada", STATEMENT_ID, "evidence", "partial")
    decide(empty_study, "ada", STATEMENT_ID, "own.harm", "mild")
    decide(empty_study, "ada", STATEMENT_ID, "own.harm", "severe")
    decide(empty_study, "ada", STATEMENT_ID, "own.missing", "dose;warning")
    decide(empty_study, "bo", STATEMENT_ID, "own.missing", "none")
    decide(empty_study, "bo", units_of(empty_study)["answer"], "own.harm", "death")
    for tag, on in (("dose", True), ("ward-7", True), ("dose", False), ("ask", True)):
        do(empty_study, "ada", "tag", STATEMENT_ID, {"tag": tag, "on": on})
    return empty_study


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_each_axis_is_a_column_with_its_levels_in_the_code_book(study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    export(study, folder, jsonl=True)
    ada, bo = rows(folder, "labels.csv")
    own = ("own_harm", "own_readability", "own_missing", "tags")
    assert [ada[name] for name in own] == ["severe", "", "dose;warning", "ask ward-7"]
    assert [bo[name] for name in own] == ["", "", "none", ""]
    book = {row["column"]: row for row in rows(folder, "codebook.csv") if row["file"] == "labels.csv"}
    assert book["own_harm"]["levels"] == "none mild moderate severe death cannot_judge"
    assert "severe = severe. A life in danger" in book["own_harm"]["meaning"]
    assert "several are joined by ;" in book["own_missing"]["meaning"]
    units = {(row["unit_id"], row["reviewer_id"], row["axis"]): row for row in rows(folder, "unit_labels.csv")}
    answer = units[units_of(study)["answer"], "bo", "own.harm"]
    assert (answer["label_final"], answer["mode"], answer["tags"]) == ("death", "blind", "")
    lines = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    said = {(one["reviewer_id"], one["axis"]): one for line in lines for one in line["labels"]}
    assert said["ada", "own.missing"]["label_final"] == "dose;warning"
    assert said["ada", "evidence"]["tags"] == "ask ward-7"


def test_numbers_follow_the_steps_and_several_levels_are_a_yes_or_no_each(study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    export(study, folder)
    wide = {row["unit_id"]: row for row in rows(folder, "labels_by_reviewer.csv")}
    of_statement, of_answer = wide[STATEMENT_ID], wide[units_of(study)["answer"]]
    # A blind label counts as it stood when the judges were seen, which they were not: ada's second one.
    assert (of_statement["harm_ada"], of_answer["harm_bo"]) == ("3", "4")
    names = ("missing_dose", "missing_warning")
    assert [[of_statement[f"{name}_{who}"] for name in names] for who in ("ada", "bo")] == [["1", "1"], ["0", "0"]]
    assert of_statement["missing_dose_ada_blind"] == "1"
    values = [(row["code"], row["level"]) for row in rows(folder, "value_labels.csv") if row["column"] == "harm_ada"]
    assert values == [
        ("0", "none"), ("1", "mild"), ("2", "moderate"), ("3", "severe"), ("4", "death"), ("9", "cannot_judge"),
    ]  # fmt: skip


def test_an_export_brings_axes_labels_and_tags_into_a_new_study(study: Study, tmp_path: Path) -> None:
    export(study, tmp_path / "out")
    with Study.create(tmp_path / "new.medreview") as new:
        import_export(new, tmp_path / "out")
        assert own_axes(new.reader) == own_axes(study.reader)
        assert remarks(load_reviewer_state(new.reader, STATEMENT_ID, "ada")) == [
            "harm: severe", "missing: dose, warning", "#ask", "#ward-7",
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("filter", "queue", "fits"),
    [
        ("tag=ask", "responses", True),
        ("tag=#ask", "responses", True),
        ("tag=dose", "responses", False),
        ("own.harm=severe", "responses", True),
        ("own.harm=mild", "responses", False),
        ("own.missing=warning", "responses", True),
        ("own.missing=none", "responses", False),
        ("own.readability=open", "responses", True),
        ("own.harm=open", "responses", False),
        ("own.harm=open", "answers", True),
        ("tag=ask", "answers", False),
    ],
)
def test_queues_are_narrowed_by_tags_and_own_labels_of_the_reviewer(
    study: Study, filter: str, queue: str, fits: bool
) -> None:
    opened = open_queue(study, queue, "ada", filter=filter)
    assert bool(opened.units) == fits
    assert not open_queue(study, "responses", "bo", filter="tag=ask").units


def test_filters_are_completed_and_choose_statements_by_the_labels_of_one_reviewer(study: Study) -> None:
    queue = open_queue(study, "responses", "ada", blind=True)
    words = FilterWords(study.reader, queue.kind, queue.mode)
    assert words.values("tag") == ["ask", "ward-7"]
    assert words.values("own.missing") == ["dose", "warning", "none", "open"]
    assert [one.shown for one in words.completions("own.h")] == ["own.harm="]
    assert select_statements(study.reader, "tag=ask", "ada").statements == {STATEMENT_ID}
