"""The command ``assisted``: the before/after table on a screen, as JSON and as a file."""

import csv
import json
from pathlib import Path

from medreview.config import login_name
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.support.answer_study import answer_units, bring_answers, find
from tests.support.commands import Program


def test_the_before_after_table_is_printed_written_and_noted_as_a_look(medreview: Program, tmp_path: Path) -> None:
    path = tmp_path / "a.medreview"
    with Study.create(path) as study:
        bring_answers(study, tmp_path)
        first, *_ = answer_units(study)
        find(study, "one\x1b[2J", first, "none")
    assert "No judge was asked both alone" in medreview("assisted", path).stdout
    with Study.open(path) as study:
        find(study, "one\x1b[2J", first, "fact", assisted_by=("e1",))
        event = NewEvent("decide", first, {"axis": "hallucination", "label": "fact"})
        study.write(lambda c: Recorder("kb").append(c, event, block="answers", mode="open"))
    shown = medreview("assisted", path, "--csv", "out.csv").stdout
    assert "\x1b" not in shown
    for words in ("1 response asked before and after", "gold: type", "0 (0.0%)", "1 (100.0%)", "R01"):
        assert words in shown
    told = json.loads(medreview("assisted", path, "--reviewer", "anna", "--json").stdout)
    assert (told["responses"][0]["reviewer"], told["judges"][0]["gold"]["type_mended"]) == (None, 1)
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["type_before"], row["type_after"], row["reviewer_label"], row["gold_label"]) == (
        "none", "fact", "fact", "fact",
    )  # fmt: skip
    with Study.open(path, read_only=True) as study:
        looks = study.reader.execute("SELECT reviewer, payload FROM event WHERE kind = 'look'").fetchall()
    assert {json.loads(row["payload"])["what"] for row in looks} == {"assisted"}
    assert {row["reviewer"] for row in looks} == {"dr2", "kb", "p7", login_name()}, "any of them may have read it"
