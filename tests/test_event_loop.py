"""Stages that wait on the network can be called from ordinary code and from code inside an event loop (a notebook)."""

import asyncio
import os
import signal
import threading

import pytest

from medreview.event_loop import run_to_end


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
