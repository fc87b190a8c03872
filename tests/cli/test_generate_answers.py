"""``generate questions`` and ``generate answers`` from a file of texts to the figures, against a local server."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Program, own_settings
from tests.support.judge_endpoint import JudgeEndpoint, by_prompt

DATA = Path(str(files("medreview.sample_data")))
PAGE = "https://surgery.example/aspirin"
ANSWER = {"response": "It is stopped 7 days before the operation [1].", "sources": [PAGE]}


def reply(prompt: str) -> dict[str, Any] | str:
    """A question of each sample text as it was recorded; to each question an answer, but nothing on sepsis."""
    if "answer a medical question" in prompt:
        return "" if "septic shock" in prompt else ANSWER
    texts = {one["title"]: one["text"] for one in map(json.loads, (DATA / "question_texts.jsonl").open())}
    told = [json.loads(line) for line in (DATA / "recorded" / "question_generation.jsonl").open()]
    return next(one["answer"] for one in reversed(told) if texts[one["for"].split(" / ")[0]] in prompt)


@pytest.fixture
def server(tmp_path: Path):
    with JudgeEndpoint(by_prompt(reply)) as made:
        own_settings(tmp_path, f'[models.demo]\nmodel = "demo-writer"\nbase_url = "{made.base}/v1"\n')
        yield made


def test_texts_become_questions_that_are_checked_and_answered(
    medreview: Program, server: JudgeEndpoint, tmp_path: Path
):
    study = tmp_path / "ward.medreview"
    medreview("import", study, DATA / "question_checks.jsonl")
    plan = medreview("generate", "questions", study, DATA / "question_texts.jsonl", "--model", "demo", "--dry-run")
    assert "10 inputs, 10 calls to pay" in plan.stdout
    made = medreview("generate", "questions", study, DATA / "question_texts.jsonl", "--model", "demo")
    assert "10 inputs done, 9 with a product: 9 questions" in made.stdout
    assert "without one: invalid 1" in made.stdout
    assert len(server.asked) == 12

    for record, digit in (("C1", "1"), ("C3", "2")):
        chosen = ("--queue", "questions", "--filter", f"id={record}")
        medreview("review", study, *chosen, "--plain", input=f"{digit}\nq\n")
    told = medreview("stats", study, "--full", "--replicates", 99).stdout
    assert "Question checks: 16 questions" in told
    assert "50.0%  9.5% to 90.5%" in told

    answered = json.loads(medreview("generate", "answers", study, "--model", "demo", "--json").stdout)
    assert answered["counts"]["codes"] == {"empty": 2}
    assert {name: answered["responses"][name] for name in ("responses", "empty", "sourceless")} == {
        "responses": 15, "empty": 1, "sourceless": 0,
    }  # fmt: skip
    sets = tmp_path / "forum.csv"
    sets.write_text("question,origin,topic\nIs it safe to stop aspirin?,forum,x\n,forum,x\n")
    web = medreview("generate", "answers", study, sets, "--web", "--model", "demo")
    assert "1 input done, 1 with a product: 1 response" in web.stdout
    assert "of 1 response 0 invalid after the second try, 0 without a source" in web.stdout
    assert f"{sets}, line 3: has no question; left out" in web.stderr
    prepared = medreview("run", study, "--pages", DATA / "pages")
    assert "15 statements" in prepared.stdout
    rows = json.loads(medreview("stats", study, "--json", "--replicates", 99).stdout)["kinds"]["by_model"]
    assert {name: one["responses"] for name, one in rows.items()} == {"demo": 15, "demo (web)": 1}


def test_what_cannot_be_asked_about_is_one_sentence(medreview: Program, server: JudgeEndpoint, tmp_path: Path):
    study = tmp_path / "ward.medreview"
    (tmp_path / "a.jsonl").write_text(json.dumps({"question": "Q?", "response": "Yes.", "citations": [PAGE]}) + "\n")
    medreview("import", study, "a.jsonl")
    for arguments, says in (
        ((), "The study has no passage"),
        (("--snapshots",), "No page of the study can be read"),
        ((PAGE,), f"The page of {PAGE} has no text that can be read"),
        (("https://other.example/",), "No response of the study cites https://other.example/"),
        (("none.txt",), "none.txt cannot be read"),
        ((PAGE, "--snapshots"), "Give either a page or file, or --snapshots"),
    ):
        found = medreview("generate", "questions", study, *arguments, "--model", "demo", check=2)
        assert says in found.stderr.replace("\n", " ")
    none = tmp_path / "none.medreview"
    medreview("import", none, DATA / "revisions.jsonl")
    assert "There is no question to ask" in medreview("generate", "answers", none, "--model", "demo", check=2).stderr
    assert server.asked == []
