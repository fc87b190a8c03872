"""``plan draw``, ``plan assign`` and ``plan show`` on the command line, and the batch that a reviewer opens."""

import csv
import json
from pathlib import Path

import pytest

from medreview.review.decision import last_undone
from medreview.study import Study
from tests.support.commands import Program, own_settings

TEAM = "anna,ben,carl"


@pytest.fixture
def shared(medreview: Program, demo: Path) -> Path:
    """The sample study with six statements drawn and shared out: each to two of three."""
    medreview("plan", "draw", demo, "statements", 6, "--by", "model", "--name", "main", "--seed", "s1")
    medreview("plan", "assign", demo, "main", "--to", TEAM, "--each", 2)
    return demo


def test_a_draw_says_its_strata_and_draws_the_same_again(medreview: Program, demo: Path) -> None:
    asked = ("plan", "draw", demo, "pairs", 20, "--by", "model", "--name", "p", "--seed", "s1")
    said = medreview(*asked).stdout
    assert "p: 20 pairs of 265, at random in each model; seed s1" in said
    assert "  atlas-2: 7 of 89" in said
    assert f"medreview plan assign {demo} p --to NAME,NAME" in said
    assert "its seed draws the same units again" in medreview(*asked).stdout
    told = json.loads(medreview(*asked, "--json").stdout)
    assert (told["new"], told["same"], len(told["units"]), told["frame"]) == (False, True, 20, 265)
    addresses = medreview("plan", "draw", demo, "addresses", 30, "--by", "domain").stdout
    assert "addresses: 30 cited URLs of 36" in addresses
    assert "more; --json has all" in addresses
    everything = medreview("plan", "draw", demo, "pairs", "all", "--equal", "--by", "origin").stdout
    assert "all 265 pairs, in a random order" in everything
    for words, why in (
        (("pairs", "many"), "a whole number from 1, or all"),
        (("pairs", "0"), "a whole number from 1, or all"),
        (("cells", "3"), "no kind of unit 'cells' to draw; there are statements, pairs,"),
        (("pairs", "3", "--name", "p"), "give this draw another --name"),
    ):
        assert why in medreview("plan", "draw", demo, *words, check=2).stderr


def test_a_reviewer_opens_the_batch_and_the_board_counts_it(medreview: Program, shared: Path) -> None:
    board = medreview("plan", "show", shared).stdout
    assert "each unit to 2 of 3 reviewers; each in an order of their own" in board
    assert "anna      0 of 4" in board
    assert "Still at work: anna, ben and carl" in board
    said = medreview("review", shared, "--plain", "--reviewer", "anna", input="1\n1\nq\n").stdout
    assert "my batch" in said
    assert "1 of 4" in said
    opened = medreview("review", shared, "--plain", "--reviewer", "ben", "--queue", "mine", input="1\nq\n").stdout
    assert "my batch" in opened
    nothing = medreview("review", shared, "--plain", "--reviewer", "dora", "--queue", "mine", check=2)
    assert "The queue “my batch” is empty" in nothing.stderr
    (told,) = json.loads(medreview("plan", "show", shared, "--json").stdout)
    assert [(one["reviewer"], one["decided"]) for one in told["reviewers"]] == [("anna", 2), ("ben", 1), ("carl", 0)]


def test_whoever_reads_the_board_with_units_left_sees_no_agreement(medreview: Program, shared: Path) -> None:
    medreview("review", shared, "--plain", "--reviewer", "anna", "--queue", "mine", input="1\n1\n1\n1\nq\n")
    medreview("review", shared, "--plain", "--reviewer", "ben", "--queue", "mine", input="1\nq\n")
    hidden = medreview("plan", "show", shared).stdout  # ben was here last
    assert "Agreement is hidden from ben until all of the batch is decided." in hidden
    assert "same label" not in hidden
    assert "stats" not in hidden
    moved = shared.rename(shared.with_name("moved.medreview"))  # now nobody knows who reads it
    assert "If you are somebody else, open the study once" in medreview("plan", "show", moved).stdout
    own_settings(medreview.folder, 'reviewer = "eva"\n')  # she runs the study, and has no batch
    assert "Agreement so far (evidence): all give the same label on " in medreview("plan", "show", moved).stdout
    with Study.open(moved, read_only=True) as study:
        looks = study.reader.execute("SELECT reviewer, json_extract(payload, '$.shown') FROM event WHERE kind = 'look'")
        assert list(map(tuple, looks)) == [("eva", "labels")]


def test_figures_of_a_draw_say_what_they_are_of(medreview: Program, shared: Path) -> None:
    medreview("review", shared, "--plain", "--reviewer", "anna", "--queue", "mine", input="1\n1\n1\n1\nq\n")
    assert "drawn=main" in medreview("stats", shared, "--where", "drawn=main").stdout
    told = json.loads(medreview("stats", shared, "--where", "drawn=main", "--json", "--replicates", 99).stdout)
    assert told["part"]["statements"] == 6


def test_an_export_has_what_was_drawn_and_whose_it_is_and_a_deposit_no_names(
    medreview: Program, shared: Path, tmp_path: Path
) -> None:
    medreview("plan", "draw", shared, "addresses", 2)
    medreview("export", shared, "out", "--sqlite", "all.db")
    with (tmp_path / "out" / "drawn_units.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["reviewer_id"] for row in rows if row["draw"] == "main"} == {"anna", "ben", "carl"}
    assert len([row for row in rows if row["draw"] == "main"]) == 12
    assert [(row["place"], row["reviewer_id"]) for row in rows if row["draw"] == "addresses"] == [("1", ""), ("2", "")]
    medreview("export", shared, "deposit", "--deposit")
    written = "".join(file.read_text("utf-8") for file in (tmp_path / "deposit").iterdir())
    assert not any(f",{name}," in written or f'"{name}"' in written for name in ("anna", "ben", "carl"))


def test_it_is_shared_out_once_and_again_on_request(medreview: Program, shared: Path) -> None:
    again = ("plan", "assign", shared, "main", "--to", "anna,dora", "--overlap", "50%")
    assert "With --again, reviewers keep what they have decided" in medreview(*again, check=2).stderr
    assert "dora: " in medreview(*again, "--again").stdout
    assert "a share such as 45%" in medreview(*again[:-1], "half", check=2).stderr
    assert "no draw 'x'" in medreview("plan", "assign", shared, "x", "--to", "anna", check=2).stderr
    assert "whole" in medreview("check", shared).stdout
    with Study.open(shared, read_only=True) as study:
        kinds = [row[0] for row in study.reader.execute("SELECT kind FROM event WHERE kind IN ('draw', 'assign')")]
    assert sorted(kinds) == ["assign", "assign", "draw"]


def test_a_batch_goes_out_as_a_copy_of_its_own_and_comes_back(medreview: Program, shared: Path, tmp_path: Path) -> None:
    copy = tmp_path / "anna.medreview"
    said = medreview("team", "package", shared, copy, "--batch", "main", "--for", "anna").stdout
    assert "A copy of 4 units of the batch 'main' made by" in said
    own_settings(medreview.folder, 'reviewer = "kb"\n')
    assert "--reviewer anna" in medreview("review", copy, "--plain", check=2).stderr
    own_settings(medreview.folder, "")
    medreview("review", copy, "--plain", input="1\n1\n1\n1\nq\n")  # as anna, whoever is logged in
    assert "counts theirs as open" in medreview("plan", "show", copy).stdout
    assert "added" in medreview("team", "merge", shared, copy).stdout
    (told,) = json.loads(medreview("plan", "show", shared, "--json").stdout)
    assert {one["reviewer"]: one["decided"] for one in told["reviewers"]} == {"anna": 4, "ben": 0, "carl": 0}
    assert (
        "has no batch of 'main'"
        in medreview(
            "team", "package", shared, tmp_path / "x.medreview", "--batch", "main", "--for", "dora", check=2
        ).stderr
    )


def test_figures_of_addresses_are_those_of_a_draw_of_them(medreview: Program, demo: Path) -> None:
    medreview("plan", "draw", demo, "addresses", 10, "--name", "ten")
    medreview("plan", "draw", demo, "pairs", 10)
    (whole, *_) = json.loads(medreview("sources", "addresses", demo, "--json", "--drawn", "ten").stdout)["strata"]
    assert whole["sources"] == 10
    assert whole["responses"] == 16
    assert (
        "is a draw of pairs, not of cited addresses"
        in medreview("sources", "addresses", demo, "--drawn", "pairs", check=2).stderr
    )


def test_a_model_is_asked_the_questions_of_a_draw(medreview: Program, demo: Path, tmp_path: Path) -> None:
    own_settings(tmp_path, '[models.demo]\nmodel = "writer"\nbase_url = "http://127.0.0.1:9/v1"\n')
    medreview("plan", "draw", demo, "asked", 5, "--name", "five")
    told = medreview("generate", "answers", demo, "--model", "demo", "--drawn", "five", "--dry-run").stdout
    assert "5 inputs" in told
    both = medreview("generate", "answers", demo, "q.csv", "--model", "demo", "--drawn", "five", check=2)
    assert "not both" in both.stderr


def test_a_draw_is_taken_back_with_its_batches_and_its_labels_stay(medreview: Program, shared: Path) -> None:
    medreview("review", shared, "--plain", "--reviewer", "anna", "--queue", "mine", input="1\nq\n")
    retract = ("plan", "retract", shared, "main", "--reason", "The seed was the wrong one.")
    assert "anna decided 1 unit of the batches of 'main'" in " ".join(medreview(*retract, check=2).stderr.split())
    assert "Say why" in medreview(*retract[:-1], "  ", check=2).stderr
    told = json.loads(medreview(*retract, "--labels-stay", "--reviewer", "kb", "--json").stdout)
    assert (told["name"], told["reviewer"], told["reason"]) == ("main", "kb", "The seed was the wrong one.")
    board = medreview("plan", "show", shared).stdout
    assert "main: taken back by kb on " in board
    assert "anna" not in board
    assert "is empty" in medreview("review", shared, "--plain", "--reviewer", "anna", "--queue", "mine", check=2).stderr
    assert "Nothing in the study fits" in medreview("stats", shared, "--where", "drawn=main", check=2).stderr
    assert "no draw 'main'" in medreview(*retract, check=2).stderr
    assert "6 statements" in medreview("plan", "draw", shared, "statements", 6, "--name", "main", "--seed", "s2").stdout
    assert "to 3 of 3" in medreview("plan", "assign", shared, "main", "--to", TEAM, "--each", 3).stdout
    assert "whole" in medreview("check", shared).stdout
    with Study.open(shared, read_only=True) as study:
        assert study.reader.execute("SELECT count(*) FROM decision_current").fetchone()[0] == 1
        assert last_undone(study.reader, "kb", 1) is None  # U on the screen brings no draw back


def test_nothing_drawn_leads_to_a_draw(medreview: Program, demo: Path) -> None:
    assert "Nothing is drawn yet: medreview plan draw" in medreview("plan", "show", demo).stdout
