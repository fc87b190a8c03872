"""PDFs of answers: the text that the reader of pages gives, with the links of the pages in their place.

What a printer adds to each page (title, day, address, page number) is left out, and words that a line end parts are
joined again.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from medreview.citations.source_lists import is_sources_title
from medreview.exchange.documents.result import Read, RefusedError, markdown_link
from medreview.sources.reading.pdf import PAGE_BREAK, read_pdf

_MOST_LINKS: Final = 5_000
_EDGE: Final = 2
"""Lines at the top and at the foot of a page that may be a printer's."""
_PRINTED: Final = re.compile(
    r"(?:(?:https?|file)://\S+(?: \|)?\s+)?(?:page )?\d{1,4}\s?(?:/|of|von)\s?\d{1,4}|\d{1,4}|(?:https?|file)://\S+"
    r"|\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s\d{1,2}:\d\d(?:\s?[AP]M)?(?:\s.{0,200})?",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"\d+")
_BROKEN: Final = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_WORD_BEFORE: Final = re.compile(r"[^\W\d_]+\Z")
_WORD_AFTER: Final = re.compile(r"[^\W\d_]+")
_GOES_ON: Final = re.compile(r"[^.!?:;\s]\s*\Z")
_CUT_ADDRESS: Final = re.compile(r"((?:https?://|www\.|\b10\.\d{4,9}/)[^\s|()\[\]<>]+)\n([^\s|()\[\]<>]+)")
_GOES_ON_AFTER: Final = "-/_=&?%+~"
_REST_OF_ADDRESS: Final = re.compile(r"(?=.*[\d/_=&%?-])[a-z0-9][\w./%=&?~+-]*")
_LABEL: Final = re.compile(r"\d{1,3}[.):](?!\d)")
_FULL: Final = 0.8
"""The part of the longest line from which on a line may have been broken within an address."""
_LINE: Final = re.compile(r"^[^\n#|]{4,40}$", re.MULTILINE)
_SHORT: Final = 4
"""Characters of a link's words, with fewer of which they may stand anywhere on the page."""
_BETWEEN: Final = r"(?:-?[ ]?[|]?[ ]?[\r\n]{0,2})"
"""What may stand between two words of a link: the end of a line or of a cell."""
_SHORTEST, _LONGEST = 8, 4_000
"""Bytes of an address."""
_WHY: Final = {
    "pdf_scan": "holds pictures of pages and no text; have its text recognised (OCR) and import that",
    "pdf_encrypted": "asks for a password; save it without one",
}


class _Place(NamedTuple):
    """A place among the characters of a page, before they become lines."""

    text: str
    at: int


class _Link(NamedTuple):
    words: str
    address: str
    place: _Place | None


def read_pdf_answer(body: bytes) -> Read:
    """The text of a PDF; links whose words are not found in it stand beside it. Raises :class:`RefusedError`."""
    read = read_pdf(body)
    if read.state is not None:
        raise RefusedError(_WHY.get(read.state, "is a damaged PDF that cannot be opened; save it again"))
    headings = [(heading.start, heading.level) for heading in read.outline]
    text = read.text
    starts = list(read.page_starts)
    for start, level in reversed(headings):
        mark = f"\n{'#' * level} "
        text = text[:start] + mark + text[start:]
        starts = [at + len(mark) * (at > start) for at in starts]
    pages = [text[at:end].removesuffix(PAGE_BREAK) for at, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    beside: dict[str, dict[str, str]] = {}
    for number, links in _links(body, len(pages)):
        pages[number], rest = _with_links(pages[number], links)
        for one in rest:
            label = one.words.strip("[]() ")
            beside.setdefault(one.address, {"url": one.address} | ({"number": label} if label.isdecimal() else {}))
    whole = _with_list_titles(_joined(list(map(_with_addresses_whole, _without_printers_lines(pages)))))
    citations = tuple(one for address, one in beside.items() if address not in whole)
    return Read("PDF", _with_words_joined(whole), citations=citations, notes=(read.evidence,) if read.evidence else ())


def _without_printers_lines(pages: list[str]) -> list[str]:
    """The pages without lines at their edges that are alike on most of them, numbers apart, or are a printer's."""
    lines = [page.strip("\n").split("\n") for page in pages]
    edges = Counter(
        _DIGITS.sub("0", line.strip())
        for page in lines
        for line in {*page[:_EDGE], *page[-_EDGE:]}
        if line.strip() and len(page) > 2 * _EDGE
    )
    alike = {line for line, count in edges.items() if len(pages) > 1 and count >= max(2, 0.6 * len(pages))}

    def is_printers(line: str) -> bool:
        return _PRINTED.fullmatch(line.strip()) is not None or _DIGITS.sub("0", line.strip()) in alike

    for page in lines:
        for _ in range(_EDGE):
            if len(page) > 1 and is_printers(page[0]):
                del page[0]
            if len(page) > 1 and is_printers(page[-1]):
                del page[-1]
    return ["\n".join(page) for page in lines]


def _links(body: bytes, most_pages: int) -> Iterator[tuple[int, list[_Link]]]:
    """The links of each page to the web in their order; those of several lines are one."""
    import pypdfium2

    document = pypdfium2.PdfDocument(body)
    left = _MOST_LINKS
    for number in range(min(len(document), most_pages)):
        links: list[_Link] = []
        for one in _annotations(document, number):
            left -= 1
            if left < 0:
                return
            if links and links[-1].address == one.address and one.place is not None:
                links[-1] = links[-1]._replace(words=f"{links[-1].words} {one.words}")
            else:
                links.append(one)
        yield number, links


def _annotations(document: Any, number: int) -> Iterator[_Link]:
    import ctypes

    import pypdfium2
    import pypdfium2.raw as raw

    try:
        page = document[number]
        textpage = page.get_textpage()
        text = textpage.get_text_range()
    except pypdfium2.PdfiumError:
        return
    position, found = ctypes.c_int(0), raw.FPDF_LINK()
    for _ in range(_MOST_LINKS):
        if not raw.FPDFLink_Enumerate(page.raw, ctypes.byref(position), ctypes.byref(found)):
            return
        action = raw.FPDFLink_GetAction(found)
        size = raw.FPDFAction_GetURIPath(document.raw, action, None, 0) if action else 0
        box = raw.FS_RECTF()
        if not _SHORTEST < size < _LONGEST or not raw.FPDFLink_GetAnnotRect(found, ctypes.byref(box)):
            continue
        buffer = ctypes.create_string_buffer(size)
        raw.FPDFAction_GetURIPath(document.raw, action, buffer, size)
        address = buffer.value.decode("utf-8", "replace").strip()
        if address.lower().startswith(("http://", "https://")):
            words = textpage.get_text_bounded(box.left, box.bottom, box.right, box.top)
            at = raw.FPDFText_GetCharIndexAtPos(textpage.raw, box.left + 1, (box.bottom + box.top) / 2, 3, 3)
            yield _Link(" ".join(words.replace("\ufffe", "-").split()), address, _Place(text, at) if at >= 0 else None)


def _with_links(page: str, links: list[_Link]) -> tuple[str, list[_Link]]:
    """The text of a page with its links, and those whose words are not found in it."""
    placed: list[tuple[int, int, str]] = []
    rest: list[_Link] = []
    at = 0
    for one in links:
        span = _span(page, one, at)
        if span is None or any(start < span[1] and span[0] < end for start, end, _ in placed):
            rest.append(one)
        else:
            placed.append((*span, one.address))
            at = span[1]
    for start, end, address in sorted(placed, reverse=True):
        page = page[:start] + markdown_link(page[start:end], address) + page[end:]
    return page, rest


def _span(page: str, one: _Link, at: int) -> tuple[int, int] | None:
    """Where the words of a link stand: at the same of their places as on the printed page, or the next after ``at``."""
    tokens = [re.escape(token) for token in one.words.split()]
    if not tokens:
        return None
    before, after = (r"(?<!\w)" if one.words[0].isalnum() else ""), (r"(?!\w)" if one.words[-1].isalnum() else "")
    pattern = re.compile(before + _BETWEEN.join(tokens) + after)
    places = [found.span() for found in islice(pattern.finditer(page), _MOST_LINKS)]
    if one.place is not None:
        printed = [found.start() for found in islice(pattern.finditer(one.place.text), _MOST_LINKS)]
        number = sum(start < one.place.at - 1 for start in printed)
        if len(printed) == len(places) and number < len(places):
            return places[number]
    if len(one.words) < _SHORT:
        return None
    return next((span for span in places if span[0] >= at), None)


def _joined(pages: list[str]) -> str:
    """The pages as one text; a sentence that goes on at the next page is one."""
    text = ""
    for page in pages:
        between = "\n" if _GOES_ON.search(text) and page[:1].islower() else "\n\n"
        text = f"{text}{between}{page}" if text else page
    return text


def _with_addresses_whole(page: str) -> str:
    """The page with addresses whole that the end of a line parts."""
    width = max(map(len, page.split("\n")))

    def whole(found: re.Match[str]) -> str:
        start = page.rfind("\n", 0, found.start()) + 1
        is_full = found.end(1) - start >= _FULL * width
        goes_on = found[1][-1] in _GOES_ON_AFTER or (is_full and _REST_OF_ADDRESS.fullmatch(found[2]))
        return f"{found[1]}{found[2]}" if goes_on and not _LABEL.match(found[2]) else found[0]

    return _CUT_ADDRESS.sub(whole, page)


def _with_list_titles(text: str) -> str:
    """The text with the titles of lists of sources as headings: no empty line of the page parts them from the text."""
    return _LINE.sub(lambda line: f"\n## {line[0].strip()}\n" if is_sources_title(line[0].strip()) else line[0], text)


def _with_words_joined(text: str) -> str:
    """The text with words whole that a line end parts; one that occurs with a hyphen elsewhere keeps it."""
    elsewhere = text.casefold().replace("-\n", "\n")

    def whole(found: re.Match[str]) -> str:
        before = _WORD_BEFORE.search(text, max(0, found.start() - 40), found.start())
        after = _WORD_AFTER.match(text, found.end())
        if before is None or after is None:
            return found[0]
        return "-" if f"{before[0]}-{after[0]}".casefold() in elsewhere else ""

    return _BROKEN.sub(whole, text)
