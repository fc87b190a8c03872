"""A URL that cannot be asked is a state of its source, wherever it is met: in an answer, or where a server leads."""

import json
import random
import re
import socket
from typing import Final

import pytest

from medreview import pipeline
from medreview.citations.allow_list import load_allow_list
from medreview.citations.citation import Citation
from medreview.event_loop import run_to_end
from medreview.exchange.imports.citation_answers import study_answers
from medreview.sources import reach
from medreview.sources.fetching.fetch import Limits, Network, Request, fetch_all, reach_all
from medreview.sources.fetching.network import Services
from medreview.sources.lookups import ask_archive, ask_registry
from medreview.sources.saved.warc import WarcPages
from medreview.stats.citation_kpis import PassCriteria, citation_report, scored
from medreview.stats.url_analysis import url_figures
from medreview.study import Study
from medreview.study.check import check
from tests.support.http_server import LocalServer, answer, answer_json

HOSTS: Final = (
    "xn--a", "xn--\u00fc.example", "xn--99999999.example", "xn--ls8h\u00e9.example", "xn--.example", "xn--zz--.example",
    "xn--0000h.example", "a..example", ".example", "example.", "a.example..", "-a.example", "a-.example", "_a.example",
    "a" * 64 + ".example", "a" * 300 + ".example", ".".join(["a" * 60] * 5) + ".example", "a b.example",
    "a%20b.example",
    "%65xample.example", "%00.example", "%zz.example", "ex%e4mple.example", "[::1]", "[::1", "::1]", "[::zz]", "[v1.x]",
    "[fe80::1%25eth0]", "[]", "256.256.256.256", "1.2.3", "0x7f.1", "2130706433", "127.1", "\uff41.example",
    "a\u3002example", "a\uff0eexample", "\u202ea.example", "a\u200b.example", "a\u00ad.example", "\u00df.example",
    "\u0130.example", "\u212a.example", "\u3042.example", "\U0001f600.example", "\u0627.example", "a\u0627.example",
    "\ufdfa.example", "a\u0300.example", "\u0300.example", "*.example", "a,b.example", "a_b.example", "a'b.example",
    "a|b.example", "a\\b.example", "a^b.example", "a`b.example", "localhost", "", ".", "..", "\ufffd.example",
)  # fmt: skip
USERS: Final = ("", "", "", "", "", "user@", "user:word@", ":@", "@", "a@b@", "%zz@", "\u00fc:\u00e4@", "a:b:c@")
PORTS: Final = (
    *("", "", "", "", "", ":", ":0", ":80", ":443", ":65535", ":65536", ":99999999999999999999", ":-1", ":a", ":8o"),
    *(":\u0661", ": 80", ":80:80", ":+80", ":00080"),
)
SCHEMES: Final = (
    *("http://", "https://", "http://", "https://", "http://", "https://", "HTTP://", "hTTps://", "http:/", "http:"),
    *("https:///", "//", "http:////", "ftp://", "file://", "javascript:", "data:text/html,", "gopher://", "ws://", ""),
)
PATHS: Final = (
    *(
        "", "", "/", "/a", "/%zz", "/%", "/%00", "/\x00", "/\x7f", "/a b", "/\u202egnp.exe", "/\u200b", "/..",
        "/../../x",
    ),
    *("/a\\b", "/" + "x" * 5_000, "/?", "/?a=%zz&b", "/#", "/#a#b", "/a?b#c?d", "/\u00fc", "/\U0001f600", "/\ud800"),
    *("/a\u2028b", "/<b>", "/a'b\"c", "/;a=b", "/a|b", "/{a}", "/[a]", "/a\tb", "/\ufffe", "/?" + "a=b&" * 500),
)  # fmt: skip


def odd_urls(count: int, seed: int) -> list[str]:
    """So many different addresses, every host among them."""
    chance = random.Random(seed)
    found = dict.fromkeys(f"https://{host}/" for host in HOSTS)
    while len(found) < count:
        parts = (chance.choice(part) for part in (SCHEMES, USERS, HOSTS, PORTS, PATHS))
        found["".join(parts)] = None
    return list(found)[:count]


MANY = 300
PAGE = b"<html><body><p>" + b"Give amoxicillin 500 mg three times daily for five days. " * 12 + b"</p></body></html>"


@pytest.fixture(autouse=True)
def no_names(monkeypatch):
    """No name leads anywhere, so that nothing is asked outside."""

    def getaddrinfo(host, port, *_, **__):
        name = host.decode() if isinstance(host, bytes) else host
        if name != "127.0.0.1":
            raise socket.gaierror("no such name")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (name, port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def sent(url):
    """An address as bytes in a header: of one line, as a server must send it."""
    return re.sub(r"[\r\n\x00]", "", url).encode("utf-8", "replace").decode("latin-1")


def redirects(server, urls):
    for number, url in enumerate(urls):
        server.routes[f"/to/{number}"] = answer(b"", status=302, Location=sent(url))
    return [f"{server.base}/to/{number}" for number in range(len(urls))]


def study_of(path, urls):
    answers = path.with_suffix(".jsonl")
    records = ({"id": f"q{number}", "response": f"Take it [1]. See {url} for more.", "citations": [url]}
               for number, url in enumerate(urls))  # fmt: skip
    answers.write_text("".join(json.dumps(record) + "\n" for record in records))
    return answers


def network(server, **more):
    limits = Limits(host_delay=0.0, retries=0, retry_delay=0.0, concurrency=16, per_host=16)
    return Network(limits=limits, allow=server.allow, **more)


def states(study):
    rows = study.reader.execute(
        "SELECT url, page_state, state_evidence FROM source LEFT JOIN snapshot_current USING (source_id)"
    )
    return {row[0]: (row[1], row[2]) for row in rows}


@pytest.mark.parametrize(("count", "respect_robots"), [(120, False), (60, True)])
def test_odd_addresses_end_in_a_state_everywhere_and_the_rest_goes_on(tmp_path, count, respect_robots):
    odd = odd_urls(count, 11)
    with LocalServer() as server, Study.create(tmp_path / "a.medreview") as study:
        server.routes["/page"] = answer(PAGE, Content_Type="text/html")
        server.routes["/robots.txt"] = answer(b"User-agent: *\nAllow: /\n", Content_Type="text/plain")
        led = redirects(server, odd)
        pipeline.bring_in(study, study_of(tmp_path / "b", [*odd, *led, f"{server.base}/page"]), {})
        provider = pipeline.PageProvider(network=network(server, respect_robots=respect_robots))
        fetched = pipeline.fetch(study, provider)
        found = states(study)
        assert found[f"{server.base}/page"] == ("ok", "")
        assert sum(fetched.states.values()) == len(found) > count
        for url, (state, evidence) in found.items():
            assert state is not None, url
            assert state == "ok" or re.fullmatch(r".*[.?]", evidence, re.DOTALL), (url, state, evidence)
        asked = len(server.received)
        assert pipeline.fetch(study, provider).states == {}
        assert len(server.received) == asked
        assert check(study.reader) == []

        _reports(study, server)
        _saved(study, tmp_path, found)


def test_every_odd_address_is_answered_with_a_state_and_a_sentence_when_it_is_asked():
    got = {}

    async def keep(request, fetched):
        got[request.url] = fetched

    async def reached(fetched):
        got[fetched.url] = fetched

    odd = odd_urls(MANY, 12)
    with LocalServer() as server:
        for ask in (
            fetch_all([Request(url) for url in odd], on_done=keep, network=network(server)),
            reach_all(odd, on_done=reached, network=network(server)),
        ):
            got.clear()
            run_to_end(ask)
            assert set(got) == set(odd)
            assert {one.state for one in got.values()} <= {"blocked", "http_error"}
            assert all(one.detail.endswith(".") for one in got.values())
        assert server.received == []


def test_odd_addresses_in_an_archive_are_answered_or_not_there(tmp_path):
    odd = [re.sub(r"[\r\n]", "", url) for url in odd_urls(MANY, 13)]
    asked = [f"https://a.example/{number}" for number in range(MANY)]
    archive = tmp_path / "a.warc"
    archive.write_bytes(
        b"".join(_record(url, sent(odd[number])) + _record(odd[number], sent(url)) for number, url in enumerate(asked))
    )
    pages = WarcPages(archive)
    got = [pages.get(url) for url in (*asked, *odd)]
    assert sum(one is not None for one in got) > MANY / 4
    assert all(one is None or (one.state, one.detail[-1]) == ("http_error", ".") for one in got)


def _record(url, location):
    message = f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode("utf-8", "replace")
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
    head += f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(message)}\r\n\r\n"
    return head.encode("utf-8", "replace") + message + b"\r\n\r\n"


def _reports(study, server):
    server.routes["/archive"] = answer_json({"archived_snapshots": {}})
    server.otherwise = answer_json({"objectClassName": "domain"})
    services = Services(wayback=f"{server.base}/archive", rdap=server.base)
    for ask in (ask_archive, ask_registry):
        done = ask(study, services=services, network=network(server))
        assert (done.left, done.stopped) == (0, "")
        assert ask(study, services=services, network=network(server)).asked == done.failed
    assert url_figures(study.reader, paywalled=frozenset())
    listed = load_allow_list()
    answers = list(study_answers(study.reader))
    found = scored(answers, listed, len(answers))
    assert citation_report(found, listed, PassCriteria(95, 90), reach=reach.stored(study.reader))
    citations = [Citation("url", url) for url in states(study)]
    reached = run_to_end(reach.ask(citations, network(server)))
    assert all(one.state in reach.STATES and (one.detail or one.state == "reached") for one in reached.values())


def _saved(study, folder, found):
    """The pages of the study as saved ones give another study the same states."""
    pipeline.save_pages(study, folder / "pages")
    with Study.create(folder / "c.medreview") as other:
        pipeline.bring_in(other, folder / "b.jsonl", {})
        pipeline.fetch(other, pipeline.PageProvider(saved=folder / "pages"))
        assert states(other) == found
