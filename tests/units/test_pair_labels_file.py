"""Experts' labels on pairs from a file: events of their own names, on the pages as they are."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from medreview.import_files import Imported, import_file
from medreview.progress import SILENT
from medreview.review.decision import last_act
from medreview.study import Study
from medreview.study.check import check
from medreview.units.derived_label import derived_label
from tests.support.study_builder import StudyBuilder, build, new_version, rows_of

FIRST = {"response": "a17", "statement": "Warfarin is monitored by the INR.", "source": "https://a.example/"}


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    def material(rows: StudyBuilder) -> None:
        rows.page("a", "Warfarin is monitored by the INR.")
        rows.source("b")
        for name, record in (("r1", "a17"), ("r2", "a18")):
            statements = ("Warfarin is monitored by the INR.", f"This is answer {record}.")
            rows.response(name, " ".join(statements), statements=statements, cites=("a", "b"), record_id=record)
        rows.own_number("r1", 4, "b")

    with Study.create(tmp_path / "t.medreview") as made:
        build(made, material)
        yield made


def brought(study: Study, tmp_path: Path, *records: dict[str, Any]) -> Imported:
    path = tmp_path / "experts.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return import_file(study, path, {}, SILENT)


def test_labels_of_several_experts_come_in_once_and_say_what_they_were_given_on(study: Study, tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"reviewer": "Expert 1", **FIRST, "label": "Supported", "exposure": "blind"},
        {"reviewer": "Expert 2", **FIRST, "label": "partial", "reason": "stronger than source", "note": "Only once."},
        {"reviewer": "Expert 1", "statement": "This is answer a17.", "source": "[4]", "label": "not found"},
        {"reviewer": "Expert 2", "statement": "r2.2", "source": "a", "label": "contradicted", "reason": "It is a18."},
    ]
    done = brought(study, tmp_path, *records)
    assert (done.kind, done.read, done.labels, done.bad) == ("pair", 4, 4, [])
    assert rows_of(
        study, "SELECT reviewer, unit, axis, label, snapshot, mode FROM event WHERE kind = 'decide' ORDER BY seq"
    ) == [
        dict(zip(("reviewer", "unit", "axis", "label", "snapshot", "mode"), row, strict=True))
        for row in (
            ("Expert 1", "pair:r1.1:a", "evidence", "supported", "a@1", "blind"),
            ("Expert 1", "pair:r1.2:b", "support", "not_supported", None, "open"),
            ("Expert 2", "pair:r1.1:a", "evidence", "partial", "a@1", "open"),
            ("Expert 2", "pair:r2.2:a", "evidence", "contradicted", "a@1", "open"),
        )
    ]
    assert [row["mode"] for row in rows_of(study, "SELECT mode FROM reviewer_label ORDER BY reviewer, unit")] == [
        "blind", "assisted", "assisted",
    ]  # fmt: skip
    said = rows_of(study, "SELECT kind, payload FROM event WHERE kind IN ('note', 'reason') ORDER BY seq")
    assert [(row["kind"], json.loads(row["payload"]).get("text", "")) for row in said] == [
        ("note", "Only once."), ("reason", ""), ("note", "It is a18."),
    ]  # fmt: skip
    assert brought(study, tmp_path, *records).labels == 0
    assert check(study.reader) == []
    own = derived_label(study.reader, "r1.2", "Expert 1")
    assert own is not None
    assert own.words == "1 of 2 pairs labelled"
    last = last_act(study.reader, "Expert 1", 1)
    assert last is not None
    assert (last.unit, last.words) == ("pair:r1.2:b", "support not supported")


def test_the_same_file_says_nothing_new_of_a_page_that_has_changed(study: Study, tmp_path: Path) -> None:
    record = {"reviewer": "kb", **FIRST, "label": "supported"}
    assert brought(study, tmp_path, record).labels == 1
    new_version(study, "a", "Warfarin is monitored by the anti-Xa activity.")
    assert brought(study, tmp_path, record).labels == 0
    assert len(rows_of(study, "SELECT * FROM decision_stale")) == 1


def test_what_is_no_label_or_is_not_in_the_study_is_named_with_its_line(study: Study, tmp_path: Path) -> None:
    good = {"reviewer": "kb", **FIRST, "label": "supported"}
    done = brought(
        study,
        tmp_path,
        good,
        {**good, "label": "perhaps"},
        {**good, "label": "unsure"},
        {**good, "reviewer": " "},
        {**good, "response": ""},
        {**good, "response": "a99"},
        {**good, "statement": "Nobody said this."},
        {**good, "source": "https://c.example/"},
        {**good, "exposure": "half"},
    )
    assert done.labels == 1
    assert {bad.line: bad.reason.partition(";")[0] for bad in done.bad} == {
        2: "has the label 'perhaps'",
        3: "has the label 'unsure'",
        4: "has no reviewer",
        5: "has a statement of several responses",
        6: "names the response 'a99', which the study does not have",
        7: "has a statement that is none of the study: 'Nobody said this.'",
        8: "has a source that its response does not cite: 'https://c.example/'",
        9: "has 'half' as its exposure",
    }
