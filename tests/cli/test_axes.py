"""The command ``axes``, and labels and tags in line mode."""

import json
from pathlib import Path

import pytest

from medreview.study import Study
from medreview.study.own_axes import own_axes
from tests.support.commands import Program
from tests.support.study_builder import build


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "own.medreview") as made:
        build(made, lambda rows: rows.response("r1", statements=["Take 500 mg.", "Twice a day."]))
    return made.path


def test_axes_are_added_set_listed_and_printed(study: Path, medreview: Program) -> None:
    assert "--add harm adds severity of harm" in medreview("plan", "axes", study).stdout
    added = medreview("plan", "axes", study, "--add", "harm", "--reviewer", "kb")
    assert "  3  severe: A life in danger" in added.stdout
    assert "press z to label" in added.stderr
    example = medreview("plan", "axes", "--example").stdout
    both = study.with_name("axes.toml")
    both.write_text(medreview("plan", "axes", study, "--text").stdout + example, encoding="utf-8")
    assert (
        "what is missing (statement; any number)" in medreview("plan", "axes", study, both, "--reviewer", "kb").stdout
    )
    told = json.loads(medreview("plan", "axes", study, "--json").stdout)["axes"]
    assert [one["axis"] for one in told] == ["own.harm", "own.readability", "own.missing"]
    death = {"level": "death", "key": "4", "name": "death"}
    assert told[0]["levels"][4] == death | {"definition": "Death that this would have caused or brought nearer."}


def test_what_is_wrong_is_one_sentence_with_the_way_on(study: Path, medreview: Program) -> None:
    broken = study.with_name("broken.toml")
    broken.write_text('[[axis]]\nname = "rank"\n', encoding="utf-8")
    for words, said in (
        ((study, broken), "broken.toml, line 2, name: 'rank' is an axis of the program"),
        ((study, study.with_name("none.toml")), "cannot be read"),
        ((study, "--add", "joy"), "There is no axis 'joy' to add; there is harm."),
        ((study, "--add", "harm", "--text"), "Give one of"),
        ((), "Name the study"),
    ):
        assert said in medreview("plan", "axes", *words, check=2).stderr
    with Study.open(study, read_only=True) as opened:
        assert own_axes(opened.reader) == {}


def test_line_mode_takes_labels_and_tags_and_says_what_there_is(study: Path, medreview: Program) -> None:
    medreview("plan", "axes", study, "--add", "harm", "--reviewer", "kb")
    lines = ("z", "z 2", "z harm severe", "z harm awful", "#dose #ask", "#", "# a!b", "u", "?", "q")
    done = medreview(
        "review", study, "--plain", "--queue", "responses", "--reviewer", "kb", input="\n".join(lines) + "\n"
    ).stdout
    for said in (
        "z harm, severity of harm: 0 no harm, 1 mild",
        "S1 · harm: moderate   saved",
        "S1 · harm: severe   saved",
        "severity of harm takes one of none, mild",
        "S1 · #ask   saved",
        "tags here: #ask, #dose",
        "A tag is one word",
        "S1 undone: tag #ask added",
        "z AXIS LEVEL",
        "you: harm: severe; #dose",
    ):
        assert said in done
