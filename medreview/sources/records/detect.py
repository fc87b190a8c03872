"""Format detection for service records by their first bytes: PubMed XML, JATS, Europe PMC JSON.

The text is extracted by the same rules as that of an HTML page, so that a dose or a table row reads the same in all
formats. A retraction comes before everything else, in the text and in the evidence.
"""

import re
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qs, urlsplit

from medreview.sources.fetching.fetched import Fetched
from medreview.sources.reading.charset import decode
from medreview.sources.records.service_record import Identifier, ServiceRecord, empty_record, service_error

_PROLOGUE: Final = 8192
_ROOT: Final = re.compile(
    rb"\s*(?:<\?[^>]*>\s*|<!--(?:(?!-->).)*-->\s*|<!DOCTYPE[^\[>]*(?:\[(?:(?!\]\s*>).)*\]\s*)?>\s*)*"
    rb"<(PubmedArticleSet|PubmedBookArticleSet|pmc-articleset|article|eFetchResult|eEfetchResult)(?=[\s/>])([^>]*)",
    re.DOTALL,
)
_JATS_DOCTYPE: Final = re.compile(rb"<!DOCTYPE\s+article\b[^>\[]*(?:JATS|NLM)", re.IGNORECASE)
_JATS_ATTRIBUTE: Final = re.compile(rb"\b(?:article-type|dtd-version)\s*=")
_EUROPE_PMC_JSON: Final = re.compile(rb'\s*\{(?=.{0,8000}?"(?:hitCount|resultList|errCode)"\s*:)', re.DOTALL)
_HTML_PAGE: Final = re.compile(rb"<(?:!doctype\s+html|html|head|body|div|p)\b", re.IGNORECASE)
_BOM: Final = b"\xef\xbb\xbf"


def read_record(fetched: Fetched) -> ServiceRecord | None:
    """The record in a fetched body, ``None`` for a body of any other kind. Never raises, whatever the body.

    When the URL names the requested record, an answer with another record is rejected.
    """
    body = fetched.body.removeprefix(_BOM)
    # Saved pages are listed by the landing page, so that the query may be in the final URL only.
    requested = requested_identifier(fetched.url) or requested_identifier(fetched.final_url)
    if found := _ROOT.match(body[:_PROLOGUE]):
        name = found[1].decode("ascii")
        if name == "article" and not (_JATS_DOCTYPE.search(found[0]) or _JATS_ATTRIBUTE.search(found[2])):
            return None
        return _from_xml(name, body, fetched.content_type, requested)
    if _EUROPE_PMC_JSON.match(body[:_PROLOGUE]) or (requested and body[:_PROLOGUE].lstrip().startswith(b"{")):
        from medreview.sources.records.europe_pmc import read_europe_pmc

        return read_europe_pmc(body, requested)
    if requested and body.strip() and not _HTML_PAGE.search(body[:_PROLOGUE]) and b"\0" not in body[:_PROLOGUE]:
        # A sentence, or XML without a record: E-utilities report some errors in this way, with status 200.
        return service_error("The service", re.sub(r"<[^<>]*>", " ", decode(body[:_PROLOGUE])), "")
    return None


def requested_identifier(url: str) -> Identifier | None:
    """The identifier in a query URL of E-utilities or Europe PMC, ``None`` for any other URL."""
    try:
        parts = urlsplit(url)
        query = parse_qs(parts.query, max_num_fields=20)
    except ValueError:
        return None
    if parts.path.endswith("/efetch.fcgi"):
        value = query.get("id", [""])[0].strip()
        if query.get("db") == ["pubmed"]:
            return "pmid", value.lstrip("0")
        return ("pmcid", f"PMC{value.upper().removeprefix('PMC')}") if query.get("db") == ["pmc"] else None
    if parts.path.endswith("/fullTextXML"):
        return "pmcid", parts.path.split("/")[-2].upper()
    if parts.path.endswith("/search"):
        searched = query.get("query", [""])[0]
        if found := re.match(r"EXT_ID:(\d+)", searched):
            return "pmid", found[1].lstrip("0")
        if found := re.fullmatch(r'DOI:"([^"]+)"', searched):
            return "doi", found[1].lower()
    return None


def _from_xml(name: str, body: bytes, content_type: str, requested: Identifier | None) -> ServiceRecord:
    from medreview.sources.records.xml_tree import XML_PARSER, parse_xml

    root, cut = parse_xml(body, content_type)
    if root is None:
        return empty_record("not_text", "The XML is broken, or built to do harm, and cannot be read.", XML_PARSER)
    if name in ("eFetchResult", "eEfetchResult"):
        return service_error("NCBI", " ".join(error.text or "" for error in root.iter("ERROR")), XML_PARSER)
    if name.startswith("Pubmed"):
        from medreview.sources.records.pubmed import read_pubmed

        record = read_pubmed(root, requested)
    else:
        from medreview.sources.records.jats import read_jats

        record = read_jats(root, requested)
    return replace(record, evidence=f"{record.evidence} {cut}".strip()) if cut else record
