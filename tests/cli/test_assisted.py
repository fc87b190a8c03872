"""The command ``assisted``: the before/after table on a screen, as JSON and as a file."""

import csv
import json
from pathlib import Path

from medreview.config import login_name
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.support.answer_study import answer_units, bring_answers, find
from tests.support.commands import Program
from tests.support.unit_study import decide


def test_the_before_after_table_is_printed_written_and_noted_as_a_look(medreview: Program, tmp_path: Path) -> None:
    path = tmp_path / "a.medreview"
    with Study.create(path) as study:
        bring_answers(study, tmp_path)
        first, *_ = answer_units(study)
        find(study, "one\x1b[2J", first, "none")
    assert "No judge was asked both alone" in medreview("papers", "assisted", path).stdout
    with Study.open(path) as study:
        find(study, "one\x1b[2J", first, "fact", assisted_by=("e1",), reasons_only=True)
        event = NewEvent("decide", first, {"axis": "hallucination", "label": "fact"})
        study.write(lambda c: Recorder("kb").append(c, event, block="answers", mode="open"))
    shown = medreview("papers", "assisted", path, "--csv", "out.csv").stdout
    assert "\x1b" not in shown
    assert "shown reasons only: 1 response asked before and after" in shown
    for words in ("1 response asked before and after", "gold: type", "0 (0.0%)", "1 (100.0%)", "R01"):
        assert words in shown
    told = json.loads(medreview("papers", "assisted", path, "--reviewer", "anna", "--json").stdout)
    assert (told["responses"][0]["reviewer"], told["judges"][0]["gold"]["type_mended"]) == (None, 1)
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["type_before"], row["type_after"], row["shown"], row["reviewer_label"], row["gold_label"]) == (
        "none", "fact", "reasons only", "fact", "fact",
    )  # fmt: skip
    with Study.open(path, read_only=True) as study:
        looks = study.reader.execute("SELECT reviewer, payload FROM event WHERE kind = 'look'").fetchall()
    assert {json.loads(row["payload"])["what"] for row in looks} == {"assisted"}
    assert {row["reviewer"] for row in looks} == {"dr2", "kb", "p7", login_name()}, "any of them may have read it"


def test_before_and_after_against_all_right_labels_is_for_the_owner_and_recorded(
    medreview: Program, tmp_path: Path
) -> None:
    path = tmp_path / "a.medreview"
    with Study.create(path) as study:
        bring_answers(study, tmp_path)
        for unit, before, after in zip(answer_units(study), ("none", "none", "none"), ("fact", "input", "none"),
                                       strict=True):  # fmt: skip
            find(study, "one", unit, before)
            find(study, "one", unit, after, assisted_by=("e1",), reasons_only=True)
    silent = json.loads(medreview("papers", "assisted", path, "--json").stdout)
    assert silent["gold_waits"] + silent["judges"][0]["gold"]["n"] == 3
    assert silent["gold_waits"] > 0
    (judge,) = json.loads(medreview("papers", "assisted", path, "--gold", "--json").stdout)["judges"]
    assert (judge["shown"], judge["gold"]["n"], judge["gold"]["found_before"], judge["gold"]["found_after"]) == (
        ["reasons only"], 3, 1, 3,
    )  # fmt: skip
    assert (judge["gold"]["type_mended"], judge["gold"]["type_spoilt"]) == (1, 0)
    with Study.open(path, read_only=True) as study:
        rows = study.reader.execute("SELECT payload FROM event WHERE kind = 'look'").fetchall()
    assert "assisted --gold" in {json.loads(row[0])["what"] for row in rows}
    medreview("team", "package", path, tmp_path / "for-bo.medreview", "--for", "bo")
    assert "the owner of the study scores" in medreview("papers", "assisted", tmp_path / "for-bo.medreview", "--gold",
                                                         check=2).stderr  # fmt: skip


def test_a_replay_scores_models_against_all_right_labels_by_data_set_and_type(
    medreview: Program, tmp_path: Path
) -> None:
    path = tmp_path / "a.medreview"
    with Study.create(path) as study:
        bring_answers(study, tmp_path)
        for unit, found in zip(answer_units(study), ("fact", "none", "none"), strict=True):
            find(study, "one", unit, found)
        decide(study, "lay", answer_units(study)[1], "hallucination", "none", mode="open")
    replay = ("papers", "replay", "medhalu", path, "--json")
    waits = json.loads(medreview(*replay).stdout)["figures"]
    told = json.loads(medreview(*replay, "--gold").stdout)["figures"]
    whole = next(row for row in told if (row["figure"], row["of"]) == ("accuracy of detection", "one"))
    assert (whole["n"], whole["value"]) == (3, 2 / 3)
    assert all(row["n"] in (None, 1, 0) for row in waits)
    by = {(row["figure"], row["of"]): row["n"] for row in told}
    assert by["accuracy of detection, by data set", "one, HealthQA"] == 2
    assert by["macro-F1 of detection, fact-conflicting", "one, HealthQA"] == 1  # nothing right in this set
    assert by["macro-F1 of detection, fact-conflicting", "one"] == 2
    left = json.loads(medreview(*replay, "--leave-out", "dr2").stdout)
    assert [one["reviewer"] for one in left["left_out"]] == ["dr2"]
    assert any("expert" in row["of"] for row in waits)
    assert not any("expert" in row["of"] for row in left["figures"])
    assert "--gold is of the replay medhalu" in medreview("papers", "replay", "cds", path, "--gold", check=2).stderr
    assert ("macro-F1 of detection, fact-conflicting", "one, LiveQA") not in by  # no such answer in this set
    one = json.loads(medreview("stats", path, "--gold", "--json", "--replicates", 199).stdout)["unit"]["family"][
        "evaluators"
    ][0]
    assert {name: list(types) for name, types in one["by_set_and_type"].items()} == {
        "HealthQA": ["fact", "context"], "LiveQA": [],
    }  # fmt: skip
    assert "HealthQA: fact, or" in medreview("stats", path, "--gold", "--replicates", 199).stdout
