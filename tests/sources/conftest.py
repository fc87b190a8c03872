"""A web server on this machine, and a fetch that may reach it."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from medreview.sources.fetching.fetch import Limits, fetch_all, reach_all
from medreview.sources.fetching.network import Fetched, Network, Request
from tests.sources.in_child import Forks
from tests.sources.security_lab import Lab
from tests.support.http_server import LocalServer


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer() as local:
        yield local


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """Does things in processes of their own, and says what they cost."""
    if not Path("/proc/self/status").exists():
        pytest.skip("the largest resident memory is read from /proc")
    with Forks() as running:
        yield running


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, forks: Forks) -> Iterator[Lab]:
    made = Lab(monkeypatch, tmp_path, forks)
    yield made
    made.close()


@pytest.fixture
def fetch(server: LocalServer) -> Callable[..., dict[str, Fetched]]:
    """Fetch URLs or paths of the local server; limits by keyword. Asserts that each URL was answered exactly once.

    ``network`` gives further fields of :class:`Network`, ``reach`` asks only whether the pages are there.
    """

    def run(
        *urls: str,
        allow: frozenset[tuple[str, int]] = server.allow,
        network: dict[str, Any] | None = None,
        reach: bool = False,
        **limits: Any,
    ) -> dict[str, Fetched]:
        wanted = [server.base + url if url.startswith("/") else url for url in urls]
        settings = {"host_delay": 0.0, "retry_delay": 0.01, "deadline": 10.0, **limits}
        got: list[Fetched] = []

        used = Network(limits=Limits(**settings), user_agent="medreview-test/1", allow=allow, **(network or {}))

        async def keep(request: Request, fetched: Fetched) -> None:
            got.append(fetched)

        async def reached(fetched: Fetched) -> None:
            got.append(fetched)

        if reach:
            asyncio.run(reach_all(wanted, on_done=reached, network=used))
        else:
            asyncio.run(fetch_all([Request(url) for url in wanted], on_done=keep, network=used))
        assert sorted(one.url for one in got) == sorted(set(wanted))
        return {one.url.removeprefix(server.base): one for one in got}

    return run
