"""One step from a file of answers to its review: made beside it, opened, and added to."""

import json
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from medreview.study import Study
from tests.support.commands import Program

PAGE = "https://a.example/metformin"
RECORD = {
    "id": "q1",
    "question": "Is metformin safe at an eGFR of 25?",
    "response": "Metformin is contraindicated at an eGFR below 30 mL/min [1]. It lowers glucose by 50 mg [1].",
    "references": [
        {"url": PAGE, "text": "Metformin is contraindicated at an eGFR below 30 mL/min. It lowers glucose."}
    ],
}


def events(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        return [row[0] for row in study.reader.execute("SELECT kind FROM event WHERE kind = 'decide'")]


def responses(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        return [row[0] for row in study.reader.execute("SELECT record_id FROM response ORDER BY ordinal")]


def test_answers_are_reviewed_in_one_step_and_new_ones_are_taken_in(medreview: Program, tmp_path: Path) -> None:
    answers, made = tmp_path / "my answers.jsonl", tmp_path / "my answers.medreview"
    answers.write_text(json.dumps({**RECORD, "links": ["https://b.example/"]}))
    review = ("review", "my answers.jsonl", "--plain", "--queue", "responses")
    first = medreview(*review, input="1\nq\n")
    assert "Metformin is contraindicated at an eGFR below 30" in first.stdout
    assert "given with the answer" in " ".join(first.stdout.split())
    assert "my answers.jsonl: 1 response added; 1 source with a text of its own" in first.stderr
    assert "my answers.jsonl: kept beside the answers: links" in first.stderr
    assert "to take links: medreview review 'my answers.jsonl' --map links=citations" in first.stderr
    assert events(made) == ["decide"]

    with answers.open("a") as file:
        file.write("\n" + json.dumps({**RECORD, "id": "q2", "question": "Another?"}))
    again = medreview(*review, "--map", "links=citations", "--pages", _no_pages(tmp_path), input="q\n")
    assert "1 response added, 1 there already" in again.stderr
    assert "1 not among the saved pages" in again.stderr  # the link is cited now
    assert (responses(made), events(made)) == (["q1", "q2"], ["decide"])

    opened = medreview("review", "my answers.medreview", "--plain", "--queue", "responses", input="q\n")
    assert "added" not in opened.stderr
    looked = medreview("review", "my answers.jsonl", "--plain", "--queue", "responses", "--read-only", input="q\n")
    assert "added" not in looked.stderr


def _no_pages(folder: Path) -> Path:
    pages = folder / "pages"
    pages.mkdir()
    (pages / "manifest.jsonl").write_text("")
    return pages


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md", f"# Q?\n\n{RECORD['response']}\n"),
        ("a.txt", RECORD["response"]),
        ("a.csv", f"question,answer\nQ?,{RECORD['response']}\n"),
        ("a.json", json.dumps([RECORD])),
        ("a.tsv", f"question\tanswer\nQ?\t{RECORD['response']}\n"),
    ],
)
def test_every_kind_of_file_opens(medreview: Program, tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    done = medreview("review", name, "--plain", "--queue", "responses", input="q\n")
    assert "It lowers glucose by 50 mg" in done.stdout + done.stderr or "Metformin is contraindicated" in done.stdout
    assert responses(tmp_path / "a.medreview") != []


def test_what_was_done_before_an_error_is_kept_and_gone_on_with(medreview: Program, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(RECORD))
    stopped = medreview("review", "a.jsonl", "--plain", "--pages", "nowhere", check=2)
    assert "There is no folder nowhere" in stopped.stderr
    assert responses(tmp_path / "a.medreview") == ["q1"]
    done = medreview("review", "a.jsonl", "--plain", "--queue", "responses", input="q\n")
    assert "0 responses added, 1 there already" in done.stderr
    assert "Metformin is contraindicated" in done.stdout


def test_a_study_is_told_by_its_content_and_files_are_added_to_it(
    medreview: Program, tmp_path: Path, demo: Path
) -> None:
    shutil.copy(demo, tmp_path / "study.db")
    (tmp_path / "a.jsonl").write_text(json.dumps(RECORD))
    before = len(responses(tmp_path / "study.db"))
    medreview("review", "study.db", "a.jsonl", "--plain", input="q\n")
    assert responses(tmp_path / "study.db")[before:] == ["q1"]
    assert not (tmp_path / "a.medreview").exists()


def test_a_file_of_other_units_is_reviewed_in_one_step_as_well(medreview: Program, tmp_path: Path) -> None:
    shutil.copy(str(files("medreview.sample_data") / "revisions.jsonl"), tmp_path)
    done = medreview("review", "revisions.jsonl", "--plain", input="1\nk\n4\nq\n")
    assert "revisions.medreview: 6 revisions." in done.stderr
    assert "press 4 or 5" in " ".join(done.stdout.split()) or "press 1, 2 or 3" in " ".join(done.stdout.split())
    assert events(tmp_path / "revisions.medreview") == ["decide"]
    (tmp_path / "bad.jsonl").write_text('{"question": "Q?", "says": "A."}')
    medreview("import", "new.medreview", "revisions.jsonl", "bad.jsonl", check=2)
    with Study.open(tmp_path / "new.medreview", read_only=True) as study:
        assert study.reader.execute("SELECT count(*) FROM unit").fetchone()[0] == 6


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.jsonl"], "There is no file none.jsonl"),
        (["none"], "There is no study at none"),
        (["demo.medreview", "none.medreview"], "none.medreview is a second study"),
        (["a.jsonl", "--read-only"], "There is no study a.medreview to look at yet"),
        (["empty.md"], "There is nothing to review in empty.md"),
        (["bad.jsonl"], "has questions and no column for the response"),
    ],
)
def test_what_cannot_be_reviewed_is_said_and_leaves_nothing(
    medreview: Program, tmp_path: Path, demo: Path, arguments: list[str], sentence: str
) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(RECORD))
    (tmp_path / "bad.jsonl").write_text('{"question": "Q?", "says": "A."}')
    (tmp_path / "empty.md").write_text("# Is it safe?\n\n")
    assert sentence in medreview("review", *arguments, check=2).stderr
    assert not (tmp_path / "bad.medreview").exists()
