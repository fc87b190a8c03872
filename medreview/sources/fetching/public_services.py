"""The public services that resolve identifiers (PMID, PMCID, DOI) or know works, and the URLs that pages are asked at.

E-utilities: "E-utilities In-Depth", NCBI Bookshelf NBK25499. Europe PMC: its "Articles RESTful API" page. Both give the
record or the article itself, where the landing page of a publisher is often a paywall or a login page.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote_plus

from medreview.citations.citation import Kind, by_scheme, domain
from medreview.citations.identifiers import DOI_HOSTS

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
