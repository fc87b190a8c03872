"""A web server on this machine that answers as a test says, and remembers what it was asked."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast

Route = Callable[["Exchange"], None]
"""What is done for one request; it may answer, break off, or hold the connection."""


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came: header names in lower case, ``at`` in seconds of ``time.monotonic``."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float


class _Listener(ThreadingHTTPServer):
    """Says nothing of connections that break off: many tests are about them."""

    daemon_threads = True
    request_queue_size = 128
    local: "LocalServer"

    def process_request(self, request: Any, client_address: Any) -> None:
        with self.local.lock:
            self.local.connected.add(client_address)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        super().process_request_thread(request, client_address)
        with self.local.lock:
            self.local.connected.discard(client_address)
            self.local.ended.add(client_address)
            self.local.lock.notify_all()

    def handle_error(self, *_: Any) -> None:
        pass


class Exchange(BaseHTTPRequestHandler):
    """One connection: the request that is being answered, and ways to answer it."""

    disable_nagle_algorithm = True  # or a head and a body in two packets come 40 ms late
    body: bytes

    @property
    def local(self) -> "LocalServer":
        return cast(_Listener, self.server).local

    def answer(self, body: bytes = b"", status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """Send a whole answer; to HEAD without its body."""
        sent = {"Content-Length": str(len(body)), **(headers or {})}
        self.begin(status, sent)
        if self.command != "HEAD":
            self.wfile.write(body)

    def begin(self, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """Send the head of an answer."""
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()

    def _exchange(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.local._exchanging(self):
            try:
                self.local.route(self.path)(self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # who asked went away
            except Exception as fault:
                self.local.faults.append(fault)
                raise

    do_GET = do_HEAD = do_POST = do_DELETE = do_CONNECT = _exchange

    def log_message(self, *_: Any) -> None:
        pass


class LocalServer:
    """Serves ``routes`` by path, and ``otherwise`` where there is none; starts at once, on a free port.

    ``received`` holds every request in its order, ``most_at_once`` the most that were answered at one time;
    ``connected`` and ``ended`` the addresses of clients whose connection is open, and was; ``over`` is
    set when the server closes, so that a route that holds a connection can end. Use ``lock`` for what routes count. A
    route that fails breaks the connection; closing the server raises its error.
    """

    def __init__(self, otherwise: Route | None = None, *, keep_alive: bool = False, host: str = "127.0.0.1") -> None:
        self.routes: dict[str, Route] = {}
        self.otherwise = otherwise or answer(b"no such page", status=404)
        self.received: list[Received] = []
        self.faults: list[Exception] = []
        self.connected: set[Any] = set()
        self.ended: set[Any] = set()
        self.under_way = self.most_at_once = 0
        self.lock = threading.Condition()
        self.over = threading.Event()
        protocol = "HTTP/1.1" if keep_alive else "HTTP/1.0"
        self.listener = _Listener((host, 0), type("Handler", (Exchange,), {"protocol_version": protocol}))
        self.listener.local = self
        self.host, self.port = host, self.listener.server_port
        self.name = f"127.0.0.1:{self.port}"
        self.base = f"http://{self.name}"
        self.allow = frozenset({("127.0.0.1", self.port)})
        # Looked at so often that closing takes no time: every test closes its server.
        threading.Thread(target=self.listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every route that waits for ``over``, and take no more connections; raises what a route failed with."""
        self.over.set()
        self.listener.shutdown()
        self.listener.server_close()
        if self.faults:
            raise self.faults.pop(0)

    def route(self, path: str) -> Route:
        """What is done for a path."""
        return self.routes.get(path, self.otherwise)

    @contextlib.contextmanager
    def _exchanging(self, exchange: Exchange) -> Iterator[None]:
        """Remember a request, and count it while it is answered."""
        headers = {name.lower(): value for name, value in exchange.headers.items()}
        with self.lock:
            self.received.append(Received(exchange.command, exchange.path, headers, exchange.body, time.monotonic()))
            self.lock.notify_all()
            self.under_way += 1
            self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            yield
        finally:
            with self.lock:
                self.under_way -= 1

    def wait_for(self, count: int, seconds: float = 120) -> None:
        """Wait until so many requests have come."""
        with self.lock:
            assert self.lock.wait_for(lambda: len(self.received) >= count, seconds), f"no {count} requests came"

    def wait_for_ends(self, seconds: float = 120) -> None:
        """Wait until every connection that was made so far has ended: what clients that are gone had sent has come."""
        with socket.create_connection((self.host, self.port)) as last:  # taken after all that wait to be
            mine = last.getsockname()
        with self.lock:
            ended = self.lock.wait_for(lambda: mine in self.ended and not self.connected, seconds)
            assert ended, f"still connected: {self.connected}"

    def paths(self) -> list[str]:
        """The paths that were asked for, in their order."""
        return [request.path for request in self.received]


def answer(body: bytes = b"", *, status: int = 200, **headers: str) -> Route:
    """A whole answer; header names are written with ``_`` for ``-``."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda exchange: exchange.answer(body, status, named)


def answer_json(told: object, *, status: int = 200, **headers: str) -> Route:
    """An answer that is JSON."""
    return answer(json.dumps(told).encode(), status=status, Content_Type="application/json", **headers)


def in_turn(*routes: Route) -> Route:
    """Another route for each request; the last one stays."""
    left = list(routes)

    def send(exchange: Exchange) -> None:
        with exchange.local.lock:
            route = left.pop(0) if len(left) > 1 else left[0]
        route(exchange)

    return send


def after(event: threading.Event, route: Route) -> Route:
    """A route that waits for an event (or the end of the server)."""

    def send(exchange: Exchange) -> None:
        while not event.wait(0.01) and not exchange.local.over.is_set():
            pass
        route(exchange)

    return send


def together(count: int, route: Route, seconds: float = 10) -> Route:
    """A route that answers only while so many requests are under way at once; it breaks where they never are."""
    meeting = threading.Barrier(count, timeout=seconds)

    def send(exchange: Exchange) -> None:
        meeting.wait()
        route(exchange)

    return send


def slowly(seconds: float, route: Route) -> Route:
    """A route that takes its time, so that others come while it is under way."""

    def send(exchange: Exchange) -> None:
        exchange.local.over.wait(seconds)
        route(exchange)

    return send


def hang(exchange: Exchange) -> None:
    """Say nothing until the server closes."""
    exchange.local.over.wait()


def hang_up(exchange: Exchange) -> None:
    """Close the connection without a word."""
    exchange.close_connection = True


def cut(body: bytes, kept: int, status: int = 200) -> Route:
    """An answer that breaks off: the head of the whole body, and then ``kept`` bytes of it."""

    def send(exchange: Exchange) -> None:
        exchange.begin(status, {"Content-Length": str(len(body))})
        exchange.wfile.write(body[:kept])
        exchange.close_connection = True

    return send


def drip(piece: bytes = b"x", seconds: float = 0.02, length: int = 100_000) -> Route:
    """A declared body of which a piece comes at a time, so that no read timeout ever fires."""

    def send(exchange: Exchange) -> None:
        exchange.begin(200, {"Content-Length": str(length)})
        while not exchange.local.over.wait(seconds):
            exchange.wfile.write(piece)
            exchange.wfile.flush()

    return send


def endless(start: bytes = b"", piece: bytes = bytes(65536), **headers: str) -> Route:
    """A body without an end."""

    def send(exchange: Exchange) -> None:
        exchange.begin(200, {name.replace("_", "-"): value for name, value in headers.items()})
        exchange.wfile.write(start)
        while not exchange.local.over.is_set():
            exchange.wfile.write(piece)

    return send
