"""A kill and Ctrl-C while a model writes: nothing is asked twice but what was in flight, and the same comes of it."""

import signal
import sqlite3
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.study import Study
from tests.support.commands import own_settings
from tests.support.full_disk import full_disk
from tests.support.generator_samples import SAMPLES
from tests.support.http_server import Exchange, Route, after
from tests.support.judge_endpoint import JudgeEndpoint
from tests.support.misbehaving import Misbehaving

PRODUCTS = (
    "SELECT unit_id, content FROM unit ORDER BY 1", "SELECT response_id, text, model FROM response ORDER BY 1",
    "SELECT passage_id FROM passage ORDER BY 1", "SELECT unit, axis, label, spans FROM gold ORDER BY 1, 2",
    "SELECT item_id, name, code, report FROM generation ORDER BY 1",
    "SELECT item_id, stage, number, status, codes FROM generation_attempt ORDER BY 1, 2, 3",
    "SELECT item_id, kind, made FROM generation_product ORDER BY 1, 2, 3",
    "SELECT item_id, ordinal, code, what FROM generation_dropped ORDER BY 1, 2",
)  # fmt: skip
SEVERAL = [name for name, sample in SAMPLES.items() if sample.inputs > 1 or sample.stages]
KILLED = {name.partition(",")[0]: name for name in SEVERAL}.values()
"""A sample of each generator with more than one question."""


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


def started(folder: Path, name: str, endpoint: JudgeEndpoint) -> tuple[Path, list[object]]:
    """A study with the inputs of a sample, and the command that generates from them."""
    table = endpoint.table("writer")
    own_settings(folder, f"{table.replace('[judges.', '[models.')}\n{table}")
    path = folder / "s.medreview"
    with Study.create(path, "killed") as study:
        SAMPLES[name].fill(study)
    return path, ["generate", *name.partition(",")[0].split(), path, "--model", "writer", *SAMPLES[name].options]


def stored(path: Path, query: str) -> list[tuple]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute(query).fetchall()


def spent(path: Path) -> tuple[int, int]:
    """Answers, and requests that were sent."""
    ((answers, sent),) = stored(path, "SELECT (SELECT count(*) FROM llm_call), coalesce(sum(sent), 0) FROM llm_sent")
    return answers, sent


def until(path: Path, answers: int) -> None:
    """Wait until so many answers are stored."""
    end = time.monotonic() + 60
    while spent(path)[0] != answers:
        assert time.monotonic() < end, f"{spent(path)[0]} answers and not {answers}"
        time.sleep(0.02)


@pytest.mark.parametrize("name", KILLED)
def test_what_was_killed_half_way_goes_on_and_asks_again_only_what_was_in_flight(medreview, tmp_path, name):
    model = Held(name)
    (tmp_path / "whole").mkdir()
    with JudgeEndpoint(model) as endpoint:
        path, command = started(tmp_path / "whole", name, endpoint)
        own_settings(tmp_path, (tmp_path / "whole/config/medreview/medreview.toml").read_text())
        medreview(*command)
        whole = [stored(path, query) for query in PRODUCTS]
        calls = len(endpoint.asked)
        (tmp_path / "whole" / path.name).rename(tmp_path / "whole.medreview")

        half = calls // 2
        model.answered = calls + half
        path, command = started(tmp_path, name, endpoint)
        process = medreview.start(*command)
        endpoint.wait_for(calls + half + 1)
        until(path, half)
        process.kill()
        process.communicate(timeout=60)
        in_flight = spent(path)[1] - half
        model.gate.set()
        medreview(*command)

        assert in_flight >= 1
        assert [stored(path, query) for query in PRODUCTS] == whole
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
        path, command = started(tmp_path, "questions", endpoint)
        process = medreview.start(*command)
        endpoint.wait_for(2)
        until(path, 1)
        process.send_signal(signal.SIGINT)
        line = ""
        while "Ctrl-C again" not in line:
            line = process.stderr.readline()
            assert line, "it ended without a word"
        model.gate.set()
        _, error = process.communicate(timeout=60)

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
        path, command = started(tmp_path, "questions", endpoint)
        generating = pipeline.Generating(SAMPLES["questions"].make, endpoint.settings("writer"))
        with Study.open(path) as study, full_disk(study, table=table), pytest.raises(UserError, match="full"):
            pipeline.generate(study, generating)
        medreview(*command)
        assert len(stored(path, "SELECT 1 FROM generation_product")) == 2
        assert "whole" in medreview("check", path).stdout
