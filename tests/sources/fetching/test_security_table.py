"""The security table of where requests go, row by row: a threat, what is measured, and its bound.

Each row is one function: its docstring is the threat, its decorator names what is measured and the bound, and what it
gives back is the measured value; it also asserts what became of the page. ``pytest -rP`` prints the values.
What servers send is in ``test_security_servers``, what pages hold in ``test_security_pages``.
"""

import asyncio
import gzip
import socket
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medreview.sources.fetching.fetch import Limits, Network, Request, fetch_all
from medreview.sources.fetching.network import Fetched
from medreview.sources.page import read_page
from tests.sources.bombs import zeros
from tests.sources.security_lab import PROSE, Lab, Probe, Row, Table
from tests.support.hostile_server import HostileServer, endless, head, page, raw

TABLE = Table()


# Where a request may go


ODD_HOSTS = """
127.0.0.1 127.1 127.0.1 2130706433 0x7f.1 0x7f.0.0.1 0x7f000001 0177.0.0.1 017700000001 0177.1 0.0.0.0 0 127.0.0.1.
localhost LOCALHOST localhost. localhost.localdomain ip6-localhost 127%2e0%2e0%2e1 127。0。0。1 １２７.０.０.１
⑫⑦.⓪.⓪.① ⓛocalhost [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1]
[64:ff9b::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::] [::1%25lo] [fe80::1%25lo] 4294967169.1 127.0.0.1%00.example.org
example.org\\@127.0.0.1 example.org#@127.0.0.1 a@b@127.0.0.1
"""


@TABLE.row("connections to the listener", 0)
def odd_notations(lab: Lab) -> float:
    """SSRF: an inner address in 39 notations"""
    port = lab.inner.port
    urls = [f"http://{host}:{port}/" for host in ODD_HOSTS.split()]
    got = lab.ask(*urls, ports=frozenset({port}), connect_timeout=2.0)
    assert not [one for one in got if one.status is not None or one.body]
    assert {one.state for one in got} <= {"blocked", "http_error"}
    return lab.inner.connections


@TABLE.row("answers other than blocked", 0)
def inner_addresses(lab: Lab) -> float:
    """SSRF: metadata servers and private networks"""
    hosts = [
        "169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "[fd00:ec2::254]", "[fe80::a9fe:a9fe]",
        "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
        "0xa9fea9fe", "2852039166", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]",
    ]  # fmt: skip
    got = lab.ask(*(f"http://{host}/latest/meta-data/" for host in hosts), connect_timeout=2.0)
    return sum(one.state != "blocked" for one in got)


@TABLE.row("answers other than blocked", 0)
def other_schemes(lab: Lab) -> float:
    """addresses that are not of the web: file, ftp, gopher, data, javascript and others"""
    port = lab.inner.port
    urls = ["file:///etc/passwd", "FILE:///etc/passwd", "file://127.0.0.1/etc/passwd", f"ftp://127.0.0.1:{port}/x",
            f"gopher://127.0.0.1:{port}/_GET%20/", "data:text/html,<p>dose", "javascript:alert(1)", "about:blank",
            f"dict://127.0.0.1:{port}/d", f"ldap://127.0.0.1:{port}/x", f"ws://127.0.0.1:{port}/", "blob:x",
            "unix:/run/x", f"view-source:http://127.0.0.1:{port}/", f"jar:http://127.0.0.1:{port}/!/x",
            f"//127.0.0.1:{port}/", "http:///etc/passwd", "http+unix://%2Frun%2Fx/", ""]  # fmt: skip
    got = lab.ask(*urls, ports=frozenset({port}))
    assert lab.inner.connections == 0
    assert not [one for one in got if one.body or not one.detail]
    return sum(one.state != "blocked" for one in got)


@TABLE.row("connections to the listener", 0)
def user_info(lab: Lab) -> float:
    """URLs with a user name or a password"""
    port = lab.server.port
    urls = [f"http://{who}@127.0.0.1:{port}/" for who in ("user:pw", "user", ":pw", "example.org", "a%40b", "u:p:q")]
    got = lab.ask(*urls)
    assert {one.state for one in got} == {"blocked"}
    return lab.server.connections


@TABLE.row("connections to the listener", 0)
def other_ports(lab: Lab) -> float:
    """ports that are not of the web"""
    ports = (lab.inner.port, 0, 21, 22, 25, 110, 3306, 5432, 6379, 8080, 11211, 65536, -1)
    got = lab.ask(*(f"http://127.0.0.1:{port}/" for port in ports))
    assert not [one for one in got if one.state not in ("blocked", "http_error") or one.status is not None]
    lab.resolve_by_table()
    lab.names["public.example"] = [["8.8.8.8"]]
    assert "not a web port" in lab.ask("http://public.example:6379/")[0].detail
    return lab.inner.connections


@TABLE.row("connections to the listener", 0)
def redirects_inside(lab: Lab) -> float:
    """redirects to the metadata address, file:, user-info, inner addresses and ports"""
    port = lab.inner.port
    targets = ["http://169.254.169.254/latest/", "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/",
               f"http://127.0.0.1:{port}/", f"//127.0.0.1:{port}/", f"http://u:p@127.0.0.1:{port}/", "data:text/html,x",
               f"http://[::ffff:127.0.0.1]:{port}/", f"http://2130706433:{port}/", "javascript:alert(1)",
               f"http://127.0.0.1:{port}\\@example.org/", "http://[::1/", f"\thttp://127.1:{port}/"]  # fmt: skip
    for number, target in enumerate(targets):
        lab.server.scripts[f"/{number}"] = page(b"", f"Location: {target}", status="302 Found")
    got = lab.ask(*(f"/{number}" for number in range(len(targets))), ports=frozenset({80, 443, port}))
    assert not [one for one in got if one.body or one.state not in ("blocked", "http_error")]
    assert got[0].state == got[1].state == got[4].state == "blocked"
    return lab.inner.connections


@TABLE.row("requests sent", 6)
def many_redirects(lab: Lab) -> float:
    """a chain of 1,000 redirects, and a circle of two"""
    for step in range(1000):
        lab.server.scripts[f"/{step}"] = page(b"", f"Location: /{step + 1}", status="301 Moved")
    lab.server.scripts["/a"] = page(b"", "Location: /b", status="302 Found")
    lab.server.scripts["/b"] = page(b"", "Location: /a", status="302 Found")
    circle = lab.ask("/a")[0]
    assert (circle.state, len(lab.server.heads)) == ("http_error", 2)
    assert lab.ask("/0")[0].state == "http_error"
    return len(lab.server.heads) - 2


@TABLE.row("requests to the address named", 0)
def refresh(lab: Lab) -> float:
    """a page that leads elsewhere by Refresh, by meta, by base, by Link or by Content-Location"""
    url = f"http://127.0.0.1:{lab.inner.port}/"
    markup = PROSE % f'<meta http-equiv="refresh" content="0;url={url}"><base href="{url}"><img src="{url}">'.encode()
    headers = [f"Refresh: 0; url={url}", f"Link: <{url}>; rel=preload", f"Content-Location: {url}"]
    got = lab.get(page(markup, *headers), ports=frozenset({80, 443, lab.inner.port}))
    assert read_page(got).state == "ok"
    return lab.inner.connections


@TABLE.row("resolutions for one connection", 1)
def rebinding(lab: Lab) -> float:
    """a name that is public when it is looked at and an inner address afterwards"""
    port = lab.server.port
    lab.resolve_by_table()
    lab.names["rebind.example"] = [["127.0.0.1"], ["127.0.0.2"]]
    got = lab.ask(f"http://rebind.example:{port}/")[0]
    assert got.status == 404
    resolutions = len(lab.resolved)
    lab.names["turn.example"] = [["127.0.0.1"], ["169.254.169.254"]]
    lab.server.scripts["/turn"] = page(b"", f"Location: http://turn.example:{port}/again", status="302 Found")
    assert lab.ask(f"http://turn.example:{port}/turn")[0].state in ("blocked", "http_error")
    lab.names["mixed.example"] = [["127.0.0.1", "10.0.0.1"]]
    assert lab.ask(f"http://mixed.example:{port}/")[0].state == "blocked"
    return resolutions


@TABLE.row("connections to the proxy", 0)
def proxies(lab: Lab) -> float:
    """proxies of the environment; and inner addresses asked for through a proxy that the user named"""
    proxy = f"http://127.0.0.1:{lab.inner.port}"
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        lab.monkeypatch.setenv(name, proxy)
    assert lab.ask("/")[0].status == 404
    inner = ["http://169.254.169.254/", "http://10.0.0.1/", "http://[::1]/", "http://2130706433/", "http://localhost/"]
    assert {one.state for one in lab.ask(*inner, proxy=proxy)} == {"blocked"}
    return lab.inner.connections


@TABLE.row("requests with a cookie, a Referer, a password or another's validators", 0)
def nothing_leaks(lab: Lab) -> float:
    """what was learned from one address is told to another"""
    (lab.folder / ".netrc").write_text("machine 127.0.0.1 login u password p")
    lab.monkeypatch.setenv("HOME", str(lab.folder))
    lab.monkeypatch.setenv("NETRC", str(lab.folder / ".netrc"))
    lab.server.scripts["/set"] = page(b"", "Set-Cookie: id=1; Path=/", "Location: /then", status="302 Found")
    lab.server.scripts["/then"] = page(PROSE % b"", "Set-Cookie: id=2; Path=/", 'ETag: "a"', "WWW-Authenticate: Basic")
    lab.server.scripts["/closed"] = page(b"", 'WWW-Authenticate: Basic realm="x"', status="401 Unauthorized")
    lab.server.stays = {"/set", "/then", "/closed"}
    lab.ask("/set", "/then", "/closed", "/closed?2", per_host=1)

    async def keep(request: Request, fetched: Fetched) -> None:
        assert not fetched.unchanged

    old = Request(lab.server.base + "/set", etag='"secret"', validates=lab.server.base + "/other")
    network = Network(limits=Limits(host_delay=0.0), allow=lab.server.allow)
    asyncio.run(fetch_all([old], on_done=keep, network=network))
    names = (b"\r\ncookie:", b"\r\nreferer:", b"\r\nauthorization:", b"\r\nif-none-match:", b"\r\nproxy-authorization:")
    assert len(lab.server.heads) >= 6
    return sum(any(name in one.lower() for name in names) for one in lab.server.heads)


@TABLE.row("requests sent", 0)
def certificates(lab: Lab) -> float:
    """a certificate that nobody vouches for"""
    server = HostileServer(tls=True)
    try:
        got = lab.ask("/", server=server)[0]
        assert (got.state, got.status) == ("http_error", None)
        assert "certificate" in got.detail
        assert server.connections > 0
        return len(server.heads)
    finally:
        server.close()


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.threat)
def test_row(row: Row, lab: Lab) -> None:
    row.check(lab)


DEADLINE = 0.5
SLACK = 2.0
"""Seconds that a loaded machine may take on top of a deadline."""
SOCKET_BUFFERS = 12
"""MB that a server can write before it notices that nobody reads."""


def _most_unread() -> float:
    """MB that both ends of a connection may hold once somebody has read much of it: Linux lets its buffers grow."""
    limits = [Path("/proc/sys/net/ipv4", name) for name in ("tcp_wmem", "tcp_rmem")]
    grown = sum(int(limit.read_text().split()[2]) for limit in limits if limit.is_file()) / 1e6
    return max(SOCKET_BUFFERS, grown)


# How much a server may send, and for how long


@TABLE.row("MB that the server could send", SOCKET_BUFFERS)
def declared_size(lab: Lab) -> float:
    """a declared size of one terabyte"""
    got = lab.get(endless(head("Content-Length: 1000000000000"), bytes(65536)))
    assert (got.state, got.body) == ("too_large", b"")
    return lab.server.sent["/x"] / 1e6


@TABLE.row("MB that the server could send", 15 + _most_unread())
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
