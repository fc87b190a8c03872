"""``medreview plan audit`` and ``review --audit``: how much is drawn, what it reserves, and what it says."""

import json
from pathlib import Path

import pytest

from medreview.review.decision import decide_in_script
from medreview.study import Study
from tests.support.commands import Program, own_settings
from tests.support.one_screen import assert_one_screen


def members(path: Path) -> int:
    with Study.open(path, read_only=True) as study:
        return int(study.reader.execute("SELECT count(*) FROM audit_item").fetchone()[0])


def test_without_options_it_only_looks(medreview: Program, demo: Path) -> None:
    before = demo.read_bytes()

    assert medreview("plan", "audit", demo).stdout.startswith("No audit is drawn yet")
    assert demo.read_bytes() == before


def test_how_often_the_judges_are_right_is_a_look_at_them_once(medreview: Program, demo: Path) -> None:
    medreview("review", demo, "--plain", "--queue", "audit", "--reviewer", "kb", input="1\nq\n")
    for _ in range(2):
        medreview("plan", "audit", demo)
    with Study.open(demo, read_only=True) as study:
        rows = study.reader.execute("SELECT payload FROM event WHERE kind = 'look'").fetchall()
    assert [json.loads(row[0]) for row in rows] == [{"what": "audit", "shown": "totals"}]


def test_draw_more_by_strata_and_give_back(medreview: Program, demo: Path) -> None:
    done = medreview("plan", "audit", demo, "--size", 20, "--by", "model", "--reviewer", "kb")
    drawn = members(demo)
    assert f"{drawn} statements more drawn: {drawn} in the audit" in done.stderr
    assert "model atlas-2" in done.stdout
    assert f"{drawn} statements reserved: kept from kb's triage" in done.stdout
    assert_one_screen("audit", done.stdout)

    assert "so much is drawn already" in medreview("plan", "audit", demo, "--rate", 0.01).stderr
    assert members(demo) == drawn

    assert (
        f"{drawn} statements given back to triage"
        in medreview("plan", "audit", demo, "--release", "--reviewer", "kb").stderr
    )
    told = json.loads(medreview("plan", "audit", demo, "--json", "--reviewer", "kb").stdout)
    assert told["reserved"] == 0
    assert sum(stratum["members"] for stratum in told["strata"]) == drawn
    told = json.loads(medreview("plan", "audit", demo, "--json", "--reviewer", "anna").stdout)
    assert told["reserved"] == drawn
    assert "whole" in medreview("check", demo).stdout


def test_review_draws_to_so_many_and_opens_the_audit(medreview: Program, demo: Path) -> None:
    medreview("review", demo, "--plain", "--audit", 40, "--reviewer", "kb", input="1\n\n" * 80 + "q\n")

    drawn = members(demo)
    assert 40 <= drawn <= 60  # as many as chance gave, if these are more
    with Study.open(demo, read_only=True) as study:
        blocks = {row[0] for row in study.reader.execute("SELECT block FROM event WHERE kind = 'decide'")}
    assert blocks == {"audit"}
    told = json.loads(medreview("plan", "audit", demo, "--json", "--reviewer", "kb").stdout)
    (figures,) = told["figures"]
    flow = figures["supported"]["flow"]
    assert (flow["in_study"] - flow["not_drawn"], flow["used"]) == (drawn, drawn)
    assert "never occurred" in figures["supported"]["study"]["reason"]
    text = medreview("plan", "audit", demo, "--full", "--reviewer", "kb").stdout
    assert "The study by the audit of kb" in text
    assert json.loads(medreview("stats", demo, "--json", "--replicates", 99).stdout)["audit"] == {
        "strata": told["strata"],
        "figures": told["figures"],
        "tie_rule": "undecided",
        "plans": [],
        "half_assisted": False,
    }


def test_it_plans_before_there_are_labels_and_corrects_the_verdicts_when_there_are(
    medreview: Program, demo: Path
) -> None:
    text = medreview("plan", "audit", demo, "--points", 10).stdout
    assert "Labels for ± 10 points" in text
    assert "one half is taken as supported" in text
    assert json.loads(medreview("plan", "audit", demo, "--json").stdout)["plan"]["points"] == 0.05

    answers = "".join("4\n\n" if place % 4 == 0 else "1\n\n" for place in range(120))
    medreview("review", demo, "--plain", "--audit", 100, "--reviewer", "kb", input=answers + "q\n")
    text = " ".join(medreview("plan", "audit", demo, "--full", "--points", 10, "--reviewer", "kb").stdout.split())
    assert "supported, by the audit alone" in text
    assert "supported, by audit and verdicts" in text
    assert "The verdicts alone, uncorrected" in text
    assert "alone (" in text  # the gain, or that there is none, with both variances
    assert "Labels for ± 10 points" in text

    told = json.loads(medreview("plan", "audit", demo, "--json", "--lambda", 1, "--reviewer", "kb").stdout)
    (figures,) = told["figures"]
    together, *each = figures["with_verdicts"]
    assert together["judge"] == "the judges together"
    assert together["weight"] == 1
    assert [one["judge"] for one in each]
    assert told["plan"] is None
    assert max(map(len, medreview("plan", "audit", demo, "--full", "--assisted").stdout.splitlines())) <= 80
    of_one = json.loads(
        medreview("plan", "audit", demo, "--json", "--judge", each[0]["judge"], "--reviewer", "kb").stdout
    )
    assert of_one["figures"][0]["plan"]["judge"] == each[0]["judge"]
    assert "there are: the judges together" in medreview("plan", "audit", demo, "--judge", "nobody", check=2).stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--size", "5", "--rate", "0.1"), "not both"),
        (("--rate", "1.5"), "above 0 and up to 1"),
        (("--plan", "50"), "less than 50 points"),
        (("--points", "0"), "--points 5"),
        (("--plan", "5", "--plan-labels", "60"), "not both"),
        (("--by", "model"), "how much to draw"),
    ],
)
def test_what_cannot_be_meant_is_said(medreview: Program, demo: Path, arguments: tuple[str, ...], words: str) -> None:
    assert words in medreview("plan", "audit", demo, *arguments, check=2).stderr


def test_no_other_queue_is_opened_with_an_audit(medreview: Program, demo: Path) -> None:
    done = medreview("review", demo, "--plain", "--audit", 40, "--queue", "flagged", check=2)
    assert "name no other queue" in done.stderr


def test_whoever_only_reads_the_figures_of_others_is_told_of_no_triage(medreview: Program, demo: Path) -> None:
    own_settings(demo.parent, 'reviewer = "boss"\n')
    assert "kept from boss's triage" in medreview("plan", "audit", demo, "--size", 10).stdout
    with Study.open(demo) as study:
        first, *_ = sorted(row[0] for row in study.reader.execute("SELECT statement_id FROM audit_item"))
        decide_in_script(study, "anna", first, "supported")
    assert "triage" not in medreview("plan", "audit", demo, "--points", 5).stdout
    assert "kept from anna's triage" in medreview("plan", "audit", demo, "--points", 5, "--reviewer", "anna").stdout


def test_an_empty_triage_says_what_is_reserved(medreview: Program, demo: Path) -> None:
    medreview("plan", "audit", demo, "--rate", 1)
    done = medreview("review", demo, "--plain", "--queue", "flagged", check=2)
    assert "is reserved for the audit" in done.stderr
