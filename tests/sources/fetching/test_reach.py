"""Whether pages are there, without reading them."""

import threading
import time

import pytest


def only_get(routes, head_status=405, body=b"page", **headers):
    def send(handler):
        if handler.command == "HEAD":
            routes["answer"](status=head_status)(handler)
        else:
            routes["answer"](body, **headers)(handler)

    return send


def asked(server):
    return list(zip(server.methods, server.paths(), strict=True))


def test_head_is_enough_where_it_works(server, fetch, routes):
    server.routes["/a"] = routes["answer"](b"a page", Content_Type="text/html")
    got = fetch("/a", reach=True)["/a"]
    assert (got.status, got.state, got.body, got.content_type) == (200, None, b"", "text/html")
    assert asked(server) == [("HEAD", "/a")]


@pytest.mark.parametrize("status", [400, 403, 404, 405, 500, 501])
def test_get_is_asked_where_head_is_refused(server, fetch, routes, status):
    server.routes["/a"] = only_get(routes, status)
    got = fetch("/a", reach=True)["/a"]
    assert (got.status, got.state, got.body) == (200, None, b"")
    assert asked(server) == [("HEAD", "/a"), ("GET", "/a")]


def test_a_page_that_is_gone_is_gone_by_both(server, fetch):
    got = fetch("/a", reach=True)["/a"]
    assert (got.status, got.state, got.body) == (404, "http_error", b"")
    assert asked(server) == [("HEAD", "/a"), ("GET", "/a")]


def test_get_is_asked_where_head_breaks_the_connection(server, fetch, routes):
    def send(handler):
        if handler.command == "HEAD":
            handler.close_connection = True
        else:
            routes["answer"](b"page")(handler)

    server.routes["/a"] = send
    assert fetch("/a", reach=True)["/a"].status == 200


def test_get_has_half_of_the_time_when_head_hangs(server, fetch, routes):
    over = threading.Event()

    def send(handler):
        if handler.command == "HEAD":
            over.wait(5)
        routes["answer"](b"page")(handler)

    server.routes["/a"] = send
    got = fetch("/a", reach=True, deadline=1.0)["/a"]
    over.set()
    assert got.status == 200


def test_a_server_that_never_answers_ends_at_the_deadline(server, fetch):
    over = threading.Event()
    server.routes["/mute"] = lambda handler: over.wait(5)
    began = time.monotonic()
    assert fetch("/mute", reach=True, deadline=0.6)["/mute"].state == "timeout"
    assert time.monotonic() - began < 4
    over.set()


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


def test_redirects_are_followed_and_told(server, fetch, routes):
    server.routes["/old"] = routes["answer"](status=302, Location="/login")
    server.routes["/login"] = only_get(routes)
    got = fetch("/old", reach=True)["/old"]
    assert (got.status, got.state) == (200, None)
    assert [url.removeprefix(server.base) for url in got.chain] == ["/old", "/login"]
    assert asked(server) == [("HEAD", "/old"), ("HEAD", "/login"), ("GET", "/old"), ("GET", "/login")]


def test_the_guard_holds(server, fetch, routes):
    server.routes["/away"] = routes["answer"](status=302, Location="http://169.254.169.254/")
    got = fetch("/away", "http://127.0.0.2/", "file:///etc/passwd", "", reach=True)
    assert {one.state for one in got.values()} == {"blocked"}
    assert asked(server) == [("HEAD", "/away")]


def test_robots_txt_is_asked_when_wished(server, fetch, routes):
    server.routes["/robots.txt"] = routes["answer"](b"User-agent: *\nDisallow: /a")
    assert fetch("/a", reach=True, network={"respect_robots": True})["/a"].state == "blocked"
    assert asked(server) == [("GET", "/robots.txt")]


def test_a_busy_server_is_given_its_time(server, fetch, routes):
    server.routes["/a"] = routes["in_turn"](
        routes["answer"](status=429, Retry_After="1"), routes["answer"](b"page"), routes["answer"](b"page")
    )
    assert fetch("/a", reach=True)["/a"].status == 200
    assert server.hits[1][2] - server.hits[0][2] >= 0.95


def test_a_long_retry_after_ends_it(server, fetch, routes):
    server.routes["/a"] = routes["answer"](status=503, Retry_After="3600")
    assert fetch("/a", reach=True)["/a"].status == 503
    assert asked(server) == [("HEAD", "/a")]


def test_a_host_that_does_not_exist(fetch):
    got = fetch("http://no-such-host.invalid/", reach=True)["http://no-such-host.invalid/"]
    assert (got.state, got.status) == ("http_error", None)
    assert "could not be resolved" in got.detail
