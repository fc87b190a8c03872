"""Settings of the network (limits, proxy, robots exclusion), requests, their results, and the public services."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal
from urllib.parse import quote, unquote_plus, unquote_to_bytes, urlsplit

from medreview.citations.citation import Kind, by_scheme, domain
from medreview.citations.identifiers import DOI_HOSTS
from medreview.errors import UserError


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of fetching; all times are in seconds, the defaults are those of everyday work.

    ``deadline`` is the network time for one URL, over all redirects and retries; time spent waiting for the rate limit
    is not counted. ``max_bytes`` applies to the body as sent and to the body as decoded. ``concurrency`` requests run
    at once, ``per_host`` of them to one host. ``host_delay`` is the minimum time between the starts of two requests to
    one host. ``retries`` follow a failed connection or a status of 429 or 502-504, the first about ``retry_delay``
    later, with exponential backoff; a ``Retry-After`` longer than ``longest_wait`` ends them.
    """

    deadline: float = 30.0
    connect_timeout: float = 10.0
    max_bytes: int = 15_000_000
    redirects: int = 5
    concurrency: int = 8
    per_host: int = 2
    host_delay: float = 1.0
    retries: int = 2
    retry_delay: float = 1.0
    longest_wait: float = 30.0
    ports: frozenset[int] = frozenset({80, 443})


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy as httpcore takes it; ``user`` and ``password`` are ``None`` for one without authentication."""

    scheme: str
    host: str
    port: int
    user: bytes | None = field(default=None, repr=False)
    password: bytes | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """Host and port without credentials, as they may be shown."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Network:
    """Settings of a fetch.

    ``proxy`` is ``http://[user:password@]host:port`` (or ``https://``), or empty; proxies of the environment are
    ignored. ``respect_robots``: obey each site's robots.txt, except for the hosts in ``robots_exempt``, which are
    programming interfaces. ``delays`` gives, for single hosts, the minimum seconds between the starts of two requests,
    in place of ``limits.host_delay``. ``allow`` names (ip, port) pairs that the address guard does not check; it is for
    tests. Raises :class:`UserError` for a proxy that cannot be used, and for a user agent that no header can hold.
    """

    limits: Limits = field(default_factory=Limits)
    user_agent: str = "medreview"
    proxy: str = field(default="", repr=False)
    respect_robots: bool = False
    robots_exempt: frozenset[str] = frozenset()
    delays: Mapping[str, float] = field(default_factory=dict)
    allow: frozenset[tuple[str, int]] = frozenset()

    def __post_init__(self) -> None:
        if self.proxy:
            read_proxy(self.proxy)
        if not (self.user_agent.isascii() and self.user_agent.isprintable()):
            raise UserError(
                "The contact of the settings cannot be sent to servers: it may hold letters without accents, digits "
                "and signs (ASCII), in one line."
            )


@dataclass(frozen=True, slots=True)
class Request:
    """One page to fetch.

    ``token`` is opaque: the caller's key for the request. ``etag`` and ``last_modified`` are the validators of the
    version that is already stored; they are sent only to the URL ``validates``, since validators belong to one URL of a
    redirect chain.
    """

    url: str
    token: str = ""
    etag: str = ""
    last_modified: str = ""
    validates: str = ""


def read_proxy(text: str) -> Proxy:
    """The proxy of a setting. Raises :class:`UserError`, which never repeats the text: it may hold a password."""
    wrong = UserError("The proxy is not understood; give it as http://host:port or http://user:password@host:port.")
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme.startswith("socks"):
        raise UserError("SOCKS proxies are not supported; give an HTTP proxy as http://host:port.")
    if parts.scheme not in ("http", "https") or not host or port is None or not host.isascii():
        raise wrong
    if parts.path not in ("", "/") or parts.query or parts.fragment or not 0 < port < 65536:
        raise wrong
    if parts.username is None:
        return Proxy(parts.scheme, host, port)
    return Proxy(
        parts.scheme, host, port, unquote_to_bytes(parts.username), unquote_to_bytes(parts.password or "")
    )  # fmt: skip


Unreached = Literal["", "name", "route", "proxy", "refused by proxy", "late"]
"""The name has no address, there is no way to the address, the proxy was not reached or wants a password, the proxy let
the request not through, no connection came in time."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The answer for one URL; every requested URL yields exactly one.

    ``chain`` is the redirect chain, every URL requested in order: the first is ``url``, the last is ``final_url``.
    ``status`` is the last HTTP status, ``None`` without a response. ``body`` is the decoded body (no content encoding
    left), empty when it could not be read completely. ``fetched_at`` is ISO 8601 in UTC. ``state`` is a page state
    (``medreview.labels.PAGE_STATES``) when fetching alone decided it, else ``None``; ``detail`` then says why, in one
    plain sentence. ``etag`` and ``last_modified`` are the page's validators for later conditional requests.
    ``unchanged``: the server confirmed (status 304) that the version with the validators sent is still current; there
    is no body and no state then. ``unreached``: what was in the way where no server was reached at all.
    """

    url: str
    final_url: str
    chain: tuple[str, ...]
    status: int | None
    content_type: str
    body: bytes
    fetched_at: str
    state: str | None = None
    detail: str = ""
    etag: str = ""
    last_modified: str = ""
    unchanged: bool = False
    unreached: Unreached = ""


def utc_text(moment: datetime) -> str:
    """A timestamp as stored: ISO 8601 in UTC, to the second, with ``Z``. One without a time zone is taken as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def validator(header: str) -> str:
    """An ``ETag`` or ``Last-Modified`` value that is safe to store and send back (short, printable ASCII), else ``""``.

    A bare ``*`` is rejected: as ``If-None-Match`` it would mean any version at all (RFC 9110 section 13.1.2).
    """
    value = header.strip()
    return value if len(value) <= 500 and value.isascii() and value.isprintable() and value != "*" else ""


def http_failure(status: int) -> tuple[str | None, str]:
    """The page state and the sentence for an HTTP status; ``(None, "")`` when the status is a success."""
    if 200 <= status < 300:
        return None, ""
    meaning = {401: "a login is needed", 402: "payment is needed", 403: "access was refused", 404: "no such page",
               410: "the page was removed", 429: "too many requests"}.get(status, "")  # fmt: skip
    return "http_error", f"The server answered with status {status}{': ' + meaning if meaning else ''}."


_MAIL: Final = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+")
_SECRET_PARAMETERS: Final = frozenset({"api_key", "email", "mailto"})
_SAFE_IN_DOI: Final = "/:;()._-~,+=@!$*'"

_DELAYS: Final = {
    "eutils": 0.34,
    "europe_pmc": 0.1,
    "crossref": 1.0,
    "datacite": 0.6,
    "clinical_trials": 1.2,
    "openalex": 0.1,
}
_WITH_MAIL: Final = {"crossref": 0.34, "datacite": 0.3}
_WITH_KEY: Final = {"eutils": 0.1}


@dataclass(frozen=True, slots=True)
class Services:
    """Base URLs of the services, and how to identify ourselves to them.

    ``ncbi_key`` and ``openalex_key`` are the keys themselves, which are sent to E-utilities and to OpenAlex and never
    stored. ``contact`` is who runs this study; an e-mail address in it is sent along with each request to E-utilities,
    Crossref, DataCite and OpenAlex, as they ask.
    """

    eutils: str = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    europe_pmc: str = "https://www.ebi.ac.uk/europepmc/webservices/rest"
    doi: str = "https://doi.org"
    wayback: str = "https://archive.org/wayback/available"
    rdap: str = "https://rdap.org"
    crossref: str = "https://api.crossref.org"
    datacite: str = "https://api.datacite.org"
    openalex: str = "https://api.openalex.org"
    clinical_trials: str = "https://clinicaltrials.gov/api/v2"
    ncbi_key: str = field(default="", repr=False)
    openalex_key: str = field(default="", repr=False)
    contact: str = ""

    @property
    def mail(self) -> str:
        """The e-mail address in the contact, ``""`` without one."""
        found = _MAIL.search(self.contact)
        return found[0] if found else ""

    def delays(self) -> Mapping[str, float]:
        """Minimum seconds between two requests, by host.

        NCBI allows three a second, ten with a key; Crossref (from December 2025, for lists) one a second, three where
        an e-mail address comes along; DataCite 500 in five minutes, 1,000 with one; ClinicalTrials.gov 50 a minute;
        Europe PMC ten a second. OpenAlex counts what a day costs; it is asked ten times a second at most.
        """
        seconds = dict(_DELAYS)
        if self.mail:
            seconds |= _WITH_MAIL
        if self.ncbi_key:
            seconds |= _WITH_KEY
        hosts: dict[str, float] = {}
        for name, wait in seconds.items():
            if host := domain(getattr(self, name)):
                hosts[host] = max(wait, hosts.get(host, 0.0))
        return hosts


def addresses(kind: Kind, value: str, url: str, services: Services) -> tuple[str, ...]:
    """The URLs to request for a citation, in order of preference, without duplicates.

    ``url`` is the landing page and comes last. For a DOI the resolver leads there, so that the resolver comes first, in
    place of ``url``, and the record in Europe PMC after it. An address without a scheme is asked for by ``https``, then
    by ``http``. The URLs may contain the API key: only ``public_address`` of them may be stored or shown.
    """
    match kind:
        case "pmid":
            wanted = [_efetch("pubmed", value, services), europe_pmc_url(f"EXT_ID:{value} AND SRC:MED", services), url]
        case "pmcid":
            full = f"{_base(services.europe_pmc)}/{_percent_encoded(value)}/fullTextXML"
            wanted = [full, _efetch("pmc", value.upper().removeprefix("PMC"), services), url]
        case "doi":
            resolver = f"{_base(services.doi)}/{quote(value, safe=_SAFE_IN_DOI)}"
            wanted = [resolver, europe_pmc_url(f'DOI:"{value.replace(chr(34), "")}"', services)]
            if domain(url) not in DOI_HOSTS:
                wanted.append(url)
        case _:
            wanted = list(by_scheme(value, url))
    return tuple(dict.fromkeys(wanted))


def public_address(url: str) -> str:
    """A URL without API key, e-mail address and user name, as it may be stored and shown; the rest is unchanged."""
    address, hash_mark, fragment = url.partition("#")
    before, mark, query = address.partition("?")
    scheme, slashes, rest = before.partition("://")
    if slashes:
        authority, slash, path = rest.partition("/")
        before = f"{scheme}{slashes}{authority.rpartition('@')[2]}{slash}{path}"
    parts = query.split("&")
    kept = [part for part in parts if unquote_plus(part.partition("=")[0]).strip().lower() not in _SECRET_PARAMETERS]
    return f"{before}{mark if kept else ''}{'&'.join(kept)}{hash_mark}{fragment}"


def query_url(base: str, path: str, parameters: Mapping[str, str]) -> str:
    """The URL of a query to a service: base address, path, and the parameters that are not empty, percent-encoded."""
    query = "&".join(f"{name}={_percent_encoded(value)}" for name, value in parameters.items() if value)
    return f"{_base(base)}/{path}?{query}"


def eutils_url(utility: str, parameters: Mapping[str, str], services: Services) -> str:
    """The URL of a query to E-utilities, with who asks and the key, as NCBI wants them."""
    who = {"tool": "medreview", "email": services.mail, "api_key": services.ncbi_key}
    return query_url(services.eutils, utility, {**parameters, **who})


def europe_pmc_url(query: str, services: Services, results: int = 0) -> str:
    """The URL of a search in Europe PMC for whole records, of so many results (0: as many as it gives)."""
    size = str(results) if results else ""
    return query_url(
        services.europe_pmc, "search", {"query": query, "resultType": "core", "format": "json", "pageSize": size}
    )


def _base(address: str) -> str:
    return address.rstrip("/")


def _percent_encoded(value: str) -> str:
    return quote(value, safe="", errors="replace")  # half a character would end it all


def _efetch(database: str, value: str, services: Services) -> str:
    return eutils_url("efetch.fcgi", {"db": database, "id": value, "retmode": "xml"}, services)
