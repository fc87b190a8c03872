"""``--batch-submit``, ``--no-wait`` and ``medreview judges batches``, against a server on this machine."""

import json
import sqlite3
from contextlib import closing

import pytest

from medreview.study import Study
from medreview.study.lock import WriterLock
from tests.support import dying
from tests.support.batch_endpoint import BatchEndpoint, answered, lines
from tests.support.commands import own_settings
from tests.support.http_server import answer_json
from tests.support.judge_endpoint import refuses

SUBMIT = ("--judge", "near", "--limit", "6", "--batch-submit")


@pytest.fixture
def server(tmp_path):
    with BatchEndpoint("completed") as endpoint:
        own_settings(tmp_path, endpoint.table("near", price_input=1.0, price_output=2.0))
        yield endpoint


def judged(study):
    with closing(sqlite3.connect(f"file:{study}?mode=ro", uri=True)) as db:
        query = "SELECT count(*) FROM judgement JOIN judge_run USING (judge_run_id) WHERE judge = 'near' AND error = ''"
        return db.execute(query).fetchone()[0]


def test_in_one_go(medreview, demo, server):
    done = medreview("judge", demo, *SUBMIT)

    told = done.stderr.splitlines()
    assert told[0] == "Questions, statements and sources go to:"
    place = next(place for place, line in enumerate(told) if line.startswith("6 questions on 6 units; up to "))
    assert "at the configured prices" in told[place]
    assert told[place + 1 :] == [
        f"  batch_1 at {server.name}: 6 questions",
        "  batch_1: completed, 6 of 6 answered",
    ]
    assert done.stdout.startswith("batch_1 completed: 6 ok\n")
    assert judged(demo) == 6
    assert "6 questions; completed, 6 answered, taken in" in medreview("judges", "batches", demo).stdout
    assert "whole" in medreview("check", demo).stdout


def test_submitted_and_left_and_collected_later(medreview, demo, server):
    assert "No batch was submitted." in medreview("judges", "batches", demo).stdout
    left = medreview("judge", demo, *SUBMIT, "--no-wait")
    assert "1 batch under way; their results come in with: medreview judge" in left.stdout
    assert judged(demo) == server.count("GET /v1/batches/*") == 0
    refused = medreview("judge", demo, "--judge", "near", "--limit", 2, check=2)
    assert "would be asked and paid twice" in refused.stderr

    told = json.loads(medreview("judge", demo, *SUBMIT, "--json").stdout)

    assert (told["submitted"], told["taken"][0]["results"]["statuses"], judged(demo)) == (None, {"ok": 6}, 6)
    (job,) = json.loads(medreview("judges", "batches", demo, "--json").stdout)["batches"]
    assert (job["state"], job["batch_id"], job["requests"]) == ("ended", "batch_1", 6)


def test_killed_while_it_waits_it_goes_on(medreview, demo, server):
    server.steps = ("in_progress",)
    process = dying.start(medreview, "judge", demo, *SUBMIT)
    server.wait_for(3)  # the file, the batch, and a look at it
    with Study.open(demo) as study:  # the study is free meanwhile
        assert study.writable
    process.kill()
    process.join()
    assert judged(demo) == 0
    with server.lock:
        server.batches["batch_1"]["left"] = ["completed"]

    assert "batch_1 completed: 6 ok" in medreview("judge", demo, *SUBMIT).stdout

    assert (server.count("POST /v1/files"), server.count("POST /v1/batches"), judged(demo)) == (1, 1, 6)
    assert json.loads(medreview("judge", demo, *SUBMIT, "--no-wait", "--json").stdout)["taken"] == []
    assert (server.count("POST /v1/batches"), judged(demo)) == (2, 6)


@pytest.mark.parametrize(("step", "requests"), [("POST /v1/files", 1), ("POST /v1/batches", 2)])
def test_killed_when_the_server_had_it_and_nothing_was_stored_of_that_it_is_not_sent_again(
    medreview, demo, server, step, requests
):
    server.silent_after = step
    process = dying.start(medreview, "judge", demo, *SUBMIT)
    server.wait_for(requests)
    with server.lock:
        assert server.lock.wait_for(lambda: len(server.files) + len(server.batches) == requests, 120)
    process.kill()
    process.join()
    server.silent_after = ""

    assert "batch_1 completed: 6 ok" in medreview("judge", demo, *SUBMIT).stdout
    assert (server.count("POST /v1/files"), server.count("POST /v1/batches"), judged(demo)) == (1, 1, 6)
    assert list(demo.parent.glob(".*partial*")) == []


def test_results_wait_while_the_study_is_reviewed(medreview, demo, server, monkeypatch):
    medreview("judge", demo, *SUBMIT, "--no-wait")
    reviewed = WriterLock(demo)

    def begin_to_review(exchange):
        reviewed.take()
        told = {**server.batches["batch_1"], "status": "in_progress"}
        answer_json(told)(exchange)

    server.instead["GET /v1/batches/*"] = [begin_to_review]

    def review_to_its_end(seconds):
        if server.count("GET /v1/batches/*") > 1:
            reviewed.release()

    monkeypatch.setattr("time.sleep", review_to_its_end)

    done = medreview("judge", demo, *SUBMIT)

    assert "The results wait until the study is free. The study is open for writing in this process" in done.stderr
    assert "6 ok" in done.stdout


def test_a_batch_under_other_settings_is_not_taken_for_one_of_these(medreview, demo, server, tmp_path):
    medreview("judge", demo, *SUBMIT, "--no-wait")
    own_settings(tmp_path, server.table("near", model="m2"))

    done = medreview("judge", demo, *SUBMIT)

    assert "batch_1 is under way for near as it was set up then" in done.stderr
    assert "batch_2 completed: 6 ok" in done.stdout


def test_part_of_the_answers_is_exit_code_3_and_none_of_them_1(medreview, demo, server):
    server.results = lambda requests: lines(map(answered, requests[:2]))
    some = medreview("judge", demo, *SUBMIT, check=3)
    assert "batch_1 completed: 2 ok, 4 questions without a result" in some.stdout
    server.results = lambda requests: "\n"
    assert "nothing new, 6 questions without a result" in medreview("judge", demo, *SUBMIT, check=1).stdout


def test_what_is_under_way_is_cancelled_or_given_up(medreview, demo, server):
    server.results = lambda requests: lines(map(answered, requests[:1]))
    medreview("judge", demo, *SUBMIT, "--no-wait")
    assert "cancelling" in medreview("judges", "batches", demo, "--cancel", "batch_1").stdout
    assert "batch_1 cancelled: 1 ok" in medreview("judge", demo, *SUBMIT, check=3).stdout
    assert "nothing to cancel" in medreview("judges", "batches", demo, "--cancel", "batch_1", check=2).stderr

    medreview("judge", demo, *SUBMIT, "--no-wait")
    given_up = medreview("judges", "batches", demo, "--give-up", "batch_2")
    assert "given up" in given_up.stdout
    assert "may have to be paid all the same" in given_up.stderr
    assert "no batch 'b7'" in medreview("judges", "batches", demo, "--give-up", "b7", check=2).stderr
    assert "Give one" in medreview("judges", "batches", demo, "--give-up", "a", "--cancel", "a", check=2).stderr


def test_the_files_of_what_is_over_are_deleted_at_the_server(medreview, demo, server):
    medreview("judge", demo, *SUBMIT, "--no-wait")
    assert "under way" in medreview("judges", "batches", demo, "--delete-files", "batch_1", check=2).stderr
    medreview("judge", demo, *SUBMIT)
    assert len(server.files) == 2
    server.instead["DELETE /v1/files/*"] = [None, refuses(403, "not yours")]
    assert (
        "did not delete the file file-2"
        in medreview("judges", "batches", demo, "--delete-files", "batch_1", check=2).stderr
    )

    del server.files["file-2"]  # by somebody else meanwhile
    medreview("judges", "batches", demo, "--delete-files", "batch_1")

    assert server.files == {}
    assert [path for path in server.paths() if path.startswith("/v1/files/file-1")] == ["/v1/files/file-1"]
    assert judged(demo) == 6


def test_the_options_that_do_not_go_together(medreview, demo, server, tmp_path):
    two = medreview("judge", demo, *SUBMIT, "--batch-out", "b.jsonl", check=2)
    assert "one of --batch-out, --batch-in and --batch-submit" in two.stderr
    assert "goes with --batch-submit" in medreview("judge", demo, "--judge", "near", "--no-wait", check=2).stderr
    assert "6 calls to pay" in medreview("judge", demo, *SUBMIT, "--dry-run").stdout
    assert server.received == []
    own_settings(tmp_path, '[judges.near]\nmodel = "m"\nbase_url = "https://judge.example/v1"\n')
    assert "Nothing was sent" in medreview("judge", demo, *SUBMIT, "--local-only", check=2).stderr
    own_settings(tmp_path, server.table("near", batch_fields={"purpose": "x"}).replace(': "x"', ' = "x"'))
    assert "`batch_fields` hold texts, and none of" in medreview("judge", demo, *SUBMIT, check=2).stderr
