"""The public services that resolve identifiers (PMID, PMCID, DOI), and the URLs of their queries.

E-utilities: "E-utilities In-Depth", NCBI Bookshelf NBK25499. Europe PMC: its "Articles RESTful API" page. Both give the
record or the article itself, where the landing page of a publisher is often a paywall or a login page.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote_plus

from medreview.citations.canonical import by_scheme, domain
from medreview.citations.model import Kind
from medreview.citations.resolvers import DOI_HOSTS

_MAIL: Final = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+")
_SECRET_PARAMETERS: Final = frozenset({"api_key", "email"})
_SAFE_IN_DOI: Final = "/:;()._-~,+=@!$*'"
_DELAY_WITHOUT_KEY: Final = 0.34
_DELAY_WITH_KEY: Final = 0.1


@dataclass(frozen=True, slots=True)
class Services:
    """Base URLs of the services, and how to identify ourselves to them.

    ``ncbi_key`` is the key itself, which is sent to E-utilities and never stored. ``contact`` is who runs this study;
    an e-mail address in it is sent along with each request to E-utilities, as NCBI asks.
    """

    eutils: str = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    europe_pmc: str = "https://www.ebi.ac.uk/europepmc/webservices/rest"
    doi: str = "https://doi.org"
    wayback: str = "https://archive.org/wayback/available"
    rdap: str = "https://rdap.org"
    ncbi_key: str = field(default="", repr=False)
    contact: str = ""

    def delays(self) -> Mapping[str, float]:
        """Minimum seconds between two requests, by host: NCBI allows three a second, ten with a key."""
        host = domain(self.eutils)
        return {host: _DELAY_WITH_KEY if self.ncbi_key else _DELAY_WITHOUT_KEY} if host else {}


def addresses(kind: Kind, value: str, url: str, services: Services) -> tuple[str, ...]:
    """The URLs to request for a citation, in order of preference, without duplicates.

    ``url`` is the landing page and comes last. For a DOI the resolver leads there, so that the resolver comes first, in
    place of ``url``, and the record in Europe PMC after it. An address without a scheme is asked for by ``https``, then
    by ``http``. The URLs may contain the API key: only ``public_address`` of them may be stored or shown.
    """
    match kind:
        case "pmid":
            wanted = [_efetch("pubmed", value, services), _search(f"EXT_ID:{value} AND SRC:MED", services), url]
        case "pmcid":
            full = f"{_base(services.europe_pmc)}/{_percent_encoded(value)}/fullTextXML"
            wanted = [full, _efetch("pmc", value.upper().removeprefix("PMC"), services), url]
        case "doi":
            resolver = f"{_base(services.doi)}/{quote(value, safe=_SAFE_IN_DOI)}"
            wanted = [resolver, _search(f'DOI:"{value.replace(chr(34), "")}"', services)]
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


def _base(address: str) -> str:
    return address.rstrip("/")


def _percent_encoded(value: str) -> str:
    return quote(value, safe="")


def _efetch(database: str, value: str, services: Services) -> str:
    query = f"db={database}&id={_percent_encoded(value)}&retmode=xml&tool=medreview"
    if mail := _MAIL.search(services.contact):
        query += f"&email={_percent_encoded(mail[0])}"
    if services.ncbi_key:
        query += f"&api_key={_percent_encoded(services.ncbi_key)}"
    return f"{_base(services.eutils)}/efetch.fcgi?{query}"


def _search(query: str, services: Services) -> str:
    return f"{_base(services.europe_pmc)}/search?query={_percent_encoded(query)}&resultType=core&format=json"
