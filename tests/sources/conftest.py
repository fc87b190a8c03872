"""A real web server on this machine, and a fetch that may reach it."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from medreview.sources.fetching.fetch import Limits, fetch_all, reach_all
from medreview.sources.fetching.fetched import Fetched
from medreview.sources.fetching.network import Network, Request

Route = Callable[[BaseHTTPRequestHandler], None]


class _Quiet(ThreadingHTTPServer):
    """Connections that break off, which many tests are about, are not reported."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


class LocalServer:
    """Serves ``routes`` and remembers every request: path, headers, time."""

    def __init__(self) -> None:
        self.routes: dict[str, Route] = {}
        self.hits: list[tuple[str, dict[str, str], float]] = []
        self.methods: list[str] = []
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with outer.lock:
                    outer.methods.append(self.command)
                    outer.hits.append((self.path, {k.lower(): v for k, v in self.headers.items()}, time.monotonic()))
                try:
                    outer.routes.get(self.path, answer(b"no such page", status=404))(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            do_HEAD = do_GET

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = _Quiet(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self.allow = frozenset({("127.0.0.1", self.port)})
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def paths(self) -> list[str]:
        return [path for path, _, _ in self.hits]


def answer(body: bytes = b"", *, status: int = 200, **headers: str) -> Route:
    """A route that sends one body; header names are written with ``_`` for ``-``."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(body)

    return send


def in_turn(*routes: Route) -> Route:
    """A route that answers differently each time; the last one stays."""
    left = list(routes)

    def send(handler: BaseHTTPRequestHandler) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(handler)

    return send


@pytest.fixture
def server() -> Iterator[LocalServer]:
    local = LocalServer()
    yield local
    local.close()


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


@pytest.fixture
def routes() -> dict[str, Callable[..., Route]]:
    return {"answer": answer, "in_turn": in_turn}
