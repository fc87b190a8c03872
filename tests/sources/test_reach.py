"""Whether something is there: states told apart, against a real server and from the snapshots of a study."""

from typing import cast

import pytest

from medreview.citations import Citation, Kind, canonical_key
from medreview.sources.fetching.network import Limits, Network
from medreview.sources.reach import ask, exists, reach_state, stored
from medreview.study import Study
from tests.support.http_server import LocalServer, hang
from tests.support.study_builder import build


def pages(exchange):
    """``/status/404`` answers so; ``/get-only`` refuses HEAD; ``/moved`` leads to ``/status/200``."""
    name, _, number = exchange.path.strip("/").partition("/")
    if name == "hang":
        hang(exchange)
    elif name == "moved":
        exchange.answer(status=302, headers={"Location": "/status/200"})
    elif exchange.path == "/get-only" and exchange.command == "HEAD":
        exchange.answer(status=405)
    else:
        exchange.answer(status=int(number or 200))


@pytest.fixture
def site():
    with LocalServer(pages) as server:
        yield server


def asked(site):
    return [(request.method, request.path) for request in site.received]


def network(server, **more):
    limits = Limits(host_delay=0, deadline=1.0, connect_timeout=0.5, retries=0, retry_delay=0)
    return Network(limits=limits, allow=server.allow, **more)


class Told:
    def __init__(self):
        self.total, self.steps = 0, 0

    def begin(self, title, total):
        self.total = total

    def step(self, count=1):
        self.steps += count


async def test_every_kind_of_answer_is_told_apart(site):
    base = site.base
    wanted = {
        f"{base}/status/200": "reached",
        f"{base}/get-only": "reached",
        f"{base}/moved": "reached",
        f"{base}/status/401": "blocked",
        f"{base}/status/403": "blocked",
        f"{base}/status/429": "blocked",
        f"{base}/status/404": "gone",
        f"{base}/status/410": "gone",
        f"{base}/status/500": "error",
        f"{base}/hang": "timeout",
        "http://127.0.0.1:1/": "refused",
        "https://me@nih.gov/": "refused",
    }
    told = Told()
    found = await ask([Citation("url", url) for url in wanted], network(site), told)

    assert {url: found[canonical_key(Citation("url", url))].state for url in wanted} == wanted
    assert (told.total, told.steps) == (12, 12)
    moved = found[f"url:{base}/moved"]
    assert (moved.status, moved.final_url, moved.exists) == (200, f"{base}/status/200", None)
    assert moved.at.endswith("Z")
    assert found[f"url:{base}/status/404"].detail
    assert ("GET", "/get-only") in asked(site)
    assert ("GET", "/status/200") not in asked(site)


async def test_a_source_is_asked_for_once(site):
    base = f"{site.base}/status/200"
    found = await ask([Citation("url", base), Citation("url", f"{base}#part")], network(site))

    assert len(found) == 1
    assert asked(site) == [("HEAD", "/status/200")]


@pytest.mark.parametrize(
    ("status", "page", "state"),
    [
        (200, "ok", "reached"),
        (200, "paywall", "reached"),
        (204, None, "reached"),
        (200, "soft_404", "gone"),
        (200, "bot_check", "blocked"),
        (200, "http_error", "error"),
        (302, "blocked", "refused"),
        (None, "blocked", "refused"),
        (None, "timeout", "timeout"),
        (None, "http_error", "error"),
        (404, "http_error", "gone"),
        (451, "http_error", "blocked"),
        (503, "http_error", "error"),
        (None, None, "error"),
    ],
)
def test_state_of_an_answer(status, page, state):
    assert reach_state(status, page) == state


@pytest.mark.parametrize(
    ("kind", "state", "chain", "known"),
    [
        ("doi", "gone", ("https://doi.org/10.1000/x",), False),
        ("doi", "blocked", ("https://doi.org/10.1000/x", "https://publisher.example/x"), True),
        ("doi", "gone", ("https://doi.org/10.1000/x", "https://publisher.example/x"), True),
        ("doi", "timeout", ("https://doi.org/10.1000/x",), None),
        ("pmid", "reached", ("https://pubmed.ncbi.nlm.nih.gov/1/",), True),
        ("pmid", "gone", ("https://pubmed.ncbi.nlm.nih.gov/1/",), False),
        ("pmid", "blocked", ("https://pubmed.ncbi.nlm.nih.gov/1/",), None),
        ("pmid", "gone", ("https://mirror.example/eutils/efetch.fcgi",), False),
        ("doi", "gone", ("https://mirror.example/10.1000/x",), False),
        ("doi", "reached", (), True),
        ("nct", "reached", ("https://clinicaltrials.gov/study/NCT01234567",), None),
        ("nct", "gone", ("https://clinicaltrials.gov/study/NCT01234567",), False),
        ("url", "gone", ("https://x.example/",), None),
    ],
)
def test_whether_an_identifier_exists(kind, state, chain, known):
    assert exists(kind, state, chain) is known


def test_the_snapshots_of_a_study_say_it_too(tmp_path):
    with Study.create(tmp_path / "a.medreview") as study:
        build(study, _sources)
        found = stored(study.reader)

    assert {key: (it.state, it.exists, it.at) for key, it in found.items()} == {
        "url:https://x.example/": ("reached", None, "2026-01-02T03:04:05Z"),
        "doi:10.9999/none": ("gone", False, "2026-01-02T03:04:05Z"),
    }
    assert found["doi:10.9999/none"].detail == "no such page"


def _sources(rows):
    for name, kind, value, url, status, state in (
        ("a", "url", "https://x.example/", "https://x.example/", 200, "ok"),
        ("b", "doi", "10.9999/none", "https://doi.org/10.9999/none", 404, "http_error"),
        ("c", "url", "https://never.example/", "https://never.example/", None, ""),
    ):
        rows.source(name, url, key=canonical_key(Citation(cast(Kind, kind), value)), kind=kind, value=value)
        if state:
            told = {"page_state": state, "state_evidence": "no such page", "status": status, "chain": f'["{url}"]'}
            rows.snapshot(name, fetched_at="2026-01-02T03:04:05Z", **told)
