"""annotations.jsonld: what reviewers marked and judges found, as Web Annotations that select what they say."""

import json
from pathlib import Path
from typing import Any

import pytest

from medreview.exchange.exports.export import export
from medreview.study import Study
from medreview.text import sha256
from tests.exchange.example_study import PAGE, QUOTE, TEXTS, ExampleStudy
from tests.support.study_builder import StudyBuilder, build
from tests.support.unit_study import fill, units_of


def annotations(study: Study, folder: Path) -> list[dict[str, Any]]:
    summary = export(study, folder)
    found = json.loads((folder / "annotations.jsonld").read_text(encoding="utf-8"))
    assert (found["@context"], found["type"]) == ("http://www.w3.org/ns/anno.jsonld", "AnnotationCollection")
    page = found["first"]
    assert page["type"] == "AnnotationPage"
    assert found["total"] == len(page["items"]) == summary.files["annotations.jsonld"]
    ids = [one["id"] for one in page["items"]]
    assert len(set(ids)) == len(ids)
    items: list[dict[str, Any]] = page["items"]
    return items


@pytest.fixture
def marked(example: ExampleStudy) -> ExampleStudy:
    """A hallucination marked in a response, evidence in its page."""
    start = PAGE.index(QUOTE)
    said = {"target": "response", "axis": "hallucination", "label": "fact", "start": 34, "end": 43}
    example.do("span_add", payload=said | {"exact": TEXTS[0][34:43], "sha256": sha256(TEXTS[0]), "reason": "Below."})
    said = {"target": "source", "axis": "evidence", "label": "supported", "start": start, "end": start + len(QUOTE)}
    example.do("span_add", payload=said | {"exact": QUOTE, "sha256": sha256(PAGE)})
    return example


def test_a_hallucination_is_selected_in_its_response(marked: ExampleStudy, tmp_path: Path) -> None:
    one = annotations(marked.study, tmp_path / "out")[0]
    assert (one["type"], one["creator"]) == ("Annotation", {"type": "Person", "name": "ada"})
    assert one["created"].endswith("+00:00")
    assert [(body["purpose"], body.get("value")) for body in one["body"]] == [
        ("classifying", "fact"), ("commenting", "Below."), ("linking", None),
    ]  # fmt: skip
    assert one["body"][-1]["source"] == f"urn:medreview:unit:{marked.units[0]}"
    words, place = one["target"]["selector"]
    assert (words["type"], place["type"]) == ("TextQuoteSelector", "TextPositionSelector")
    assert TEXTS[0][place["start"] : place["end"]] == words["exact"]
    assert TEXTS[0].startswith(words["prefix"] + words["exact"] + words["suffix"], 34 - len(words["prefix"]))
    assert one["target"]["source"].startswith("urn:medreview:response:r")


def test_evidence_is_selected_in_the_page_as_it_was_fetched(marked: ExampleStudy, tmp_path: Path) -> None:
    target = annotations(marked.study, tmp_path / "out")[1]["target"]
    assert target["source"] == "https://a.example/one"
    assert target["state"] == {"type": "TimeState", "sourceDate": "2026-01-02T00:00:00+00:00"}
    words, place = target["selector"]
    assert PAGE[place["start"] : place["end"]] == words["exact"] == QUOTE  # behind a character beyond the BMP


def test_where_the_text_is_another_there_are_only_the_words(example: ExampleStudy, tmp_path: Path) -> None:
    said = {"target": "response", "axis": "hallucination", "label": "fact", "start": 0, "end": 4, "exact": "Stop"}
    example.do("span_add", payload=said | {"sha256": sha256("Stop it.")})
    (one,) = annotations(example.study, tmp_path / "out")
    assert one["target"]["selector"] == {"type": "TextQuoteSelector", "exact": "Stop"}


def test_each_place_that_a_judge_found_is_one(empty_study: Study, tmp_path: Path) -> None:
    fill(empty_study)
    response_id = units_of(empty_study)["answer"].partition(":")[2]

    def finding(rows: StudyBuilder) -> None:
        spans = [{"quote": "no monitoring", "status": "exact", "spans": [[15, 28], [9, 14]]},
                 {"quote": "not there", "status": "absent", "spans": []}]  # fmt: skip
        rows.add(
            "hallucination_finding", finding_id="f1", judge_run_id=rows.judge_run("checker"), response_id=response_id,
            assisted=0, assisted_by="[]", found=1, type="fact", spans=json.dumps(spans), reason="", raw_output="",
            error="",
        )  # fmt: skip

    build(empty_study, finding)
    found = [one for one in annotations(empty_study, tmp_path / "out") if one["creator"]["type"] == "Software"]
    assert [one["target"]["selector"][0]["exact"] for one in found] == ["no monitoring", "needs"]
    assert {one["target"]["source"] for one in found} == {f"urn:medreview:response:{response_id}"}


def test_without_marks_it_is_empty(example: ExampleStudy, tmp_path: Path) -> None:
    assert annotations(example.study, tmp_path / "out") == []
