"""What a server of batches may answer: refusals, nonsense, half of the results, results of another batch."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.pipeline import batches
from medreview.study import Study
from tests.pipeline.batch_runs import LIMIT, collected, judged, judges_at, run, stored, submitted
from tests.support.batch_endpoint import answered, lines, query_of, unanswered
from tests.support.http_server import answer_json, hang_up
from tests.support.judge_endpoint import refuses, sends

REFUSALS = [
    ("POST /v1/files", sends(404, {"detail": "Not Found"}), "404: Not Found.*seems to have no batches; --batch-out"),
    ("POST /v1/files", refuses(413, "File too large"), "did not take the file.*File too large"),
    ("POST /v1/files", sends(200, {"id": 7}), "no usable id"),
    ("POST /v1/files", sends(200, "<html>hello"), "cannot be read"),
    ("POST /v1/files", answer_json({}, status=307, Location="http://elsewhere.example/"), "asked elsewhere"),
    ("POST /v1/batches", refuses(400, "model not found"), "did not begin the batch.*model not found"),
    ("POST /v1/batches", sends(400, {"error": "Missing required parameter"}), "Missing required parameter"),
    ("POST /v1/batches", refuses(401, "no such key"), "401: no such key"),
]


@pytest.mark.parametrize(("what", "route", "told"), REFUSALS, ids=[told[:20] for *_, told in REFUSALS])
def test_a_refusal_is_told_and_leaves_nothing_under_way(demo, server, what, route, told):
    server.instead[what] = [route] * 4
    with pytest.raises(UserError, match=told):
        submitted(demo, judges_at(server))
    server.instead.clear()
    if stored(demo)[0].state == "given_up":
        assert len(run(demo, judges_at(server))) == 1
    else:  # it may have the file: it is asked
        assert stored(demo)[0].state == "uploading"


def test_a_server_that_takes_no_metadata_gets_none(demo, server):
    def strict(exchange):
        if "metadata" in json.loads(exchange.body):
            return refuses(400, "Unknown parameter: 'metadata'.", param="metadata")(exchange)
        with server.lock:
            told = server.begin(json.loads(exchange.body))
        return answer_json(told)(exchange)

    server.instead["POST /v1/batches"] = [strict, strict]
    assert submitted(demo, judges_at(server)).jobs[0].batch_id == "batch_1"


def test_fields_that_a_proxy_needs_go_with_the_file_and_as_a_query(demo, server):
    judges = judges_at(server, batch_fields={"target_model_names": "m"})
    assert len(run(demo, judges)) == 1
    assert server.files["file-1"]["fields"] == {"purpose": "batch", "target_model_names": "m"}
    others = [request.path for request in server.received if request.path != "/v1/files"]
    assert all(query_of(path) == {"target_model_names": ["m"]} for path in others)


def test_the_key_goes_with_every_request_and_is_stored_nowhere(demo, server, monkeypatch):
    monkeypatch.setenv("BATCH_KEY", "sk-very-secret-0123456789")
    server.instead["GET /v1/batches/*"] = [
        lambda exchange: refuses(500, f"with {exchange.headers['Authorization']}")(exchange)
    ] * 40
    judges = judges_at(server, api_key_env="BATCH_KEY")
    with pytest.raises(UserError) as told:
        run(demo, judges)
    assert {request.headers["authorization"] for request in server.received} == {"Bearer sk-very-secret-0123456789"}
    assert "secret" not in str(told.value)
    assert "secret" not in json.dumps([asdict(job) for job in stored(demo)])
    monkeypatch.delenv("BATCH_KEY")
    with pytest.raises(UserError, match="BATCH_KEY"):
        run(demo, judges)


def told_of(server, **more: Any) -> Any:
    """Tell of the batch with other values."""

    def route(exchange):
        with server.lock:
            told = {**server.batches["batch_1"], **more}
        answer_json(told)(exchange)

    return route


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"id": "batch_9", "metadata": None, "input_file_id": "file-9"}, "another batch"),
        ({"status": "marvellous"}, "'marvellous', which medreview does not know"),
        ({"status": 7}, "no word"),
        ({"status": None}, "no word"),
        ({"id": "batch 1\n"}, "no usable id"),
        ({"status": "completed", "output_file_id": ["file-1"]}, "no usable id"),
        ({"status": "completed", "output_file_id": "x" * 5000}, "no usable id"),
    ],
)
def test_what_tells_nothing_of_the_batch_is_no_end_of_it(demo, server, more, told):
    judges = judges_at(server)
    jobs = submitted(demo, judges).jobs
    server.instead["GET /v1/batches/*"] = [told_of(server, **more)] * 6
    with pytest.raises(UserError, match=f"{told}.*same command"):
        collected(demo, judges, jobs)
    assert (judged(demo), stored(demo)[0].state) == (0, "created")
    assert len(run(demo, judges)) == 1


def test_hiccups_other_words_and_absurd_counts_are_no_harm(demo, server):
    judges = judges_at(server)
    jobs = submitted(demo, judges).jobs
    absurd = {"completed": 10**400, "failed": -3, "total": "many"}
    server.instead["GET /v1/batches/*"] = [
        refuses(500, "boom"), hang_up, refuses(429, "slow down"), sends(200, "[]"), sends(200, "null"),
        told_of(server, status="PENDING", request_counts=absurd), told_of(server, status="running", request_counts=7),
        told_of(server, status="completed"), told_of(server, status="completed", output_file_id=""), None,
    ]  # fmt: skip
    states: list[Any] = []
    (taken,) = collected(demo, judges, jobs, states)
    assert states[:2] == [("validating", None), ("in_progress", None)]
    assert taken.results.judged == LIMIT


def test_a_batch_that_is_not_known_any_more_is_told(demo, server):
    judges = judges_at(server)
    jobs = submitted(demo, judges).jobs
    server.batches.clear()
    with pytest.raises(UserError, match=r"does not know batch batch_1 any more.*--give-up"):
        collected(demo, judges, jobs)


@pytest.mark.parametrize("state", ["expired", "cancelled", "completed"])
def test_part_of_the_answers_comes_in_and_the_rest_waits(demo, server, state):
    server.steps = ("in_progress", state)
    server.results = lambda requests: lines(map(answered, requests[:5]))
    server.errors = lambda requests: lines(map(unanswered, requests[5:8]))
    judges = judges_at(server)

    (taken,) = run(demo, judges)

    assert (taken.job.status, taken.results.statuses, taken.missing) == (state, {"ok": 5, "error": 3}, LIMIT - 8)
    assert judged(demo) == 5
    server.steps, server.results, server.errors = ("completed",), lambda it: lines(map(answered, it)), lambda it: ""
    (rest,) = run(demo, judges)
    assert (rest.job.requests, judged(demo)) == (16 - 5, 16)


def test_a_batch_that_failed_says_why(demo, server):
    server.steps = ("validating", "failed")
    judges = judges_at(server)
    jobs = submitted(demo, judges).jobs
    errors = {"object": "list", "data": [{"code": "x", "message": "Enqueued token limit\nreached", "line": 7}, 9]}
    server.instead["GET /v1/batches/*"] = [None, told_of(server, status="failed", errors=errors)]
    (taken,) = collected(demo, judges, jobs)
    assert (taken.job.status, taken.job.error, taken.missing) == ("failed", "Enqueued token limit reached", LIMIT)
    assert judged(demo) == 0


def test_results_of_another_batch_and_no_results_at_all_make_no_label(demo, server):
    judges = judges_at(server)
    with Study.open(demo) as study:
        everything = pipeline.batch_out(study, judges, demo.parent / "all.jsonl")
    requests = [json.loads(line) for line in (demo.parent / "all.jsonl").read_text().splitlines()]
    assert everything.requests > LIMIT
    server.results = lambda asked: (
        lines(map(answered, requests[LIMIT:]))
        + lines([answered({"custom_id": "f" * 64}), {"custom_id": asked[0]["custom_id"], "body": {}}])
        + "Processed batch\n[1]\n"
    )

    (taken,) = run(demo, judges)

    assert (taken.results.statuses, taken.missing, judged(demo)) == ({}, LIMIT, 0)
    assert taken.results.foreign == len(requests) - LIMIT + 1
    assert taken.results.why == "they are to questions that were not in this batch"
    where = {path for path, *_ in taken.results.bad}
    assert (where, len(taken.results.bad)) == ({"results of batch_1"}, 3)


def test_more_bytes_than_answers_can_have_are_not_read(demo, server, monkeypatch):
    monkeypatch.setattr(batches, "LARGEST_RESULT", 1000)
    monkeypatch.setattr(batches, "_ROOM", 0)
    server.results = lambda requests: "x" * 20_000
    judges = judges_at(server)
    with pytest.raises(UserError, match=r"results of batch batch_1 cannot be had.*larger than 0.012 MB.*again"):
        run(demo, judges)
    assert stored(demo)[0].state == "created"
    assert [path.name for path in demo.parent.glob(".*partial*")] == []
    for file in server.files.values():
        file["content"] = file["content"][:0] if "fields" not in file else file["content"]
    (taken,) = run(demo, judges)
    assert (taken.missing, judged(demo)) == (LIMIT, 0)
