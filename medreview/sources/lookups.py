"""What services outside say of cited addresses: whether an archive holds a dead page, where a domain is registered.

Answers are stored in the study and read from there without a network. A failure is stored as well, so that the figures
can count it; it is retried the next time.

RDAP (RFC 9082 and 9083) gives the country in which a domain is registered. SourceCheckup used whois for this. Whois is
not used here: its answers are free text in as many forms as there are registries, it has its own port and no
encryption, and the registries of generic domains are not required to run it any more since January 2025. RDAP holds the
same facts in one JSON format, over HTTPS, so that the address guard applies as for pages. The country is that of the
registrant: the ``CC`` parameter of its address in the jCard (RFC 8605), else the last part of the address (RFC 6350
section 6.3.1). The registry of .com and .net has no registrant data; there the link to the registrar's own server is
followed, once. A registrant behind a privacy service has that service's country, if any.

The Wayback availability API (https://archive.org/help/wayback_api.php) answers ``{"archived_snapshots": {"closest":
{"available": true, "url": "...", "timestamp": "YYYYMMDDhhmmss", "status": "200"}}}``, or
``{"archived_snapshots": {}}`` for a URL without a capture. The service names one capture: the newest, or that closest
to a given time. So an archived URL is queried twice, for the newest and for the oldest capture; only a capture with
status 200 was a page.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, Protocol
from urllib.parse import quote, urlencode

from medreview.citations.citation import domain
from medreview.citations.hosts import host_of, registrable, top_level
from medreview.event_loop import run_to_end
from medreview.progress import SILENT, Progress
from medreview.sources.fetching.network import Fetched, Network, Request, Services
from medreview.study import Study

Kind = Literal["archive", "registry"]

FAILED: Final = "failed"
"""The key of a stored failure; its value is a sentence that says why."""
_MOST_BYTES: Final = 1_000_000
LONGEST_REASON: Final = 300
GIVE_UP_AFTER: Final = 10
"""A service that fails so often in a row is asked no more."""

_STORE_ANSWER: Final = """INSERT INTO lookup (kind, key, at_utc, answer) VALUES (?, ?, ?, ?)
ON CONFLICT (kind, key) DO UPDATE SET at_utc = excluded.at_utc, answer = excluded.answer"""


class NoServiceAnswerError(Exception):
    """The response is not an answer in the service's format; the message is one plain sentence."""


class LookupService(Protocol):
    """A service that can be queried: the URL of a query, and how to read the response."""

    kind: Kind

    def address(self, key: str) -> str:
        """The URL of the query for a key."""

    def read(self, key: str, fetched: Fetched) -> str | dict[str, Any]:
        """The answer as it is stored, or the URL of a further query. Raises :class:`NoServiceAnswerError`."""


@dataclass(frozen=True, slots=True)
class LookupSummary:
    """Counts: ``asked`` now, ``failed`` among these, ``known`` from earlier runs, ``left`` to ask.

    ``stopped`` is a sentence that says why any is left, else ``""``.
    """

    asked: int
    failed: int
    known: int
    left: int = 0
    stopped: str = ""


def stored(reader: sqlite3.Connection, kind: Kind) -> dict[str, dict[str, Any]]:
    """The stored answers of one kind, by key; a failure is ``{"failed": sentence}``."""
    rows = reader.execute("SELECT key, answer FROM lookup WHERE kind = ?", (kind,))
    found = ((row["key"], json.loads(row["answer"])) for row in rows)
    return {key: answer for key, answer in found if isinstance(answer, dict)}


def ask(
    study: Study, service: LookupService, keys: Sequence[str], *, network: "Network", progress: Progress = SILENT
) -> LookupSummary:
    """Query a service for every key that has no answer yet; each answer is stored as it arrives.

    Stops when the service itself fails ten times in a row. Raises :class:`~medreview.errors.UserError` when the study
    cannot be written.
    """
    from medreview.sources.fetching.fetch import fetch_all

    # A service is a programming interface: robots exclusion is for crawlers, not for its clients.
    limits = replace(network.limits, max_bytes=min(network.limits.max_bytes, _MOST_BYTES))
    network = replace(network, limits=limits, respect_robots=False)
    known = stored(study.reader, service.kind)
    wanted = [key for key in dict.fromkeys(keys) if FAILED in known.get(key, {FAILED: ""})]
    progress.begin(service.kind, len(wanted))
    run = _LookupRun(study, service, progress)
    requests = [Request(service.address(key), token=key) for key in wanted]
    stopped = ""
    try:
        run_to_end(fetch_all(requests, on_done=run.take, network=network))
    except _ServiceDownError as down:
        stopped = f"{down} Stopped after {GIVE_UP_AFTER} failures in a row; the same command goes on from there."
    left = len(wanted) - run.asked
    return LookupSummary(run.asked, run.failed, len(set(keys)) - len(wanted), left, stopped)


class _ServiceDownError(Exception):
    """Too many failures of the service in a row; the message is the last one."""


class _LookupRun:
    def __init__(self, study: Study, service: LookupService, progress: Progress) -> None:
        self._study = study
        self._service = service
        self._progress = progress
        self._consecutive_failures = 0
        self.asked = self.failed = 0

    async def take(self, request: "Request", fetched: Fetched) -> "Request | None":
        """Store the answer for one key, or return the next request for it."""
        try:
            answer = self._service.read(request.token, fetched)
        except NoServiceAnswerError as error:
            answer = {FAILED: str(error)[:LONGEST_REASON]}
        if isinstance(answer, str):
            return replace(request, url=answer)
        kept = (self._service.kind, request.token, fetched.fetched_at, json.dumps(answer))
        self._study.write(lambda connection: connection.execute(_STORE_ANSWER, kept))
        self._progress.step()
        self.asked += 1
        self.failed += FAILED in answer
        is_own_failure = domain(fetched.final_url) == domain(self._service.address(request.token))
        if FAILED not in answer:
            self._consecutive_failures = 0
        elif is_own_failure:
            self._consecutive_failures += 1
            if self._consecutive_failures == GIVE_UP_AFTER:
                raise _ServiceDownError(answer[FAILED])
        return None


def json_object(fetched: Fetched) -> dict[str, Any]:
    """The JSON object of a response with status 2xx; raises :class:`NoServiceAnswerError` for anything else."""
    if fetched.state is not None:
        raise NoServiceAnswerError(fetched.detail or f"{domain(fetched.final_url)} gave no answer.")
    try:
        found = json.loads(fetched.body)
    except (ValueError, RecursionError):
        raise no_answer(fetched) from None
    if not isinstance(found, dict):
        raise no_answer(fetched)
    return found


def no_answer(fetched: Fetched) -> NoServiceAnswerError:
    """The error for a response that is not in the service's format."""
    return NoServiceAnswerError(f"{domain(fetched.final_url)} answered with something else than was asked for.")


def mapping(value: object) -> Mapping[str, Any]:
    """A JSON object, or an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def plain(value: object) -> str:
    """A text, or an empty one in place of anything else."""
    return value if isinstance(value, str) else ""


def sequence(value: object) -> Sequence[Any]:
    """A JSON array, or an empty one in place of anything else."""
    return value if isinstance(value, list) else ()


_UNKNOWN: Final = frozenset({400, 404})
"""HTTP statuses for a domain that is not registered, or without an RDAP server."""
_NO_COUNTRY: Final = re.compile(
    r"redact|privacy|protect|withheld|disclos|masked|gdpr|not appl|not avail|unknown|\A(?:n/?a|none|null|[\W_\d]*)\Z",
    re.IGNORECASE,
)
"""Placeholders in the country field: redaction notices and other texts that are not a country."""
_CODE: Final = re.compile(r"[A-Za-z]{2}")
_ADDRESS_PARTS: Final = 7
"""Number of parts of a jCard address; the country is the last."""
_LONGEST_COUNTRY: Final = 60
_US: Final = frozenset({"us", "usa", "u.s.", "u.s.a.", "united states", "united states of america"})


def domains(reader: sqlite3.Connection) -> list[str]:
    """The registrable domains of a study's cited hosts, those with most sources first."""
    rows = reader.execute("SELECT url FROM source ORDER BY rowid")
    names = Counter(registrable(host_of(row["url"])) for row in rows)
    return [name for name, _ in names.most_common() if name]


def ask_registry(study: Study, *, services: Services, network: Network, progress: Progress = SILENT) -> LookupSummary:
    """Query the country of every cited domain of a study that has no answer yet."""
    return ask(study, _Rdap(services.rdap), domains(study.reader), network=network, progress=progress)


def countries(reader: sqlite3.Connection) -> dict[str, str | None]:
    """The country by registrable domain, as the registry writes it (``US``, ``Germany``).

    ``""`` where the record has none; ``None`` where the query failed.
    """
    return {
        key: None if FAILED in answer else plain(answer.get("country"))
        for key, answer in stored(reader, "registry").items()
    }


def is_us(country: str) -> bool:
    """Whether a country as written by a registry is the United States."""
    return country.strip().lower() in _US


class _Rdap:
    kind: Kind = "registry"

    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")
        self._at_registrar: set[str] = set()

    def address(self, key: str) -> str:
        return f"{self._base}/domain/{quote(key)}"

    def read(self, key: str, fetched: Fetched) -> str | dict[str, Any]:
        if fetched.status in _UNKNOWN:
            return {"country": ""}
        record = json_object(fetched)
        if record.get("objectClassName") != "domain":
            raise no_answer(fetched)
        country = next(_countries(record), "")
        if not country and key not in self._at_registrar and (link := _registrar(record, fetched)):
            self._at_registrar.add(key)
            return link
        return {"country": country}


def _countries(record: dict[str, Any]) -> Iterator[str]:
    """The countries of a record's registrants, without placeholders."""
    for entity in map(mapping, sequence(record.get("entities"))):
        if "registrant" not in sequence(entity.get("roles")):
            continue
        properties = sequence(entity.get("vcardArray"))[1:2]
        for entry in map(sequence, sequence(properties[0]) if properties else ()):
            if len(entry) < 4 or entry[0] != "adr":
                continue
            if _CODE.fullmatch(code := plain(_parameter(entry[1], "cc"))):
                yield code.upper()
            parts = sequence(entry[3])
            name = " ".join(plain(parts[-1] if len(parts) == _ADDRESS_PARTS else "").split())
            if not _NO_COUNTRY.search(name):
                yield name[:_LONGEST_COUNTRY]


def _parameter(parameters: object, name: str) -> object:
    """A jCard parameter; RFC 7095 requires lower-case names, but not every server complies."""
    return next((value for key, value in mapping(parameters).items() if key.lower() == name), "")


def _registrar(record: dict[str, Any], fetched: Fetched) -> str:
    """The URL of the registrar's own record, where the registry links to it, else ``""``."""
    for link in map(mapping, sequence(record.get("links"))):
        href = link.get("href")
        if link.get("rel") == "related" and "rdap" in str(link.get("type", "")).lower() and isinstance(href, str):
            return href if domain(href) and href not in fetched.chain else ""
    return ""


LOST: Final = frozenset({"http_error", "timeout", "soft_404", "redirected_home"})
"""Page states of dead links: an error, no answer, a "not found" page, or the site's home page instead.

Not ``blocked``: such a URL was never requested, and it may belong to a private network, which must not be disclosed to
a service. Not paywalls, bot checks and unreadable files: there the URL leads to something.
"""
SQL_LOST: Final = f"({', '.join(repr(state) for state in sorted(LOST))})"

_OLDEST: Final = "19960101"
_TIMESTAMP: Final = re.compile(r"[12]\d{3}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{6}")
_LONGEST_COPY: Final = 2_000
_FIELDS: Final = ("first", "last", "copy", "status")


@dataclass(frozen=True, slots=True)
class Archived:
    """The archive's captures of a URL.

    ``first`` and ``last`` are the dates (ISO) of the oldest and newest capture with status 200, ``""`` without one;
    ``copy`` is the URL of the newest. Without such a capture, ``status`` is the status of another one (``withheld`` for
    one that the archive does not show), ``""`` without any.
    """

    first: str = ""
    last: str = ""
    copy: str = ""
    status: str = ""


def may_be_asked(url: str) -> bool:
    """Whether a URL may be disclosed to a service: a public host name, and no credentials in it."""
    return bool(top_level(host_of(url))) and "@" not in url.partition("://")[2].partition("/")[0]


def lost_addresses(reader: sqlite3.Connection) -> list[str]:
    """The dead links of a study (:data:`LOST`) that may be disclosed, in order of citation."""
    rows = reader.execute(
        f"""SELECT source.url FROM source JOIN snapshot_current AS c USING (source_id)
            WHERE c.page_state IN {SQL_LOST} ORDER BY source.rowid"""
    )
    return [row["url"] for row in rows if may_be_asked(row["url"])]


def ask_archive(study: Study, *, services: Services, network: Network, progress: Progress = SILENT) -> LookupSummary:
    """Query the archive for every dead link of a study that has no answer yet."""
    return ask(study, _Wayback(services.wayback), lost_addresses(study.reader), network=network, progress=progress)


def archived(reader: sqlite3.Connection) -> dict[str, Archived | None]:
    """The archive's answers by URL; ``None`` where the query failed."""
    return {
        key: None if FAILED in answer else Archived(**{name: plain(answer.get(name)) for name in _FIELDS})
        for key, answer in stored(reader, "archive").items()
    }


@dataclass(frozen=True, slots=True)
class _Capture:
    timestamp: str
    status: str
    url: str


class _Wayback:
    kind: Kind = "archive"

    def __init__(self, base: str) -> None:
        self._base = base
        self._newest: dict[str, _Capture] = {}

    def address(self, key: str) -> str:
        return self._query_url(key, {})

    def read(self, key: str, fetched: Fetched) -> str | dict[str, Any]:
        found = _closest(fetched)
        newest = self._newest.pop(key, None)
        if newest is None and found is not None:
            self._newest[key] = found
            return self._query_url(key, {"timestamp": _OLDEST})
        return asdict(_combined([capture for capture in (found, newest) if capture is not None]))

    def _query_url(self, key: str, more: dict[str, str]) -> str:
        return f"{self._base}{'&' if '?' in self._base else '?'}{urlencode({'url': key, **more})}"


def _combined(captures: list[_Capture]) -> Archived:
    pages = sorted((capture for capture in captures if capture.status == "200"), key=lambda capture: capture.timestamp)
    if pages:
        return Archived(_date(pages[0]), _date(pages[-1]), pages[-1].url)
    return Archived(status=captures[0].status) if captures else Archived()


def _closest(fetched: Fetched) -> _Capture | None:
    """The capture that the service names; ``None`` when it has none. Raises :class:`NoServiceAnswerError`."""
    captures = json_object(fetched).get("archived_snapshots")
    if not isinstance(captures, dict):
        raise no_answer(fetched)
    if "closest" not in captures:
        return None
    closest = mapping(captures["closest"])
    timestamp, status, url = (closest.get(key) for key in ("timestamp", "status", "url"))
    if not (isinstance(timestamp, str) and _TIMESTAMP.fullmatch(timestamp) and isinstance(status, str)):
        raise no_answer(fetched)
    if closest.get("available") is not True:
        return _Capture(timestamp, "withheld", "")
    return _Capture(
        timestamp, status[:20], url if isinstance(url, str) and domain(url) and len(url) <= _LONGEST_COPY else ""
    )


def _date(capture: _Capture) -> str:
    return f"{capture.timestamp[:4]}-{capture.timestamp[4:6]}-{capture.timestamp[6:8]}"
