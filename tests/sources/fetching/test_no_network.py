"""What can be reached of the network, and a machine without one."""

import json
import socket
import threading
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.sources.fetching.network import Limits, Network
from medreview.study import Study
from tests.support.commands import Program
from tests.support.http_server import LocalServer, answer, hang, hang_up, in_turn

PAGE = b"<p>" + b"Metformin is started at 500 mg once or twice daily with meals. " * 20 + b"</p>"
DEAD = ("http://one.example.invalid/a", "http://two.example.invalid/b")


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names that the resolver knows, all of this machine; a test may take them away."""
    known: set[str] = set()

    def look_up(host: str | bytes, port: int, *_: object, **__: object) -> list[tuple[object, ...]]:
        name = host.decode() if isinstance(host, bytes) else host
        if name not in known | {"127.0.0.1"}:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


def answers(folder: Path, *urls: str) -> Path:
    listed = "\n".join(f"[{number}] {url}" for number, url in enumerate(urls, 1))
    text = f"Metformin is usually started at 500 mg once or twice daily [1].\n\n{listed}"
    file = folder / "answers.jsonl"
    file.write_text(json.dumps({"id": "a1", "question": "How is metformin started?", "model": "m", "text": text}))
    return file


def states(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        return [row[0] for row in study.reader.execute("SELECT page_state FROM snapshot_current")]


@pytest.mark.parametrize("way", ["name", "proxy"])
def test_without_a_network_nothing_is_found_about_links_and_the_next_fetch_asks_again(
    tmp_path: Path, names: set[str], server: LocalServer, way: str
) -> None:
    path, medreview = tmp_path / "s.medreview", Program(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as closed:  # nothing listens there when it is asked
        port = closed.getsockname()[1]
    proxy = ["--proxy", f"http://127.0.0.1:{port}"] if way == "proxy" else []
    for command in (["run", path, answers(tmp_path, *DEAD)], ["fetch", path]):
        done = medreview(*command, *proxy)
        assert "2 not fetched: this machine had no network" in done.stdout + done.stderr
    assert states(path) == []
    figures = json.loads(medreview("sources", "addresses", path, "--json").stdout)["strata"][0]
    assert figures["states"] == {"not_fetched": 2}
    assert "undefined" in medreview("sources", "addresses", path).stdout
    assert "0.0%" not in medreview("stats", path).stdout.replace("0.0% to 100.0%", "")


def test_a_proxy_that_lets_nothing_through_is_no_finding_either(tmp_path: Path, server: LocalServer) -> None:
    server.otherwise = answer(b"not allowed", status=403)
    path, medreview = tmp_path / "s.medreview", Program(tmp_path)
    secure = [url.replace("http:", "https:") for url in DEAD]
    done = medreview("run", path, answers(tmp_path, *secure), "--proxy", server.base)
    assert "2 not fetched: this machine had no network" in done.stdout + done.stderr
    assert states(path) == []


def fetched(path: Path, server: LocalServer) -> dict[str, int]:
    limits = Limits(host_delay=0.0, retry_delay=0.01, retries=0, deadline=5.0)
    with Study.open(path) as study:
        done = pipeline.fetch(study, pipeline.PageProvider(network=Network(limits=limits, allow=server.allow)))
    return {**done.states, "no_network": done.no_network}


def test_a_name_without_an_address_is_a_dead_link_where_other_names_have_one(
    tmp_path: Path, names: set[str], server: LocalServer
) -> None:
    path, medreview = tmp_path / "s.medreview", Program(tmp_path)
    server.otherwise = answer(PAGE, Content_Type="text/html")
    medreview("import", path, answers(tmp_path, DEAD[0], f"http://there.example:{server.port}/c"))
    assert fetched(path, server) == {"no_network": 2}
    names.add("there.example")
    assert fetched(path, server) == {"ok": 1, "http_error": 1, "no_network": 0}


def test_one_dead_link_alone_is_one_where_the_services_have_an_address(
    tmp_path: Path, names: set[str], server: LocalServer
) -> None:
    path, medreview = tmp_path / "s.medreview", Program(tmp_path)
    medreview("import", path, answers(tmp_path, DEAD[0]))
    names.add("doi.org")
    assert fetched(path, server) == {"http_error": 1, "no_network": 0}


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
