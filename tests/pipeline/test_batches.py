"""Batches of judgements: sent, followed, taken in, and the servers of providers that take them."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.generators.questions import Questions
from medreview.judges import batch_jobs
from medreview.llm import batch_server
from medreview.llm.batch_server import BatchServer
from medreview.pipeline import batches, judge_by
from medreview.study import Study
from medreview.units.new_units import ImportRecord, store_records
from medreview.units.stored import NewPassage
from tests.pipeline.batch_runs import LIMIT, collected, judged, judges_at, run, stored, submitted
from tests.support.batch_endpoint import answered, lines, query_of, unanswered
from tests.support.http_server import answer_json, hang_up
from tests.support.judge_endpoint import refuses, sends


class Killed(BaseException):
    """In the place of a kill: nothing of the program answers it."""


def dying(monkeypatch, place, name, before=True) -> None:
    """Let the next call of something be the last thing that is done, or its return."""
    real = getattr(place, name)

    def die(*given, **named):
        if not before:
            real(*given, **named)
        raise Killed

    monkeypatch.setattr(place, name, die)


def test_a_batch_is_uploaded_created_waited_for_and_taken_in(demo, server, judges):
    states = []
    costs = []
    done = submitted(demo, judges, tell=costs.append)
    (job,) = done.jobs
    (file,) = server.files.values()
    assert (costs[0].requests, job.requests, job.state, job.batch_id) == (LIMIT, LIMIT, "created", "batch_1")
    assert (file["fields"], file["filename"]) == ({"purpose": "batch"}, job.file_name)
    assert server.batches["batch_1"]["metadata"] == {"medreview_job": job.job_id}
    with Study.open(demo, read_only=True) as study:
        keys = batch_jobs.keys_of(study.reader, job)
    assert keys == {json.loads(line)["custom_id"] for line in file["content"].splitlines()}

    (taken,) = collected(demo, judges, done.jobs, states)

    assert [state for state, _ in states] == ["validating", "in_progress", "finalizing", "completed"]
    assert (taken.results.statuses, taken.missing, judged(demo)) == ({"ok": LIMIT}, 0, LIMIT)
    (job,) = stored(demo)
    assert (job.state, job.status, job.completed) == ("ended", "completed", LIMIT)
    assert [path.name for path in demo.parent.glob(".*partial*")] == []


def test_several_files_are_several_batches_each_taken_when_it_is_over(demo, server):
    taken = run(demo, judges_at(server), shard_bytes=15_000)
    assert len(taken) > 2
    assert len(server.batches) == len(server.files) / 2 == len(taken)
    assert judged(demo) == sum(one.results.judged for one in taken) == LIMIT


@pytest.mark.parametrize(
    ("place", "name", "before", "keeps_metadata"),
    [
        (BatchServer, "upload", True, True),
        (BatchServer, "upload", False, True),
        (BatchServer, "create", True, True),
        (BatchServer, "create", False, True),
        (BatchServer, "create", False, False),
        (batch_jobs, "created", True, True),
        (batch_jobs, "created", False, True),
        (BatchServer, "batch", True, True),
        (BatchServer, "download", False, True),
        (batch_jobs, "ended", True, True),
        (batch_jobs, "ended", False, True),
    ],
)
def test_killed_at_any_step_nothing_is_sent_twice(
    demo, server, judges, monkeypatch, place, name, before, keeps_metadata
):
    server.keeps_metadata = keeps_metadata
    with monkeypatch.context() as patch:
        dying(patch, place, name, before)
        with pytest.raises(Killed):
            run(demo, judges)

    again = run(demo, judges) if stored(demo)[-1].state != "ended" else []

    assert (server.count("POST /v1/files"), server.count("POST /v1/batches")) == (1, 1)
    assert judged(demo) == LIMIT
    assert [job.state for job in stored(demo) if job.state != "given_up"] == ["ended"]
    assert sum(one.results.judged for one in again) in (0, LIMIT)


def test_killed_between_two_files_the_rest_is_submitted_and_nothing_else(demo, server, judges, monkeypatch):
    real = BatchServer.upload

    def third_is_the_last(self, path, name):
        if len(server.files) == 2:
            raise Killed
        return real(self, path, name)

    with monkeypatch.context() as patch:
        patch.setattr(BatchServer, "upload", third_is_the_last)
        with pytest.raises(Killed):
            submitted(demo, judges, shard_bytes=15_000)
    run(demo, judges, shard_bytes=15_000)

    asked = [json.loads(line)["custom_id"] for file in server.files.values() if "fields" in file
             for line in file["content"].splitlines()]  # fmt: skip
    assert len(asked) == len({*asked}) == judged(demo) == LIMIT


def test_a_batch_that_the_server_may_have_and_does_not_list_is_not_created_again(demo, server, judges, monkeypatch):
    server.lists = False
    with monkeypatch.context() as patch:
        dying(patch, batch_jobs, "created")
        with pytest.raises(Killed):
            submitted(demo, judges)

    with pytest.raises(UserError, match=r"cannot be known.*--give-up"):
        submitted(demo, judges)
    with Study.open(demo) as study:
        batches.give_up(study, batch_jobs.jobs(study.reader)[0])
        with pytest.raises(UserError, match="not under way"):
            batches.give_up(study, batch_jobs.jobs(study.reader)[0])
    assert server.count("POST /v1/batches") == 1

    assert (len(run(demo, judges)), judged(demo)) == (1, LIMIT)


def test_lists_without_an_end_or_without_items_are_left(demo, server, judges, monkeypatch):
    with monkeypatch.context() as patch:
        dying(patch, batch_jobs, "created")
        with pytest.raises(Killed):
            submitted(demo, judges)

    def page(exchange):
        number = server.count("GET /v1/batches")
        answer_json({"data": [{"id": f"b{number}", "status": 7}, 7, {"id": number}], "has_more": True})(exchange)

    monkeypatch.setattr(batch_server, "_PAGES", 5)
    for pages in ([answer_json({"data": {"id": "batch_1"}})], [page] * 9):
        server.instead["GET /v1/batches"] = pages
        with pytest.raises(UserError, match="cannot be known"):
            submitted(demo, judges)
    assert (server.count("GET /v1/batches"), server.count("POST /v1/batches")) == (6, 1)


def test_while_a_batch_is_under_way_its_questions_are_asked_in_no_other_way(demo, server, judges):
    jobs = submitted(demo, judges).jobs
    with Study.open(demo) as study:
        for ask in (lambda: judge_by(study, judges, limit=2), lambda: pipeline.batch_out(study, judges, demo)):
            with pytest.raises(UserError, match=r"under way.*paid twice"):
                ask()
    assert submitted(demo, judges).jobs == jobs
    assert (server.count("POST /v1/files"), server.count("POST /v1/batches")) == (1, 1)


def test_an_error_of_the_server_that_created_the_batch_all_the_same_creates_no_other(demo, server):
    def created_and_failed(exchange):
        with server.lock:
            server.begin(json.loads(exchange.body))
        refuses(502, "bad gateway")(exchange)

    server.instead["POST /v1/batches"] = [created_and_failed]
    assert [job.batch_id for job in submitted(demo, judges_at(server)).jobs] == ["batch_1"]
    assert len(server.batches) == 1


def test_an_upload_that_broke_is_tried_again_and_a_creation_without_an_answer_is_asked_for(demo, server, judges):
    server.instead = {"POST /v1/files": [hang_up, refuses(503, "busy")], "POST /v1/batches": [hang_up]}
    with pytest.raises(UserError, match=r"did not say whether it began the batch.*same command"):
        submitted(demo, judges)
    assert (len(server.files), stored(demo)[0].state) == (1, "creating")
    assert len(run(demo, judges)) == 1
    assert (len(server.batches), judged(demo)) == (1, LIMIT)


def test_what_is_cancelled_is_collected_and_only_what_the_server_has_can_be(demo, server, judges):
    server.steps = ("in_progress",)
    server.results = lambda requests: lines(map(answered, requests[:3]))
    jobs = submitted(demo, judges).jobs
    with Study.open(demo) as study:
        job = batches.cancel(study, judges.settings[0], batch_jobs.job_named(study.reader, "batch_1"))
        assert job.status == "cancelling"
        with pytest.raises(UserError, match="no batch 'batch_7'"):
            batch_jobs.job_named(study.reader, "batch_7")
    (taken,) = collected(demo, judges, jobs)
    assert (taken.job.status, judged(demo)) == ("cancelled", 3)
    with Study.open(demo) as study, pytest.raises(UserError, match="is ended: there is nothing to cancel"):
        batches.cancel(study, judges.settings[0], batch_jobs.job_named(study.reader, "batch_1"))


def test_a_generator_in_batches_one_for_each_round_of_questions(server, tmp_path):
    text = "Aspirin is stopped 7 days before elective surgery. It is started again on the day after."
    good = {"question": "How long before an operation is aspirin stopped?", "answer": "7 days before",
            "quote": "Aspirin is stopped 7 days before elective surgery."}  # fmt: skip
    path = tmp_path / "g.medreview"
    with Study.create(path) as study:
        brought = ImportRecord(passages=(NewPassage(text, "text 1"),))
        study.write(lambda connection: store_records(connection, [brought], "test"))
    generation = pipeline.Generating(Questions, server.settings("writer"))
    counts = []
    for answer in ({**good, "answer": "5 days before"}, good):
        server.results = lambda requests, answer=answer: lines(answered(it, json.dumps(answer)) for it in requests)
        with Study.open(path) as study:
            done = batches.submit(study, generation, BatchServer(generation.model))
        for job, batch in batches.finished(BatchServer(generation.model), done.jobs, pause=0.01):
            with Study.open(path) as study:
                if not counts:
                    with pytest.raises(UserError, match="under way"):
                        pipeline.generate(study, generation)
                batches.take(study, generation, BatchServer(generation.model), job, batch)
                counts.append(generation.task(study).counts())
    with Study.open(path) as study:
        assert batches.submit(study, generation, BatchServer(generation.model)).jobs == []

    assert [(one.attempts, one.products) for one in counts] == [(1, {}), (2, {"question": 1})]
    assert [job.task for job in stored(path)] == ["questions", "questions"]
    assert server.count("POST /v1/batches") == 2


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
def test_what_tells_nothing_of_the_batch_is_no_end_of_it(demo, server, judges, more, told):
    jobs = submitted(demo, judges).jobs
    server.instead["GET /v1/batches/*"] = [told_of(server, **more)] * 6
    with pytest.raises(UserError, match=f"{told}.*same command"):
        collected(demo, judges, jobs)
    assert (judged(demo), stored(demo)[0].state) == (0, "created")
    assert len(run(demo, judges)) == 1


def test_hiccups_other_words_and_absurd_counts_are_no_harm(demo, server, judges):
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


def test_a_batch_that_is_not_known_any_more_is_told(demo, server, judges):
    jobs = submitted(demo, judges).jobs
    server.batches.clear()
    with pytest.raises(UserError, match=r"does not know batch batch_1 any more.*--give-up"):
        collected(demo, judges, jobs)


@pytest.mark.parametrize("state", ["expired", "cancelled", "completed"])
def test_part_of_the_answers_comes_in_and_the_rest_waits(demo, server, judges, state):
    server.steps = ("in_progress", state)
    server.results = lambda requests: lines(map(answered, requests[:5]))
    server.errors = lambda requests: lines(map(unanswered, requests[5:8]))

    (taken,) = run(demo, judges)

    assert (taken.job.status, taken.results.statuses, taken.missing) == (state, {"ok": 5, "error": 3}, LIMIT - 8)
    assert judged(demo) == 5
    server.steps, server.results, server.errors = ("completed",), lambda it: lines(map(answered, it)), lambda it: ""
    (rest,) = run(demo, judges)
    assert (rest.job.requests, judged(demo)) == (16 - 5, 16)


def test_a_batch_that_failed_says_why(demo, server, judges):
    server.steps = ("validating", "failed")
    jobs = submitted(demo, judges).jobs
    errors = {"object": "list", "data": [{"code": "x", "message": "Enqueued token limit\nreached", "line": 7}, 9]}
    server.instead["GET /v1/batches/*"] = [None, told_of(server, status="failed", errors=errors)]
    (taken,) = collected(demo, judges, jobs)
    assert (taken.job.status, taken.job.error, taken.missing) == ("failed", "Enqueued token limit reached", LIMIT)
    assert judged(demo) == 0


def test_results_of_another_batch_and_no_results_at_all_make_no_label(demo, server, judges):
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


def test_more_bytes_than_answers_can_have_are_not_read(demo, server, judges, monkeypatch):
    monkeypatch.setattr(batches, "LARGEST_RESULT", 1000)
    monkeypatch.setattr(batches, "_ROOM", 0)
    server.results = lambda requests: "x" * 20_000
    with pytest.raises(UserError, match=r"results of batch batch_1 cannot be had.*larger than 0.012 MB.*again"):
        run(demo, judges)
    assert stored(demo)[0].state == "created"
    assert [path.name for path in demo.parent.glob(".*partial*")] == []
    for file in server.files.values():
        file["content"] = file["content"][:0] if "fields" not in file else file["content"]
    (taken,) = run(demo, judges)
    assert (taken.missing, judged(demo)) == (LIMIT, 0)
