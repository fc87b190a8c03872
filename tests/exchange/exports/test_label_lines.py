"""labels.jsonl: a line for every labelled unit, with all that belongs to it, in types that other programs can load."""

import json
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.exchange.exports.export import export
from medreview.exchange.files.columns import EXPOSURE
from medreview.review.decision import decide_in_script
from medreview.study import Study
from tests.exchange.example_study import PAGE, QUOTE, ExampleStudy
from tests.support.study_builder import StudyBuilder, build
from tests.support.unit_study import LABELS, RESPONSE_ID, decide, decide_all, do, fill, units_of


def lines(study: Study, folder: Path, **how: Any) -> dict[str, dict[str, Any]]:
    """The records by unit."""
    export(study, folder, jsonl=True, **how)
    text = (folder / "labels.jsonl").read_text(encoding="utf-8")
    return {record["unit_id"]: record for record in map(json.loads, text.splitlines())}


def types(value: Any, path: str = "") -> set[tuple[str, str]]:
    """Every place in a record with the type of what stands there."""
    if isinstance(value, dict):
        return {(path, "object")}.union(*(types(inner, f"{path}.{name}") for name, inner in value.items()))
    if isinstance(value, list):
        return {(path, "list")}.union(*(types(inner, f"{path}[]") for inner in value))
    return {(path, type(value).__name__)}


@pytest.fixture
def labelled(example: ExampleStudy) -> ExampleStudy:
    """The first statement with two reviewers' labels, notes and a reason, the fifth with an assisted one."""

    def evidence(rows: StudyBuilder) -> None:
        start = PAGE.index(QUOTE)
        rows.evidence(example.units[0], "p1", [[start, start + len(QUOTE)], [0, 6]])

    build(example.study, evidence)
    given = example.decide("partial")
    example.do("reason", payload={"decision": given.event_id, "code": "number"})
    example.do("note", payload={"text": "„30“ is\nmeant"})
    example.do("flag", payload={"flag": "dispute", "on": True})
    example.decide("partial", who="bo")
    example.decide("fact", axis="hallucination", who="bo")
    example.decide("supported", 4, seen="before", mode="open")
    return example


def test_a_line_has_all_that_a_label_rests_on(labelled: ExampleStudy, tmp_path: Path) -> None:
    found = lines(labelled.study, tmp_path / "out")
    assert list(found) == [labelled.units[0], labelled.units[4]]
    one = found[labelled.units[0]]
    assert (one["kind"], one["question"], one["model"], one["record_id"]) == ("statement", "Question 1?", "ember", "q1")
    assert (one["text"], one["places"]) == (
        "Stop metformin when the eGFR falls below 30",
        [{"start": 0, "end": 43}],
    )
    (source,) = one["sources"]
    assert (source["url"], source["title"], source["page_state"]) == ("https://a.example/one", "Metformin", "ok")
    start = PAGE.index(QUOTE)
    assert source["passages"] == [
        {"start": start, "end": start + len(QUOTE), "text": QUOTE},
        {"start": 0, "end": 6, "text": "Dosing"},
    ]
    assert [(judge["judge"], judge["model"], judge["label"], judge["support"]) for judge in one["judges"]] == [
        ("one", "m1", "supported", "supported"),
        ("two", "m2", "contradicted", "not_supported"),
    ]
    assert one["judges"][0]["quote"] == QUOTE
    assert (one["verdict"], one["support"], source["cited"]) == ("", "", "")


def test_labels_of_each_reviewer_say_how_they_were_given(labelled: ExampleStudy, tmp_path: Path) -> None:
    found = lines(labelled.study, tmp_path / "out")
    ada, bo, also = found[labelled.units[0]]["labels"]
    assert (ada["reviewer_id"], ada["axis"], ada["label"], ada["mode"]) == ("ada", "evidence", "partial", "blind")
    assert (ada["reason_code"], ada["note"], ada["flags"]) == ("number", "„30“ is\nmeant", "dispute")
    assert (bo["reviewer_id"], bo["reason_code"], bo["note"], bo["flags"]) == ("bo", "", "", "")
    assert (also["axis"], also["label"]) == ("hallucination", "fact")
    assert list(ada["exposure"]) == [part for part, _ in EXPOSURE]
    assert set(ada["exposure"].values()) == {"no", ""}
    assisted = found[labelled.units[4]]["labels"][0]
    assert (assisted["mode"], assisted["exposure"]["judge_verdict"]) == ("assisted", "before")


def test_the_consensus_is_what_all_say_one_says_or_a_conflict_was_settled_by(
    labelled: ExampleStudy, tmp_path: Path
) -> None:
    first, second = labelled.units[0], labelled.units[1]
    ours = labelled.decide("supported", 1)
    theirs = labelled.decide("not_addressed", 1, who="bo")

    def told() -> dict[str, tuple[str, str]]:
        found = lines(labelled.study, tmp_path / "out")
        return {unit: (one["consensus"], one["consensus_by"]) for unit, one in found.items()}

    assert told() == {
        first: ("partial", "unanimous"), second: ("", ""), labelled.units[4]: ("supported", "single"),
    }  # fmt: skip
    settled = {"axis": "evidence", "label": "partial", "by": "third", "of": [ours.event_id, theirs.event_id]}
    labelled.do("adjudicate", 1, settled, who="cy", mode="open")
    assert told()[second] == ("partial", "adjudicated")
    one = lines(labelled.study, tmp_path / "out")[second]
    assert (one["adjudicated_by"], one["adjudicator_id"]) == ("third", "cy")


def test_a_stale_label_makes_no_consensus(labelled: ExampleStudy, tmp_path: Path) -> None:
    build(labelled.study, lambda rows: labelled.page(rows, "p2", "Another text altogether."))
    one = lines(labelled.study, tmp_path / "out")[labelled.units[0]]
    assert {label["stale"] for label in one["labels"]} == {True}
    assert (one["consensus"], one["judges"]) == ("", [])


def test_units_of_every_kind_have_a_line_and_a_key_has_one_type_in_all_of_them(
    empty_study: Study, tmp_path: Path
) -> None:
    fill(empty_study)
    decide_all(empty_study, "ada", 0)
    decide_all(empty_study, "bo", 1)
    do(empty_study, "bo", "note", units_of(empty_study)["qa"], {"text": "Yes."})
    found = lines(empty_study, tmp_path / "out")
    assert {record["kind"] for record in found.values()} == {*LABELS} & {*units_of(empty_study)}
    for kind, unit in units_of(empty_study).items():
        axis, *both = LABELS[kind]
        assert [label["label"] for label in found[unit]["labels"]] == both
        assert (found[unit]["axis"], found[unit]["consensus"]) == (axis, "")
    pair = found[units_of(empty_study)["pair"]]
    assert [source["source_id"] for source in pair["sources"]] == ["w1"]
    assert found[f"answer:{RESPONSE_ID}"]["question"] == "Does warfarin need monitoring?"
    assert found[units_of(empty_study)["qa"]]["judges"][0]["judge"] == "one"
    assert found[units_of(empty_study)["qa"]]["gold"] == "5"
    told = set().union(*map(types, found.values()))
    assert len({tuple(record) for record in found.values()}) == 1
    kinds = {path: {kind for at, kind in told if at == path} for path, _ in told}
    assert kinds.pop(".judges[].confidence") <= {"float", "NoneType"}
    assert {path: found for path, found in kinds.items() if len(found) > 1 or "NoneType" in found} == {}


def test_pandas_loads_it(labelled: ExampleStudy, tmp_path: Path) -> None:
    lines(labelled.study, tmp_path / "out")
    import pandas as pd  # here, so that not every worker loads it to collect the tests

    frame = pd.read_json(tmp_path / "out" / "labels.jsonl", lines=True, dtype=False)
    assert list(frame["unit_id"]) == [labelled.units[0], labelled.units[4]]
    each = pd.json_normalize(frame.to_dict("records"), "labels", ["unit_id"])
    assert list(each["label"]) == ["partial", "partial", "fact", "supported"]


def test_passages_stay_away_where_page_texts_do(labelled: ExampleStudy, tmp_path: Path) -> None:
    found = lines(labelled.study, tmp_path / "out", page_text=False)
    assert [source["passages"] for one in found.values() for source in one["sources"]] == [[], []]


def test_it_is_written_only_where_it_is_wanted_and_the_manifest_knows_it(
    labelled: ExampleStudy, tmp_path: Path
) -> None:
    export(labelled.study, tmp_path / "out")
    assert not (tmp_path / "out" / "labels.jsonl").exists()
    summary = export(labelled.study, tmp_path / "out", jsonl=True)
    assert summary.files["labels.jsonl"] == 2
    first = (tmp_path / "out" / "labels.jsonl").read_bytes()
    export(labelled.study, tmp_path / "out", jsonl=True)
    assert (tmp_path / "out" / "labels.jsonl").read_bytes() == first
    export(labelled.study, tmp_path / "out")
    assert not (tmp_path / "out" / "labels.jsonl").exists()


def test_a_blind_export_says_nothing_there_of_what_is_not_decided(empty_study: Study, tmp_path: Path) -> None:
    fill(empty_study)
    units = units_of(empty_study)
    decide(empty_study, "ada", units["answer"], "hallucination", "fact")
    decide(empty_study, "bo", units["qa"], "relevance", "4")
    blind = lines(empty_study, tmp_path / "blind", blind_for="ada")
    whole = lines(empty_study, tmp_path / "whole")
    assert (blind[units["qa"]]["judges"], blind[units["qa"]]["gold"]) == ([], "")
    assert len(whole[units["qa"]]["judges"]) == 1
    assert whole[units["qa"]]["gold"] == "5"


def test_a_line_says_what_was_said_before_the_question_and_how_the_answer_ended(tmp_path: Path) -> None:
    turns = [{"role": "user", "text": "What comes first?"}, {"role": "assistant", "text": "Metformin."}]
    record = {"question": "And then?", "response": "Add basal insulin.", "turns": turns, "finish": "length"}
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    with Study.create(tmp_path / "s.medreview") as study:
        pipeline.bring_in(study, tmp_path / "a.jsonl", {})
        pipeline.parse(study)
        statement = study.reader.execute("SELECT statement_id FROM statement").fetchone()[0]
        decide_in_script(study, "kb", statement, "supported")
        told = lines(study, tmp_path / "labels")[statement]
    assert (told["turns"], told["finish"], told["question"]) == (turns, "truncated", "And then?")
