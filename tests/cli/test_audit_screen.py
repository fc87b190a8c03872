"""``medreview plan audit`` is one screen of 80 x 24, whoever labels and however far; ``--full`` has the rest."""

import json
import shutil
from pathlib import Path

import pytest

from medreview.stats.formulas.estimate import number, percent
from tests.cli.test_audit_plan import label
from tests.cli.test_one_screen import statements
from tests.support.commands import Program
from tests.support.one_screen import assert_one_screen

LONG = "a-second-reviewer-with-a-long-name"


def screen(medreview: Program, path: Path, *options: object) -> str:
    """What it prints, one screen; a line for each line."""
    shown = medreview("plan", "audit", path, *options).stdout
    assert_one_screen(f"audit {options}", shown)
    assert "\n\n\n" not in shown
    return shown


def line(shown: str, start: str) -> str:
    return next(" ".join(each.split()) for each in shown.splitlines() if each.startswith(start))


def test_few_labels_are_a_line_each_with_what_is_missing(medreview: Program, demo: Path) -> None:
    medreview("plan", "audit", demo, "--rate", 1, "--plan", 8)
    nobody = screen(medreview, demo)
    assert "What next? Label the random audit." in nobody
    assert "--queue audit" in nobody
    label(demo, 10, "anna")
    label(demo, 29, "ben")
    shown = screen(medreview, demo)
    assert line(shown, "anna") == "anna - 20 more labels 10 of 118"
    assert line(shown, "ben") == "ben - 1 more label 29 of 118"
    assert "are needed" not in shown
    full = " ".join(medreview("plan", "audit", demo, "--full").stdout.split())
    assert full.count(" 10 so far, 20 more.") == 1  # of anna
    assert full.count("No interval shows how often the verdicts are wrong.") == 1
    assert "valid at every look" not in shown  # there is none to quote


def test_what_is_the_same_for_every_reviewer_is_said_once_in_full(medreview: Program, demo: Path) -> None:
    medreview("plan", "audit", demo, "--rate", 1, "--plan", 8)
    for who in ("anna", "ben"):
        label(demo, 10, who)
    full = medreview("plan", "audit", demo, "--full").stdout
    said = " ".join(full.split())
    for once in (
        "Labels for ± 8 points", "supported: 118 in the study", "Interim: 10 labels", "10 so far, 20 more.",
        "If you stop or report before the plan is reached", "The verdicts alone, uncorrected",
    ):  # fmt: skip
        assert said.count(once) == 1, once
    for who in ("anna", "ben", "all reviewers together"):
        assert said.count(f"The study by the audit of {who}, first blind labels") == 1
    label(demo, 40, "anna")
    own = medreview("plan", "audit", demo, "--full").stdout.split("The study by the audit of ")
    assert [part.split(",")[0] for part in own[1:]] == ["anna", "ben", "all reviewers together"]
    assert "supported, by the audit alone  " in own[1]
    assert "10 labels of a plan" in own[2]
    assert all("Labels for ± 8 points" in part for part in own[1:])


def test_all_of_one_outcome_says_why_once(medreview: Program, demo: Path) -> None:
    label(demo, 3, "zoe")
    medreview("review", demo, "--plain", "--audit", 40, "--reviewer", "kb", input="1\n\n" * 80 + "q\n")
    shown = screen(medreview, demo, "--reviewer", "kb")
    assert "see below" in line(shown, "kb ")
    assert " ".join(shown.split()).count("of each are needed") == 1


@pytest.mark.parametrize("reviewers", [2, 9, 30])
def test_however_many_label_the_last_line_is_of_all_together(medreview: Program, demo: Path, reviewers: int) -> None:
    medreview("plan", "audit", demo, "--plan-labels", 60)
    label(demo, 60, LONG)
    for place in range(reviewers - 1):
        label(demo, 40 + place, f"reviewer number {place}")
    shown = screen(medreview, demo, "--points", 4)
    figures = json.loads(medreview("plan", "audit", demo, "--json").stdout)["figures"]
    together = figures[-1]["supported"]["study"]
    ends = f"{percent(together['low'])} to {percent(together['high'])}"
    assert line(shown, "all reviewers ").startswith(f"all reviewers {percent(together['value'])} {ends}")
    assert f"{len(statements(demo))} of {len(statements(demo))} statements drawn" in shown
    assert "Final, by all reviewers: 60 labels" in shown
    assert "± 4 points: " in shown
    assert ("more reviewers" in shown) is (reviewers == 30)
    assert "report.html" in shown
    if reviewers == 2:
        own = next(each for each in figures if each["reviewer"] == "reviewer number 0")["supported"]["every_look"]
        assert f"valid at every look {percent(own['value'])} {percent(own['low'])}" in " ".join(shown.split())
        assert "By reviewer number 0 alone: interim." in " ".join(shown.split())


def test_strata_verdicts_check_and_models_have_a_line_each(
    medreview: Program, two_reviewers_file: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(two_reviewers_file, tmp_path))
    shown = " ".join(screen(medreview, path).split())
    told = json.loads(medreview("plan", "audit", path, "--json").stdout)
    last = told["figures"][-1]
    for stratum in told["strata"]:
        assert f"{stratum['name']} {stratum['members']} of {stratum['statements']}" in shown
    assert f"judges right {percent(last['judges_right']['study']['value'])}" in shown
    assert f"verdicts alone, uncorrected {percent(last['with_verdicts'][0]['alone']['value'])}" in shown
    corrected = last["with_verdicts"][0]["corrected"]["study"]
    assert (f"(Rogan-Gladen), {percent(corrected['value'], 0)}" in shown) is (corrected["low"] is not None)
    defined = [each for each in last["models"] if each["study"]["value"] is not None]
    assert shown.count(", in points: ") == min(3, len(defined))


def test_assistance_is_one_line(medreview: Program, demo: Path) -> None:
    medreview("plan", "audit", demo, "--rate", 1, "--assist", "half", "--plan", 4)
    assert "A coin shows each reviewer the judges on half" in screen(medreview, demo)
    label(demo, 118, "kb")
    label(demo, 20, LONG)
    shown = " ".join(screen(medreview, demo).split())
    bias = json.loads(medreview("plan", "audit", demo, "--json", "--reviewer", "kb").stdout)["figures"][0]["assistance"]
    assert f"{LONG} undefined, kb {number(bias['difference']['value'], 'share_difference', 0)} [" in shown
