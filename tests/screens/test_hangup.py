"""The end by a signal, whichever thread of the workbench the system gives it to."""

import asyncio
import os
import signal
import threading

import pytest

from medreview.screens.ending import HangUp


async def test_a_signal_that_another_thread_was_given_ends_the_workbench_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("medreview.screens.ending.GRACE_S", 60)
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[int] = asyncio.Queue()
    terminal, other_side = os.openpty()
    hang_up = HangUp(told.put_nowait, terminal).start()
    sent = threading.Timer(0.2, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM))
    wakes_it_anyway = loop.call_later(20, lambda: None)
    begun = loop.time()
    try:
        sent.start()
        assert await told.get() == signal.SIGTERM
        assert loop.time() - begun < 10
    finally:
        wakes_it_anyway.cancel()
        hang_up.stop()
        sent.join()
        os.close(terminal)
        os.close(other_side)


async def test_what_listened_to_signals_before_listens_afterwards() -> None:
    terminal, other_side = os.openpty()
    handler, woken = signal.getsignal(signal.SIGTERM), signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(woken)
    HangUp(lambda _number: None, terminal).start().stop()
    assert signal.getsignal(signal.SIGTERM) is handler
    assert signal.set_wakeup_fd(woken) == woken
    os.close(terminal)
    os.close(other_side)
