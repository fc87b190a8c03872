"""Pages are fetched: concurrently, within limits, again where a run was broken off."""

import asyncio
import gzip
import tracemalloc
import zlib
from datetime import datetime, timedelta

import pytest

from medreview.sources.fetching.fetch import Limits, fetch_all
from medreview.sources.fetching.network import Network, Request
from tests.bench.fetch_pages import Server, killed, stored
from tests.support.http_server import answer, cut, drip, endless, hang, in_turn, together


def test_a_page_comes_whole_with_its_headers(server, fetch):
    server.routes["/a"] = answer(b"<p>caf\xe9</p>", Content_Type="text/html; charset=windows-1252")
    got = fetch("/a")["/a"]
    assert (got.status, got.state, got.detail) == (200, None, "")
    assert got.body == b"<p>caf\xe9</p>"
    assert got.content_type == "text/html; charset=windows-1252"
    assert got.chain == (server.base + "/a",)
    assert datetime.fromisoformat(got.fetched_at).utcoffset() == timedelta(0)
    headers = server.received[0].headers
    assert headers["user-agent"] == "medreview-test/1"
    assert headers["accept-encoding"] == "gzip, deflate"
    assert "cookie" not in headers
    assert "referer" not in headers


def test_redirects_are_followed_and_kept(server, fetch):
    server.routes["/old"] = answer(status=301, Location="/mid?x=1")
    server.routes["/mid?x=1"] = answer(status=302, Location=server.base + "/new#part")
    server.routes["/new"] = answer(b"here")
    got = fetch("/old")["/old"]
    assert got.body == b"here"
    assert [url.removeprefix(server.base) for url in got.chain] == ["/old", "/mid?x=1", "/new#part"]
    assert got.final_url == got.chain[-1]


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/latest/meta-data/", "file:///etc/passwd", "ftp://example.org/x", "http://[::1]/",
     "http://10.0.0.1/", "http://user:pw@127.0.0.1/", "gopher://127.0.0.1/"],
)  # fmt: skip
def test_a_redirect_to_where_no_page_is_is_refused(server, fetch, target):
    server.routes["/away"] = answer(status=302, Location=target)
    got = fetch("/away")["/away"]
    assert (got.state, got.body) == ("blocked", b"")
    assert len(got.chain) == 2
    assert server.paths() == ["/away"]


def test_a_circle_and_a_long_chain_end(server, fetch):
    server.routes["/round"] = answer(status=302, Location="/round2")
    server.routes["/round2"] = answer(status=302, Location="/round")
    for step in range(9):
        server.routes[f"/step{step}"] = answer(status=302, Location=f"/step{step + 1}")
    got = fetch("/round", "/step0")
    assert got["/round"].state == "http_error"
    assert "circle" in got["/round"].detail
    assert got["/step0"].state == "http_error"
    assert "more than 5" in got["/step0"].detail
    assert server.paths().count("/step6") == 0
    assert server.paths().count("/step5") == 1


def test_cookies_are_not_kept(server, fetch):
    server.routes["/set"] = answer(status=302, Location="/then", Set_Cookie="id=1; Path=/")
    server.routes["/then"] = answer(b"ok", Set_Cookie="id=2")
    fetch("/set", "/then", per_host=1)
    assert all("cookie" not in request.headers for request in server.received)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 500])
def test_an_error_status_is_an_answer_and_is_not_asked_again(server, fetch, status):
    server.routes["/e"] = answer(b"<p>sorry</p>", status=status)
    got = fetch("/e")["/e"]
    assert (got.status, got.state, got.body) == (status, "http_error", b"<p>sorry</p>")
    assert str(status) in got.detail
    assert len(server.received) == 1


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_passing_failure_is_tried_again(server, fetch, status):
    server.routes["/e"] = in_turn(answer(status=status), answer(b"fine"))
    got = fetch("/e")["/e"]
    assert (got.status, got.state, got.body) == (200, None, b"fine")
    assert len(server.received) == 2


def test_tries_end(server, fetch):
    server.routes["/e"] = answer(b"down", status=503)
    assert fetch("/e")["/e"].state == "http_error"
    assert len(server.received) == 3


def test_retry_after_is_waited_for(server, fetch):
    server.routes["/e"] = in_turn(answer(status=429, Retry_After="1"), answer(b"fine"))
    assert fetch("/e")["/e"].body == b"fine"
    assert server.received[1].at - server.received[0].at >= 1.0


def test_a_long_retry_after_ends_the_tries(server, fetch):
    server.routes["/e"] = answer(status=503, Retry_After="3600")
    assert fetch("/e")["/e"].status == 503
    assert len(server.received) == 1


def test_a_rate_that_the_server_names_is_kept(server, fetch):
    server.otherwise = answer(b"fine", X_Rate_Limit_Limit="2", X_Rate_Limit_Interval="1s")
    assert {one.body for one in fetch("/1", "/2", "/3", per_host=1).values()} == {b"fine"}
    assert server.received[2].at - server.received[0].at >= 0.9


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
def test_encodings_are_undone(server, fetch, encoding, pack):
    body = b"0.5 mg/kg " * 5000
    server.routes["/z"] = answer(pack(body), Content_Encoding=encoding)
    assert fetch("/z")["/z"].body == body


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "deflate, gzip", "compress"])
def test_other_and_stacked_encodings_are_refused(server, fetch, encoding):
    server.routes["/z"] = answer(gzip.compress(gzip.compress(b"x")), Content_Encoding=encoding)
    got = fetch("/z")["/z"]
    assert (got.state, got.body) == ("blocked", b"")


@pytest.mark.parametrize("body", [gzip.compress(b"0.5 mg " * 9000)[:-20], b"this is not gzip"])
def test_a_broken_or_cut_compression_is_no_page(server, fetch, body):
    server.routes["/z"] = answer(body, Content_Encoding="gzip")
    got = fetch("/z")["/z"]
    assert (got.state, got.body) == ("http_error", b"")


def test_a_compression_bomb_stays_within_its_bound(server, fetch):
    compressor = zlib.compressobj(9, wbits=31)
    block = bytes(1_000_000)
    bomb = b"".join(compressor.compress(block) for _ in range(100)) + compressor.flush()
    server.routes["/bomb"] = answer(bomb, Content_Encoding="gzip")
    tracemalloc.start()
    try:
        got = fetch("/bomb", max_bytes=1_000_000)["/bomb"]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (got.state, got.body) == ("too_large", b"")
    assert peak < 8_000_000


def test_an_endless_body_is_left(server, fetch):
    server.routes["/endless"] = endless()
    got = fetch("/endless", max_bytes=500_000)["/endless"]
    assert (got.state, got.body) == ("too_large", b"")


def test_endless_padding_after_a_small_body_is_left(server, fetch):
    server.routes["/padded"] = endless(gzip.compress(b"small"), Content_Encoding="gzip")
    assert fetch("/padded", max_bytes=500_000)["/padded"].state == "too_large"


def test_a_url_with_a_user_name_is_not_asked(server, fetch):
    url = f"http://user:pw@127.0.0.1:{server.port}/"
    got = fetch(url)[url]
    assert got.state == "blocked"
    assert "user name" in got.detail
    assert server.received == []


def test_a_declared_size_is_believed_at_once(server, fetch):
    def huge(exchange):
        exchange.begin(200, {"Content-Length": "20000000"})
        hang(exchange)

    server.routes["/huge"] = huge  # who waited for the body would end at the deadline, as a timeout
    assert fetch("/huge")["/huge"].state == "too_large"


def test_a_body_of_just_the_allowed_size_passes(server, fetch):
    server.routes["/full"] = answer(b"x" * 1000)
    server.routes["/packed"] = answer(gzip.compress(b"x" * 1000), Content_Encoding="gzip")
    got = fetch("/full", "/packed", max_bytes=1000)
    assert {len(one.body) for one in got.values()} == {1000}
    assert fetch("/full", max_bytes=999)["/full"].state == "too_large"


def test_a_slow_drip_hits_the_deadline(server, fetch):
    server.routes["/drip"] = drip()  # for longer than any test waits
    got = fetch("/drip", deadline=0.4)["/drip"]
    assert got.state == "timeout"
    assert "0.4 seconds" in got.detail


def test_a_server_that_never_answers_hits_the_deadline(server, fetch):
    server.routes["/mute"] = hang
    assert fetch("/mute", deadline=0.3)["/mute"].state == "timeout"
    assert len(server.received) == 1


def test_a_body_that_breaks_off_is_no_page(server, fetch):
    server.routes["/half"] = cut(bytes(1000), 4)
    got = fetch("/half")["/half"]
    assert (got.state, got.body) == ("http_error", b"")
    assert "broke off" in got.detail
    assert len(server.received) == 1


BAD_URLS = [
    "", "no url", "http://", "http://[::1", "http://exa mple.org/", "ftp://example.org/x", "javascript:alert(1)",
    "file:///etc/passwd", "//example.org/x", "http://example.org:99999/", "http://\x00/", "http://xn--\udcff.org/",
    "http://" + "a" * 300 + ".org/", "data:text/html,x", "http://a@b@c/",
]  # fmt: skip


def test_one_bad_url_never_ends_the_others(server, fetch):
    server.routes["/good"] = answer(b"good")
    got = fetch("/good", *BAD_URLS)
    assert got["/good"].body == b"good"
    for url in BAD_URLS:
        assert got[url].state in ("blocked", "http_error"), url
        assert got[url].detail


def test_each_url_is_asked_once(server, fetch):
    server.routes["/a"] = answer(b"a")
    fetch("/a", "/a", "/a")
    assert server.paths() == ["/a"]


def test_two_requests_to_one_host_run_at_once(server, fetch):
    paths = [f"/{number}" for number in range(6)]
    server.routes.update(dict.fromkeys(paths, together(2, answer(b"x"))))
    assert all(one.body == b"x" for one in fetch(*paths).values())


def test_three_hosts_are_asked_at_once(server, fetch, monkeypatch):
    import socket

    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, port, *a, **k: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))],
    )
    server.routes["/"] = together(3, answer(b"x"))
    got = fetch(*(f"http://h{number}.example:{server.port}/" for number in range(9)), concurrency=3)
    assert all(one.body == b"x" for one in got.values())


def _run(server, urls, on_done):
    network = Network(limits=Limits(host_delay=0.0, deadline=20.0), allow=server.allow)
    return fetch_all([Request(url) for url in urls], on_done=on_done, network=network)


def test_cancelling_keeps_what_was_handed_over(server):
    server.routes |= {"/quick": answer(b"quick"), "/stuck": hang, "/stuck2": hang}
    got = []

    async def main():
        arrived = asyncio.Event()

        async def keep(request, fetched):
            got.append(fetched)
            arrived.set()

        urls = [server.base + path for path in ("/quick", "/stuck", "/stuck2")]
        task = asyncio.create_task(_run(server, urls, keep))
        await asyncio.wait_for(arrived.wait(), 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 60)

    asyncio.run(main())
    assert [one.body for one in got] == [b"quick"]


def test_an_error_of_the_receiver_ends_the_fetch_as_itself(server):
    server.routes["/a"] = answer(b"a")

    async def full_disk(request, fetched):
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        asyncio.run(_run(server, [server.base + "/a", server.base + "/b"], full_disk))


def test_a_killed_fetch_asks_for_no_stored_page_again_and_ends_whole(tmp_path):
    with Server(hosts=16, latency=0) as server:
        assert killed(server, 32, tmp_path) == []
    assert len(stored(tmp_path / "killed.medreview")) == 32
