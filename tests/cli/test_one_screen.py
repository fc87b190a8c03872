"""``stats`` of each kind of study is one screen of 80 x 24, and a person's labels come first on it."""

import json
import shutil
from pathlib import Path

import pytest

from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.units.registry import KINDS
from tests.support.commands import Program
from tests.support.one_screen import FEW, assert_one_screen, screens
from tests.support.unit_samples import SAMPLES
from tests.support.unit_study import LABELS, decide


def label(path: Path, who: str, units: list[str], block: str, mode: str) -> None:
    """Every third statement is not supported, for this reviewer."""
    with Study.open(path) as study:
        for place, unit in enumerate(units):
            said = {"axis": "evidence", "label": "partial" if place % 3 == 0 else "supported", "exposure": {}}
            event = NewEvent("decide", unit, said)
            study.write(lambda c, event=event: Recorder(who).append(c, event, block=block, mode=mode))


def statements(path: Path, where: str = "1") -> list[str]:
    with Study.open(path, read_only=True) as study:
        chosen = "SELECT statement_id FROM statement_standing LEFT JOIN verdict USING (statement_id) WHERE"
        return [row[0] for row in study.reader.execute(f"{chosen} {where} ORDER BY statement_id")]


@pytest.mark.parametrize("labelled", ["nobody", "flagged", "two", "all"])
def test_the_sample_study_is_one_screen_however_far_it_is(
    medreview: Program, demo_file: Path, tmp_path: Path, labelled: str
) -> None:
    path = tmp_path / "demo.medreview"
    shutil.copy(demo_file, path)
    if labelled == "flagged":
        label(path, "anna", statements(path, "priority > 0")[:12], "flagged", "open")
    elif labelled != "nobody":
        label(path, "anna", statements(path), "responses", "blind")
    if labelled == "two":
        label(path, "a-second-reviewer-with-a-long-name", statements(path)[::2], "responses", "blind")
    for name, text in screens(medreview, path):
        assert_one_screen(name, text)
    answers = json.loads(medreview("stats", path, "--json", *FEW).stdout)["answers"]
    first = {"nobody": "models", "flagged": "labels", "two": "labels", "all": "labels"}[labelled]
    assert answers[0]["by"] == first
    assert [one["by"] for one in answers] == sorted((one["by"] for one in answers), key=("labels", "models").index)


@pytest.mark.parametrize("kind", sorted(SAMPLES))
def test_a_study_of_one_kind_of_unit_is_one_screen_that_leads_with_it(
    medreview: Program, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"{kind}.medreview"
    with Study.create(path) as study:
        SAMPLES[kind](study)
        units = [row[0] for row in study.reader.execute(f"SELECT unit FROM ({KINDS[kind].rows})")]
        axis, *levels = LABELS[kind]
        if kind == "ranking":
            axis, levels = "quality/1", ["good", "bad"]
        for who, theirs in (("anna", units), ("ben", units[::2])):
            for place, unit in enumerate(theirs):
                decide(study, who, unit, axis, levels[place % 2])
    for name, text in screens(medreview, path):
        assert_one_screen(name, text)
    told = medreview("stats", path, *FEW).stdout
    answers = json.loads(medreview("stats", path, "--json", *FEW).stdout)["answers"]
    people = [one["by"] == "labels" for one in answers]
    assert people == sorted(people, reverse=True)  # the sample of QA items has labels of its own
    anna, ben = [one for one in answers if one["who"] in ("anna", "ben")]
    assert (anna["kind"], anna["basis"], ben["kind"]) == (kind, "all", kind)
    assert ben["of_what"] == f"{len(units[::2])} of {len(units)}, chosen"
    assert "say nothing about the rest" in ben["caution"]
    by_models = [told.find(line) for line in ("judges: ", "juror-one", "\none ") if line in told]
    assert all(told.index("anna") < place for place in by_models)


def test_ten_raters_of_a_kind_have_a_line_each_and_each_two_are_left_to_full(
    medreview: Program, tmp_path: Path
) -> None:
    path = tmp_path / "many.medreview"
    with Study.create(path) as study:
        SAMPLES["question"](study)
        units = [row[0] for row in study.reader.execute("SELECT unit_id FROM unit WHERE kind = 'question'")]
        people = [f"annotator number {place}" for place in range(10)]
        for place, who in enumerate(people):
            for number, unit in enumerate(units):
                level = ("answerable", "not_answerable")[(place * number) % 2]
                decide(study, who, unit, "answerability", level)
    text = medreview("stats", path, "--unit", "question", *FEW).stdout
    assert_one_screen("question", text)
    assert all(f"{who}, all {len(units)}" in " ".join(text.split()) for who in people)
    assert "10 reviewers, first, blind" in " ".join(text.split())
    full = medreview("stats", path, "--unit", "question", "--full", *FEW).stdout
    assert "annotator number 3 and annotator number 7" in " ".join(full.split())
