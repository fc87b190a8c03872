"""scores.csv: what the reviewers' and the judges' words come to for each response, by the id that it came with."""

import csv
import json
from pathlib import Path
from typing import Any

from medreview.exchange.exports.export import export
from medreview.study import Study
from tests.exchange.example_study import ExampleStudy
from tests.support.study_builder import StudyBuilder, build
from tests.support.unit_study import decide, fill, units_of


def scores(study: Study, folder: Path, **how: Any) -> dict[str, dict[str, str]]:
    """The rows by record id."""
    export(study, folder, **how)
    with (folder / "scores.csv").open(encoding="utf-8", newline="") as file:
        return {row["record_id"]: row for row in csv.DictReader(file, strict=True)}


def test_a_response_has_the_shares_of_its_statements_and_says_what_is_wrong(
    example: ExampleStudy, tmp_path: Path
) -> None:
    example.decide("supported", 0)
    example.decide("contradicted", 1)
    example.decide("cannot_judge", 2)
    found = scores(example.study, tmp_path / "out")
    assert (found["q1"]["statements"], found["q1"]["labelled"], found["q1"]["supported_share"]) == ("3", "2", "0.5")
    assert found["q1"]["explanation"] == (
        '1 of 2 labelled statements supported; Contradicted: "Lactic acidosis is rare"'
    )
    nothing = found["q2"]
    assert [nothing[name] for name in ("labelled", "supported_share", "hallucination", "judged", "explanation")] == [
        "0", "", "", "0", "",
    ]  # fmt: skip
    assert {row["model"] for row in found.values()} == {"ember"}


def test_reviewers_who_differ_count_once_their_conflict_is_settled(example: ExampleStudy, tmp_path: Path) -> None:
    ours = example.decide("supported")
    theirs = example.decide("partial", who="bo")
    assert scores(example.study, tmp_path / "out")["q1"]["labelled"] == "0"
    settled = {"axis": "evidence", "label": "partial", "by": "third", "of": [ours.event_id, theirs.event_id]}
    example.do("adjudicate", 0, settled, who="cy", mode="open")
    row = scores(example.study, tmp_path / "out")["q1"]
    assert (row["labelled"], row["supported_share"]) == ("1", "0.0")


def test_a_hallucination_of_a_statement_or_of_the_answer_is_one_of_the_response(
    example: ExampleStudy, tmp_path: Path
) -> None:
    example.decide("none", 0, axis="hallucination")
    example.decide("fact", 3, axis="hallucination")
    found = scores(example.study, tmp_path / "out")
    assert (found["q1"]["hallucination"], found["q2"]["hallucination"]) == ("0", "1")
    answer = example.study.reader.execute("SELECT 'answer:' || response_id FROM response WHERE ordinal = 1").fetchone()
    decide(example.study, "ada", answer[0], "hallucination", "input")
    assert scores(example.study, tmp_path / "out")["q1"]["hallucination"] == "1"


def test_without_labels_the_judges_words_are_told_as_theirs(study: Study, tmp_path: Path) -> None:
    def material(rows: StudyBuilder) -> None:
        rows.page("a", "Rest helps.")
        rows.response("r1", "Rest helps. Take 5 mg.", statements=("Rest helps.", "Take 5 mg."), cites="a",
                      record_id="17")  # fmt: skip
        for statement, verdict, supported in (("r1.1", "supported", 1), ("r1.2", "not_addressed", 0)):
            rows.add("verdict", statement_id=statement, verdict=verdict, supported=supported, conflict=0, votes_for=1,
                     votes_other=0, priority=0, badges="")  # fmt: skip
        spans = [{"quote": "5 mg", "status": "exact", "spans": [[17, 21]]}]
        rows.add(
            "hallucination_finding", finding_id="f1", judge_run_id=rows.judge_run("checker"), response_id="r1",
            assisted=0, assisted_by="[]", found=1, type="fact", spans=json.dumps(spans), reason="", raw_output="",
            error="",
        )  # fmt: skip

    build(study, material)
    row = scores(study, tmp_path / "out")["17"]
    assert (row["judged"], row["judges_supported_share"], row["judges_hallucination"]) == ("2", "0.5", "1")
    assert row["explanation"] == '1 of 2 judged statements supported; Not addressed: "Take 5 mg."'
    blind = scores(study, tmp_path / "blind", blind_for="ada")[""]  # whose id is not told either
    assert (blind["judged"], blind["judges_hallucination"], blind["explanation"]) == ("0", "", "")


def test_every_response_has_a_row_also_one_without_statements(empty_study: Study, tmp_path: Path) -> None:
    fill(empty_study)
    build(empty_study, lambda rows: rows.response("nothing", "", invalid="empty", parser=None, record_id="none"))
    decide(empty_study, "ada", units_of(empty_study)["answer"], "hallucination", "fact")
    found = scores(empty_study, tmp_path / "out")
    assert (found["none"]["statements"], found["none"]["hallucination"]) == ("0", "")
    assert found["a1"]["hallucination"] == "1"
