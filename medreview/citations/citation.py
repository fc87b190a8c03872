"""A citation, the canonical form by which two are the same source, and the URL to fetch for it."""

import re
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple
from urllib.parse import quote

AddressedKind = Literal["url", "doi", "pmid", "pmcid", "nct", "arxiv"]
Kind = Literal[AddressedKind, "document"]
"""What a citation is; a document has no address: it came with the answer, or only its name did."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation in a response.

    ``value`` is the identifier without its label (``10.1000/x`` in lower case, ``123``, ``PMC123``, ``NCT01234567``,
    ``2101.00001v2``), the URL as written, which may begin with ``www.``, or the name of a document that has no address,
    with the hash that ``listed_citations.document_entry`` gives it. ``start`` and ``end`` are the half-open
    range of code points of the identifier, or of the whole URL, without a label; both are ``None`` for an entry of a
    structured list.
    """

    kind: Kind
    value: str
    start: int | None = None
    end: int | None = None


class Unusable(NamedTuple):
    """An entry of a structured list without a citation: its position (from 0) and its text."""

    position: int
    item: str


class ListedCitation(NamedTuple):
    """The citations of a structured list, and its entries without any."""

    citations: list[Citation]
    unusable: list[Unusable]


_PARTS: Final = re.compile(r"(https?|ftp)://([^/?#]*)([^?#]*)(\?[^#]*)?", re.IGNORECASE | re.DOTALL)
_ESCAPED: Final = re.compile(r"\\([_*&#~|-])")
_AMPERSAND: Final = re.compile(r"&(?:amp|#0*38|#x0*26);", re.IGNORECASE)
_PERCENT: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_DEFAULT_PORT: Final = {"http": "80", "https": "443", "ftp": "21"}
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SUBJECT: Final = re.compile(r"\.[a-z]{2}/")
_VERSION: Final = re.compile(r"v\d{1,3}\Z")
_TRACKING: Final = re.compile(
    r"(?:utm_[^=&]*|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|srsltid|mc_[ce]id"
    r"|_hsenc|_hsmi|mkt_tok|vero_id|oly_(?:anon|enc)_id)(?:=[^&]*)?",
    re.IGNORECASE,
)
"""Parameters that say where a reader came from; the page is the same without them."""
_BARE: Final = re.compile(r"www\.", re.IGNORECASE)


def clean_url(url: str) -> str:
    """The URL with HTML and Markdown escapes undone: ``&amp;`` becomes ``&``, a backslash before a character goes.

    An address that begins with ``www.`` is one of ``https``.
    """
    clean = _AMPERSAND.sub("&", _ESCAPED.sub(r"\1", url))
    return f"https://{clean}" if without_scheme(clean) else clean


def without_scheme(url: str) -> bool:
    """Whether an address begins with ``www.`` and so leaves open by which scheme it is asked for."""
    return _BARE.match(url) is not None


def domain(url: str) -> str:
    """The host of an http(s) or ftp URL in lower case, without user, port and last dot; empty for anything else."""
    match = _PARTS.match(url)
    return "" if match is None else _host_port(match[2])[0]


def canonical_key(citation: Citation) -> str:
    """A key that is equal for two citations of the same source, such as ``doi:10.1000/x`` or ``url:https://host/path``.

    URLs are normalised as in RFC 3986 section 6.2: scheme and host in lower case, default port and fragment dropped, an
    empty path is ``/``, percent-encoding of unreserved characters undone and that of a bar done; parameters that only
    track readers (``utm_source``) are left out. Path and query keep their case; ``http`` and ``https`` remain
    different. Versions of an arXiv paper are one source.
    """
    if citation.kind == "url":
        return f"url:{_normal_url(citation.value)}"
    if citation.kind == "arxiv":
        return f"arxiv:{_VERSION.sub('', _SUBJECT.sub('/', citation.value.lower()))}"
    if citation.kind == "doi":
        return f"doi:{citation.value.lower()}"
    return f"{citation.kind}:{citation.value}"


def fetch_url(citation: Citation) -> str:
    """The URL to fetch for a citation, without a fragment; ``""`` for a document without an address."""
    value = citation.value
    match citation.kind:
        case "url":
            return clean_url(value).partition("#")[0]
        case "doi":
            return "https://doi.org/" + quote(value, safe="/:;()._-~,+=@!$*'")
        case "pmid":
            return f"https://pubmed.ncbi.nlm.nih.gov/{value}/"
        case "pmcid":
            return f"https://pmc.ncbi.nlm.nih.gov/articles/{value}/"
        case "nct":
            return f"https://clinicaltrials.gov/study/{value}"
        case "arxiv":
            return f"https://arxiv.org/abs/{value}"
        case "document":
            return ""


_DOCUMENT: Final = re.compile(r"document:(?P<value>(?P<name>.*?) #[0-9a-f]{8})\Z", re.DOTALL)
_REDIRECT: Final = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"
"""How the addresses begin by which Google's answers name their sources; each leads to the page for some days only."""


def document_in(entry: str) -> Citation | None:
    """The document that an entry without its number names, ``None`` for any other entry."""
    found = _DOCUMENT.match(entry.strip())
    return Citation("document", found["value"]) if found else None


def document_name(value: str) -> str:
    """The name in the value of a citation of a document."""
    return value.rpartition(" #")[0]


def is_redirect(url: str) -> bool:
    """Whether an address is one that a search engine made for a source, so that its host says nothing of the source."""
    return url.startswith(_REDIRECT)


def by_scheme(value: str, url: str) -> tuple[str, ...]:
    """The URLs to ask for a citation's value and its :func:`fetch_url`: that, then ``http`` where none was written."""
    return (url, "http" + url.removeprefix("https")) if without_scheme(value) else (url,)


def _host_port(authority: str) -> tuple[str, str]:
    authority = authority.rpartition("@")[2].lower()
    if authority.startswith("["):
        host, _, rest = authority.partition("]")
        return host + "]", rest.lstrip(":")
    host, _, port = authority.partition(":")
    return host.rstrip("."), port


def _normal_url(url: str) -> str:
    clean = clean_url(url)
    match = _PARTS.match(clean)
    if match is None:
        return clean
    scheme = match[1].lower()
    host, port = _host_port(match[2])
    user = match[2].rpartition("@")
    authority = f"{user[0]}{user[1]}{_ascii_host(host)}" + ("" if port in ("", _DEFAULT_PORT[scheme]) else f":{port}")
    path = f"{match[3] or '/'}{_untracked(match[4] or '')}".replace("|", "%7C")
    return _PERCENT.sub(_decode_unreserved, f"{scheme}://{authority}{path}")


def _untracked(query: str) -> str:
    """A query without what only tracks readers; one that has nothing of that is left as it is."""
    parts = query[1:].split("&")
    kept = [part for part in parts if not _TRACKING.fullmatch(part)]
    return query if len(kept) == len(parts) else f"?{'&'.join(kept)}" if kept else ""


def _ascii_host(host: str) -> str:
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def _decode_unreserved(code: re.Match[str]) -> str:
    character = chr(int(code.group()[1:], 16))
    return character if character in _UNRESERVED else code.group().upper()
