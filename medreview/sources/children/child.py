"""What runs in a child: it takes one page after the other from its parent and answers each, until nobody asks any more.

Its standard input is one end of a pair of sockets; standard output and standard error lead nowhere. Before it takes the
body of a page it limits its own memory and processor time for that page (``setrlimit``), so that the system ends it,
whatever the body makes of the parsers, which are native code.
"""

import contextlib
import os
import select
import signal
import socket
import sys
from pathlib import Path
from typing import Any, Final

from medreview.sources.children.messages import (
    LENGTH,
    answer,
    fetched_of,
    framed,
    length_of,
    message_in,
    picture_answer,
)
from medreview.sources.page import read_page

READY: Final = {"ready": True}
"""The first message of a child: it has loaded what it needs to take a page."""
IDLE_SECONDS: Final = 10.0
"""Seconds without a page after which a child ends, with exit code 0."""
MOST_PAGES: Final = 1_000
"""Pages after which a child is replaced: no library frees all that it takes."""
_LARGEST_FILE: Final = 4_000_000
"""Bytes of a file that a child may write: Python's own compiled modules, and nothing that could fill a disk."""


def main() -> None:
    """Answer pages from standard input until it ends, until none has come for a while, or after a failure."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.addaudithook(_refuse_network)
    with socket.socket(fileno=0) as parent, contextlib.suppress(ConnectionError):
        parent.sendall(framed(READY))
        for number in range(1, MOST_PAGES + 1):
            if not select.select([parent], [], [], IDLE_SECONDS)[0]:
                return
            head = _receive(parent, LENGTH)
            if head is None:
                return
            message = message_in(_receive(parent, length_of(head)) or b"")
            answered, last = _answered(message, parent, is_last=number == MOST_PAGES)
            parent.sendall(answered)
            if last:
                return


def _refuse_network(event: str, _: Any) -> None:
    """Whatever a library would ask for: pages are read without a network."""
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise PermissionError("a child has no network")


def _answered(message: dict[str, Any], parent: socket.socket, *, is_last: bool) -> tuple[bytes, bool]:
    """The frame with the page of a job, or with what ended its reading; and whether this child ends after it."""
    _limit(message["memory"], message["cpu_seconds"])
    try:
        body = _receive(parent, message["size"])
        if body is None:
            raise ConnectionError
        answered = _read(message, body)
        last = is_last or _memory() > message["largest_idle"]
        return framed({**answered, "last": last}), last
    except ConnectionError:
        raise
    except Exception as error:
        return framed({"failed": type(error).__name__}), True


def _read(message: dict[str, Any], body: bytes) -> dict[str, Any]:
    if "picture" in message:
        from medreview.sources.reading.pdf_picture import read_picture

        return picture_answer(read_picture(body, message["picture"]))
    return answer(read_page(fetched_of(message, body)))


def _receive(parent: socket.socket, size: int) -> bytes | None:
    """So many bytes; ``None`` when the parent has gone."""
    data = bytearray(size)
    view, got = memoryview(data), 0
    while got < size:
        count = parent.recv_into(view[got:])
        if not count:
            return None
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
