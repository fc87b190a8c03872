"""Ctrl-C, a kill and lost connections while models are asked: what was paid for comes in, or is counted as lost."""

import json
import re
import signal
import sqlite3
import threading
import time
from collections import Counter
from contextlib import closing

import pytest

from medreview.llm.transport import TRIES
from tests.support.commands import own_settings
from tests.support.http_server import after, cut, hang_up
from tests.support.judge_endpoint import NOT_ADDRESSED, JudgeEndpoint, refuses, says

ANSWER = says(json.dumps(NOT_ADDRESSED), usage=None)
COUNTS = "SELECT (SELECT count(*) FROM llm_call WHERE status = 'ok'), coalesce(sum(sent), 0) FROM llm_sent"


@pytest.fixture
def gate():
    """Holds back every answer but the first eight."""
    return threading.Event()


@pytest.fixture
def model(tmp_path, gate):
    with JudgeEndpoint(*[ANSWER] * 8, after(gate, ANSWER)) as endpoint:
        own_settings(tmp_path, endpoint.table("near"))
        yield endpoint


def stored(study, sql=COUNTS):
    with closing(sqlite3.connect(f"file:{study}?mode=ro", uri=True)) as db:
        return db.execute(sql).fetchone()


def interrupted(process):
    """Press Ctrl-C, and read on until the program says what it waits for."""
    process.send_signal(signal.SIGINT)
    line = ""
    while "Ctrl-C again" not in line:
        line = process.stderr.readline()
        assert line, "it ended without a word"
    return line.strip()


def test_ctrl_c_lets_come_in_what_is_in_flight(medreview, demo, model, gate):
    process = medreview.start("judge", demo, "--judge", "near", "--limit", "20")
    model.wait_for(12)  # eight were answered; four are asked at once
    assert interrupted(process) == "waiting for 4 answers that are paid for; Ctrl-C again to end"
    gate.set()
    out, error = process.communicate(timeout=120)

    assert process.returncode == 130
    assert error.splitlines()[-1] == "medreview: stopped; what was done is saved, the same command goes on from there."
    assert "near: 12 units" in out
    assert stored(demo) == (12, 12)

    assert "near: 8 units" in medreview("judge", demo, "--judge", "near", "--limit", 8).stdout
    assert len(model.asked) == len({*model.prompts}) == 20
    judged = "SELECT count(*) FROM judgement JOIN judge_run USING (judge_run_id) WHERE judge = 'near'"
    assert stored(demo, judged) == (20,)


def test_a_second_ctrl_c_ends_it_and_says_what_is_lost(medreview, demo, model, gate):
    process = medreview.start("judge", demo, "--judge", "near", "--limit", "20", "--json")
    model.wait_for(12)
    interrupted(process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)

    told = json.loads(out)
    assert (process.returncode, told["interrupted"]) == (130, True)
    (judge,) = told["judges"]
    assert (judge["requests_sent"], judge["requests_kept"], judge["requests_lost"]) == (12, 8, 4)

    gate.set()
    again = medreview("judge", demo, "--judge", "near", "--limit", 12).stdout
    assert "lost 0; 4 more lost before: what is lost was not answered in full, and may have been paid for" in again
    twice = [prompt for prompt, times in Counter(model.prompts).items() if times > 1]
    assert len(twice) == 4, "only what never came is asked for again"


def test_a_kill_leaves_a_record_of_what_was_sent(medreview, demo, model, gate):
    process = medreview.start("judge", demo, "--judge", "near", "--limit", "20")
    model.wait_for(12)
    until = time.monotonic() + 120
    while stored(demo) != (8, 12) and time.monotonic() < until:
        time.sleep(0.02)
    process.kill()
    process.communicate(timeout=120)

    (spent,) = json.loads(medreview("judges", "--study", demo, "--json").stdout)["spent"]
    assert (spent["requests_sent"], spent["requests_kept"], spent["requests_lost"]) == (12, 8, 4)
    assert "12 requests sent, 4 of them lost" in medreview("judges", "--study", demo).stdout
    gate.set()
    assert "; 4 more lost before" in medreview("judge", demo, "--judge", "near", "--limit", 3).stdout
    assert "whole" in medreview("check", demo).stdout
    told = " ".join(medreview("stats", demo, "--full", "--replicates", 99).stdout.split())
    assert re.search(r"4 of 1\d requests to models lost", told)


def test_a_lost_connection_is_counted_and_a_refusal_is_no_loss(medreview, demo, model, tmp_path):
    own_settings(tmp_path, model.table("near", concurrency=1))
    broken = cut(b'{"choices": []}' + b" " * 100, 20)
    model.play(hang_up, broken, hang_up, broken, refuses(500, "boom"), ANSWER)

    done = medreview("judge", demo, "--judge", "near", "--limit", 2, "--json", check=3)

    (judge,) = json.loads(done.stdout)["judges"]
    assert (judge["units"], judge["failed"]) == (2, 1)
    assert (judge["requests_sent"], judge["requests_kept"], judge["requests_lost"]) == (TRIES + 2, 1, TRIES)


def test_the_exit_code_says_whether_every_question_failed_or_some(medreview, demo, model):
    model.play(refuses(401, "no such key"))
    assert "given up" in medreview("judge", demo, "--judge", "near", "--limit", 3, check=1).stdout

    model.play(ANSWER, refuses(403, "no"), ANSWER)
    medreview("judge", demo, "--judge", "near", "--limit", 3, check=3)

    model.play(ANSWER)
    medreview("judge", demo, "--judge", "near", "--limit", 3)


def test_the_end_says_why_answers_were_of_no_use_and_quotes_no_model(medreview, demo, model):
    asked = ("judge", demo, "--judge", "near", "--limit", 1)
    model.play(says(usage=(40, 20)))
    assert (
        "1 unit without an answer of use, such as: The server read 40 tokens only" in medreview(*asked, check=1).stdout
    )

    for unusable in (says(refusal="I cannot say that zinc heals."), says("Zinc heals.")):
        model.play(unusable)
        assert "inc heals" not in medreview(*asked, check=1).stdout
