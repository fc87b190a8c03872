"""From a fetched body to a page: format detection by the first bytes, text extraction, title and page state.

Records of services (PubMed XML, JATS, Europe PMC JSON) are known by their first bytes. Their text is extracted by the
same rules as that of an HTML page, so that a dose or a table row reads the same in all formats. A retraction comes
before everything else, in the text and in the evidence.
"""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import parse_qs, urlsplit

from medreview.sources.fetching.network import Fetched
from medreview.sources.reading.charset import decode, page_in, utf_16_by_header
from medreview.sources.reading.page_states import HOLDS_SOURCE, THIN, PageSigns, bot_check, count_words, page_state
from medreview.sources.reading.text_structure import Heading, SetApart, with_unseen
from medreview.sources.records.service_record import Identifier, ServiceRecord, empty_record, service_error
from medreview.text import normalise_newlines

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
        from medreview.sources.records.abstracts import read_europe_pmc

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
    from medreview.sources.reading.untrusted_markup import XML_PARSER, parse_xml

    root, cut = parse_xml(body, content_type)
    if root is None:
        return empty_record("not_text", "The XML is broken, or built to do harm, and cannot be read.", XML_PARSER)
    if name in ("eFetchResult", "eEfetchResult"):
        return service_error("NCBI", " ".join(error.text or "" for error in root.iter("ERROR")), XML_PARSER)
    if name.startswith("Pubmed"):
        from medreview.sources.records.abstracts import read_pubmed

        record = read_pubmed(root, requested)
    else:
        from medreview.sources.records.jats import read_jats

        record = read_jats(root, requested)
    return replace(record, evidence=f"{record.evidence} {cut}".strip()) if cut else record


LONGEST: Final = 2_000_000
"""Code points after which a text is truncated; the evidence then says so."""
LONGEST_TITLE: Final = 1_000
"""Code points of a title that are kept."""

_MARKUP: Final = re.compile(
    rb"<(?:!doctype|\?xml|html|head|body|title|meta|script|style|div|p|h[1-6]|article|section|main|table|ul|ol|a|span|br"
    rb"|link|header|nav)\b",
    re.IGNORECASE,
)
_MARKUP_INSIDE: Final = re.compile(rb"<(?:html|head|body|p|div|table)[\s>]", re.IGNORECASE)
_UTF16_MARKS: Final = (BOM_UTF16_LE, BOM_UTF16_BE)
_MAGIC: Final = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "an image, sound or film"),
    (b"PK\x03\x04", "a zip archive or an office document"),
    (b"\xd0\xcf\x11\xe0", "an old office document"),
    (b"\x1f\x8b", "a compressed file"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript document"),
)
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Page:
    """The text of a fetched body and the state of the page.

    ``text`` is what is judged: the main text, or the full text where the main text is thin. ``full_text`` is everything
    readable on the page. Both have LF as their only line end and are otherwise as on the page, control characters
    included. ``state`` is one of ``medreview.labels.PAGE_STATES``, ``evidence`` the sentence that says why (``""``
    where none is needed). ``extractor`` is name and version of what extracted ``text``. ``page_starts`` are the offsets
    in ``text`` (code points) at which the pages of a PDF begin, ``outline`` its headings, in text order. ``set_apart``
    are the parts of ``text`` that do not stand open on the page, in text order, none over another.

    There may be a text also with a state that is not the source (an error page, a cookie wall); which states hold the
    source is ``medreview.sources.reading.page_states.HOLDS_SOURCE``.
    """

    title: str
    text: str
    full_text: str
    state: str
    evidence: str
    extractor: str
    page_starts: tuple[int, ...] = ()
    outline: tuple[Heading, ...] = ()
    set_apart: tuple[SetApart, ...] = ()


def read_page(fetched: Fetched) -> Page:
    """Text and state of a fetched page; the content type is sniffed from the first bytes, not taken from the header.

    Takes about 10 ms for most pages and up to a few seconds for a hostile one of 15 MB; a hostile PDF may take any time
    and memory and break down the process. So the stages ask for it through ``medreview.sources.children``, which bounds
    all of these.
    """
    if not fetched.body:
        return Page("", "", "", fetched.state or "thin", fetched.detail or "The server sent an empty page.", "")
    if fetched.body.startswith(_UTF16_MARKS):
        fetched = replace(fetched, body=decode(fetched.body).encode("utf-8"))
    elif (text := utf_16_by_header(fetched.body, fetched.content_type)) is not None:
        fetched = replace(fetched, body=text.encode("utf-8", "replace"))
    if saved := page_in(fetched.body):
        if not saved.body:
            return Page("", "", "", fetched.state or "not_text", fetched.detail or "No page is in the saved file.", "")
        fetched = replace(fetched, body=saved.body, content_type=saved.content_type)
    body = fetched.body
    if b"%PDF-" in body[:1024]:
        return _from_pdf(fetched)
    if record := read_record(fetched):
        return _from_record(fetched, record)
    kind = _binary_kind(body)
    if _begins_as_markup(body[:4096]) or (kind is None and _MARKUP_INSIDE.search(body[:4096])):
        return _from_html(fetched)
    if kind is not None:
        return Page("", "", "", fetched.state or "not_text", fetched.detail or f"The body is {kind}, not a text.", "")
    return _from_plain(fetched)


def _from_pdf(fetched: Fetched) -> Page:
    from medreview.sources.reading.pdf import pdf_extractor, read_pdf

    pdf = read_pdf(fetched.body)
    state, evidence = fetched.state or pdf.state, fetched.detail or pdf.evidence
    if state is None:
        state = "thin" if count_words(pdf.text) < THIN else "ok"
        evidence = evidence or (f"The PDF has only {count_words(pdf.text)} words." if state == "thin" else "")
    title, apart = pdf.title[:LONGEST_TITLE], with_unseen(pdf.text)
    return Page(title, pdf.text, pdf.text, state, evidence, pdf_extractor(), pdf.page_starts, pdf.outline, apart)


def _from_record(fetched: Fetched, record: ServiceRecord) -> Page:
    text, truncation = _truncated(record.text)
    full_text, _ = _truncated(record.full_text)
    outline = tuple(heading for heading in record.outline if heading.end <= len(text))
    evidence = _sentences(fetched.detail if fetched.state else record.evidence, truncation)
    state = fetched.state or record.state
    title, apart = record.title[:LONGEST_TITLE], with_unseen(text)
    return Page(title, text, full_text, state, evidence, record.extractor, outline=outline, set_apart=apart)


def _from_html(fetched: Fetched) -> Page:
    from medreview.sources.reading.html import main_extractor, read_html
    from medreview.sources.reading.lines import LINES_EXTRACTOR

    html = read_html(fetched.body, fetched.content_type)
    full, _ = _truncated(html.full.text)
    main = html.main.text
    if count_words(main) >= THIN or (count_words(full) < THIN and main):
        taken, extractor = html.main, f"{main_extractor()}, {LINES_EXTRACTOR}"
    else:
        taken, extractor = html.full, f"{LINES_EXTRACTOR} (full page: main text thin or not made)"
    text, truncation = _truncated(taken.text)
    signs = PageSigns(
        url=fetched.url,
        final_url=fetched.final_url,
        text=text if taken is html.main else html.signs.prose,
        of_page=html.signs,
    )
    if fetched.state:
        challenge = bot_check(signs, count_words(html.signs.prose)) if fetched.state == "http_error" else None
        state, evidence = challenge or (fetched.state, fetched.detail)
    elif not full and html.damage:
        state, evidence = "unreadable", html.damage
    else:
        state, evidence = page_state(signs)
        if state in {*HOLDS_SOURCE, "http_error"} and requested_identifier(fetched.final_url):
            state, evidence = "http_error", "The service answered with a page in place of a record."
    evidence = _sentences(evidence, html.damage if state != "unreadable" else "", truncation)
    outline = tuple(heading for heading in taken.outline if heading.end <= len(text))
    title, apart = html.title[:LONGEST_TITLE], with_unseen(text, taken.set_apart)
    return Page(title, text, full, state, evidence, extractor, outline=outline, set_apart=apart)


def _from_plain(fetched: Fetched) -> Page:
    text, truncation = _truncated(decode(fetched.body, fetched.content_type))
    state, evidence = fetched.state, fetched.detail
    if state is None:
        state, evidence = page_state(PageSigns(fetched.url, fetched.final_url, text))
    title = next((line.strip() for line in text[:2000].split("\n") if line.strip()), "")[:120]
    evidence = _sentences(evidence, truncation)
    return Page(title, text, text, state, evidence, "plain text", set_apart=with_unseen(text))


def _truncated(text: str) -> tuple[str, str]:
    """A text of at most :data:`LONGEST` code points with LF line ends, and the sentence that says so, or ``""``."""
    text = normalise_newlines(text)
    if len(text) <= LONGEST:
        return text, ""
    return text[:LONGEST], f"The text was cut after {LONGEST:,} characters."


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _begins_as_markup(head: bytes) -> bool:
    """Whether the first tag, after comments, is an HTML tag. A loop, because a regular expression for the comments can
    backtrack for a very long time."""
    head = head.removeprefix(BOM_UTF8).lstrip()
    while head.startswith(b"<!--"):
        _, end, rest = head.partition(b"-->")
        if not end:
            return True
        head = rest.lstrip()
    return _MARKUP.match(head) is not None


def _binary_kind(body: bytes) -> str | None:
    """What kind of file a binary body is, in words; ``None`` for a text."""
    for magic, kind in _MAGIC:
        if body.startswith(magic):
            return kind
    if body[4:8] == b"ftyp":
        return "a film or a sound"
    head = body[:4096]
    return "binary data" if len(_CONTROLS.findall(head)) > len(head) // 20 else None
