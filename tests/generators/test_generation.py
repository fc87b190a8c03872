"""The machinery of all generators, shown with questions: attempts, resuming, batches, recorded answers."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.generators.questions import Questions
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.units.new_units import ImportRecord, store_records
from medreview.units.stored import NewPassage
from tests.support.judge_endpoint import JudgeEndpoint, refuses, says

ASPIRIN = "Aspirin is stopped 7 days before the operation. Nobody needs a bridge with heparin."
GOOD = {
    "quote": "Aspirin is stopped 7 days before the operation.",
    "answer": "7 days before",
    "question": "How long before an operation is aspirin stopped?",
}
WRONG = {**GOOD, "answer": "5 days before"}
"""Its number does not stand in the quote."""


@pytest.fixture
def study(tmp_path: Path):
    with Study.create(tmp_path / "s.medreview", "questions") as made:
        bring(made, ASPIRIN)
        yield made


def bring(study: Study, *texts: str) -> None:
    passages = tuple(NewPassage(text, f"text {number}") for number, text in enumerate(texts, 1))
    study.write(lambda connection: store_records(connection, [ImportRecord(passages=passages)], "test"))


def run(study: Study, settings: JudgeSettings, again: bool = False):
    return pipeline.generate(study, pipeline.Generating(Questions, settings, again=again))


def test_two_settings_of_one_model_are_two_systems(study):
    bring(study, f"{ASPIRIN} The wound is seen on day 3.")
    for name, question in (("careful", GOOD["question"]), ("quick", "How many days before an operation does it stop?")):
        with JudgeEndpoint(says(json.dumps({**GOOD, "question": question}))) as server:
            run(study, server.settings(name))
    named = study.reader.execute("SELECT DISTINCT model, json_extract(made_by, '$.model') FROM unit ORDER BY ordinal")
    assert [tuple(row) for row in named] == [("careful", "m"), ("quick", "m")]


def test_a_valid_answer_becomes_a_unit_that_says_what_made_it(study):
    with JudgeEndpoint(says(json.dumps(GOOD))) as server:
        done = run(study, server.settings("writer"))

    assert (done.counts.items, done.counts.made, done.counts.products, done.waiting) == (1, 1, {"question": 1}, 0)
    unit = study.reader.execute("SELECT * FROM unit").fetchone()
    assert (unit["kind"], unit["text"], unit["model"]) == ("question", GOOD["question"], "writer")
    made_by = json.loads(unit["made_by"])
    assert made_by == {"model": "m", "prompt": "question_generation/1", "run": done.counts.run_id}
    assert json.loads(unit["content"])["quote"] == GOOD["quote"]


def test_an_invalid_answer_is_sampled_anew_under_another_key_and_every_attempt_is_kept(study):
    with JudgeEndpoint(says(json.dumps(WRONG)), says("{}"), says("{}"), says(json.dumps(GOOD))) as server:
        done = run(study, server.settings("writer", params={"seed": 7}))
        seeds = [body["seed"] for body in server.asked]

    rows = study.reader.execute("SELECT number, status, codes, cache_key FROM generation_attempt ORDER BY number")
    assert [(row["number"], row["status"], json.loads(row["codes"])) for row in rows] == [
        (1, "invalid", ["number_not_in_quote"]),
        (2, "unparsable", ["unparsable"]),
        (3, "ok", []),
    ]
    assert (done.counts.made, done.counts.attempts, done.counts.retried) == (1, 3, 2)
    assert seeds == [7, 8, 8, 9]  # the third is the repair turn of the second


def test_what_stays_invalid_makes_nothing_is_counted_and_asked_no_more_unless_told(study):
    with JudgeEndpoint(says(json.dumps(WRONG))) as server:
        first, second = run(study, server.settings("writer")), run(study, server.settings("writer"))
        assert len(server.asked) == 3
        server.play(says(json.dumps(GOOD)))
        third = run(study, server.settings("writer"), again=True)

    assert (first.counts.nothing, first.counts.codes) == ({"invalid": 1}, {"number_not_in_quote": 3})
    assert second.tally.calls == second.waiting == 0
    assert (third.counts.made, third.counts.nothing, third.counts.attempts) == (1, {}, 4)


def test_a_connection_that_fails_leaves_the_input_waiting_and_uses_no_attempt_up(study):
    with JudgeEndpoint(refuses(401, "no such key")) as server:
        failed = run(study, server.settings("writer"))
        server.play(says(json.dumps(GOOD)))
        done = run(study, server.settings("writer"))

    assert (failed.tally.failed, failed.waiting, failed.counts.attempts) == (1, 1, 0)
    assert (done.counts.made, done.counts.attempts) == (1, 1)


def test_answers_whose_rows_were_lost_with_the_process_are_not_asked_again(study):
    with JudgeEndpoint(says(json.dumps(GOOD))) as server:
        run(study, server.settings("writer"))
        study.write(lambda connection: [connection.execute(f"DELETE FROM {table}") for table in (
            "generation_attempt", "generation_product", "generation", "unit")])  # fmt: skip
        done = run(study, server.settings("writer"))
        assert len(server.asked) == 1

    assert (done.counts.made, done.counts.attempts, done.tally.calls) == (1, 1, 0)
    assert study.reader.execute("SELECT count(*) FROM unit").fetchone()[0] == 1


def test_questions_go_out_as_a_batch_and_come_back_attempt_by_attempt(study, tmp_path):
    generating = pipeline.Generating(Questions, JudgeSettings("writer", "m", "http://localhost:1/v1"))

    def round_trip(name: str, answer: object) -> tuple:
        out = tmp_path / f"{name}.jsonl"
        written = pipeline.batch_out(study, generating, out)
        if not written.requests:
            return written, None
        key = json.loads(out.read_text())["custom_id"]
        message = {"role": "assistant", "content": json.dumps(answer)}
        body = {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
        back = tmp_path / f"{name}.back.jsonl"
        back.write_text(json.dumps({"custom_id": key, "response": {"status_code": 200, "body": body}}) + "\n")
        pipeline.batch_in(study, generating, [back])
        return written, generating.task(study).counts()

    _, first = round_trip("one", WRONG)
    _, second = round_trip("two", GOOD)
    third, _ = round_trip("three", None)

    assert (first.items, first.codes) == (0, {"number_not_in_quote": 1})
    assert (second.made, second.attempts, second.products) == (1, 2, {"question": 1})
    assert third.units == third.requests == 0


def test_recorded_answers_take_the_place_of_a_server(study, tmp_path):
    lines = [{"for": "text 1 / question", "answer": WRONG, "latency_ms": 900}]
    lines.append({"for": "text 1 / question", "attempt": 2, "answer": GOOD, "prompt_tokens": 300,
                  "completion_tokens": 40})  # fmt: skip
    (tmp_path / "question_generation.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    settings = JudgeSettings("demo", "demo-writer", "recorded:", price_input=1.0, price_output=2.0, recorded=tmp_path)

    done = run(study, settings)

    assert (done.counts.made, done.counts.codes) == (1, {"number_not_in_quote": 1})
    assert done.tally.cost == pytest.approx((300 + 80) / 1e6)
    assert run(study, settings).tally.calls == 0
    bring(study, "Another text, to which no answer was recorded.")
    assert run(study, settings).waiting == 1


def test_a_dry_run_counts_what_is_left_to_ask(study):
    bring(study, "Warfarin is stopped 5 days before.")
    with JudgeEndpoint(says(json.dumps(GOOD))) as server:
        settings = server.settings("writer", price_input=1.0, price_output=1.0)
        generating = pipeline.Generating(Questions, settings)
        planned, later = pipeline.plan_generation(study, generating)
        assert (planned.units, planned.estimate.calls, later, len(server.asked)) == (2, 2, 0, 0)
        pipeline.generate(study, generating, limit=1)
        planned, _ = pipeline.plan_generation(study, replace(generating, again=True))

    assert planned.estimate.calls == 1
