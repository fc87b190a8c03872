"""What runs in a child process, which answers one job after the other, and the frames in which both sides write.

A child reads hostile input. Its standard input is one end of a pair of sockets; standard output and standard error lead
nowhere. Before it takes the body of a job it limits its own memory and processor time for that job (``setrlimit``), so
that the system ends it, whatever the body makes of the parsers, some of which are native code.

Messages are frames of JSON, never a pickle. A job is a frame that says what is wanted, and the limits, and the body
after it. An answer is one frame or several with what was wanted, and one that ends it; or a frame ``failed`` with what
ended the reading.
"""

import contextlib
import importlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

LENGTH: Final = 8
"""Bytes before a frame that say how long it is, the highest first."""


class BadMessageError(Exception):
    """A frame is not what was agreed on."""


def framed(message: dict[str, Any]) -> bytes:
    """A message as a frame."""
    data = json.dumps(message).encode("ascii")
    return len(data).to_bytes(LENGTH, "big") + data


def length_of(head: bytes, longest: int) -> int:
    """The length of the frame that follows. Raises :class:`BadMessageError` for one that is too long."""
    length = int.from_bytes(head, "big")
    if length > longest:
        raise BadMessageError(f"a frame of {length} bytes")
    return length


def message_in(data: bytes) -> dict[str, Any]:
    """The message of a frame. Raises :class:`BadMessageError`."""
    try:
        message = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadMessageError("no JSON") from error
    if not isinstance(message, dict):
        raise BadMessageError("no object")
    return message


WORKS: Final = {
    "pages": "medreview.sources.page_reader:answer_page",
    "pictures": "medreview.sources.page_reader:answer_picture",
    "names": "medreview.sources.page_reader:answer_names",
    "documents": "medreview.exchange.documents.reading:answer_document",
    "libraries": "medreview.references.reading_libraries:answer_library",
    "containers": "medreview.exchange.producers.container:answer_container",
}
"""What a child can do, and the function that does it: of what is wanted and of the body it makes an answer's parts."""
READY: Final = {"ready": True}
"""The first message of a child: it has loaded what it needs to take a job."""
OUT_OF_MEMORY: Final = 71
"""The exit code of a child that needs more memory than it may take."""
IDLE_SECONDS: Final = 10.0
"""Seconds without a job after which a child ends, with exit code 0."""
MOST_JOBS: Final = 1_000
"""Jobs after which a child is replaced: no library frees all that it takes."""
_LONGEST_JOB: Final = 1_000_000
"""Bytes of what is wanted, without the body."""
_LARGEST_FILE: Final = 4_000_000
"""Bytes of a file that a child may write: Python's own compiled modules, and nothing that could fill a disk."""

_Answers = Callable[[dict[str, Any], bytes], Iterable[dict[str, Any]]]


def main(work: str) -> None:
    """Answer jobs from standard input until it ends, until none has come for a while, or after a failure."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.addaudithook(_refuse_network)
    module, _, name = WORKS[work].partition(":")
    answers: _Answers = getattr(importlib.import_module(module), name)
    with socket.socket(fileno=0) as parent, contextlib.suppress(ConnectionError):
        parent.sendall(framed(READY))
        for left in reversed(range(MOST_JOBS)):
            if not select.select([parent], [], [], IDLE_SECONDS)[0]:
                return
            job = message_in(_receive(parent, length_of(_receive(parent, LENGTH), _LONGEST_JOB)))
            if not (_answer(job, parent, answers) and left):
                return


def _refuse_network(event: str, _: Any) -> None:
    """Whatever a library would ask for: a child reads without a network."""
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise PermissionError("a child has no network")


def _answer(job: dict[str, Any], parent: socket.socket, answers: _Answers) -> bool:
    """Send the frames of a job's answer, or the one with what ended it; whether this child can take another job."""
    _limit(job["memory"], job["cpu_seconds"])
    try:
        for part in answers(job["wanted"], _receive(parent, job["size"])):
            parent.sendall(framed(part))
        is_small: bool = _memory() <= job["largest_idle"]
        parent.sendall(framed({"end": True, "last": not is_small}))
        return is_small
    except ConnectionError:
        raise
    except MemoryError:
        os._exit(OUT_OF_MEMORY)  # for words there may be none left
    except Exception as error:
        parent.sendall(framed({"failed": type(error).__name__}))
        return False


def _receive(parent: socket.socket, size: int) -> bytes:
    """So many bytes. Raises :class:`ConnectionError` when the parent has gone."""
    data = bytearray(size)
    view, got = memoryview(data), 0
    while got < size:
        count = parent.recv_into(view[got:])
        if not count:
            raise ConnectionError
        got += count
    view.release()
    return bytes(data)


def _limit(memory: int, cpu_seconds: int) -> None:
    """Limit this process to so much memory in all, and to so many more seconds of processor time than it has used."""
    import resource

    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime) + 1
    for limit, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, used + cpu_seconds),
        (resource.RLIMIT_FSIZE, _LARGEST_FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # a stricter limit of the system stays
            resource.setrlimit(limit, (value, resource.getrlimit(limit)[1]))


def _memory() -> int:
    """The resident memory of this process in bytes; 0 where the system does not say.

    Not that of ``getrusage``, which also counts what the parent had when it started this process.
    """
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
