"""``guidelines``, ``background``, ``gold`` and ``second-pass`` on the command line."""

import csv
import json
from pathlib import Path

import pytest

from medreview.review.gold import set_gold
from medreview.review.queue import open_queue
from medreview.study import Study
from medreview.units.kind import Gold
from tests.support.commands import Program


def test_guidelines_are_shown_set_compared_and_edited(
    medreview: Program, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = medreview("plan", "guidelines", demo).stdout
    assert shown.startswith("version 0 (")
    assert "The source says this, wholly." in shown
    text = tmp_path / "rules.md"
    text.write_text("# Rules\n\nEvery number counts.\n")
    assert "guidelines version 1 (" in medreview("plan", "guidelines", demo, "--set", text, "--reviewer", "lead").stderr
    assert "were in force" in medreview("plan", "guidelines", demo, "--set", text).stderr
    assert "two versions" in medreview("plan", "guidelines", demo, "--diff", check=2).stderr

    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "Units, too.\\n" >> "$1"\n')
    editor.chmod(0o700)
    program = Program(medreview.folder, {"EDITOR": str(editor), "VISUAL": ""})
    assert "version 2 (" in program("plan", "guidelines", demo, "--edit", "--reviewer", "lead").stderr
    assert "+Units, too." in medreview("plan", "guidelines", demo, "--diff").stdout
    told = json.loads(medreview("plan", "guidelines", demo, "--json").stdout)
    assert (told["number"], told["set_by"], len(told["versions"])) == (2, "lead", 2)
    unchanged = Program(medreview.folder, {"EDITOR": "true", "VISUAL": ""})
    assert "Nothing was changed" in unchanged("plan", "guidelines", demo, "--edit", check=2).stderr
    failing = Program(medreview.folder, {"EDITOR": "false", "VISUAL": ""})
    assert "stay as they are: the editor said 1" in failing("plan", "guidelines", demo, "--edit", check=2).stderr
    assert not list(demo.parent.glob(".*partial*"))


def test_a_file_that_is_no_text_is_refused(medreview: Program, demo: Path, tmp_path: Path) -> None:
    binary = tmp_path / "rules.md"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "is not UTF-8" in medreview("plan", "guidelines", demo, "--set", binary, check=2).stderr
    assert "cannot be read" in medreview("plan", "guidelines", demo, "--set", tmp_path / "none.md", check=2).stderr


def test_a_background_is_said_changed_and_exported(medreview: Program, demo: Path) -> None:
    assert "Nobody has reviewed" in medreview("plan", "background", demo).stdout
    medreview("plan", "background", demo, "--role", "physician", "--years", 12, "--reviewer", "kb")
    done = medreview("plan", "background", demo, "--specialty", "intensive care", "--years", "", "--reviewer", "kb")
    assert done.stdout == "kb: physician, intensive care\n"
    assert "whole number" in medreview("plan", "background", demo, "--years", "ten", check=2).stderr
    medreview("review", demo, "--plain", "--queue", "responses", "--reviewer", "kb", input="1\n\nq\n")
    medreview("export", demo, medreview.folder / "out")
    with (medreview.folder / "out" / "reviewers.csv").open(encoding="utf-8-sig") as file:
        (row,) = csv.DictReader(file)
    assert (row["reviewer_id"], row["role"], row["years_of_practice"], row["decided"]) == ("kb", "physician", "", "1")


def test_gold_items_come_from_words_and_files_and_go_again(medreview: Program, demo: Path, tmp_path: Path) -> None:
    assert "There are no gold items" in medreview("plan", "gold", demo).stdout
    done = medreview("plan", "gold", demo, "--add", "R01 S1", "supported", "--why", "Page 1 says so.", "--attention")
    assert "evidence: supported  attention  Page 1 says so." in done.stdout
    assert "has the label 'right'" in medreview("plan", "gold", demo, "--add", "R01 S2", "right", check=2).stderr
    assert (
        "there is no unit 'R99 S1'" in medreview("plan", "gold", demo, "--add", "R99 S1", "supported", check=2).stderr
    )
    assert "go with --add" in medreview("plan", "gold", demo, "--why", "so", check=2).stderr
    file = tmp_path / "gold.csv"
    file.write_text("unit,label,why\nR01 S2,partial,Half of it.\nR77 S1,partial,\n")
    done = medreview("plan", "gold", demo, "--import", file)
    assert "1 gold item added, 1 left out" in done.stdout
    assert "line 3: there is no unit 'R77 S1' in the study; left out" in done.stderr
    medreview("plan", "gold", demo, "--remove", "R01 S1")
    assert [one["gold"]["label"] for one in json.loads(medreview("plan", "gold", demo, "--json").stdout)] == ["partial"]
    assert "is not a gold item" in medreview("plan", "gold", demo, "--remove", "R01 S1", check=2).stderr


def test_the_second_pass_is_set_and_says_what_is_due(medreview: Program, demo: Path) -> None:
    assert "There is no second pass" in medreview("plan", "second-pass", demo).stdout
    done = medreview("plan", "second-pass", demo, "--share", 0.5, "--after", 0, "--reviewer", "kb").stdout
    assert done.splitlines()[0] == "50.0% of what is decided comes back after 0 days"
    assert "0 drawn, 0 due" in done
    told = json.loads(medreview("plan", "second-pass", demo, "--json", "--reviewer", "kb").stdout)
    assert (told["share"], told["after_days"]) == (0.5, 0)
    assert "A share is a number" in medreview("plan", "second-pass", demo, "--share", 2, check=2).stderr


def test_an_export_that_keeps_labels_blind_keeps_gold_of_an_open_block(medreview: Program, demo: Path) -> None:
    with Study.open(demo) as study:
        units = open_queue(study, "audit", "kb").units
        for unit in units:
            set_gold(study, unit, Gold("evidence", "supported"), "lead")
    (medreview.folder / "config" / "medreview").mkdir(parents=True)
    (medreview.folder / "config" / "medreview" / "medreview.toml").write_text('reviewer = "kb"\n')

    def exported(to: str) -> int:
        medreview("export", demo, medreview.folder / to, "--blind")
        with (medreview.folder / to / "gold.csv").open(encoding="utf-8-sig") as file:
            return len(list(csv.DictReader(file)))

    medreview("review", demo, "--plain", "--queue", "audit", input="1\nq\n")
    assert exported("one") == 0
    size = min(20, len(units))
    medreview("review", demo, "--plain", "--queue", "audit", input="1\n" * (size - 1) + "r\nq\n")
    assert exported("two") == size


def test_consent_is_asked_once_in_line_mode_before_anything_is_saved(
    medreview: Program, demo: Path, tmp_path: Path
) -> None:
    assert medreview("plan", "consent", demo).stdout == "No text is set: reviewers are not asked.\n"
    text = tmp_path / "consent.txt"
    text.write_text("You take part in a study.\n\nYour labels are kept.\n")
    assert "Nobody has consented yet." in medreview("plan", "consent", demo, text, "--reviewer", "lead").stdout
    reviewing = ("review", demo, "--plain", "--queue", "responses", "--reviewer", "kb")
    told = medreview(*reviewing, input="1\n1\n").stdout
    assert "Your labels are kept." in told
    assert "No label was saved. Open the study again to consent." in told
    with Study.open(demo, read_only=True) as study:
        labels = study.reader.execute("SELECT count(*) FROM decision_current WHERE reviewer = 'kb'").fetchone()[0]
        assert labels == 0
    assert "saved #" in medreview(*reviewing, input="y\n1\n\nq\n").stdout
    assert "You take part" not in medreview(*reviewing, input="q\n").stdout
    assert "kb consented, " in medreview("plan", "consent", demo).stdout
    medreview("report", demo, "--markdown", tmp_path / "r.md", "--replicates", 199)
    assert (tmp_path / "r.md").read_text().count("1 of 1 reviewer consented to the text") == 2
    text.write_text("Another text.")
    told = json.loads(medreview("plan", "consent", demo, text, "--json").stdout)
    assert (told["text"]["text"], [one["reviewer"] for one in told["consented"]]) == ("Another text.", ["kb"])
    assert "(to an earlier text)" in medreview("plan", "consent", demo).stdout
    assert "Another text." in medreview(*reviewing, input="q\n").stdout
    text.write_text(" ")
    assert "takes the text back" in medreview("plan", "consent", demo, text, check=2).stderr
    assert "FILE" in medreview("plan", "consent", demo, text, "--none", check=2).stderr
    assert "No text is set" in medreview("plan", "consent", demo, "--none").stdout
