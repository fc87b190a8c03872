"""Stages that wait on the network can be called from ordinary code and from code inside an event loop (a notebook)."""

import asyncio
import gc
import json
import os
import signal
import threading
from concurrent.futures import Future

import pytest

from medreview import pipeline
from medreview.event_loop import run_to_end, until_done
from medreview.sources.fetching.network import Limits, Network
from medreview.study import Study
from tests.support.http_server import LocalServer, answer


async def thread_name():
    await asyncio.sleep(0)
    return threading.current_thread().name


def inside_a_loop(function):
    """Call a function as a notebook does: from a task of a running loop, with Ctrl-C as Python has it."""

    async def cell():
        return function()

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(cell())
    finally:
        loop.close()


def test_work_that_fails_when_nobody_waits_for_it_any_more_says_nothing():
    told = []

    async def give_up_waiting():
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
        work: Future[None] = Future()
        waiting = asyncio.create_task(until_done(work))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        work.set_exception(OSError("the disk is full"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        del work, waiting
        gc.collect()

    asyncio.run(give_up_waiting())
    assert told == []


def test_without_a_loop_it_runs_in_this_thread():
    assert run_to_end(thread_name()) == threading.current_thread().name


def test_inside_a_loop_it_runs_beside_it():
    assert inside_a_loop(lambda: run_to_end(thread_name())) == "event-loop"


def test_errors_come_through():
    async def fails():
        raise LookupError("as it was")

    with pytest.raises(LookupError, match="as it was"):
        inside_a_loop(lambda: run_to_end(fails()))


def test_ctrl_c_inside_a_loop_lets_the_work_clean_up():
    cleaned = []

    async def waits():
        try:
            threading.Timer(0, os.kill, (os.getpid(), signal.SIGINT)).start()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            inside_a_loop(lambda: run_to_end(waits()))
    finally:
        signal.signal(signal.SIGINT, before)
    assert cleaned == [True]


def test_pages_are_fetched_from_inside_a_loop(tmp_path):
    page = b"<title>Metformin</title><p>Start with 500 mg of metformin twice daily, taken with a meal.</p>"
    with LocalServer(answer(page)) as server, Study.create(tmp_path / "a.medreview") as study:
        answers = tmp_path / "answers.jsonl"
        urls = [f"{server.base}/{number}" for number in range(3)]
        answers.write_text(json.dumps({"response": "Start with 500 mg.", "citations": urls}))
        pipeline.bring_in(study, answers, {})
        network = Network(limits=Limits(host_delay=0), allow=server.allow)

        done = inside_a_loop(lambda: pipeline.fetch(study, pipeline.PageProvider(network=network)))

        assert done.states == {"thin": 3}
        assert sorted(request.path for request in server.received) == ["/0", "/1", "/2"]
        texts = study.reader.execute("SELECT text FROM snapshot").fetchall()
        assert all("500 mg of metformin" in row["text"] for row in texts)
