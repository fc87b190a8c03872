"""Running a coroutine to its end from ordinary code, whether or not an event loop runs in this thread already."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


def run_to_end(coroutine: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result; as ``asyncio.run``, and also inside a running event loop, as in a notebook.

    There the coroutine gets a loop and a thread of its own while this thread waits, so that the two never use a study
    at the same time. Ctrl-C cancels the coroutine and waits for its clean-up in both cases.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    return _run_in_thread(coroutine)


def _run_in_thread(coroutine: Coroutine[Any, Any, T]) -> T:
    done: Future[T] = Future()
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = Future()
    stopped = threading.Event()

    async def unless_stopped() -> T:
        task = asyncio.current_task()
        assert task is not None
        begun.set_result((asyncio.get_running_loop(), task))
        if stopped.is_set():
            coroutine.close()
            raise asyncio.CancelledError
        return await coroutine

    def work() -> None:
        try:
            done.set_result(asyncio.run(unless_stopped()))
        except BaseException as error:
            done.set_exception(error)

    try:
        threading.Thread(target=work, name="event-loop", daemon=True).start()
        return done.result()
    except KeyboardInterrupt:
        stopped.set()
        if begun.done():  # else it stops before its first step
            loop, task = begun.result()
            with suppress(RuntimeError):  # it ended meanwhile
                loop.call_soon_threadsafe(task.cancel)
            wait([done])
        raise
