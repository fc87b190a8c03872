"""Batches at a server, step by step: what is stored, what is asked again, and what a hostile server gets."""

import json

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.generators.questions import Questions
from medreview.judges import batch_jobs
from medreview.llm import batch_server
from medreview.llm.batch_server import BatchServer
from medreview.pipeline import batches, judge_by
from medreview.study import Study
from medreview.units.new_units import Brought, store_brought
from medreview.units.stored import NewPassage
from tests.pipeline.batch_runs import LIMIT, collected, judged, judges_at, run, stored, submitted
from tests.support.batch_endpoint import answered, lines
from tests.support.http_server import answer_json, hang_up
from tests.support.judge_endpoint import refuses


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


def test_a_batch_is_uploaded_created_waited_for_and_taken_in(demo, server):
    states = []
    judges = judges_at(server)
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
def test_killed_at_any_step_nothing_is_sent_twice(demo, server, monkeypatch, place, name, before, keeps_metadata):
    server.keeps_metadata = keeps_metadata
    judges = judges_at(server)
    with monkeypatch.context() as patch:
        dying(patch, place, name, before)
        with pytest.raises(Killed):
            run(demo, judges)

    again = run(demo, judges) if stored(demo)[-1].state != "ended" else []

    assert (server.count("POST /v1/files"), server.count("POST /v1/batches")) == (1, 1)
    assert judged(demo) == LIMIT
    assert [job.state for job in stored(demo) if job.state != "given_up"] == ["ended"]
    assert sum(one.results.judged for one in again) in (0, LIMIT)


def test_killed_between_two_files_the_rest_is_submitted_and_nothing_else(demo, server, monkeypatch):
    judges = judges_at(server)
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


def test_a_batch_that_the_server_may_have_and_does_not_list_is_not_created_again(demo, server, monkeypatch):
    server.lists = False
    judges = judges_at(server)
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


def test_lists_without_an_end_or_without_items_are_left(demo, server, monkeypatch):
    judges = judges_at(server)
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


def test_while_a_batch_is_under_way_its_questions_are_asked_in_no_other_way(demo, server):
    judges = judges_at(server)
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


def test_an_upload_that_broke_is_tried_again_and_a_creation_without_an_answer_is_asked_for(demo, server):
    server.instead = {"POST /v1/files": [hang_up, refuses(503, "busy")], "POST /v1/batches": [hang_up]}
    judges = judges_at(server)
    with pytest.raises(UserError, match=r"did not say whether it began the batch.*same command"):
        submitted(demo, judges)
    assert (len(server.files), stored(demo)[0].state) == (1, "creating")
    assert len(run(demo, judges)) == 1
    assert (len(server.batches), judged(demo)) == (1, LIMIT)


def test_what_is_cancelled_is_collected_and_only_what_the_server_has_can_be(demo, server):
    server.steps = ("in_progress",)
    judges = judges_at(server)
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
        brought = Brought(passages=(NewPassage(text, "text 1"),))
        study.write(lambda connection: store_brought(connection, [brought], "test"))
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
