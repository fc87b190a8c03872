"""A fetched body becomes a page: its texts, its title, and what kind of page it is."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass, replace
from typing import Final

from medreview.sources.fetching.fetched import Fetched
from medreview.sources.reading.charset import decode
from medreview.sources.reading.outline import Heading
from medreview.sources.reading.page_states import HOLDS_SOURCE, THIN, PageSigns, bot_check, count_words, page_state
from medreview.sources.records.detect import asked_for, read_record
from medreview.sources.records.service_record import ServiceRecord
from medreview.text import fold_newlines

LONGEST: Final = 2_000_000
"""Code points after which a text is cut; the evidence then says so."""

_MARKUP: Final = re.compile(
    rb"<(?:!doctype|\?xml|html|head|body|title|meta|script|style|div|p|h[1-6]|article|section|main|table|ul|ol|a|span|br"
    rb"|link|header|nav)\b",
    re.IGNORECASE,
)
_MARKUP_INSIDE: Final = re.compile(rb"<(?:html|head|body|p|div|table)[\s>]", re.IGNORECASE)
_WIDE: Final = (BOM_UTF16_LE, BOM_UTF16_BE)
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
    """What a fetched body says, and what kind of page it is.

    ``text`` is what is judged: the main text, or the full text where the main text is thin. ``full_text`` is everything
    readable on the page. Both have LF as their only line end and are otherwise as the page has them, control
    characters too. ``state`` is one of ``medreview.labels.PAGE_STATES``, ``evidence`` the sentence that tells why
    (``""`` when there is nothing to tell). ``extractor`` names what made ``text``, with version. ``page_starts`` are
    the code points in ``text`` at which the pages of a PDF begin, ``outline`` its headings, in text order.

    A text may also come with a state that says it is not the source (an error page, a cookie wall); which states hold
    the source is ``medreview.sources.reading.page_states.HOLDS_SOURCE``.
    """

    title: str
    text: str
    full_text: str
    state: str
    evidence: str
    extractor: str
    page_starts: tuple[int, ...] = ()
    outline: tuple[Heading, ...] = ()


def read_page(fetched: Fetched) -> Page:
    """Text and state of what was fetched; the kind of body is told from its first bytes, not from what a server says.

    Never raises for what a body may hold. Takes about 10 ms for most pages, up to twenty seconds for hostile HTML of
    15 MB and 30 for a hostile PDF: call it in a thread.
    """
    if not fetched.body:
        return Page("", "", "", fetched.state or "thin", fetched.detail or "The server sent an empty page.", "")
    if fetched.body.startswith(_WIDE):
        fetched = replace(fetched, body=decode(fetched.body).encode("utf-8"))
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
    return Page(pdf.title, pdf.text, pdf.text, state, evidence, pdf_extractor(), pdf.page_starts, pdf.outline)


def _from_record(fetched: Fetched, record: ServiceRecord) -> Page:
    text, cut = _cut(record.text)
    full_text, _ = _cut(record.full_text)
    outline = tuple(heading for heading in record.outline if heading.end <= len(text))
    evidence = fetched.detail if fetched.state else record.evidence
    told = " ".join(part for part in (evidence, cut) if part)
    state = fetched.state or record.state
    return Page(record.title, text, full_text, state, told, record.extractor, outline=outline)


def _from_html(fetched: Fetched) -> Page:
    from medreview.sources.reading.full_text import WALKER
    from medreview.sources.reading.html import main_extractor, read_html

    html = read_html(fetched.body, fetched.content_type)
    main, main_cut = _cut(html.main)
    full, full_cut = _cut(html.full)
    if count_words(main) >= THIN or (count_words(full) < THIN and main):
        text, outline, extractor, cut = main, html.main_outline, f"{main_extractor()}, {WALKER}", main_cut
    else:
        text, outline, cut = full, html.full_outline, full_cut
        extractor = f"{WALKER} (full page: main text thin or not made)"
    signs = PageSigns(
        url=fetched.url,
        final_url=fetched.final_url,
        text=text,
        headline=html.headline,
        full_text=full,
        noscript=html.noscript,
        app_root=html.app_root,
        closed=html.closed,
    )
    if fetched.state:
        challenge = bot_check(signs, count_words(text)) if fetched.state == "http_error" else None
        state, evidence = challenge or (fetched.state, fetched.detail)
    elif not full and html.damage:
        state, evidence = "not_text", html.damage
    else:
        state, evidence = page_state(signs)
        if state in HOLDS_SOURCE and asked_for(fetched.final_url):
            state, evidence = "http_error", "The service answered with a page in place of a record."
    told = " ".join(part for part in (evidence, html.damage if state != "not_text" else "", cut) if part)
    outline = tuple(heading for heading in outline if heading.end <= len(text))
    return Page(html.title, text, full, state, told, extractor, outline=outline)


def _from_plain(fetched: Fetched) -> Page:
    text, cut = _cut(decode(fetched.body, fetched.content_type))
    state, evidence = fetched.state, fetched.detail
    if state is None:
        state, evidence = page_state(PageSigns(fetched.url, fetched.final_url, text))
    title = next((line.strip() for line in text[:2000].split("\n") if line.strip()), "")[:120]
    return Page(title, text, text, state, " ".join(part for part in (evidence, cut) if part), "plain text")


def _cut(text: str) -> tuple[str, str]:
    folded = fold_newlines(text)
    if len(folded) <= LONGEST:
        return folded, ""
    return folded[:LONGEST], f"The text was cut after {LONGEST:,} characters."


def _begins_as_markup(head: bytes) -> bool:
    """Whether the first tag, after comments, is one of HTML. A loop: a pattern for the comments can take for ever."""
    head = head.removeprefix(BOM_UTF8).lstrip()
    while head.startswith(b"<!--"):
        _, end, rest = head.partition(b"-->")
        if not end:
            return True
        head = rest.lstrip()
    return _MARKUP.match(head) is not None


def _binary_kind(body: bytes) -> str | None:
    """What a body that is no text is, in words; ``None`` for a text."""
    for magic, kind in _MAGIC:
        if body.startswith(magic):
            return kind
    if body[4:8] == b"ftyp":
        return "a film or a sound"
    head = body[:4096]
    return "binary data" if len(_CONTROLS.findall(head)) > len(head) // 20 else None
