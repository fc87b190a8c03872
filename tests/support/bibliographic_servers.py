"""Bibliographic services on this machine: six formats in their true shape over invented works.

One server answers for all of them, each below a path of its own; ``services`` has the base addresses.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from medreview.sources.fetching.network import Services
from tests.support.bibliographic_formats import SPOKEN, Speaker, Work
from tests.support.http_server import Exchange, LocalServer, Route

ALL = ("pubmed", "europe_pmc", "crossref", "datacite", "clinical_trials", "openalex")
_SYLLABLES = ("bar", "cel", "dim", "fon", "gur", "kav", "lex", "mio", "nup", "pes")


def works_of(count: int, **more: Any) -> list[Work]:
    """Invented works with titles, authors, places and identifiers of their own."""
    return [_numbered(number, more) for number in range(count)]


def _numbered(number: int, more: dict[str, Any]) -> Work:
    name = "".join(_SYLLABLES[int(digit)] for digit in f"{number:04}")
    made = Work(
        f"{name.capitalize()}ine against {name[::-1]}itis: an invented trial",
        authors=((name.capitalize(), "Ada B"), ("Second", "Cy")),
        year=1990 + number % 30,
        volume=str(1 + number % 90),
        issue=str(1 + number % 12),
        pages=f"{1000 + 10 * number}-{1000 + 10 * number + 7}",
        doi=f"10.5555/work.{number}",
        pmid=str(99_000_000 + number),
    )
    return replace(made, **more)


class Bibliography(LocalServer):
    """All services over ``works``. ``instead`` answers in place of a service that is named there."""

    def __init__(self, works: Iterable[Work] = (), *, latency: float = 0.0, host: str = "127.0.0.1") -> None:
        super().__init__(keep_alive=False, host=host)
        self.address = host
        self.works = list(works)
        self.latency = latency
        self.instead: dict[str, Route] = {}
        self.paths_of = {
            "pubmed": "/eutils",
            "europe_pmc": "/epmc",
            "crossref": "/crossref",
            "datacite": "/datacite",
            "clinical_trials": "/trials",
            "openalex": "/openalex",
        }

    @property
    def services(self) -> Services:
        """Their addresses here."""
        named = {name: self.base + path for name, path in self.paths_of.items()}
        named["eutils"] = named.pop("pubmed")
        return replace(Services(), **named)

    def asked(self, service: str) -> list[dict[str, str]]:
        """The parameters of every request that a service got, with what it was as ``path``."""
        found = []
        for request in self.received:
            parts = urlsplit(request.path)
            if parts.path.startswith(self.paths_of[service] + "/"):
                path = unquote(parts.path.removeprefix(self.paths_of[service] + "/"))
                found.append({"path": path, **dict(parse_qsl(parts.query))})
        return found

    def route(self, path: str) -> Route:
        """The service below whose path it is."""
        parts = urlsplit(path)
        for name, base in self.paths_of.items():
            if parts.path.startswith(base + "/"):
                if name in self.instead:
                    return self.instead[name]
                asked = dict(parse_qsl(parts.query))
                return self._in_time(SPOKEN[name], name, unquote(parts.path.removeprefix(base + "/")), asked)
        return super().route(path)

    def _in_time(self, speak: Speaker, name: str, path: str, asked: dict[str, str]) -> Route:
        works = [work for work in self.works if name in work.at]

        def send(exchange: Exchange) -> None:
            self.over.wait(self.latency)
            status, told = speak(works, path, asked)
            kind = "text/plain" if isinstance(told, str) else "application/json"
            body = told.encode() if isinstance(told, str) else json.dumps(told).encode()
            exchange.answer(body, status, {"Content-Type": kind})

        return send
