"""What a saved page says that it is: the address it was saved from, its identifiers, its title.

Only what stands there for this purpose is read: links and tags in the head of a page, comments of what saved it, the
metadata and the first page of a PDF, the first lines of a text. The input is hostile: call it in a child process with
limits.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from medreview.citations.citation import Kind
from medreview.citations.extract import from_list
from medreview.citations.identifiers import find_dois
from medreview.sources.reading.charset import decode, page_in
from medreview.sources.reading.elements import collapse_whitespace
from medreview.sources.reading.untrusted_markup import limit_markup

_MOST_TAGS: Final = 5_000
_LONGEST_HEAD: Final = 4_000_000
_COMMENTS: Final = 8_192
"""Characters at the beginning of a page in which what saved it left a comment."""
_SAVED_FROM: Final = re.compile(r"<!--\s*saved from url=\(\d+\)(\S+)", re.IGNORECASE)
_SINGLE_FILE: Final = re.compile(r"<!--\s*Page saved with SingleFile\s+url:\s*(\S+)", re.IGNORECASE)
_DOI_TAGS: Final = ("citation_doi", "dc.identifier", "dc.identifier.doi", "prism.doi", "bepress_citation_doi", "doi")
_NUMBER_TAGS: Final[dict[str, Kind]] = {"citation_pmid": "pmid", "citation_pmcid": "pmcid"}
_TITLE_TAGS: Final = ("citation_title", "dc.title", "og:title")
_PDF_FIELDS: Final = ("doi", "Subject", "Keywords", "Title")
_NUMBER: Final = re.compile(r"(?:PMC)?[0-9]{1,9}", re.IGNORECASE)
_PAGE: Final = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_FIRST_LINES: Final = 10
_OPENING: Final = 3_000
"""Characters of the first page of a PDF, or of a text, that are kept."""
_LABELLED: Final = re.compile(r"(?:(?:url|source|from|address|link)\s*:\s*)?(https?://\S+)\Z", re.IGNORECASE)

SAVED_FROM: Final = "the address that it was saved from"
CANONICAL: Final = "its canonical link"
OG_URL: Final = "its og:url"
FIRST_LINES: Final = "the address in its first lines"
TAGS: Final = "the {} in its tags"
METADATA: Final = "the DOI in its metadata"
FIRST_PAGE: Final = "the DOI on its first page"
FIRST_LINES_DOI: Final = "the DOI in its first lines"


class OwnName(NamedTuple):
    """One name: ``by`` says in words where it stands, ``kind`` and ``value`` are those of a citation."""

    by: str
    kind: Kind
    value: str


class OwnNames(NamedTuple):
    """What a page says that it is, the surest first: names, titles, and the opening of a PDF or a text."""

    names: tuple[OwnName, ...] = ()
    titles: tuple[str, ...] = ()
    opening: str = ""


def own_names(body: bytes) -> OwnNames:
    """What a saved file says of itself; its kind is told from its bytes. Never raises for what is in it."""
    if saved := page_in(body):
        found = _of_html(decode(saved.body, saved.content_type))
        names = [OwnName(SAVED_FROM, "url", address) for address in saved.addresses if _is_web(address)]
        return found._replace(names=(*names, *found.names))
    if b"%PDF-" in body[:1024]:
        return _of_pdf(body)
    text = decode(body)
    return _of_html(text) if _PAGE.search(text[:_COMMENTS]) else _of_text(text)


def _of_html(markup: str) -> OwnNames:
    start = markup[:_COMMENTS]
    comments = [found[1] for pattern in (_SAVED_FROM, _SINGLE_FILE) if (found := pattern.search(start))]
    names = [OwnName(SAVED_FROM, "url", address) for address in comments if _is_web(address)]
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    head, _ = limit_markup(markup[:_LONGEST_HEAD], _MOST_TAGS)
    try:
        root = document_fromstring(
            head.encode("utf-8", "replace"), parser=HTMLParser(encoding="utf-8", huge_tree=False)
        )
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        return OwnNames(tuple(names))
    tags: dict[str, list[str]] = {}
    for node in root.iter("meta"):
        name = (node.get("name") or node.get("property") or "").strip().lower()
        tags.setdefault(name, []).append((node.get("content") or "").strip())
    links = [node.get("href") or "" for node in root.iter("link") if (node.get("rel") or "").lower() == "canonical"]
    names += [OwnName(CANONICAL, "url", link.strip()) for link in links if _is_web(link.strip())]
    names += [OwnName(OG_URL, "url", address) for address in tags.get("og:url", ()) if _is_web(address)]
    for tag in _DOI_TAGS:
        names += [
            OwnName(TAGS.format("DOI"), "doi", one.value) for told in tags.get(tag, ()) for one in find_dois(told)
        ]
    for tag, kind in _NUMBER_TAGS.items():
        names += (_numbered(kind, told) for told in tags.get(tag, ()) if _NUMBER.fullmatch(told))
    titles = [told for tag in _TITLE_TAGS for told in tags.get(tag, ())] + [root.findtext(".//title") or ""]
    return OwnNames(tuple(dict.fromkeys(names)), _titles(titles))


def _numbered(kind: Kind, told: str) -> OwnName:
    digits = told.upper().removeprefix("PMC").lstrip("0")
    return OwnName(TAGS.format(kind.upper()), kind, f"PMC{digits}" if kind == "pmcid" else digits)


def _of_pdf(body: bytes) -> OwnNames:
    import pypdfium2

    from medreview.sources.reading.pdf import page_text, title_of

    try:
        document = pypdfium2.PdfDocument(body)
        fields = [str(document.get_metadata_value(name)) for name in _PDF_FIELDS]
        opening = page_text(document[0]) if len(document) else ""
    except (pypdfium2.PdfiumError, ValueError):
        return OwnNames()
    told = {one.value for field in fields for one in find_dois(field)}
    names = [OwnName(METADATA, "doi", value) for value in told if len(told) == 1]
    names += _only_doi(opening, FIRST_PAGE)
    return OwnNames(tuple(names), _titles([title_of(document)]), opening[:_OPENING])


def _of_text(text: str) -> OwnNames:
    lines = list(islice((line.strip() for line in text[:_OPENING].splitlines() if line.strip()), _FIRST_LINES))
    addresses = {found[1] for line in lines if (found := _LABELLED.match(line))}
    names = [OwnName(FIRST_LINES, "url", address) for address in addresses if len(addresses) == 1]
    names += _only_doi("\n".join(lines), FIRST_LINES_DOI)
    return OwnNames(tuple(names), (), text[:_OPENING])


def _only_doi(text: str, by: str) -> Iterator[OwnName]:
    """The DOI in a text, where it is the only one: of several any may be that of another work."""
    found = {one.value for one in find_dois(text)}
    yield from (OwnName(by, "doi", value) for value in found if len(found) == 1)


def _titles(told: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (collapse_whitespace(title)[:1_000] for title in told))))


def _is_web(address: str) -> bool:
    return address.lower().startswith(("http://", "https://")) and bool(from_list([address]).citations)
