"""``package``, ``merge``, ``conflicts`` and ``share`` on the command line."""

import json
from pathlib import Path

import pytest

from medreview.config import login_name
from medreview.study import Study
from tests.support.commands import Program, own_settings
from tests.support.unit_study import decide_all, fill


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "home.medreview") as study:
        fill(study)
        decide_all(study, "ada", 0)
    return tmp_path / "home.medreview"


def test_a_copy_goes_to_a_colleague_comes_back_and_conflicts_are_listed(
    medreview: Program, home: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "for-bo.medreview"
    said = medreview("team", "package", home, copy, "--for", "bo").stdout
    assert "Left out: what judges and other machines say; the names of the models" in said
    checked = medreview("check", copy)
    assert "for bo on" in checked.stderr
    assert "whole" in checked.stdout
    assert json.loads(medreview("check", copy, "--json").stdout)["package"]["made_for"] == "bo"
    with Study.open(copy) as study:
        decide_all(study, "bo", 1)
    assert "added" in medreview("team", "merge", home, copy).stdout
    lines = medreview("team", "conflicts", home, "--kind", "statement").stdout
    assert "1 conflict, 1 open: statement, evidence, ada and bo" in lines
    assert "ada contradicted, bo not addressed" in lines
    told = json.loads(medreview("team", "conflicts", home, "--open", "--json", "--csv", tmp_path / "c.csv").stdout)
    assert {one["kind"] for one in told["counts"]} >= {"statement", "pair", "qa"}
    assert (tmp_path / "c.csv").read_text(encoding="utf-8-sig").count("\n") > 2 * len(told["conflicts"])
    assert "no kind of unit" in medreview("team", "conflicts", home, "--kind", "cell", check=2).stderr
    assert "not a part" in medreview("team", "package", home, tmp_path / "x", "--without", "all", check=2).stderr


def test_the_share_of_the_second_reviewer_is_shown_and_raised(medreview: Program, home: Path) -> None:
    assert "Nothing is annotated a second time" in medreview("plan", "share", home).stdout
    set_so = medreview("plan", "share", home, "--kind", "statement", "--rate", "1", "--reviewer", "bo").stdout
    assert "statement: 100% (seed 0), 1 of 1 unit drawn; 1 wait for bo, 0 decided by bo and another" in set_so
    (one,) = json.loads(medreview("plan", "share", home, "--json", "--reviewer", "ada").stdout)["shares"]
    assert (one["waiting"], one["ready"]) == (0, 0)
    assert (
        "only ever raised" in medreview("plan", "share", home, "--kind", "statement", "--rate", "0.5", check=2).stderr
    )
    assert "Say of which kind" in medreview("plan", "share", home, "--rate", "0.5", check=2).stderr


@pytest.mark.parametrize("command", ["export", "stats", "report", "assisted"])
def test_a_look_is_booked_to_whoever_reviewed_this_study_here_last(
    medreview: Program, demo: Path, command: str
) -> None:
    asked = {"export": ["out"], "report": ["out.html", "--replicates", 99], "stats": ["--where", "response=R01"]}
    read = (command, demo, *asked.get(command, []))
    review = ("review", demo, "--plain", "--queue", "audit", "--reviewer", "anna")
    medreview(*review, input="1\nq\n")
    told = medreview(*read).stderr
    if command != "report":  # which lists nothing that anna has not decided
        assert "of the audit that anna has not decided yet will count as assisted" in told
    medreview(*review, input="1\nq\n")

    with Study.open(demo, read_only=True) as study:
        looks = study.reader.execute("SELECT DISTINCT reviewer FROM event WHERE kind = 'look'").fetchall()
        labels = study.reader.execute("SELECT mode FROM reviewer_label ORDER BY event_id").fetchall()
    assert [row["reviewer"] for row in looks] == ["anna"]
    assert [row["mode"] for row in labels] == ["blind", "blind" if command == "report" else "assisted"]


def test_where_nobody_knows_who_reads_a_look_is_booked_to_everybody_who_has_reviewed(
    medreview: Program, demo: Path
) -> None:
    review = ("review", demo, "--plain", "--queue", "audit", "--reviewer")
    for who in ("anna", "ben"):
        medreview(*review, who, input="1\nq\n")
    moved = demo.rename(demo.with_name("moved.medreview"))
    refused = medreview("export", moved, "out", "--blind", check=2).stderr
    assert "may be those of anna, ben or " in refused
    assert f"`medreview review {moved} --reviewer NAME`" in refused
    medreview("export", moved, "out")
    with Study.open(moved, read_only=True) as study:
        looks = study.reader.execute("SELECT DISTINCT reviewer FROM event WHERE kind = 'look'").fetchall()
    assert {row["reviewer"] for row in looks} == {"anna", "ben", login_name()}

    own_settings(medreview.folder, 'reviewer = "eva"\n')  # who sets a name is known by it
    medreview("export", moved, "again")
    with Study.open(moved, read_only=True) as study:
        looks = study.reader.execute("SELECT reviewer FROM event WHERE kind = 'look' ORDER BY seq").fetchall()
    assert [row["reviewer"] for row in looks][-2:] == ["eva", "eva"]
