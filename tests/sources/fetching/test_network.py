"""Settings, requests, further addresses for the same thing, and asking again for what is known."""

import asyncio
import socket
import threading
import time
from collections import Counter

import pytest

from medreview.errors import UserError
from medreview.sources.fetching import fetch as fetch_module
from medreview.sources.fetching.fetch import Limits, fetch_all
from medreview.sources.fetching.network import Network, Request, read_proxy, validator
from tests.support.http_server import answer, hang


@pytest.fixture
def ask(server):
    """Fetch requests; ``then`` says what else to ask for after an answer. Gives (request, answer) in order."""

    def run(*requests, then=lambda request, fetched: None, network=None, **limits):
        settings = {"host_delay": 0.0, "retry_delay": 0.01, "deadline": 10.0, **limits}
        got = []

        async def keep(request, fetched):
            got.append((request, fetched))
            return then(request, fetched)

        used = Network(limits=Limits(**settings), allow=server.allow, **(network or {}))
        asyncio.run(fetch_all(requests, on_done=keep, network=used))
        return got

    return run


@pytest.fixture
def any_host(monkeypatch):
    """Every host name leads to this machine."""

    def here(host, port, *args, **kwargs):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", here)


TAGS = {"etag": '"v1"', "last_modified": "Sun, 01 Mar 2026 10:00:00 GMT"}


def conditional(body=b"page"):
    """A route that knows its version."""

    def send(handler):
        if handler.headers.get("If-None-Match") == '"v1"' or handler.headers.get("If-Modified-Since"):
            answer(status=304, ETag='"v1"')(handler)
        else:
            answer(body, ETag='"v1"', Last_Modified=TAGS["last_modified"])(handler)

    return send


def test_a_page_brings_its_validators(server, ask):
    server.routes["/a"] = conditional()
    ((_, got),) = ask(Request(server.base + "/a"))
    assert (got.etag, got.last_modified, got.unchanged) == (*TAGS.values(), False)


def test_an_error_page_brings_none(server, ask):
    server.routes["/a"] = answer(b"gone", status=404, ETag='"x"')
    ((_, got),) = ask(Request(server.base + "/a"))
    assert (got.etag, got.last_modified) == ("", "")


def test_a_page_that_did_not_change_is_not_sent_again(server, ask):
    server.routes["/a"] = conditional()
    url = server.base + "/a"
    ((_, got),) = ask(Request(url, **TAGS, validates=url))
    assert (got.unchanged, got.status, got.state, got.body, got.detail) == (True, 304, None, b"", "")
    assert (got.etag, got.last_modified) == tuple(TAGS.values())
    headers = server.received[0].headers
    assert headers["if-none-match"] == '"v1"'
    assert headers["if-modified-since"] == TAGS["last_modified"]


def test_validators_go_to_their_own_address_of_the_chain_only(server, ask):
    server.routes["/old"] = answer(status=301, Location="/new")
    server.routes["/new"] = conditional()
    ((_, got),) = ask(Request(server.base + "/old", **TAGS, validates=server.base + "/new"))
    assert got.unchanged
    assert got.chain == (server.base + "/old", server.base + "/new")
    assert ["if-none-match" in request.headers for request in server.received] == [False, True]


def test_validators_of_an_address_that_is_not_met_are_not_sent(server, ask):
    server.routes["/a"] = conditional()
    ((_, got),) = ask(Request(server.base + "/a", **TAGS, validates=server.base + "/else"))
    assert (got.body, got.unchanged) == (b"page", False)
    assert "if-none-match" not in server.received[0].headers


def test_a_304_that_was_not_asked_for_is_an_error(server, ask):
    server.routes["/a"] = answer(status=304)
    url = server.base + "/a"
    for request in (Request(url), Request(url, etag="\n", validates=url)):
        ((_, got),) = ask(request)
        assert (got.state, got.unchanged) == ("http_error", False)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ('"abc"', '"abc"'),
        ('W/"a b"', 'W/"a b"'),
        (' "x" ', '"x"'),
        ("*", ""),
        ("", ""),
        ('"caf\xe9"', ""),
        ('"a\tb"', ""),
        ('"a\r\nX: y"', ""),
        ('"' + "x" * 498 + '"', '"' + "x" * 498 + '"'),
        ('"' + "x" * 499 + '"', ""),
    ],
)
def test_validators_are_short_and_plain(sent, kept):
    assert validator(sent) == kept


def test_hostile_validators_from_a_study_are_not_sent(server, ask):
    server.routes["/a"] = answer(b"page")
    url = server.base + "/a"
    ((_, got),) = ask(Request(url, etag='"x"\r\nCookie: a=b', last_modified="\x00", validates=url))
    assert got.body == b"page"
    assert not {"cookie", "if-none-match", "if-modified-since"} & set(server.received[0].headers)


def test_the_next_address_is_asked_for_the_same_thing(server, ask):
    server.routes["/second"] = answer(b"here")

    def then(request, fetched):
        return Request(server.base + "/second", request.token) if fetched.state else None

    got = ask(Request(server.base + "/first", "t1"), then=then)
    assert [(request.token, fetched.status) for request, fetched in got] == [("t1", 404), ("t1", 200)]
    assert server.paths() == ["/first", "/second"]


def test_each_address_has_its_own_seconds(server, ask):
    server.routes["/mute"] = hang
    server.routes["/second"] = answer(b"here")

    def then(request, fetched):
        return Request(server.base + "/second") if fetched.state == "timeout" else None

    got = ask(Request(server.base + "/mute"), then=then, deadline=0.5)
    assert [fetched.state for _, fetched in got] == ["timeout", None]


def test_one_url_for_two_things_is_two_requests_and_the_same_request_is_one(server, ask):
    server.routes["/a"] = answer(b"a")
    url = server.base + "/a"
    got = ask(Request(url, "one"), Request(url, "two"), Request(url, "one"))
    assert sorted(request.token for request, _ in got) == ["one", "two"]


def test_many_sources_of_one_host_with_other_hosts_to_fall_back_on(server, ask, any_host):
    """60 things on one host, each with a second and a third address elsewhere: no host is asked more than twice."""
    now, most = Counter(), Counter()

    def page(handler):
        host = handler.headers["Host"]
        with server.lock:
            now[host] += 1
            most[host] = max(most[host], now[host])
            most["all"] = max(most["all"], sum(now.values()))
        answer(b"x", status=404)(handler)
        with server.lock:
            now[host] -= 1

    server.routes["/"] = page
    at = f".example:{server.port}/"

    def then(request, fetched):
        number = int(request.token)
        step = request.url.partition("//")[2].partition(".")[0]
        if step == "busy":
            return Request(f"http://mid{number % 3}{at}", request.token)
        return Request(f"http://last{at}", request.token) if step.startswith("mid") else None

    got = ask(*(Request(f"http://busy{at}", str(number)) for number in range(60)), then=then, deadline=30.0)
    assert len(got) == 180
    assert Counter(request.token for request, _ in got) == Counter({str(number): 3 for number in range(60)})
    assert max(count for host, count in most.items() if host != "all") <= 2
    assert most["all"] <= 8


def test_a_slow_fallback_does_not_hold_up_the_first_host(server, ask, any_host):
    """Two things wait for their second address; the others of their first host go on all the same."""
    over = threading.Event()
    quick = []

    def page(handler):
        if handler.headers["Host"].startswith("slow"):
            over.wait(5)
        else:
            quick.append(handler.path)
            if len(quick) == 6:
                over.set()
        answer(b"x")(handler)

    at = f".example:{server.port}"
    for number in range(6):
        server.routes[f"/{number}"] = page

    def then(request, fetched):
        path = request.url[-1]
        return Request(f"http://slow{at}/{path}") if "first" in request.url and path in "01" else None

    got = ask(*(Request(f"http://first{at}/{number}") for number in range(6)), then=then)
    assert len(got) == 8
    assert over.is_set()
    assert all(fetched.body == b"x" for _, fetched in got)


def test_single_hosts_have_their_own_delay(server, ask, any_host):
    for path in ("/1", "/2", "/3"):
        server.routes[path] = answer(b"x")
    hosts = {"fast": 0.0, "slow": 0.2}
    urls = [f"http://{host}.example:{server.port}{path}" for host in hosts for path in ("/1", "/2", "/3")]
    delays = {f"{host}.example": delay for host, delay in hosts.items()}
    before = time.monotonic()
    ask(*map(Request, urls), network={"delays": delays}, host_delay=30.0)
    last = {host: [it.at for it in server.received if it.headers["host"].startswith(host)][-1] for host in hosts}
    assert last["slow"] - before >= 0.4, "two pauses; the server may be late to see the first request"
    assert last["fast"] - before < 30, "none of the pauses for other hosts"


def test_requests_wait_while_too_much_is_in_hand(server, monkeypatch):
    monkeypatch.setattr(fetch_module, "MAX_UNSTORED_BYTES", 1500)
    paths = [f"/{number}" for number in range(6)]
    server.routes.update(dict.fromkeys(paths, answer(b"x" * 1000)))
    asked_while_full = []

    async def main():
        waiting = []
        full = asyncio.Event()

        async def keep(request, fetched):
            waiting.append(fetched)
            if len(waiting) == 2:
                asked_while_full.append(len(server.received))
                full.set()
            await full.wait()

        limits = Limits(host_delay=0.0, per_host=1, concurrency=4)
        requests = [Request(server.base + path) for path in paths]
        await fetch_all(requests, on_done=keep, network=Network(limits=limits, allow=server.allow))

    asyncio.run(main())
    assert asked_while_full == [2]
    assert len(server.received) == 6


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("http://proxy.example:3128", "proxy.example:3128"),
        ("https://proxy.example:443/", "proxy.example:443"),
        ("http://127.0.0.1:8080", "127.0.0.1:8080"),
        ("http://[::1]:8080", "[::1]:8080"),
        ("HTTP://Proxy.Example:1 ", "proxy.example:1"),
    ],
)
def test_a_proxy_is_understood(text, name):
    proxy = read_proxy(text)
    assert proxy.name == name
    assert proxy.user is None


def test_name_and_password_of_a_proxy_are_decoded_and_never_shown():
    proxy = read_proxy("http://kim:p%40ss%3Aw%C3%B6rd@proxy.example:3128")
    assert (proxy.user, proxy.password) == (b"kim", "p@ss:wörd".encode())
    network = Network(proxy="http://kim:secret@proxy.example:3128")
    assert "secret" not in repr(network)
    assert "p@ss" not in repr(proxy)
    assert proxy.name == "proxy.example:3128"


@pytest.mark.parametrize(
    "text",
    ["proxy.example:3128", "http://proxy.example", "ftp://secret@proxy.example:1", "http://:secret@:3128",
     "http://kim:secret@proxy.example:0", "http://kim:secret@proxy.example:99999", "http://kim:secret@h:80/path",
     "http://kim:secret@h:80?x", "http://kim:secret@[::1:80", "socks5://kim:secret@proxy.example:1080", "direct"],
)  # fmt: skip
def test_a_proxy_that_cannot_be_used_is_refused_in_one_sentence(text):
    with pytest.raises(UserError) as refused:
        Network(proxy=text)
    said = str(refused.value)
    assert "secret" not in said
    assert said.endswith(".")
    assert ("SOCKS" in said) == text.startswith("socks")
    assert "secret" not in str(refused.value.__cause__)


@pytest.mark.parametrize("agent", ["medreview (Zo\u00eb)", "medreview\r\nX-Evil: 1", "medreview\x00"])
def test_a_user_agent_that_no_header_can_hold_is_refused(agent):
    with pytest.raises(UserError, match="cannot be sent"):
        Network(user_agent=agent)
