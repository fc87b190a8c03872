"""The command ``generate key-facts`` on the sample cases, with recorded answers, up to what a reviewer keeps."""

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from tests.support.commands import Program, own_settings
from tests.support.judge_endpoint import JudgeEndpoint, by_prompt

DATA = Path(str(files("medreview.sample_data")))


def answer(prompt: str) -> dict[str, Any]:
    """The last recorded answer for the case whose text is in the prompt."""
    cases = {case["id"]: case["reference"] for case in map(json.loads, (DATA / "cases.jsonl").open())}
    lines = map(json.loads, (DATA / "recorded" / "key_fact_suggestion.jsonl").open())
    return next(line["answer"] for line in reversed(list(lines)) if cases[line["for"].split(" / ")[0]] in prompt)


def test_facts_are_suggested_reviewed_in_lines_and_counted_in_the_report(medreview, tmp_path):
    with JudgeEndpoint(by_prompt(answer)) as server:
        own_settings(tmp_path, f'[models.demo]\nmodel = "demo-writer"\nbase_url = "{server.base}/v1"\n')
        walk(medreview, tmp_path)


def walk(medreview: Program, tmp_path: Path) -> None:
    study = tmp_path / "ward.medreview"
    medreview("import", study, DATA / "cases.jsonl")
    done = medreview("generate", "key-facts", study, DATA / "cases.jsonl", "--model", "demo", "--per-case", 2)
    assert "14 suggested facts" in done.stdout
    assert "29 suggested facts: 0 kept, 0 edited, 0 discarded, 29 open; 0 of reviewers' own" in done.stdout
    assert "Keep 2 facts of each case: medreview review" in done.stdout
    review = medreview("review", study, "--queue", "suggestions", "--plain", input="1\n2\n1\nq\n")
    assert "· keep 2 facts" in review.stdout
    medreview("report", study, "--markdown", tmp_path / "r.md", "--replicates", 99)
    told = (tmp_path / "r.md").read_text()
    assert "29 suggested facts: 2 kept, 0 edited, 1 discarded, 26 open" in told
    wanted = re.search("as many facts kept as wanted: 1 of 3 cases; (.*)", told)
    # Which case stands first in a shuffled queue hangs on the study's id, which is drawn.
    assert wanted
    assert wanted[1] in {"C01 0 of 2, C02 0 of 2", "C01 0 of 2, C03 0 of 2", "C02 0 of 2, C03 0 of 2"}
    again = json.loads(medreview("generate", "key-facts", study, "--model", "demo", "--per-case", 2, "--json").stdout)
    assert (again["tally"]["calls"], again["suggested"]["kept"]) == (0, 2)
