"""The country in which a domain is registered, by RDAP (RFC 9082 and 9083).

SourceCheckup used whois for this. Whois is not used here: its answers are free text in as many forms as there are
registries, it has its own port and no encryption, and the registries of generic domains are not required to run it any
more since January 2025. RDAP holds the same facts in one JSON format, over HTTPS, so that the address guard applies as
for pages.

The country is that of the registrant: the ``CC`` parameter of its address in the jCard (RFC 8605), else the last part
of the address (RFC 6350 section 6.3.1). The registry of .com and .net has no registrant data; there the link to the
registrar's own server is followed, once. A registrant behind a privacy service has that service's country, if any.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from medreview.citations.citation import domain
from medreview.citations.hosts import host_of, registrable
from medreview.progress import SILENT, Progress
from medreview.sources.fetching.network import Fetched, Network, Services
from medreview.sources.lookups.lookup_stage import (
    FAILED,
    Kind,
    LookupSummary,
    ask,
    json_object,
    mapping,
    no_answer,
    plain,
    sequence,
    stored,
)
from medreview.study import Study

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
_LONGEST: Final = 60
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
                yield name[:_LONGEST]


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
