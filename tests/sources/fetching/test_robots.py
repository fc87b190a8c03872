"""robots.txt, and how often a host is asked."""

import asyncio
import socket
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest

from medreview.sources.fetching.fetch import PRODUCT, parse
from medreview.sources.fetching.network import Limits
from medreview.sources.fetching.single_request import RateLimiter, advertised_delay, retry_after
from tests.support.cost import seconds
from tests.support.http_server import answer, endless, hang

ON = {"respect_robots": True}


@pytest.fixture
def site(server):
    """Give the local server a robots.txt, and pages at every path named."""

    def make(robots, *paths, status=200):
        server.routes["/robots.txt"] = answer(robots, status=status, Content_Type="text/plain")
        server.routes.update(dict.fromkeys(paths, answer(b"page")))

    return make


def test_without_the_wish_nothing_is_asked_for(server, fetch, site):
    site(b"User-agent: *\nDisallow: /", "/a")
    assert fetch("/a")["/a"].body == b"page"
    assert server.paths() == ["/a"]


def test_a_page_that_is_not_to_be_fetched_is_blocked(server, fetch, site):
    site(b"User-agent: *\nDisallow: /private\nAllow: /private/open\n", "/a", "/private/x", "/private/open/y")
    got = fetch("/a", "/private/x", "/private/open/y", network=ON)
    assert (got["/a"].body, got["/private/open/y"].body) == (b"page", b"page")
    refused = got["/private/x"]
    assert (refused.state, refused.status, refused.body) == ("blocked", None, b"")
    assert refused.detail == "robots.txt of 127.0.0.1 asks programs not to fetch this page (--respect-robots)."
    assert server.paths().count("/robots.txt") == 1
    assert "/private/x" not in server.paths()


def test_wildcards_and_the_query_count(server, fetch, site):
    site(b"User-agent: *\nDisallow: /*.pdf$\nDisallow: /*?print=", "/a.pdf", "/a.pdfs", "/a?x=1", "/a?print=1")
    got = fetch("/a.pdf", "/a.pdfs", "/a?x=1", "/a?print=1", network=ON)
    assert {path: one.state for path, one in got.items()} == {
        "/a.pdf": "blocked", "/a.pdfs": None, "/a?x=1": None, "/a?print=1": "blocked",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("robots", "state"),
    [
        (b"User-agent: medreview\nDisallow: /\n\nUser-agent: *\nAllow: /", "blocked"),
        (b"User-agent: MedReview/2.0\nDisallow: /", "blocked"),
        (b"User-agent: other\nUser-agent: medreview\nDisallow: /", "blocked"),
        (b"User-agent: medreview\nAllow: /\n\nUser-agent: *\nDisallow: /", None),
        (b"User-agent: med\nDisallow: /", None),
        (b"User-agent: medreview-extra\nDisallow: /", None),
        (b"User-agent: other\nDisallow: /", None),
        (b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /\r\n", "blocked"),
        (b"user-agent:*#all\ndisallow:/", "blocked"),
        (b"Disallow: /", None),
        (b"", None),
        (b"<html>Not what was asked for</html>", None),
        (b"\x00\xff\xfe" * 100, None),
    ],
)
def test_the_group_for_this_program_is_the_one_that_counts(fetch, site, robots, state):
    site(robots, "/a")
    assert fetch("/a", network=ON)["/a"].state == state


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_no_such_file_allows_everything(fetch, site, status):
    site(b"User-agent: *\nDisallow: /", "/a", status=status)
    assert fetch("/a", network=ON)["/a"].body == b"page"


@pytest.mark.parametrize("status", [500, 503])
def test_a_server_that_fails_allows_nothing(server, fetch, site, status):
    site(b"", "/a", "/b", status=status)
    got = fetch("/a", "/b", network=ON, retries=0)
    assert {one.state for one in got.values()} == {"blocked"}
    assert f"status {status}" in got["/a"].detail
    assert "robots.txt of 127.0.0.1 could not be had" in got["/a"].detail
    assert server.paths() == ["/robots.txt"]


def test_a_file_that_does_not_come_in_time_allows_nothing(server, fetch, site):
    site(b"", "/a")
    server.routes["/robots.txt"] = hang
    got = fetch("/a", network=ON, deadline=0.3)["/a"]
    assert got.state == "timeout"
    assert "robots.txt" in got.detail
    assert "/a" not in server.paths()


def test_a_host_that_is_not_there_is_told_as_such(server, fetch):
    server.close()
    got = fetch("/x", "http://no-such-host.invalid/", network=ON, retries=0)
    assert {one.state for one in got.values()} == {"http_error"}
    assert "could not be resolved" in got["http://no-such-host.invalid/"].detail


def test_the_guard_holds_for_the_file_too(server, fetch):
    got = fetch("/a", network=ON, allow=frozenset())["/a"]
    assert got.state == "blocked"
    assert "not a public address" in got.detail
    assert server.received == []


@pytest.mark.parametrize("target", ["http://169.254.169.254/robots.txt", "file:///etc/passwd"])
def test_a_redirect_of_the_file_to_where_nothing_is_asked_allows_nothing(server, fetch, site, target):
    site(b"", "/a")
    server.routes["/robots.txt"] = answer(status=302, Location=target)
    assert fetch("/a", network=ON)["/a"].state == "blocked"
    assert server.paths() == ["/robots.txt"]


def test_redirects_of_the_file_are_followed(server, fetch, site):
    site(b"", "/a")
    server.routes["/robots.txt"] = answer(status=301, Location="/rules")
    server.routes["/rules"] = answer(b"User-agent: *\nDisallow: /a")
    assert fetch("/a", network=ON)["/a"].state == "blocked"


def test_redirects_of_the_file_without_an_end_are_no_file(server, fetch, site):
    site(b"", "/a")
    server.routes["/robots.txt"] = answer(status=302, Location="/r0")
    for step in range(9):
        server.routes[f"/r{step}"] = answer(status=302, Location=f"/r{step + 1}")
    assert fetch("/a", network=ON)["/a"].body == b"page"
    server.routes["/r0"] = answer(status=302, Location="/robots.txt")
    assert fetch("/a", network=ON)["/a"].body == b"page"


def test_every_hop_is_asked_about(server, fetch, site):
    site(b"User-agent: *\nDisallow: /secret", "/secret/x")
    server.routes["/go"] = answer(status=302, Location="/secret/x")
    got = fetch("/go", network=ON)["/go"]
    assert (got.state, len(got.chain)) == ("blocked", 2)
    assert sorted(server.paths()) == ["/go", "/robots.txt"]


def test_many_pages_at_once_ask_once(server, fetch, site):
    paths = [f"/{number}" for number in range(12)]
    site(b"", *paths)

    def slow(handler):
        time.sleep(0.1)
        answer(b"User-agent: *\nDisallow: /3")(handler)

    server.routes["/robots.txt"] = slow
    got = fetch(*paths, network=ON, per_host=8)
    assert server.paths().count("/robots.txt") == 1
    assert [path for path, one in got.items() if one.state] == ["/3"]


def test_each_host_has_its_own_file(server, fetch, monkeypatch):
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, port, *a, **k: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))],
    )

    def robots(handler):
        closed = handler.headers["Host"].startswith("closed")
        answer(b"User-agent: *\nDisallow: /" if closed else b"")(handler)

    server.routes |= {"/robots.txt": robots, "/": answer(b"page")}
    urls = [f"http://{name}.example:{server.port}/" for name in ("open", "closed")]
    got = fetch(*urls, network=ON)
    assert [got[url].state for url in urls] == [None, "blocked"]


def test_services_for_programs_are_not_asked_but_where_they_lead_is(server, fetch, site, monkeypatch):
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, port, *a, **k: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))],
    )
    site(b"User-agent: *\nDisallow: /", "/a", "/b")
    server.routes["/go"] = answer(status=302, Location=f"http://site.example:{server.port}/b")
    got = fetch("/a", "/go", network={**ON, "robots_exempt": frozenset({"127.0.0.1"})})
    assert (got["/a"].body, got["/go"].state) == (b"page", "blocked")
    assert got["/go"].detail.startswith("robots.txt of site.example asks")
    assert sorted(server.paths()) == ["/a", "/go", "/robots.txt"]


def test_only_the_beginning_of_a_long_file_is_read(server, fetch, site):
    rules = b"User-agent: *\nDisallow: /early\n"
    site(rules + b"# " + b"x" * 600_000 + b"\nDisallow: /late\n", "/early", "/late")
    got = fetch("/early", "/late", network=ON)
    assert (got["/early"].state, got["/late"].state) == ("blocked", None)


def test_an_endless_file_is_left(server, fetch, site):
    site(b"", "/a", "/b")

    server.routes["/robots.txt"] = endless(b"User-agent: *\nDisallow: /a\n", b"# more\n" * 10_000)
    got = fetch("/a", "/b", network=ON)
    assert (got["/a"].state, got["/b"].body) == ("blocked", b"page")


def test_a_crawl_delay_is_kept(server, fetch, site):
    site(b"User-agent: *\nCrawl-delay: 0.2", "/1", "/2", "/3")
    before = time.monotonic()
    fetch("/1", "/2", "/3", network=ON)
    assert len(server.received) == 4
    assert server.received[-1].at - before >= 0.6, "three pauses; the server may be late to see the first request"


def test_a_crawl_delay_has_a_bound(server, fetch, site):
    site(b"User-agent: *\nCrawl-delay: 86400", "/1", "/2")
    got = fetch("/1", "/2", network=ON, longest_wait=0.1)
    assert {one.body for one in got.values()} == {b"page"}


@pytest.mark.parametrize("delay", ["-1", "nan", "inf", "soon", "1e999"])
def test_an_odd_crawl_delay_is_none(fetch, site, delay):
    site(f"User-agent: *\nCrawl-delay: {delay}".encode(), "/1", "/2")
    assert len(fetch("/1", "/2", network=ON)) == 2


def test_a_file_with_thousands_of_names_in_one_group_takes_no_time():
    """Each rule would be kept once for each name: 20,000 times 15,000."""
    names = "".join(f"User-agent: a{number}\nuser agent b{number}\n" for number in range(10_000))
    began = time.thread_time()
    rules = parse((names + "Disallow: /x\n" * 15_000).encode())
    assert time.thread_time() - began < 5
    assert rules.can_fetch("http://e.org/x", PRODUCT)


def test_a_pattern_of_many_stars_takes_no_time():
    rules = parse(b"User-agent: *\nDisallow: /" + b"*a" * 1000 + b"b$")
    assert seconds(lambda: rules.can_fetch("http://e.org/" + "a" * 5000, PRODUCT)) < 2
    assert rules.can_fetch("http://e.org/" + "a" * 5000, PRODUCT)


async def _take_turns(limiter, hosts, begun, running, inside=0.0):
    """Take a turn for each host named, all at once; note when each began and how many ran."""

    async def one(host):
        async with limiter.slot(host):
            # The moment from which the next turn is counted: a busy machine may stop this code before it sees a clock.
            begun.setdefault(host, []).append(limiter._host(host).last_start)
            running.append(host)
            now.append(host)
            most[host] = max(most.get(host, 0), now.count(host))
            most["all"] = max(most.get("all", 0), len(now))
            await asyncio.sleep(inside)
            now.remove(host)

    now, most = [], {}
    await asyncio.gather(*(one(host) for host in hosts))
    return most


async def test_turns_of_one_host_are_apart_and_two_at_most():
    begun = {}
    limiter = RateLimiter(Limits(host_delay=0.03, per_host=2))
    most = await _take_turns(limiter, ["a"] * 5 + ["b"], begun, [], inside=0.05)
    assert min(later - earlier for earlier, later in pairwise(begun["a"])) >= 0.03
    assert most["a"] == 2
    assert begun["b"][0] <= begun["a"][1]


async def test_places_in_all_are_bounded():
    limiter = RateLimiter(Limits(host_delay=0.0, concurrency=3))
    most = await _take_turns(limiter, [f"h{number}" for number in range(12)], {}, [], inside=0.005)
    assert most["all"] == 3


async def test_a_waiting_host_takes_no_place():
    order = []
    limiter = RateLimiter(Limits(host_delay=0.0, concurrency=1))
    limiter.pause("slow", 0.1)
    await _take_turns(limiter, ["slow", "quick", "quick"], {}, order)
    assert order == ["quick", "quick", "slow"]


async def test_a_hold_is_for_the_whole_host_and_the_longer_one_stays():
    begun = {}
    limiter = RateLimiter(Limits(host_delay=0.0))
    start = asyncio.get_running_loop().time()
    limiter.pause("a", 0.1)
    limiter.pause("a", 0.01)
    await _take_turns(limiter, ["a", "a", "a"], begun, [])
    assert min(begun["a"]) - start >= 0.1


async def test_single_hosts_have_a_delay_of_their_own():
    begun = {}
    limiter = RateLimiter(Limits(host_delay=0.0), {"Slow.example": 0.05})
    await _take_turns(limiter, ["slow.example"] * 3 + ["quick.example"] * 3, begun, [])
    assert min(later - earlier for earlier, later in pairwise(begun["slow.example"])) >= 0.05
    assert begun["quick.example"][-1] < begun["slow.example"][1]


async def test_one_host_in_two_spellings_is_one_host():
    begun = {}
    limiter = RateLimiter(Limits(host_delay=0.05))
    await _take_turns(limiter, ["a.example", "A.EXAMPLE", "a.example."], begun, [])
    moments = sorted(moment for (moment,) in begun.values())
    assert min(later - earlier for earlier, later in pairwise(moments)) >= 0.05


async def test_a_host_can_be_slowed_down_and_its_last_start_counts():
    begun = {}
    limiter = RateLimiter(Limits(host_delay=0.0))
    await _take_turns(limiter, ["a"], begun, [])
    limiter.slow_down("a", 0.05)
    limiter.slow_down("a", 0.01)
    await _take_turns(limiter, ["a", "a"], begun, [])
    assert min(later - earlier for earlier, later in pairwise(begun["a"])) >= 0.05


async def test_a_cancelled_turn_gives_its_place_back():
    limiter = RateLimiter(Limits(host_delay=0.0, concurrency=1, per_host=1))

    async def forever():
        async with limiter.slot("a"):
            await asyncio.Event().wait()

    task = asyncio.create_task(forever())
    waiting = asyncio.create_task(forever())
    await asyncio.sleep(0)
    waiting.cancel()
    task.cancel()
    await asyncio.gather(task, waiting, return_exceptions=True)
    async with asyncio.timeout(5), limiter.slot("a"):
        pass


def test_retry_after_header_forms():
    assert retry_after("120") == 120.0
    assert retry_after("") is None
    assert retry_after("soon") is None
    later = retry_after(format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True))
    assert later is not None
    assert 80 < later <= 90
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0


def test_a_rate_that_a_server_names_is_read_in_its_own_form_only():
    assert advertised_delay("50", "1s") == 0.02
    assert advertised_delay(" 3000", "60s ") == 0.02
    for odd in (
        ("", ""),
        ("3", ""),
        ("0", "1s"),
        ("3", "0s"),
        ("-1", "1s"),
        ("many", "1s"),
        ("3", "1h"),
        ("9" * 99, "1s"),
    ):
        assert advertised_delay(*odd) is None
