"""``stats --between``: from a file that names its runs to differences on the screen, in JSON, and refused."""

import json
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
FEW = ("--replicates", 199)
WORDS = (
    "Metformin is stopped below an eGFR of {low} ml/min. It is given with meals.",
    "Metformin is stopped below an eGFR of 30 ml/min. It is taken at night.",
)


@pytest.fixture
def runs(medreview, tmp_path: Path) -> Path:
    """Two runs of one model on the same six questions, judged by the rules."""
    page = "Metformin is contraindicated below an eGFR of 30 ml/min. It is given with meals."
    answers = [
        {
            "question": f"Metformin, patient {number}?", "model": "atlas", "run": run, "ward": "\x1b[31mA",
            "response": WORDS[run - 1].format(low=30 if number % 2 else 45),
            "pages": [{"url": f"https://page.example/{number}", "text": page}],
        }
        for run in (1, 2)
        for number in range(6)
    ]  # fmt: skip
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in answers))
    medreview("run", tmp_path / "runs.medreview", file)
    return tmp_path / "runs.medreview"


def test_runs_of_a_file_are_said_compared_and_divided(medreview, runs: Path) -> None:
    full = " ".join(medreview("stats", runs, *FEW, "--full").stdout.split())
    assert "Several answers of one model to one question: atlas gave 12 to 6 questions; tell them apart: run." in full
    assert f"medreview stats {runs} --full --between run" in full

    told = " ".join(medreview("stats", runs, *FEW, "--full", "--between", "run").stdout.split())
    assert "support by the judges' verdict, by run" in told
    assert "paired by question (6 shared)" in told
    assert "Several answers of one model" not in told
    document = json.loads(medreview("stats", runs, *FEW, "--json", "--between", "run").stdout)
    jsonschema.validate(document, json.loads((ROOT / "docs" / "reference" / "stats.schema.json").read_text()))
    (family,) = (one for one in document["differences"] if one["between"] == "arms_support")
    assert (family["arms"], family["without"]) == ("run", 0)
    assert document["repeated"]["told_by"] == ["run"]
    assert "run 2" in medreview("stats", runs, *FEW, "--by", "run").stdout


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--between", "run"), "--between needs --full"),
        (("--full", "--unit", "pair", "--between", "run"), "--between needs --full"),
        (("--full", "--between", "version"), "What answers here say: model, run."),
        (("--full", "--between", "extra.ward"), "there is nothing to compare"),
        (("--by", "colour"), "A study is divided by model, origin"),
    ],
)
def test_what_cannot_be_compared_is_refused(medreview, runs: Path, asked: tuple[str, ...], words: str) -> None:
    told = medreview("stats", runs, *FEW, *asked, check=2).stderr
    assert words in " ".join(told.split())
    assert "\x1b" not in told
