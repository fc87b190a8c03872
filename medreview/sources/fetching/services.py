"""The public services that are asked for what is behind an identifier, and the addresses to ask them at.

E-utilities: "E-utilities In-Depth", NCBI Bookshelf NBK25499. Europe PMC: its "Articles RESTful API" page. Both give the
record or the article itself, where the landing page of a publisher often gives a wall.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote_plus

from medreview.citations.canonical import domain
from medreview.citations.model import Kind
from medreview.citations.resolvers import DOI_HOSTS

_MAIL: Final = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+")
_PRIVATE: Final = frozenset({"api_key", "email"})
_PLAIN_IN_DOI: Final = "/:;()._-~,+=@!$*'"
_WITHOUT_KEY: Final = 0.34
_WITH_KEY: Final = 0.1


@dataclass(frozen=True, slots=True)
class Services:
    """Base addresses of the services, and how to ask them.

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
        """Least seconds between two requests, by host: NCBI allows three a second, ten with a key."""
        host = domain(self.eutils)
        return {host: _WITH_KEY if self.ncbi_key else _WITHOUT_KEY} if host else {}


def addresses(kind: Kind, value: str, url: str, services: Services) -> tuple[str, ...]:
    """What to ask for a citation, in order of preference, each address once.

    ``url`` is the landing page and the last to be asked. For a DOI the resolver leads there, so that it comes first, in
    place of ``url``, and the record in Europe PMC after it. The addresses may hold the key: only ``public_address`` of
    them may be stored or shown.
    """
    match kind:
        case "pmid":
            wanted = [_efetch("pubmed", value, services), _search(f"EXT_ID:{value} AND SRC:MED", services), url]
        case "pmcid":
            full = f"{_base(services.europe_pmc)}/{_quoted(value)}/fullTextXML"
            wanted = [full, _efetch("pmc", value.upper().removeprefix("PMC"), services), url]
        case "doi":
            resolver = f"{_base(services.doi)}/{quote(value, safe=_PLAIN_IN_DOI)}"
            wanted = [resolver, _search(f'DOI:"{value.replace(chr(34), "")}"', services)]
            if domain(url) not in DOI_HOSTS:
                wanted.append(url)
        case _:
            wanted = [url]
    return tuple(dict.fromkeys(wanted))


def public_address(url: str) -> str:
    """An address without key, e-mail address and user, as it may be stored and shown; nothing else of it changes."""
    address, hash_mark, fragment = url.partition("#")
    before, mark, query = address.partition("?")
    scheme, slashes, rest = before.partition("://")
    if slashes:
        authority, slash, path = rest.partition("/")
        before = f"{scheme}{slashes}{authority.rpartition('@')[2]}{slash}{path}"
    parts = query.split("&")
    kept = [part for part in parts if unquote_plus(part.partition("=")[0]).strip().lower() not in _PRIVATE]
    return f"{before}{mark if kept else ''}{'&'.join(kept)}{hash_mark}{fragment}"


def _base(address: str) -> str:
    return address.rstrip("/")


def _quoted(value: str) -> str:
    return quote(value, safe="")


def _efetch(database: str, value: str, services: Services) -> str:
    query = f"db={database}&id={_quoted(value)}&retmode=xml&tool=medreview"
    if mail := _MAIL.search(services.contact):
        query += f"&email={_quoted(mail[0])}"
    if services.ncbi_key:
        query += f"&api_key={_quoted(services.ncbi_key)}"
    return f"{_base(services.eutils)}/efetch.fcgi?{query}"


def _search(query: str, services: Services) -> str:
    return f"{_base(services.europe_pmc)}/search?query={_quoted(query)}&resultType=core&format=json"
