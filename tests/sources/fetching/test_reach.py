"""Whether pages are there, without reading them."""

import threading

import pytest

from tests.support.http_server import answer, hang, hang_up, in_turn


def only_get(head_status=405, body=b"page", **headers):
    def send(handler):
        if handler.command == "HEAD":
            answer(status=head_status)(handler)
        else:
            answer(body, **headers)(handler)

    return send


def asked(server):
    return [(request.method, request.path) for request in server.received]


def test_head_is_enough_where_it_works(server, fetch):
    server.routes["/a"] = answer(b"a page", Content_Type="text/html")
    got = fetch("/a", reach=True)["/a"]
    assert (got.status, got.state, got.body, got.content_type) == (200, None, b"", "text/html")
    assert asked(server) == [("HEAD", "/a")]


@pytest.mark.parametrize("status", [400, 403, 404, 405, 500, 501])
def test_get_is_asked_where_head_is_refused(server, fetch, status):
    server.routes["/a"] = only_get(status)
    got = fetch("/a", reach=True)["/a"]
    assert (got.status, got.state, got.body) == (200, None, b"")
    assert asked(server) == [("HEAD", "/a"), ("GET", "/a")]


def test_a_page_that_is_gone_is_gone_by_both(server, fetch):
    got = fetch("/a", reach=True)["/a"]
    assert (got.status, got.state, got.body) == (404, "http_error", b"")
    assert asked(server) == [("HEAD", "/a"), ("GET", "/a")]


def test_get_is_asked_where_head_breaks_the_connection(server, fetch):
    def send(handler):
        (hang_up if handler.command == "HEAD" else answer(b"page"))(handler)

    server.routes["/a"] = send
    assert fetch("/a", reach=True)["/a"].status == 200


def test_get_has_half_of_the_time_when_head_hangs(server, fetch):
    server.routes["/a"] = lambda exchange: (hang if exchange.command == "HEAD" else answer(b"page"))(exchange)
    assert fetch("/a", reach=True, deadline=1.0)["/a"].status == 200


def test_a_server_that_never_answers_ends_at_the_deadline(server, fetch):
    server.routes["/mute"] = hang
    assert fetch("/mute", reach=True, deadline=0.6)["/mute"].state == "timeout"


def test_get_does_not_read_the_page(server, fetch):
    """An endless page, longer than the cap, is reached at its headers."""
    left = threading.Event()

    def endless(handler):
        if handler.command == "HEAD":
            handler.send_error(405)
            return
        handler.send_response(200)
        handler.send_header("Content-Length", str(10**12))
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"x" * 65536)
        except OSError:
            left.set()
            raise

    server.routes["/endless"] = endless
    got = fetch("/endless", reach=True, max_bytes=1000)["/endless"]
    assert (got.status, got.state, got.body) == (200, None, b"")
    assert left.wait(5)


def test_redirects_are_followed_and_told(server, fetch):
    server.routes["/old"] = answer(status=302, Location="/login")
    server.routes["/login"] = only_get()
    got = fetch("/old", reach=True)["/old"]
    assert (got.status, got.state) == (200, None)
    assert [url.removeprefix(server.base) for url in got.chain] == ["/old", "/login"]
    assert asked(server) == [("HEAD", "/old"), ("HEAD", "/login"), ("GET", "/old"), ("GET", "/login")]


def test_the_guard_holds(server, fetch):
    server.routes["/away"] = answer(status=302, Location="http://169.254.169.254/")
    got = fetch("/away", "http://127.0.0.2/", "file:///etc/passwd", "", reach=True)
    assert {one.state for one in got.values()} == {"blocked"}
    assert asked(server) == [("HEAD", "/away")]


def test_robots_txt_is_asked_when_wished(server, fetch):
    server.routes["/robots.txt"] = answer(b"User-agent: *\nDisallow: /a")
    assert fetch("/a", reach=True, network={"respect_robots": True})["/a"].state == "blocked"
    assert asked(server) == [("GET", "/robots.txt")]


def test_a_busy_server_is_given_its_time(server, fetch):
    server.routes["/a"] = in_turn(answer(status=429, Retry_After="1"), answer(b"page"), answer(b"page"))
    assert fetch("/a", reach=True)["/a"].status == 200
    assert server.received[1].at - server.received[0].at >= 0.95


def test_a_long_retry_after_ends_it(server, fetch):
    server.routes["/a"] = answer(status=503, Retry_After="3600")
    assert fetch("/a", reach=True)["/a"].status == 503
    assert asked(server) == [("HEAD", "/a")]


def test_a_host_that_does_not_exist(fetch):
    got = fetch("http://no-such-host.invalid/", reach=True)["http://no-such-host.invalid/"]
    assert (got.state, got.status) == ("http_error", None)
    assert "could not be resolved" in got.detail
