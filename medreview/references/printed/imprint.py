"""What books, chapters and reports have beside authors and title: edition, editors, publisher."""

import re
from typing import Final, NamedTuple

from medreview.references.printed.names import read_authors
from medreview.references.printed.numbers import YEAR
from medreview.references.printed.parts import segments, trimmed
from medreview.references.printed.sheet import CUT
from medreview.text import Span

_PLACE: Final = re.compile(
    r"(?<![^\s.;(\x1f])(?P<city>[^\W\d_][^.:;\x1f\d?!]{1,50}(?: \([A-Z]{2,5}\))?): ?(?P<publisher>[^:;\x1f]{2,110}?)"
    rf"(?:[;,.] ?(?:(?:c|©)?(?P<year>{YEAR}))(?![\d;])|(?=\.? ?(?:\x1f|\Z)))"
)
_NAMED: Final = re.compile(
    r"(?<=[.,:)] )(?P<publisher>[^.,:;\x1f()]{0,60}\b(?:Press|Publish(?:ing|ers?)|Verlag|Elsevier"
    r"|Springer(?:[ -]Verlag)?|Wiley(?:-Blackwell)?|McGraw[- ]Hill(?: Education)?"
    r"|Lippincott[^.;\x1f]{0,30}|Saunders|Mosby|Thieme|Karger|Churchill Livingstone|Blackwell"
    r"|Routledge|Sage|Wolters Kluwer|Jones & Bartlett|F\. ?A\. Davis)"
    r"(?: [A-Z][\w&]+){0,2})(?=[.,;]|\s?\Z|\s?\x1f)"
)
_EDITION: Final = re.compile(
    r"[(,. ]{0,2}(?<!\w)(?P<edition>\d{1,2}(?:st|nd|rd|th)|\d{1,2}\.|\d{1,2} ?(?:e|è|ème|\.ª)|first|second|third|fourth"
    r"|fifth|sixth|seventh|eighth|ninth|tenth|revised|rev\.?)"
    r" ?(?:,? ?rev(?:ised)?\.? |international |überarb\. |\w{4,20}te )?(?:ed(?:ition|n)?\b\.?"
    r"|aufl(?:age)?\b\.?|éd(?:ition)?\b\.?)"
    r"(?:, (?:vol|pp?)\.? ?[\w–-]{1,12})?\)?",
    re.IGNORECASE,
)
_EDITORS: Final = re.compile(r"[ ,(\[]{0,3}(?:eds?|editors?|hrsg|herausgeber)\b[.)\]]{0,3}[ .,:]{0,3}", re.IGNORECASE)
_EDITORS_BEFORE: Final = re.compile(r"(?:eds?\.?|editors?|hrsg\.?)[)\]]?\Z", re.IGNORECASE)
_NAMED_EDITOR: Final = re.compile(r", [^,]{2,40} \(Eds?\.?\)")
IN: Final = re.compile(
    r"(?:(?<=[.?!,;] )|(?<=[.?!,][\"”’'] )|(?<=[”\"] )|(?<=\x1f )|(?<=\x1f\. ))In(?:: ?|(?=\b) (?=[A-Z*\"“]))"
)
"""``In:`` before the book of a chapter."""
_OF_BOOK: Final = re.compile(
    r"\b(?:eds?\b|editors?|edited|edition|hrsg|pp?\.|pages|press\b|publish|proceedings|handbook|textbook|encyclop|StatPearls)"
    rf"|: [^:;]{{2,60}}[;,] {YEAR}",
    re.IGNORECASE,
)


def find_book(text: str, start: int, end: int) -> Span | None:
    """``In:`` between two places; without its colon only before what names editors, a publisher or pages."""
    found = IN.search(text, start, end)
    if found is None or not (":" in found[0] or text[found.end()] in '*"“' or _OF_BOOK.search(text, found.end())):
        return None
    return Span(*found.span())


class Publisher(NamedTuple):
    """Where a publisher stands, from the place before it on, and the year after it."""

    whole: Span
    name: Span
    year: Span | None


def find_publisher(text: str, start: int, end: int) -> Publisher | None:
    """``City: Publisher; 2019`` between two places; else a name that is a publisher's."""
    last = None
    for found in _PLACE.finditer(text, start, end):
        if not found["city"].istitle() and not re.match(
            r"[A-Z][\w.'’-]+(?:[ ,/&-]+(?:[A-Z(][\w.')-]*|am"
            r"|upon|on|an|der|de|sur))*\Z",
            found["city"],
        ):
            continue
        if (
            found["year"] is None
            and re.search(
                r"\b(?:Press|Publish|Verlag|Inc|Ltd|Corp|LLC|GmbH|Company"
                "|Organi[sz]ation|University|Agency|Administration)",
                found["publisher"],
            )
            is None
        ):
            continue
        if "Journal" in found["publisher"]:
            continue
        last = found
    if last is not None:
        year = Span(*last.span("year")) if last["year"] else None
        return Publisher(Span(*last.span()), trimmed(text, *last.span("publisher")), year)
    named = _NAMED.search(text, start, end)
    if named is None:
        return None
    return Publisher(Span(*named.span()), trimmed(text, *named.span("publisher")), None)


class Edition(NamedTuple):
    """Where an edition is named, and the number of it."""

    whole: Span
    number: Span


def find_edition(text: str, start: int, end: int) -> Edition | None:
    """The edition that is named between two places."""
    found = _EDITION.search(text, start, end)
    return None if found is None else Edition(Span(*found.span()), Span(*found.span("edition")))


def book_of_chapter(text: str, start: int, end: int, italic: Span | None) -> Span | None:
    """The name of the book after ``In:``, without its editors and edition."""
    begin = start
    editors = read_authors(text, start)
    if editors is not None:
        role = _EDITORS.match(text, editors.end)
        if role is not None:
            begin = role.end()
        elif _EDITORS_BEFORE.search(text, max(0, editors.end - 10), editors.end):
            begin = editors.end
    if italic is not None and italic.start >= start:
        return trimmed(text, *italic)
    parts = segments(text, begin, end)
    if not parts:
        return None
    book = parts[0]
    for cut in (
        find_edition(text, *book),
        _NAMED_EDITOR.search(text, *book),
        re.compile(r" ?\((?:pp?|vol)\.?|, pp?\. ").search(text, *book),
    ):
        if cut is not None:
            at = cut.whole.start if isinstance(cut, Edition) else cut.start()
            if at > book.start:
                book = Span(book.start, min(book.end, at))
    stop = text.find(CUT, *book)
    return trimmed(text, book.start, book.end if stop < 0 else stop)
