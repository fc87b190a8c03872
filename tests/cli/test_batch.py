"""Batch files through the command line, and the tie rule."""

import json

from medreview.study import Study
from tests.support.commands import own_settings
from tests.support.judge_endpoint import as_asked

SETTINGS = """
[judges.atlas]
model = "atlas-2"
base_url = "http://127.0.0.1:9/v1"
price_input = 1.0
price_output = 2.0

[judges.cedar]
model = "cedar-1"
base_url = "http://127.0.0.1:9/v1"
"""


def results(requests, results, label="not_addressed"):
    answer = as_asked({"reason": "Nothing on this.", "label": label, "confidence": 0.9})
    with results.open("w") as file:
        for line in requests.read_text().splitlines():
            body = {"choices": [{"message": {"role": "assistant", "content": json.dumps(answer)}}]}
            response = {"status_code": 200, "request_id": "x", "body": body}
            told = {"id": "r", "custom_id": json.loads(line)["custom_id"], "response": response, "error": None}
            file.write(json.dumps(told) + "\n")
    return results


def test_there_and_back(medreview, demo, tmp_path):
    own_settings(tmp_path, SETTINGS)
    out = medreview("judge", demo, "--judge", "atlas", "--batch-out", "b.jsonl", "--limit", 20)
    assert "on 20 units in b.jsonl" in out.stdout
    assert "at the configured prices" in out.stdout
    assert (tmp_path / "b.jsonl.manifest.json").exists()

    taken = medreview(
        "judge", demo, "--judge", "atlas", "--batch-in", results(tmp_path / "b.jsonl", tmp_path / "r.jsonl")
    )
    assert "20 units judged" in taken.stdout
    again = json.loads(medreview("judge", demo, "--judge", "atlas", "--batch-in", "r.jsonl", "--json").stdout)
    assert (again["statuses"], again["known"], again["judged"]) == ({}, 20, 0)
    other = medreview("judge", demo, "--judge", "cedar", "--batch-in", "r.jsonl", check=1)
    assert (
        "20 results answer no question of this judge in this study: the batch was written with another judge"
        in other.stderr
    )
    with Study.open(demo, read_only=True) as study:
        rows = study.reader.execute(
            "SELECT count(*), count(DISTINCT verdict) FROM judgement JOIN judge_run USING (judge_run_id) "
            "WHERE kind = 'llm'"
        ).fetchone()
        rolled = study.reader.execute("SELECT count(*) FROM verdict WHERE votes_for > 0").fetchone()[0]
    assert tuple(rows) == (20, 1)
    assert rolled > 0


def test_a_batch_is_for_one_judge(medreview, demo, tmp_path):
    own_settings(tmp_path, SETTINGS)
    assert "name it with --judge" in medreview("judge", demo, "--batch-out", "b.jsonl", check=2).stderr
    both = ("--judge", "atlas", "--judge", "cedar")
    assert "for one judge" in medreview("judge", demo, *both, "--batch-in", "r.jsonl", check=2).stderr
    assert "cannot be read" in medreview("judge", demo, "--judge", "atlas", "--batch-in", "r.jsonl", check=2).stderr


def test_the_tie_rule_is_set_and_stays(medreview, demo):
    def tied():
        with Study.open(demo, read_only=True) as study:
            rows = study.reader.execute("SELECT statement_id, supported FROM verdict WHERE tied = 1")
            return {row[0]: row[1] for row in rows}

    even = [statement for statement, supported in tied().items() if supported is None]
    assert even
    medreview("judge", demo, "--ties", "not-supported")
    assert "tie rule: not supported" in medreview("stats", demo, "--full", "--replicates", 99).stdout
    medreview("judge", demo)
    assert {tied()[statement] for statement in even} == {0}
    medreview("judge", demo, "--ties", "supported")
    assert {tied()[statement] for statement in even} == {1}
