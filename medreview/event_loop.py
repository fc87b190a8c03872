"""Running a coroutine to its end from ordinary code, whether or not an event loop runs in this thread already."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


def run_to_end(coroutine: Coroutine[Any, Any, T], on_interrupt: Callable[[], None] | None = None) -> T:
    """The coroutine's result; as ``asyncio.run``, and also inside a running event loop, as in a notebook.

    There the coroutine gets a loop and a thread of its own while this thread waits, so that the two never use a study
    at the same time. Ctrl-C cancels the coroutine, waits for its clean-up and is raised in both cases. With
    ``on_interrupt`` only the second one does; the first calls that in the coroutine's loop, and the coroutine may end
    by itself with a result.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        if on_interrupt is None or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            return asyncio.run(coroutine)
        return _run_with_two_interrupts(coroutine, on_interrupt)
    return _run_in_thread(coroutine, on_interrupt)


async def until_done(begun: Future[T]) -> T:
    """The result of work in another thread; a cancellation does not stop it.

    A failure that nobody waits for any more is dropped: asyncio would write a traceback to standard error.
    """
    future = asyncio.wrap_future(begun)
    future.add_done_callback(lambda done: done.cancelled() or done.exception())
    return await asyncio.shield(future)


def _run_with_two_interrupts(coroutine: Coroutine[Any, Any, T], on_interrupt: Callable[[], None]) -> T:
    interrupts = 0

    async def with_handler() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def interrupted() -> None:
            nonlocal interrupts
            interrupts += 1
            if interrupts == 1:
                on_interrupt()
            else:
                task.cancel()
                loop.remove_signal_handler(signal.SIGINT)  # a third one ends it as any program

        loop.add_signal_handler(signal.SIGINT, interrupted)
        try:
            return await coroutine
        finally:
            loop.remove_signal_handler(signal.SIGINT)

    try:
        return asyncio.run(with_handler())
    except asyncio.CancelledError:
        if interrupts > 1:
            raise KeyboardInterrupt from None
        raise


def _run_in_thread(coroutine: Coroutine[Any, Any, T], on_interrupt: Callable[[], None] | None) -> T:
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
        try:
            return done.result()
        except KeyboardInterrupt:
            if on_interrupt is None or not begun.done():
                raise
            with suppress(RuntimeError):
                begun.result()[0].call_soon_threadsafe(on_interrupt)
            return done.result()
    except KeyboardInterrupt:
        stopped.set()
        if begun.done():  # else it stops before its first step
            loop, task = begun.result()
            with suppress(RuntimeError):  # it ended meanwhile
                loop.call_soon_threadsafe(task.cancel)
            wait([done])
        raise
