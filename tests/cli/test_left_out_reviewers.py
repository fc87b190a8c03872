"""``--leave-out`` and ``--passed``: the same reviewers are missing everywhere, and named."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from medreview.review.gold import set_gold, tell
from medreview.study import Study
from medreview.units.kind import Gold
from tests.support.commands import Program

FEW = ("--replicates", 199)
LEAVE_ALL = [word for name in ("ann-1", "ann-2", "anna", "ben") for word in ("--leave-out", name)]
EXPECTED = "Left out: ben (0 of 2 checks right; the rule is at least 80% of all checks), "


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, two_reviewers_file: Path) -> Path:
    """Ben gets both hidden checks wrong, anna none."""
    path = Path(shutil.copy(two_reviewers_file, tmp_path_factory.mktemp("left")))
    with Study.open(path) as study:
        both = study.reader.execute(
            """SELECT a.unit, a.label FROM decision_current AS a JOIN decision_current AS b USING (unit, axis)
               WHERE axis = 'evidence' AND a.reviewer = 'anna' AND b.reviewer = 'ben' AND a.label <> b.label LIMIT 2"""
        ).fetchall()
        for unit, label in both:
            set_gold(study, unit, Gold("evidence", label), "kb")
        for who in ("anna", "ben"):  # as when their blocks are done
            tell(study, who, [unit for unit, _ in both])
    return path


def test_every_command_leaves_out_the_same_reviewers_and_says_so(
    made: Path, medreview: Program, tmp_path: Path
) -> None:
    whole = json.loads(medreview("stats", made, "--json", *FEW).stdout)
    told = json.loads(medreview("stats", made, "--passed", "80%", "--json", *FEW).stdout)
    assert {one["reviewer"] for one in whole["reviewers"]} - {one["reviewer"] for one in told["reviewers"]} == {"ben"}
    anna = ({one["reviewer"]: one for one in each["reviewers"]}["anna"] for each in (whole, told))
    assert next(anna)["agreement"] == next(anna)["agreement"]
    assert any(one["n"] for one in whole["between_reviewers"])
    assert not any(one["n"] for one in told["between_reviewers"])
    assert {axis["reviewer"] for kind in told["units"] for one in kind["axes"] for axis in one["labels"]} == {
        "ann-1", "ann-2", "anna",
    }  # fmt: skip
    assert told["provenance"]["events"] >= whole["provenance"]["events"]  # of the file, with theirs
    (gone,) = told["provenance"]["left_out"]
    assert (gone["reviewer"], gone["right"], gone["checks"]) == ("ben", 0, 2)
    assert whole["provenance"]["left_out"] == []
    for more in ((), ("--full",), ("--by", "model"), ("--unit", "qa", "--by", "type")):
        assert EXPECTED in " ".join(medreview("stats", made, "--passed", "80%", *more, *FEW).stdout.split()), more

    medreview("report", made, "--markdown", tmp_path / "r.md", "--passed", "80%", *FEW)
    page = (tmp_path / "r.md").read_text()
    assert page.count(EXPECTED) >= 2  # where it comes from, and methods
    assert "ben" not in page.replace(EXPECTED, "").casefold().split("## what is cited")[0].split()

    assert json.loads(medreview("team", "conflicts", made, "--json").stdout)["conflicts"]
    told = json.loads(medreview("team", "conflicts", made, "--leave-out", "ben", "--json").stdout)
    assert "ben" not in {label["reviewer"] for one in told["conflicts"] for label in one["labels"]}
    assert [one["reviewer"] for one in told["left_out"]] == ["ben"]
    assert EXPECTED in medreview("team", "conflicts", made, "--passed", "80%").stdout


@pytest.mark.parametrize("more", [(), ("--deposit",), ("--sqlite", "l.db", "--jsonl")])
def test_an_export_has_no_label_of_theirs_and_no_record(
    made: Path, medreview: Program, tmp_path: Path, more: tuple[str, ...]
) -> None:
    folder = tmp_path / "out"
    said = medreview("export", made, folder, "--passed", "80%", *more)
    assert EXPECTED in said.stderr
    names = {"ben"}
    if "--deposit" in more:
        (gone,) = json.loads((folder / "manifest.json").read_text())["left_out"]
        names.add(gone["reviewer"])
        assert gone["reviewer"].startswith("R")
    labelled = 0
    for file in folder.glob("*.csv"):
        for row in csv.DictReader(file.open(encoding="utf-8")):
            held = {row[name] for name in row if name in ("reviewer", "reviewer_id", "adjudicator_id")}
            assert not held & names, file.name
            labelled += file.name == "labels.csv"
    assert labelled
    assert not (folder / "events.csv").exists()
    refused = medreview("import", tmp_path / "new.medreview", folder, check=2).stderr
    assert "cannot be imported" in refused
    assert medreview("check", made, "--against", folder).stdout if "--deposit" not in more else True


def test_one_table_and_what_is_used_wrong(made: Path, medreview: Program, tmp_path: Path) -> None:
    said = medreview("export", made, "--table", tmp_path / "t.csv", "--leave-out", "ben")
    assert "Left out: ben (named; 0 of 2 checks right)" in said.stderr
    assert "ben" not in {row["reviewer"] for row in csv.DictReader((tmp_path / "t.csv").open(encoding="utf-8"))}
    for asked, why in (
        (("export", made, tmp_path / "x", "--blind", "--passed", "80%"), "leave out --blind"),
        (("stats", made, "--passed", "most"), "--passed takes attention, or a share"),
        (("stats", made, "--leave-out", "cyd"), "No reviewer 'cyd' has a label in this study"),
        (("stats", made, *LEAVE_ALL), "No reviewer is left."),
        (("report", made, tmp_path / "r.html", "--passed", "80%", "--reviewer", "ben"), "name another reviewer"),
    ):
        assert why in medreview(*asked, check=2).stderr, asked
