"""Asking child processes that are kept for the next job, and replaced when one of them dies or has failed.

Starting a child takes a third of a second of processor time, asking one that is there a millisecond. So children are
started when jobs wait for them, and are kept for the next ones of their kind, also those of another stage; one that
nobody asks any more ends by itself.
"""

import asyncio
import atexit
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from medreview.children.child import LENGTH, OUT_OF_MEMORY, WORKS, BadMessageError, framed, length_of, message_in
from medreview.errors import UserError

_COMMAND: Final = "import sys; work, *sys.path[:] = sys.argv[1:]; from medreview.children.child import main; main(work)"
# Only these variables are passed on: the environment may hold keys, and the child reads hostile input.
_ENVIRONMENT: Final = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_PACKAGES: Final = Path(__file__).parents[2]
_MOST_STARTS: Final = 3
"""Children in a row that may end before they take a job: when memory is short, the system may end one of them."""
_TO_END: Final = 5.0
"""Seconds in which a child that has closed its end must have ended."""


_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits for one job, by default a page: memory of the whole child in bytes, processor time and time on the clock
    in seconds, and the bytes of its answer.

    The time on the clock is for a child that waits for ever without using the processor; it is long, so that a busy
    machine is not taken for one. A child that holds more than ``largest_idle`` bytes after a job is not kept.
    Two texts of two million characters and their headings have fewer bytes than the default of ``answer``.
    """

    memory: int = 600_000_000
    cpu_seconds: int = 20
    wall_seconds: float = 120.0
    largest_idle: int = 150_000_000
    answer: int = 64_000_000


class NotReadError(Exception):
    """A body could not be read; the text is one sentence that says why."""


async def ask(
    work: str,
    wanted: Mapping[str, Any],
    body: bytes,
    limits: ReadingLimits,
    parse: Callable[[dict[str, Any]], _Answer],
    what: str = "the page",
) -> _Answer:
    """What ``parse`` makes of the last part of a child's answer to a job; it takes each, or raises
    :class:`BadMessageError`.

    ``work`` is one of :data:`~medreview.children.child.WORKS`; a child is never asked for another, for which its memory
    is too large or its limits too low. ``what`` is what the body is, for who reads the errors. Raises
    :class:`NotReadError` when the body cannot be read within the limits, or ends the child, and
    :class:`~medreview.errors.UserError` when no child can be started. Cancelled, it ends the child.
    """
    told = {name: getattr(limits, name) for name in ("memory", "cpu_seconds", "largest_idle")}
    frame = framed({"wanted": wanted, "size": len(body), **told})
    starts = 0
    while True:
        child = _idle(work) or _Child(work)
        starts += not child.was_kept
        try:
            with child.ended_unless_kept():
                return await _ask(child, frame, body, limits, parse, what)
        except _NotStartedError as error:
            if starts == _MOST_STARTS:
                _not_started(work, str(error))
        except _GoneError:
            continue


async def _ask(
    child: "_Child",
    frame: bytes,
    body: bytes,
    limits: ReadingLimits,
    parse: Callable[[dict[str, Any]], _Answer],
    what: str,
) -> _Answer:
    was_kept = child.was_kept
    found: list[_Answer] = []
    try:
        async with asyncio.timeout(limits.wall_seconds):
            end = await child.ask(frame, body, limits.answer, lambda part: found.append(parse(part)))
        if "failed" in end:
            raise NotReadError(_failure(end["failed"], what))
        if not found:
            raise BadMessageError("no part")
    except TimeoutError:
        raise NotReadError(f"Reading {what} took more than {limits.wall_seconds:g} seconds.") from None
    except BadMessageError:
        raise NotReadError(f"Reading {what} gave no result that can be used.") from None
    except ConnectionError:
        code = child.exit_code()
        if code == 0 and was_kept:
            raise _GoneError from None
        raise NotReadError(_end(code, limits, what)) from None
    if not end.get("last"):
        child.keep()
    return found[-1]


def _failure(name: object, what: str) -> str:
    if name == "RecursionError":
        return f"{what[0].upper()}{what[1:]} is nested too deeply to be read."
    return f"{what[0].upper()}{what[1:]} could not be read ({str(name)[:60]})."


def _end(code: int, limits: ReadingLimits, what: str) -> str:
    if code == OUT_OF_MEMORY:
        return f"Reading {what} took more than {limits.memory / 1e6:.0f} MB of memory."
    if code == -signal.SIGXCPU:
        return f"Reading {what} took more than {limits.cpu_seconds} seconds of processor time."
    if code == -signal.SIGKILL:
        return f"The system ended the reading of {what}; it may have run out of memory."
    # Native code that gets no more memory ends in many ways, and some of it breaks for other reasons.
    memory = f"{limits.memory / 1e6:.0f} MB"
    return f"Reading {what} broke down, or would have taken more than {memory} of memory ({_code_name(code)})."


def _code_name(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


class _NotStartedError(Exception):
    """A child ended before it could take a page; the text is how."""


class _GoneError(Exception):
    """A child that was kept had ended by itself before it took the job."""


class _Child:
    """A child process and our end of its sockets."""

    def __init__(self, work: str) -> None:
        ours, theirs = socket.socketpair()
        # The parent's own path: with -I the child would not find what was installed elsewhere than in its Python.
        path = [entry for entry in sys.path if entry] + [str(_PACKAGES)]
        with theirs:
            try:
                self._process = subprocess.Popen(
                    [_python(), "-I", "-c", _COMMAND, work, *path],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
                    process_group=0,  # Ctrl-C is for us; we end it
                )
            except OSError as error:
                ours.close()
                _not_started(work, error.strerror or str(error))
        ours.setblocking(False)
        self._socket = ours
        self._work = work
        self.was_kept = False
        self._is_kept = False

    def is_there(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    async def ask(
        self, wanted: bytes, body: bytes, longest: int, take: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        """How its answer to a job ends, once ``take`` has been given each part; all have so many bytes at most.

        Raises :class:`ConnectionError` when it ends before it has answered, :class:`_NotStartedError` when it does not
        even take the job, and :class:`BadMessageError`.
        """
        loop = asyncio.get_running_loop()
        if not self.was_kept:
            try:
                await self._frame(loop, longest)
            except (ConnectionError, BadMessageError):
                raise _NotStartedError(_code_name(self.exit_code())) from None
        await loop.sock_sendall(self._socket, wanted)
        await loop.sock_sendall(self._socket, body)
        while True:
            data = await self._frame(loop, longest)
            longest -= len(data)
            message = message_in(data)
            if "end" in message or "failed" in message:
                return message
            take(message)

    async def _frame(self, loop: asyncio.AbstractEventLoop, longest: int) -> bytes:
        return await self._receive(loop, length_of(await self._receive(loop, LENGTH), longest))

    async def _receive(self, loop: asyncio.AbstractEventLoop, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            part = await loop.sock_recv(self._socket, min(size - len(data), 1_000_000))
            if not part:
                raise ConnectionError
            data += part
        return bytes(data)

    def exit_code(self) -> int:
        """How it ended, once it has closed its end; 0 when it ended by itself. Minus the number of a signal."""
        try:
            return self._process.wait(_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def keep(self) -> None:
        """It may be asked for another job."""
        self._is_kept = True

    @contextlib.contextmanager
    def ended_unless_kept(self) -> Iterator[None]:
        """It ends with the block, whatever happens there, unless :meth:`keep` was called."""
        self._is_kept = False
        try:
            yield
        finally:
            if self._is_kept:
                self.was_kept = True
                _IDLE[self._work].append(self)
            else:
                self.end()

    def end(self) -> None:
        """End it at once."""
        self._socket.close()
        self._process.kill()
        self._process.wait()


_IDLE: Final[dict[str, list[_Child]]] = {work: [] for work in WORKS}


def _forget() -> None:
    for children in _IDLE.values():
        children.clear()


os.register_at_fork(after_in_child=_forget)  # a copy of this process must not ask them, too


@atexit.register
def end_idle() -> None:
    """End the children that wait for a job; those that do one are ended by who asked them."""
    for work in _IDLE:
        while child := _idle(work):
            child.end()


def _idle(work: str) -> _Child | None:
    """A child that waits for such a job, the last one used first, so that the others end when there is less to do."""
    while _IDLE[work]:
        child = _IDLE[work].pop()
        if child.is_there():
            return child
        child.end()
    return None


def _python() -> str:
    """The interpreter of this process, also where it was loaded by another program, which then names none."""
    return sys.executable or str(Path(sys.exec_prefix, "bin", "python3"))


def _not_started(work: str, why: str) -> NoReturn:
    raise UserError(
        f"The process that reads {work} could not be started ({why}); see whether there is memory left and whether "
        "processes may be started here, then give the command again."
    )
