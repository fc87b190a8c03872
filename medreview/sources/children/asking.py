"""Asking child processes that are kept for the next page, and replaced when one of them dies or has failed.

Starting a child takes a third of a second of processor time, asking one that is there a millisecond. So children are
started when pages wait for them, and are kept for the next pages, also those of another stage; one that nobody asks any
more ends by itself.
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
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal, NoReturn, TypeVar

from medreview.errors import UserError
from medreview.sources.children.messages import LENGTH, BadMessageError, framed, length_of, message_in

_COMMAND: Final = "import sys; sys.path[:] = sys.argv[1:]; from medreview.sources.children.child import main; main()"
# Only these variables are passed on: the environment may hold keys, and the child reads hostile input.
_ENVIRONMENT: Final = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_PACKAGES: Final = Path(__file__).parents[3]
_MOST_STARTS: Final = 3
"""Children in a row that may end before they take a page: when memory is short, the system may end one of them."""
_TO_END: Final = 5.0
"""Seconds in which a child that has closed its end must have ended."""


Work = Literal["pages", "pictures"]
"""What a child does: it is never asked for the other, for which its memory is too large or its limits too low."""
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits for one page: memory of the whole child in bytes, processor time and time on the clock in seconds.

    The time on the clock is for a child that waits for ever without using the processor; it is long, so that a busy
    machine is not taken for one. A child that holds more than ``largest_idle`` bytes after a page is not kept.
    """

    memory: int = 600_000_000
    cpu_seconds: int = 20
    wall_seconds: float = 120.0
    largest_idle: int = 150_000_000


class NotReadError(Exception):
    """A page could not be read; the text is one sentence that says why."""


async def ask(
    work: Work,
    wanted: Mapping[str, Any],
    body: bytes,
    limits: ReadingLimits,
    parse: Callable[[dict[str, Any]], _Answer],
) -> _Answer:
    """What a child answers to a job, as ``parse`` takes it, which raises :class:`BadMessageError`.

    Raises :class:`NotReadError` when the body cannot be read within the limits, or ends the child, and
    :class:`~medreview.errors.UserError` when no child can be started. Cancelled, it ends the child.
    """
    told = asdict(limits)
    del told["wall_seconds"]
    frame = framed({**wanted, "size": len(body), **told})
    starts = 0
    while True:
        child = _idle(work) or _Child(work)
        starts += not child.was_kept
        try:
            with child.ended_unless_kept():
                return await _ask(child, frame, body, limits, parse)
        except _NotStartedError as error:
            if starts == _MOST_STARTS:
                _not_started(str(error))
        except _GoneError:
            continue


async def _ask(
    child: "_Child", frame: bytes, body: bytes, limits: ReadingLimits, parse: Callable[[dict[str, Any]], _Answer]
) -> _Answer:
    was_kept = child.was_kept
    try:
        async with asyncio.timeout(limits.wall_seconds):
            answer = await child.ask(frame, body)
        if "failed" in answer:
            raise NotReadError(_failure(answer["failed"], limits))
        found = parse(answer)
    except TimeoutError:
        raise NotReadError(f"Reading the page took more than {limits.wall_seconds:g} seconds.") from None
    except BadMessageError:
        raise NotReadError("Reading the page gave no result that can be used.") from None
    except ConnectionError:
        code = child.exit_code()
        if code == 0 and was_kept:
            raise _GoneError from None
        raise NotReadError(_end(code, limits)) from None
    if not answer.get("last"):
        child.keep()
    return found


def _failure(name: object, limits: ReadingLimits) -> str:
    if name == "MemoryError":
        return f"Reading the page took more than {limits.memory / 1e6:.0f} MB of memory."
    if name == "RecursionError":
        return "The page is nested too deeply to be read."
    return f"The page could not be read ({str(name)[:60]})."


def _end(code: int, limits: ReadingLimits) -> str:
    if code == -signal.SIGXCPU:
        return f"Reading the page took more than {limits.cpu_seconds} seconds of processor time."
    if code == -signal.SIGKILL:
        return "The system ended the reading of the page; it may have run out of memory."
    # Native code that gets no more memory ends in many ways, and some of it breaks for other reasons.
    memory = f"{limits.memory / 1e6:.0f} MB"
    return f"Reading the page broke down, or would have taken more than {memory} of memory ({_code_name(code)})."


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

    def __init__(self, work: Work) -> None:
        ours, theirs = socket.socketpair()
        # The parent's own path: with -I the child would not find what was installed elsewhere than in its Python.
        path = [entry for entry in sys.path if entry] + [str(_PACKAGES)]
        with theirs:
            try:
                self._process = subprocess.Popen(
                    [_python(), "-I", "-c", _COMMAND, *path],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
                    process_group=0,  # Ctrl-C is for us; we end it
                )
            except OSError as error:
                ours.close()
                _not_started(error.strerror or str(error))
        ours.setblocking(False)
        self._socket = ours
        self._work = work
        self.was_kept = False
        self._is_kept = False

    def is_there(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    async def ask(self, wanted: bytes, body: bytes) -> dict[str, Any]:
        """Its answer to a job.

        Raises :class:`ConnectionError` when it ends before it has answered, :class:`_NotStartedError` when it does not
        even take the job.
        """
        loop = asyncio.get_running_loop()
        if not self.was_kept:
            try:
                await self._message(loop)
            except (ConnectionError, BadMessageError):
                raise _NotStartedError(_code_name(self.exit_code())) from None
        await loop.sock_sendall(self._socket, wanted)
        await loop.sock_sendall(self._socket, body)
        return await self._message(loop)

    async def _message(self, loop: asyncio.AbstractEventLoop) -> dict[str, Any]:
        return message_in(await self._receive(loop, length_of(await self._receive(loop, LENGTH))))

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
        """It may be asked for another page."""
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


_IDLE: Final[dict[Work, list[_Child]]] = {"pages": [], "pictures": []}


def _forget() -> None:
    for children in _IDLE.values():
        children.clear()


os.register_at_fork(after_in_child=_forget)  # a copy of this process must not ask them, too


@atexit.register
def end_idle() -> None:
    """End the children that wait for a page; those that read one are ended by who asked them."""
    for work in _IDLE:
        while child := _idle(work):
            child.end()


def _idle(work: Work) -> _Child | None:
    """A child that waits for such a page, the last one used first, so that the others end when there is less to do."""
    while _IDLE[work]:
        child = _IDLE[work].pop()
        if child.is_there():
            return child
        child.end()
    return None


def _python() -> str:
    """The interpreter of this process, also where it was loaded by another program, which then names none."""
    return sys.executable or str(Path(sys.exec_prefix, "bin", "python3"))


def _not_started(why: str) -> NoReturn:
    raise UserError(
        f"The process that reads pages could not be started ({why}); see whether there is memory left and whether "
        "processes may be started here, then give the command again."
    )
