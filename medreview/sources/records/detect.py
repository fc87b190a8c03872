"""Answers of the public services, told by their own first bytes: PubMed XML, JATS, Europe PMC JSON.

The text is made by the same rules as that of an HTML page, so that a dose or a table row reads the same wherever it
comes from. That an article was retracted stands before everything else, in the text and in the evidence.
"""

import re
from typing import Final
from urllib.parse import parse_qs, urlsplit

from medreview.sources.fetching.fetched import Fetched
from medreview.sources.reading.charset import decode
from medreview.sources.records.service_record import Identifier, ServiceRecord, nothing, service_error

_PROLOGUE: Final = 8192
_ROOT: Final = re.compile(
    rb"\s*(?:<\?[^>]*>\s*|<!--(?:(?!-->).)*-->\s*|<!DOCTYPE[^\[>]*(?:\[(?:(?!\]\s*>).)*\]\s*)?>\s*)*"
    rb"<(PubmedArticleSet|PubmedBookArticleSet|pmc-articleset|article|eFetchResult|eEfetchResult)(?=[\s/>])([^>]*)",
    re.DOTALL,
)
_JATS_DOCTYPE: Final = re.compile(rb"<!DOCTYPE\s+article\b[^>\[]*(?:JATS|NLM)", re.IGNORECASE)
_JATS_ATTRIBUTE: Final = re.compile(rb"\b(?:article-type|dtd-version)\s*=")
_ANSWER: Final = re.compile(rb'\s*\{(?=.{0,8000}?"(?:hitCount|resultList|errCode)"\s*:)', re.DOTALL)
_PAGE: Final = re.compile(rb"<(?:!doctype\s+html|html|head|body|div|p)\b", re.IGNORECASE)
_BOM: Final = b"\xef\xbb\xbf"


def read_record(fetched: Fetched) -> ServiceRecord | None:
    """The record in a fetched body, ``None`` for a body of any other kind. Never raises for what a body may hold.

    When the address names the record that was asked for, an answer with another one is not taken.
    """
    body = fetched.body.removeprefix(_BOM)
    asked = asked_for(fetched.url) or asked_for(fetched.final_url)  # saved pages are named by the landing page
    if found := _ROOT.match(body[:_PROLOGUE]):
        name = found[1].decode("ascii")
        if name == "article" and not (_JATS_DOCTYPE.search(found[0]) or _JATS_ATTRIBUTE.search(found[2])):
            return None
        return _from_xml(name, body, fetched.content_type, asked)
    if _ANSWER.match(body[:_PROLOGUE]) or (asked and body[:_PROLOGUE].lstrip().startswith(b"{")):
        from medreview.sources.records.europe_pmc import read_europe_pmc

        return read_europe_pmc(body, asked)
    if asked and body.strip() and not _PAGE.search(body[:_PROLOGUE]) and b"\0" not in body[:_PROLOGUE]:
        # A sentence, or XML of no record: E-utilities tell of some errors in such answers, with status 200.
        return service_error("The service", re.sub(r"<[^<>]*>", " ", decode(body[:_PROLOGUE])), "")
    return None


def asked_for(url: str) -> Identifier | None:
    """The identifier that an address of E-utilities or Europe PMC asks for, ``None`` for any other address."""
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
        asked = query.get("query", [""])[0]
        if found := re.match(r"EXT_ID:(\d+)", asked):
            return "pmid", found[1].lstrip("0")
        if found := re.fullmatch(r'DOI:"([^"]+)"', asked):
            return "doi", found[1].lower()
    return None


def _from_xml(name: str, body: bytes, content_type: str, asked: Identifier | None) -> ServiceRecord:
    from medreview.sources.records.xml_tree import XML_READER, parse_xml

    root = parse_xml(body, content_type)
    if root is None:
        return nothing("not_text", "The XML is broken, or built to do harm, and cannot be read.", XML_READER)
    if name in ("eFetchResult", "eEfetchResult"):
        return service_error("NCBI", " ".join(error.text or "" for error in root.iter("ERROR")), XML_READER)
    if name.startswith("Pubmed"):
        from medreview.sources.records.pubmed import read_pubmed

        return read_pubmed(root, asked)
    from medreview.sources.records.jats import read_jats

    return read_jats(root, asked)
