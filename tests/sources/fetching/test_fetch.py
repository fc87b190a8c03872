"""Fetching from real servers that behave well, badly and with intent."""

import asyncio
import gzip
import threading
import time
import tracemalloc
import zlib
from datetime import datetime, timedelta

import pytest

from medreview.sources.fetching.fetch import Limits, fetch_all
from medreview.sources.fetching.network import Network, Request


def test_a_page_comes_whole_with_its_headers(server, fetch, routes):
    server.routes["/a"] = routes["answer"](b"<p>caf\xe9</p>", Content_Type="text/html; charset=windows-1252")
    got = fetch("/a")["/a"]
    assert (got.status, got.state, got.detail) == (200, None, "")
    assert got.body == b"<p>caf\xe9</p>"
    assert got.content_type == "text/html; charset=windows-1252"
    assert got.chain == (server.base + "/a",)
    assert datetime.fromisoformat(got.fetched_at).utcoffset() == timedelta(0)
    headers = server.hits[0][1]
    assert headers["user-agent"] == "medreview-test/1"
    assert headers["accept-encoding"] == "gzip, deflate"
    assert "cookie" not in headers
    assert "referer" not in headers


def test_redirects_are_followed_and_kept(server, fetch, routes):
    server.routes["/old"] = routes["answer"](status=301, Location="/mid?x=1")
    server.routes["/mid?x=1"] = routes["answer"](status=302, Location=server.base + "/new#part")
    server.routes["/new"] = routes["answer"](b"here")
    got = fetch("/old")["/old"]
    assert got.body == b"here"
    assert [url.removeprefix(server.base) for url in got.chain] == ["/old", "/mid?x=1", "/new#part"]
    assert got.final_url == got.chain[-1]


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/latest/meta-data/", "file:///etc/passwd", "ftp://example.org/x", "http://[::1]/",
     "http://10.0.0.1/", "http://user:pw@127.0.0.1/", "gopher://127.0.0.1/"],
)  # fmt: skip
def test_a_redirect_to_where_no_page_is_is_refused(server, fetch, routes, target):
    server.routes["/away"] = routes["answer"](status=302, Location=target)
    got = fetch("/away")["/away"]
    assert (got.state, got.body) == ("blocked", b"")
    assert len(got.chain) == 2
    assert server.paths() == ["/away"]


def test_a_circle_and_a_long_chain_end(server, fetch, routes):
    server.routes["/round"] = routes["answer"](status=302, Location="/round2")
    server.routes["/round2"] = routes["answer"](status=302, Location="/round")
    for step in range(9):
        server.routes[f"/step{step}"] = routes["answer"](status=302, Location=f"/step{step + 1}")
    got = fetch("/round", "/step0")
    assert got["/round"].state == "http_error"
    assert "circle" in got["/round"].detail
    assert got["/step0"].state == "http_error"
    assert "more than 5" in got["/step0"].detail
    assert server.paths().count("/step6") == 0
    assert server.paths().count("/step5") == 1


def test_cookies_are_not_kept(server, fetch, routes):
    server.routes["/set"] = routes["answer"](status=302, Location="/then", Set_Cookie="id=1; Path=/")
    server.routes["/then"] = routes["answer"](b"ok", Set_Cookie="id=2")
    fetch("/set", "/then", per_host=1)
    assert all("cookie" not in headers for _, headers, _ in server.hits)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 500])
def test_an_error_status_is_an_answer_and_is_not_asked_again(server, fetch, routes, status):
    server.routes["/e"] = routes["answer"](b"<p>sorry</p>", status=status)
    got = fetch("/e")["/e"]
    assert (got.status, got.state, got.body) == (status, "http_error", b"<p>sorry</p>")
    assert str(status) in got.detail
    assert len(server.hits) == 1


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_passing_failure_is_tried_again(server, fetch, routes, status):
    server.routes["/e"] = routes["in_turn"](routes["answer"](status=status), routes["answer"](b"fine"))
    got = fetch("/e")["/e"]
    assert (got.status, got.state, got.body) == (200, None, b"fine")
    assert len(server.hits) == 2


def test_tries_end(server, fetch, routes):
    server.routes["/e"] = routes["answer"](b"down", status=503)
    assert fetch("/e")["/e"].state == "http_error"
    assert len(server.hits) == 3


def test_retry_after_is_waited_for(server, fetch, routes):
    server.routes["/e"] = routes["in_turn"](routes["answer"](status=429, Retry_After="1"), routes["answer"](b"fine"))
    assert fetch("/e")["/e"].body == b"fine"
    assert server.hits[1][2] - server.hits[0][2] >= 1.0


def test_a_long_retry_after_ends_the_tries(server, fetch, routes):
    server.routes["/e"] = routes["answer"](status=503, Retry_After="3600")
    assert fetch("/e")["/e"].status == 503
    assert len(server.hits) == 1


def test_a_closed_port_and_an_unknown_host(server, fetch):
    server.close()
    got = fetch("/x", "http://no-such-host.invalid/")
    assert got["/x"].state == "http_error"
    assert "could not be reached" in got["/x"].detail
    unknown = got["http://no-such-host.invalid/"]
    assert (unknown.state, unknown.status) == ("http_error", None)
    assert "resolved" in unknown.detail


def _compressed(body, bits):
    compressor = zlib.compressobj(wbits=bits)
    return compressor.compress(body) + compressor.flush()


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("gzip", lambda body: gzip.compress(body[:100]) + gzip.compress(body[100:])),
        ("deflate", zlib.compress),
        ("deflate", lambda body: _compressed(body, -15)),
        ("identity", bytes),
    ],
)
def test_encodings_are_undone(server, fetch, routes, encoding, pack):
    body = b"0.5 mg/kg " * 5000
    server.routes["/z"] = routes["answer"](pack(body), Content_Encoding=encoding)
    assert fetch("/z")["/z"].body == body


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "deflate, gzip", "compress"])
def test_other_and_stacked_encodings_are_refused(server, fetch, routes, encoding):
    server.routes["/z"] = routes["answer"](gzip.compress(gzip.compress(b"x")), Content_Encoding=encoding)
    got = fetch("/z")["/z"]
    assert (got.state, got.body) == ("blocked", b"")


@pytest.mark.parametrize("body", [gzip.compress(b"0.5 mg " * 9000)[:-20], b"this is not gzip"])
def test_a_broken_or_cut_compression_is_no_page(server, fetch, routes, body):
    server.routes["/z"] = routes["answer"](body, Content_Encoding="gzip")
    got = fetch("/z")["/z"]
    assert (got.state, got.body) == ("http_error", b"")


def test_a_compression_bomb_stays_within_its_bound(server, fetch, routes):
    compressor = zlib.compressobj(9, wbits=31)
    block = bytes(1_000_000)
    bomb = b"".join(compressor.compress(block) for _ in range(100)) + compressor.flush()
    server.routes["/bomb"] = routes["answer"](bomb, Content_Encoding="gzip")
    tracemalloc.start()
    try:
        got = fetch("/bomb", max_bytes=1_000_000)["/bomb"]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (got.state, got.body) == ("too_large", b"")
    assert peak < 8_000_000


def test_an_endless_body_is_left(server, fetch):
    def endless(handler):
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b"x" * 65536)

    server.routes["/endless"] = endless
    got = fetch("/endless", max_bytes=500_000)["/endless"]
    assert (got.state, got.body) == ("too_large", b"")


def test_endless_padding_after_a_small_body_is_left(server, fetch):
    def padded(handler):
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.end_headers()
        handler.wfile.write(gzip.compress(b"small"))
        while True:
            handler.wfile.write(bytes(65536))

    server.routes["/padded"] = padded
    assert fetch("/padded", max_bytes=500_000)["/padded"].state == "too_large"


def test_a_url_with_a_user_name_is_not_asked(server, fetch):
    url = f"http://user:pw@127.0.0.1:{server.port}/"
    got = fetch(url)[url]
    assert got.state == "blocked"
    assert "user name" in got.detail
    assert server.hits == []


def test_a_declared_size_is_believed_at_once(server, fetch):
    over = threading.Event()

    def huge(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "20000000")
        handler.end_headers()
        over.wait(5)

    server.routes["/huge"] = huge
    began = time.monotonic()
    assert fetch("/huge")["/huge"].state == "too_large"
    assert time.monotonic() - began < 4
    over.set()


def test_a_body_of_just_the_allowed_size_passes(server, fetch, routes):
    server.routes["/full"] = routes["answer"](b"x" * 1000)
    server.routes["/packed"] = routes["answer"](gzip.compress(b"x" * 1000), Content_Encoding="gzip")
    got = fetch("/full", "/packed", max_bytes=1000)
    assert {len(one.body) for one in got.values()} == {1000}
    assert fetch("/full", max_bytes=999)["/full"].state == "too_large"


def test_a_slow_drip_hits_the_deadline(server, fetch):
    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        for _ in range(1000):
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.02)

    server.routes["/drip"] = drip
    began = time.monotonic()
    got = fetch("/drip", deadline=0.4)["/drip"]
    assert got.state == "timeout"
    assert "0.4 seconds" in got.detail
    assert time.monotonic() - began < 3


def test_a_server_that_never_answers_hits_the_deadline(server, fetch):
    over = threading.Event()
    server.routes["/mute"] = lambda handler: over.wait(5)
    assert fetch("/mute", deadline=0.3)["/mute"].state == "timeout"
    assert len(server.hits) == 1
    over.set()


def test_a_body_that_breaks_off_is_no_page(server, fetch, routes):
    def half(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"half")
        handler.close_connection = True

    server.routes["/half"] = half
    got = fetch("/half")["/half"]
    assert (got.state, got.body) == ("http_error", b"")
    assert "broke off" in got.detail
    assert len(server.hits) == 1


BAD_URLS = [
    "", "no url", "http://", "http://[::1", "http://exa mple.org/", "ftp://example.org/x", "javascript:alert(1)",
    "file:///etc/passwd", "//example.org/x", "http://example.org:99999/", "http://\x00/", "http://xn--\udcff.org/",
    "http://" + "a" * 300 + ".org/", "data:text/html,x", "http://a@b@c/",
]  # fmt: skip


def test_one_bad_url_never_ends_the_others(server, fetch, routes):
    server.routes["/good"] = routes["answer"](b"good")
    got = fetch("/good", *BAD_URLS)
    assert got["/good"].body == b"good"
    for url in BAD_URLS:
        assert got[url].state in ("blocked", "http_error"), url
        assert got[url].detail


def test_each_url_is_asked_once(server, fetch, routes):
    server.routes["/a"] = routes["answer"](b"a")
    fetch("/a", "/a", "/a")
    assert server.paths() == ["/a"]


def test_two_requests_to_one_host_run_at_once(server, fetch, routes):
    both = threading.Barrier(2, timeout=5)

    def page(handler):
        both.wait()
        routes["answer"](b"x")(handler)

    paths = [f"/{number}" for number in range(6)]
    server.routes.update(dict.fromkeys(paths, page))
    assert all(one.body == b"x" for one in fetch(*paths).values())


def test_three_hosts_are_asked_at_once(server, fetch, monkeypatch, routes):
    import socket

    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, port, *a, **k: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))],
    )
    over = threading.Barrier(3, timeout=5)

    def page(handler):
        over.wait()
        routes["answer"](b"x")(handler)

    server.routes["/"] = page
    got = fetch(*(f"http://h{number}.example:{server.port}/" for number in range(9)), concurrency=3)
    assert all(one.body == b"x" for one in got.values())


def _run(server, urls, on_done):
    network = Network(limits=Limits(host_delay=0.0, deadline=20.0), allow=server.allow)
    return fetch_all([Request(url) for url in urls], on_done=on_done, network=network)


def test_cancelling_keeps_what_was_handed_over(server, routes):
    over = threading.Event()
    server.routes["/quick"] = routes["answer"](b"quick")
    server.routes["/stuck"] = lambda handler: over.wait(10)
    got = []

    async def main():
        arrived = asyncio.Event()

        async def keep(request, fetched):
            got.append(fetched)
            arrived.set()

        urls = [server.base + path for path in ("/quick", "/stuck", "/stuck2")]
        server.routes["/stuck2"] = server.routes["/stuck"]
        task = asyncio.create_task(_run(server, urls, keep))
        await asyncio.wait_for(arrived.wait(), 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 5)

    asyncio.run(main())
    over.set()
    assert [one.body for one in got] == [b"quick"]


def test_an_error_of_the_receiver_ends_the_fetch_as_itself(server, routes):
    server.routes["/a"] = routes["answer"](b"a")

    async def full_disk(request, fetched):
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        asyncio.run(_run(server, [server.base + "/a", server.base + "/b"], full_disk))
