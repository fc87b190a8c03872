"""A kill and Ctrl-C while a model writes: nothing is asked twice but what was in flight, and the same comes of it."""

import signal
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.study import Study
from tests.support import dying
from tests.support.commands import own_settings
from tests.support.full_disk import full_disk
from tests.support.generator_samples import SAMPLES
from tests.support.http_server import Exchange, Route, after
from tests.support.interrupted_generating import KILLED, made, prepared, spent, stored
from tests.support.judge_endpoint import JudgeEndpoint
from tests.support.misbehaving import Misbehaving


class Held:
    """The model of a sample; from one request on its answers wait for the gate."""

    def __init__(self, name: str) -> None:
        self.gate = threading.Event()
        self.answered = 10**6
        """Answers that do not wait."""
        self._good: Route = Misbehaving(good=SAMPLES[name].good)
        self._count = 0

    def __call__(self, exchange: Exchange) -> None:
        with exchange.local.lock:
            self._count += 1
            wait = self._count > self.answered
        (after(self.gate, self._good) if wait else self._good)(exchange)


def until(path: Path, answers: int) -> None:
    """Wait until so many answers are stored."""
    end = time.monotonic() + 120
    while spent(path)[0] != answers:
        assert time.monotonic() < end, f"{spent(path)[0]} answers and not {answers}"
        time.sleep(0.02)


@pytest.mark.parametrize("name", KILLED)
def test_what_was_killed_half_way_goes_on_and_asks_again_only_what_was_in_flight(medreview, tmp_path, name):
    model = Held(name)
    (tmp_path / "whole").mkdir()
    with JudgeEndpoint(model) as endpoint:
        path, command = prepared(tmp_path / "whole", name, endpoint)
        own_settings(tmp_path, (tmp_path / "whole/config/medreview/medreview.toml").read_text())
        medreview(*command)
        whole = made(path)
        calls = len(endpoint.asked)
        (tmp_path / "whole" / path.name).rename(tmp_path / "whole.medreview")

        half = calls // 2
        model.answered = calls + half
        path, command = prepared(tmp_path, name, endpoint)
        process = dying.start(medreview, *command)
        endpoint.wait_for(calls + half + 1)
        until(path, half)
        process.kill()
        process.join()
        in_flight = spent(path)[1] - half
        model.gate.set()
        medreview(*command)

        assert in_flight >= 1
        assert made(path) == whole
        assert spent(path) == (calls, calls + in_flight)
        killed = Counter(tuple(request.body for request in endpoint.received)[calls:])
        assert sum(times - 1 for times in killed.values()) <= in_flight, "what never left is counted, too"
        lost = stored(path, "SELECT sum(sent - kept - declined) FROM llm_sent")
        assert lost == [(in_flight,)]
        assert "whole" in medreview("check", path).stdout


def test_ctrl_c_lets_come_in_what_is_in_flight_and_the_same_command_goes_on(medreview, tmp_path):
    model = Held("questions")
    model.answered = 1
    with JudgeEndpoint(model) as endpoint:
        path, command = prepared(tmp_path, "questions", endpoint)
        process = medreview.start(*command)
        endpoint.wait_for(2)
        until(path, 1)
        process.send_signal(signal.SIGINT)
        line = ""
        while "Ctrl-C again" not in line:
            line = process.stderr.readline()
            assert line, "it ended without a word"
        model.gate.set()
        _, error = process.communicate(timeout=120)

        assert process.returncode == 130
        assert error.splitlines()[-1] == (
            "medreview: stopped; what was done is saved, the same command goes on from there."
        )
        medreview(*command)
        assert len(endpoint.asked) == len({*endpoint.prompts}) == 2
        assert len(stored(path, "SELECT 1 FROM generation_product")) == 2


@pytest.mark.parametrize("table", ["llm_call", "generation_attempt", "unit"])
def test_a_full_disk_is_one_sentence_and_the_next_run_does_what_is_missing(medreview, tmp_path, table):
    with JudgeEndpoint(Misbehaving(good=SAMPLES["questions"].good)) as endpoint:
        path, command = prepared(tmp_path, "questions", endpoint)
        generating = pipeline.Generating(SAMPLES["questions"].make, endpoint.settings("writer"))
        with Study.open(path) as study, full_disk(study, table=table), pytest.raises(UserError, match="full"):
            pipeline.generate(study, generating)
        medreview(*command)
        assert len(stored(path, "SELECT 1 FROM generation_product")) == 2
        assert "whole" in medreview("check", path).stdout
