"""What the rows of the security table are made of: a threat, what is measured, a bound, and the means to measure."""

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from medreview.sources.fetching.fetch import Limits, Network, Request, fetch_all
from medreview.sources.fetching.network import Fetched
from tests.sources.in_child import Forks
from tests.support.hostile_server import HostileServer

DOSE = b"Give amoxicillin 500 mg three times daily for five days, and stop it when a rash with fever appears. "
PROSE = b"<html><body><main><p>" + DOSE * 6 + b"</p>%s</main></body></html>"

Probe = Callable[["Lab"], float]


@dataclass(frozen=True, slots=True)
class Row:
    threat: str
    measure: str
    bound: float
    probe: Probe

    def check(self, lab: "Lab") -> None:
        """Measure, and hold it against the bound."""
        measured = self.probe(lab)
        print(f"{self.threat} | {self.measure}: {measured:.3g}, at most {self.bound:g}")
        assert measured <= self.bound, f"{self.measure}: {measured:g}, and the bound is {self.bound:g}"


class Table(list[Row]):
    """Rows in the order of the file."""

    def row(self, measure: str, bound: float, threat: str = "") -> Callable[[Probe], Probe]:
        """Add a probe as a row; its docstring is the threat where none is given."""

        def add(probe: Probe) -> Probe:
            self.append(Row(threat or str(probe.__doc__), measure, bound, probe))
            return probe

        return add


class Lab:
    """A hostile server, a second one that must never be reached, and ways to fetch and read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, forks: Forks) -> None:
        self.server = HostileServer()
        self.inner = HostileServer()
        self.monkeypatch = monkeypatch
        self.folder = folder
        self.forks = forks
        self.names: dict[str, list[list[str]]] = {}
        self.resolved: list[str] = []

    def close(self) -> None:
        self.server.close()
        self.inner.close()

    def ask(self, *urls: str, server: HostileServer | None = None, proxy: str = "", **limits: Any) -> list[Fetched]:
        """The answers to URLs (or paths of the server), in this order."""
        server = server or self.server
        requests = [Request(server.base + url if url[:1] == "/" != url[1:2] else url) for url in urls]
        got: dict[str, Fetched] = {}

        async def keep(request: Request, fetched: Fetched) -> None:
            got[request.url] = fetched

        settings = {"host_delay": 0.0, "retries": 0, "deadline": 10.0, **limits}
        network = Network(limits=Limits(**settings), proxy=proxy, allow=server.allow)
        asyncio.run(fetch_all(requests, on_done=keep, network=network))
        return [got[request.url] for request in requests]

    def get(self, script: Any, **limits: Any) -> Fetched:
        """The answer to one script."""
        self.server.scripts["/x"] = script
        return self.ask("/x", **limits)[0]

    def resolve_by_table(self) -> None:
        """From now on names are looked up in ``names``: a list of answers for each, the last of which stays."""

        def getaddrinfo(host: Any, port: Any, *_: Any, **__: Any) -> list[Any]:
            name = host.decode() if isinstance(host, bytes) else host
            self.resolved.append(name)
            answers = self.names.get(name, [[name]])
            found = answers.pop(0) if len(answers) > 1 else answers[0]
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

        self.monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
