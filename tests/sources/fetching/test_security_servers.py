"""The security table of what servers send, row by row: a threat, what is measured, and its bound.

Made like ``test_security_table``. Memory is measured in a process of its own.
"""

import asyncio
import gzip
import socket
import time
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from medreview.sources.fetching.fetch import Limits, Network, Request, fetch_all
from medreview.sources.fetching.network import Fetched
from tests.sources.bombs import zeros
from tests.sources.security_lab import PROSE, Lab, Probe, Row, Table
from tests.support.hostile_server import HostileServer, endless, head, page, raw

DEADLINE = 0.5
SLACK = 2.0
"""Seconds that a loaded machine may take on top of a deadline."""
SOCKET_BUFFERS = 12
"""MB that a server can write before it notices that nobody reads."""
TABLE = Table()


# How much a server may send, and for how long


@TABLE.row("MB that the server could send", SOCKET_BUFFERS)
def declared_size(lab: Lab) -> float:
    """a declared size of one terabyte"""
    got = lab.get(endless(head("Content-Length: 1000000000000"), bytes(65536)))
    assert (got.state, got.body) == ("too_large", b"")
    return lab.server.sent["/x"] / 1e6


@TABLE.row("MB that the server could send", 15 + SOCKET_BUFFERS)
def endless_body(lab: Lab) -> float:
    """a body without an end, plain, in chunks, and as padding after a small gzip"""
    chunk = b"10000\r\n" + bytes(65536) + b"\r\n"
    small = zeros(1, 31)
    scripts = {
        "/plain": endless(head(), bytes(65536)),
        "/chunks": endless(head("Transfer-Encoding: chunked"), chunk),
        "/padding": endless(head("Content-Encoding: gzip") + small, bytes(65536)),
    }
    lab.server.scripts |= scripts
    assert {one.state for one in lab.ask(*scripts)} == {"too_large"}
    return max(lab.server.sent[path] for path in scripts) / 1e6


BOMBS: dict[str, tuple[list[str], Callable[[], bytes], str]] = {
    "gzip": (["Content-Encoding: gzip"], lambda: zeros(300, 31), "too_large"),
    "gzip in gzip, declared": (["Content-Encoding: gzip, gzip"], lambda: _gzip(zeros(300, 31)), "blocked"),
    "gzip in gzip, declared once": (["Content-Encoding: gzip"], lambda: _gzip(zeros(300, 31)), "not_text"),
    "deflate": (["Content-Encoding: deflate"], lambda: zeros(300, 15), "too_large"),
    "deflate without a header": (["Content-Encoding: deflate"], lambda: zeros(300, -15), "too_large"),
    "br": (["Content-Encoding: br"], lambda: zeros(300, -15), "blocked"),
    "zstd": (["Content-Encoding: zstd"], lambda: b"\x28\xb5\x2f\xfd" + bytes(1000), "blocked"),
}


def _gzip(body: bytes) -> bytes:
    packer = zlib.compressobj(1, wbits=31)
    return packer.compress(body) + packer.flush()


def _bomb(name: str) -> Probe:
    def probe(lab: Lab) -> float:
        headers, make, state = BOMBS[name]
        lab.server.scripts["/x"] = page(make(), *headers)
        got = lab.forks.fetch(lab.server.base + "/x", lab.server.port)
        assert got["state"] == state, got
        return float(got["growth_mb"])

    return probe


for _name in BOMBS:
    TABLE.row("MB of growth in memory", 40, f"a compression bomb of 300 MB: {_name}")(_bomb(_name))


def _late(lab: Lab, server: HostileServer, path: str = "/x", **limits: Any) -> float:
    """Seconds until the answer, which the deadline has to make: the server goes on for a minute."""
    began = time.monotonic()
    got = lab.ask(path, server=server, deadline=DEADLINE, **limits)[0]
    seconds = time.monotonic() - began
    assert (got.state, got.body) == ("timeout", b""), got
    assert seconds >= DEADLINE * 0.9
    return seconds


DRIPS: dict[str, Callable[[HostileServer], Any]] = {
    "the body": lambda server: server.drip(head("Content-Length: 100000"), b"x"),
    "the body in chunks": lambda server: server.drip(head("Transfer-Encoding: chunked"), b"1\r\nx\r\n"),
    "a gzip body": lambda server: server.drip(head("Content-Encoding: gzip") + zeros(1, 31)[:12], b"\x00"),
    "the status line": lambda server: server.drip(b"HTTP/1.1 200 ", b"O"),
    "the headers": lambda server: server.drip(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n"),
    "provisional answers (100 Continue)": lambda server: server.drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "nothing at all": lambda server: server.drip(b"", b""),
}


def _drip(name: str) -> Probe:
    def probe(lab: Lab) -> float:
        lab.server.scripts["/x"] = DRIPS[name](lab.server)
        return _late(lab, lab.server)

    return probe


for _name in DRIPS:
    TABLE.row("seconds to the end", DEADLINE + SLACK, f"a slow drip of {_name}, for a minute")(_drip(_name))


@TABLE.row("seconds to the end", DEADLINE + SLACK)
def slow_redirects(lab: Lab) -> float:
    """redirects that each take a third of the deadline"""

    def hop(number: int) -> Callable[[], Any]:
        def pieces() -> Any:
            lab.server.over.wait(DEADLINE / 3)
            yield head(f"Location: /{number + 1}", "Content-Length: 0", status="302 Found")

        return pieces

    lab.server.scripts |= {f"/{number}": hop(number) for number in range(20)}
    return _late(lab, lab.server, "/0", redirects=20)


@TABLE.row("seconds to the end", DEADLINE + SLACK)
def silent_tls(lab: Lab) -> float:
    """a server that takes the connection and never shakes hands"""
    silent = socket.create_server(("127.0.0.1", 0))
    url = f"https://127.0.0.1:{silent.getsockname()[1]}/"
    began = time.monotonic()
    with silent:
        network = Limits(host_delay=0.0, retries=0, deadline=DEADLINE)
        got: list[Fetched] = []

        async def keep(request: Request, fetched: Fetched) -> None:
            got.append(fetched)

        allow = frozenset({("127.0.0.1", silent.getsockname()[1])})
        asyncio.run(fetch_all([Request(url)], on_done=keep, network=Network(limits=network, allow=allow)))
    assert got[0].state == "timeout"
    return time.monotonic() - began


# What is no proper HTTP


@TABLE.row("bodies taken for a page", 0)
def bad_status_lines(lab: Lab) -> float:
    """garbage for a status line, and HTTP/0.9"""
    lines = [b"200 OK", b"ICY 200 OK", b"HTTP/1.1 abc OK", b"HTTP/1.1", b"HTTP/1.1 99 Low", b"HTTP/1.1 20000 OK"]
    lines += [b"SSH-2.0-x", b"220 ftp ready", b"\x00\xff\xfe", b"HTTP/1.1 200 \x00", b"\x16\x03\x01\x02\x00"]
    for number, line in enumerate(lines):
        lab.server.scripts[f"/{number}"] = raw(line + b"\r\nContent-Length: 5\r\n\r\ndose!")
    lab.server.scripts["/old"] = raw(PROSE % b"")
    lab.server.scripts["/empty"] = raw(b"")
    got = lab.ask("/old", "/empty", *(f"/{number}" for number in range(len(lines))))
    assert {one.state for one in got} == {"http_error"}
    return sum(bool(one.body) for one in got)


@TABLE.row("MB that the server could send", SOCKET_BUFFERS)
def header_bombs(lab: Lab) -> float:
    """headers of 64 kB, 1,000 headers, and headers without an end"""
    many = [f"X-{number}: {number}" for number in range(1000)]
    lab.server.scripts["/long"] = page(PROSE % b"", "X: " + "y" * 64_000)
    lab.server.scripts["/many"] = page(PROSE % b"", *many)
    lab.server.scripts["/line"] = endless(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 65536)
    lab.server.scripts["/lines"] = endless(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 10_000)
    long, some, line, lines = lab.ask("/long", "/many", "/line", "/lines")
    assert long.body == some.body == PROSE % b""
    assert (line.state, lines.state, line.body, lines.body) == ("http_error", "http_error", b"", b"")
    return max(lab.server.sent["/line"], lab.server.sent["/lines"]) / 1e6


@TABLE.row("bodies taken for a page", 0)
def broken_chunks(lab: Lab) -> float:
    """garbage for chunks, and a Content-Length that is no number, two, or beside chunks"""
    starts = [b"zz\r\nx\r\n", b"-5\r\nx\r\n", b"ffffffffffffffffffff\r\nx", b"5\r\nx\r\n0\r\n\r\n", b"1\r\nx\r\n",
              b"5\r\ndose!", b"1;" + b"e" * 200_000 + b"\r\nx\r\n0\r\n\r\n", b"\r\n",
              b"0x5\r\ndose!\r\n0\r\n\r\n"]  # fmt: skip
    for number, start in enumerate(starts):
        lab.server.scripts[f"/{number}"] = raw(head("Transfer-Encoding: chunked") + start)
    lengths = [["Content-Length: abc"], ["Content-Length: -1"], ["Content-Length: 5", "Content-Length: 6"]]
    for number, headers in enumerate(lengths, len(starts)):
        lab.server.scripts[f"/{number}"] = raw(head(*headers) + b"dose!")
    got = lab.ask(*(f"/{number}" for number in range(len(starts) + len(lengths))))
    assert {one.state for one in got} == {"http_error"}
    return sum(bool(one.body) for one in got)


@TABLE.row("bytes of a body beyond its declared length", 0)
def lengths_that_lie(lab: Lab) -> float:
    """a Content-Length that is too long or too short, and a body where there is none"""
    second = head("Content-Length: 6") + b"second"
    assert lab.get(raw(head("Content-Length: 5000") + b"half")).state == "http_error"
    assert lab.get(raw(head(status="204 No Content") + second)).body == b""
    short = lab.get(raw(head("Content-Length: 5") + b"dose!" + second))
    assert short.body.startswith(b"dose!")
    return len(short.body) - 5


@TABLE.row("answers of one page that were taken for another's", 0)
def smuggled(lab: Lab) -> float:
    """a second answer behind the first, for whoever asks next on the same connection"""
    first = head("Content-Length: 5") + b"dose!" + head("Content-Length: 6") + b"POISON"
    lab.server.scripts["/first"] = raw(first)
    lab.server.scripts["/next"] = page(b"right")
    lab.server.stays = {"/first", "/next"}
    got = lab.ask("/first", "/next", per_host=1, concurrency=1)
    assert got[1].body == b"right"
    return sum(b"POISON" in one.body for one in got)


def test_the_bombs_are_bombs() -> None:
    assert gzip.decompress(zeros(2, 31)) == zlib.decompress(zeros(2, 15)) == zlib.decompress(zeros(2, -15), -15)
    assert len(zlib.decompress(zeros(2, 15))) == 2_000_000


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.threat)
def test_row(row: Row, lab: Lab) -> None:
    row.check(lab)
