"""Reading one reference: authors, title, container, numbers and identifiers, with the place of each."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from medreview.references.model import Author, Field, Reference
from medreview.references.printed.kinds import kind_of
from medreview.references.printed.names import Authors, read_authors
from medreview.references.printed.notices import NOTICES
from medreview.references.printed.numbers import DATE, DAY_FIRST, YEAR, Numbers, read_numbers
from medreview.references.printed.parts import journal_words, segments, title_and_container, trimmed
from medreview.references.printed.sheet import CUT, Mark, Sheet, sheet_of
from medreview.text import Span

_LEAD: Final = re.compile(r"[\s>]*(?:[-*+•–]\s+)?(?:\[\^?\d{1,3}\^?\]:?|\(\d{1,3}\)|\d{1,3}[.)](?=\s)|【\d{1,3}】)?\s*")
_YEAR: Final = re.compile(rf"(?<![\d/–.-])(?P<year>{YEAR})[a-z]?(?![\d/–-]|\.\d)")
_YEAR_IN_BRACKETS: Final = re.compile(
    rf" ?[(\[](?:{DAY_FIRST})(?P<year>{YEAR})[a-z]?(?:,? ?[^()\[\]]{{0,20}})?[)\]]"
    r"|,? ?\((?:n\.d\.|in press|forthcoming)\)",
    re.IGNORECASE,
)
_YEAR_NEXT: Final = re.compile(rf"[ ,.:]{{0,3}}(?:{DAY_FIRST})(?P<year>{YEAR})[a-z]?{DATE}(?=[.,:;] )", re.IGNORECASE)
_PLACE: Final = re.compile(
    r"(?P<city>[^.:;,\x1f\d][^.:;\x1f\d]{1,50}): ?(?P<publisher>[^.:;\x1f]{2,90}?)[;,.] ?"
    rf"(?:(?:c|©)?(?P<year>{YEAR}))(?![\d;])"
)
_EDITION: Final = re.compile(
    r"[(,. ]{0,2}\b(?P<edition>\d{1,2}(?:st|nd|rd|th)|\d{1,2}\.|\d{1,2}(?:e|ème|\.ª)|first|second|third|fourth"
    r"|fifth|sixth|seventh|eighth|ninth|tenth|revised|rev\.?)"
    r" (?:rev(?:ised)?\.? |international |überarb\. )?(?:ed(?:ition|n)?\b\.?|aufl(?:age)?\b\.?|éd(?:ition)?\b\.?)\)?",
    re.IGNORECASE,
)
_IN: Final = re.compile(r"(?:(?<=[.?!,] )|(?<=[.?!,]\" )|(?<=[”\"] ))In:? (?=\S)|(?<=\. )In:")
_TAIL: Final = re.compile(
    rf"\((?P<before>[^()]{{0,150}}?)[,;.]? ?(?P<year>{YEAR})(?P<after>[^()]{{0,80}})\)|\((?P<only>[^()]{{2,100}})\)"
)
_BY_AUTHORS: Final = re.compile(r"\s?(?:[–—|]|-(?=\s)|\bby\b|,|\()\s?")


class _Fields(NamedTuple):
    """Where each field stands on the sheet."""

    authors: Authors | None = None
    title: Span | None = None
    container: Span | None = None
    year: Span | None = None
    numbers: Numbers | None = None
    publisher: Span | None = None
    edition: Span | None = None
    chapter: bool = False


def parse_reference(text: str) -> Reference:
    """One reference read into its fields; never raises, whatever the text holds.

    A label before it (``1.``, ``[1]``, a bullet) is no part of any field.
    """
    sheet = sheet_of(text)
    lead = _LEAD.match(sheet.text)
    start = lead.end() if lead else 0
    sheet.without(NOTICES)
    fields = _read(sheet, start)
    return _reference(text, sheet, fields)


def _read(sheet: Sheet, start: int) -> _Fields:
    text = sheet.text
    end = len(text.rstrip(CUT + " .,;"))
    numbers = read_numbers(text, start)
    printed = _printed_title(sheet, start, end)
    if printed is not None:
        return _around_title(sheet, start, end, printed, numbers)
    authors = read_authors(text, start)
    if authors is None or authors.end >= end - 2:
        return _title_first(sheet, start, end, numbers)
    return _after_authors(sheet, authors, end, numbers)


def _printed_title(sheet: Sheet, start: int, end: int) -> Mark | None:
    """The title that is told by how it is printed: in quotation marks, bold, or as the words of a link."""
    text = sheet.text
    for mark in sheet.marks:
        words = len(text[mark.start : mark.end].split())
        if mark.look == "italic" or mark.start < start or words < 2 or mark.end - mark.start < 12:
            continue
        if mark.look == "quoted":
            after = text[mark.end + 1 : mark.end + 3].strip(" ")
            closes = text[mark.end - 1] in ".,?!" or not after or after[0] in ",.;:(–—-|" + CUT or after[0].isupper()
            before = text[max(0, mark.start - 3) : mark.start - 1].rstrip()
            opens = (
                not before
                or before[-1] in ".,:;)–—-|" + CUT
                or mark.start - 2 <= start
                or read_authors(text, start, certain=True) is not None
            )
            if closes and opens and words >= 2:
                return mark
        elif _is_part(text, mark, start, end) and (words >= 8 or read_authors(text, mark.start) is None):
            return mark
    return None


def _is_part(text: str, mark: Mark, start: int, end: int) -> bool:
    """Whether a mark sets a part of the reference off, rather than all of it."""
    whole = mark.end - mark.start >= 0.9 * (end - start)
    return not whole or _YEAR.search(text, mark.start, mark.end) is None


def _around_title(sheet: Sheet, start: int, end: int, mark: Mark, numbers: Numbers | None) -> _Fields:
    text = sheet.text
    title = trimmed(text, mark.start, mark.end)
    after = mark.end + (mark.look == "quoted")
    authors = None
    year = None
    if mark.start - start > 3:
        authors = read_authors(text, start, certain=True)
        if authors is not None:
            year = _year_in(text, authors.end, mark.start)
    else:
        gap = _BY_AUTHORS.match(text, after)
        if gap is not None or text[after : after + 2] in (". ", " "):
            begin = gap.end() if gap else after + 1
            authors = read_authors(
                text, begin, certain=gap is not None and gap[0].strip() in ("–", "—", "by", "-", "|")
            )
            if (
                authors is not None
                and gap is not None
                and gap[0].strip() == "("
                and not authors.et_al
                and len(authors.authors) == 1
                and not authors.authors[0].given
            ):
                authors = None
            after = authors.end if authors else after
    return _rest(sheet, _Fields(authors, title, None, year, numbers), after, end)


def _after_authors(sheet: Sheet, authors: Authors, end: int, numbers: Numbers | None) -> _Fields:
    text = sheet.text
    at = authors.end
    year = None
    bracket = _YEAR_IN_BRACKETS.match(text, at) or _YEAR_IN_BRACKETS.match(
        text, min(len(text), at + (text[at : at + 1] in ".,:"))
    )
    if bracket is None:
        bracket = _YEAR_NEXT.match(text, at)
    if bracket is not None and bracket["year"] is None:
        at = bracket.end()
    elif bracket is not None and (numbers is None or numbers.whole.start >= bracket.end()):
        year, at = Span(*bracket.span("year")), bracket.end()
    return _split_rest(sheet, _Fields(authors, None, None, year, numbers), at, end)


def _title_first(sheet: Sheet, start: int, end: int, numbers: Numbers | None) -> _Fields:
    """``Title. Authors. Container``, ``Title - Authors (Container, 2006)``, ``Title (Container 2006)``, ``Title``."""
    text = sheet.text
    for found in re.finditer(r"\. (?=\w)| [–—|-] (?=\w)|\? (?=\w)", text[start:end]):
        authors = read_authors(text, start + found.end(), certain=False)
        if authors is not None and (authors.et_al or authors.authors[0].given) and authors.end < end:
            title = trimmed(text, start, start + found.start() + (found[0][0] == "?"))
            return _rest(sheet, _Fields(authors, title, None, None, numbers), authors.end, end)
    return _split_rest(sheet, _Fields(None, None, None, None, numbers), start, end)


def _split_rest(sheet: Sheet, fields: _Fields, start: int, end: int) -> _Fields:
    """Title and what follows it, between the authors and the end."""
    text = sheet.text
    stop = end
    if fields.numbers is not None and fields.numbers.whole.start >= start:
        stop = fields.numbers.whole.start
    begin = trimmed(text, start, stop).start
    inside = _IN.search(text, begin, end)
    if inside is not None:
        title = trimmed(text, begin, inside.start())
        return _chapter(sheet, fields._replace(title=title), inside.end(), end)
    place = _PLACE.search(text, begin, end)
    italic = next(
        (
            m
            for m in sheet.marks
            if m.look == "italic" and m.start >= begin and m.end <= stop + 1 and m.end - m.start > 2
        ),
        None,
    )
    if italic is not None and italic.start <= begin + 1 and italic.end - italic.start > 12:
        return _rest(sheet, fields._replace(title=trimmed(text, italic.start, italic.end)), italic.end, end)
    if italic is not None and text[max(0, italic.start - 3) : italic.start].strip()[-1:] in (
        ".",
        ",",
        "?",
        "!",
        CUT,
        ":",
        "–",
        "-",
        "",
    ):
        title = trimmed(text, begin, italic.start)
        return _rest(sheet, fields._replace(title=title), italic.start, end)
    if place is not None and (fields.numbers is None or fields.numbers.volume is None):
        head = place.start("city")
        return _book(sheet, fields, begin, head, end, place)
    tail = _tail(text, begin, end)
    if tail is not None and (fields.numbers is None or tail.start() < fields.numbers.whole.start):
        title = trimmed(text, begin, tail.start())
        return _rest(sheet, fields._replace(title=title), tail.start(), end)
    year = None
    if stop == end:
        year = None if fields.year else _last_year(text, begin, end)
        if year is not None:
            stop = year.start
    title, container = title_and_container(text, begin, stop)
    if not container and (stop < end or year is not None):
        title, container = _comma_container(text, title)
    return _finish(
        sheet,
        fields._replace(
            title=trimmed(text, *title),
            container=trimmed(text, *container, also="()[]") if container else None,
            year=fields.year or year,
        ),
        begin,
        end,
    )


def _comma_container(text: str, title: Span) -> tuple[Span, Span]:
    """``Title, Container``: after the last comma, where what stands there are words of a journal's name."""
    comma = text.rfind(", ", title.start, title.end)
    if comma > title.start and journal_words(text[comma + 2 : title.end]) >= 0.6:
        return Span(title.start, comma), Span(comma + 2, title.end)
    return title, Span(title.end, title.end)


def _tail(text: str, start: int, end: int) -> re.Match[str] | None:
    """``(Container, 2006)`` at the end."""
    last = None
    for found in _TAIL.finditer(text, start, end + 1):
        last = found
    if last is None or last["year"] is None or text[last.end() : end].strip(" .,;" + CUT):
        return None
    return last if (last["before"] or "").strip(" ,") else None


def _book(sheet: Sheet, fields: _Fields, start: int, end_of_title: int, end: int, place: re.Match[str]) -> _Fields:
    text = sheet.text
    edition = _EDITION.search(text, start, end_of_title)
    stop = edition.start() if edition else end_of_title
    return _finish(
        sheet,
        fields._replace(
            title=trimmed(text, start, stop),
            publisher=trimmed(text, *place.span("publisher")),
            year=fields.year or Span(*place.span("year")),
            edition=Span(*edition.span("edition")) if edition else None,
        ),
        start,
        end,
    )


def _chapter(sheet: Sheet, fields: _Fields, start: int, end: int) -> _Fields:
    text = sheet.text
    editors = read_authors(text, start)
    begin = start
    if (
        editors is not None
        and re.match(
            r"[ ,(\[]{0,3}(?:eds?|editors?|hrsg)\b", text[editors.end : editors.end + 14] or text, re.IGNORECASE
        )
    ) or (editors is not None and re.search(r"(?:eds?\.?|editors?|hrsg\.?)\)?\Z", text[: editors.end], re.IGNORECASE)):
        begin = editors.end
    begin_match = re.match(r"[ ,(\[]{0,3}(?:eds?|editors?|hrsg)?[.)\]]{0,3}[ .,:]{0,3}", text[begin:], re.IGNORECASE)
    begin += begin_match.end() if begin_match else 0
    italic = next((m for m in sheet.marks if m.look == "italic" and m.start >= start), None)
    parts = segments(text, begin, end)
    container = Span(italic.start, italic.end) if italic else (parts[0] if parts else None)
    if container is not None:
        edition = _EDITION.search(text, container.start, container.end)
        if edition is not None and edition.start() > container.start:
            container = Span(container.start, edition.start())
        container = trimmed(text, *container)
    return _finish(sheet, fields._replace(container=container, chapter=True), begin, end)


def _rest(sheet: Sheet, fields: _Fields, start: int, end: int) -> _Fields:
    """The container and the year between the title and the end."""
    text = sheet.text
    tail = _TAIL.match(text, start + (len(text[start:end]) - len(text[start:end].lstrip(" ,.–—-"))))
    inside = _IN.match(text, start) or re.match(r"[ ,.]{0,3}In:? ", text[start : start + 8])
    if inside is not None and fields.title is not None:
        begin = inside.end() if inside.string is text else start + inside.end()
        return _chapter(sheet, fields, begin, end)
    if tail is not None and tail["year"] is not None and not fields.year:
        inner: Span | None = trimmed(text, *tail.span("before")) if tail["before"] else None
        bracketed = Span(*tail.span("year"))
        if not inner and (tail["after"] or "").strip(" ,;:"):
            inner = trimmed(text, *tail.span("after"))
        if inner:
            names = read_authors(text, inner.start)
            if fields.authors is None and names is not None and names.end <= inner.end:
                fields = fields._replace(authors=names)
                inner = trimmed(text, names.end, inner.end)
            if fields.numbers is not None and inner.start < fields.numbers.whole.start < inner.end:
                inner = trimmed(text, inner.start, fields.numbers.whole.start)
            return _finish(sheet, fields._replace(container=inner or None, year=bracketed), start, end)
        fields = fields._replace(year=bracketed)
        start = tail.end()
    italic = next((m for m in sheet.marks if m.look == "italic" and m.start >= start and m.end - m.start > 1), None)
    place = _PLACE.search(text, start, end)
    if (
        place is not None
        and italic is None
        and (fields.numbers is None or fields.numbers.volume is None)
        and place.start() - start < 40
    ):
        edition = _EDITION.search(text, start, end)
        return _finish(
            sheet,
            fields._replace(
                publisher=trimmed(text, *place.span("publisher")),
                year=fields.year or Span(*place.span("year")),
                edition=Span(*edition.span("edition")) if edition else None,
            ),
            start,
            end,
        )
    if italic is not None:
        return _finish(sheet, fields._replace(container=trimmed(text, italic.start, italic.end)), start, end)
    stop = end
    if fields.numbers is not None and fields.numbers.whole.start >= start:
        stop = fields.numbers.whole.start
    year = _last_year(text, start, stop) if not fields.year else None
    if year is not None:
        stop = year.start
    container = trimmed(text, start, stop, also="()[]")
    cut = text.find(CUT, container.start, container.end)
    if cut >= 0:
        container = trimmed(text, container.start, cut, also="()[]")
    return _finish(sheet, fields._replace(container=container or None, year=fields.year or year), start, end)


def _finish(sheet: Sheet, fields: _Fields, start: int, end: int) -> _Fields:
    text = sheet.text
    numbers = fields.numbers
    year = fields.year or (numbers.year if numbers else None)
    if year is None:
        year = _last_year(text, fields.title.end if fields.title else start, end) or _last_year(
            text, start, end, outside=fields.title
        )
    if fields.edition is None:
        edition = _EDITION.search(text, fields.title.end if fields.title else start, end)
        if edition is not None:
            fields = fields._replace(edition=Span(*edition.span("edition")))
    if fields.publisher is None and (numbers is None or numbers.volume is None):
        place = _PLACE.search(text, fields.title.end if fields.title else start, end)
        if place is not None:
            fields = fields._replace(publisher=trimmed(text, *place.span("publisher")))
    return fields._replace(year=year)


def _last_year(text: str, start: int, end: int, outside: Span | None = None) -> Span | None:
    last = None
    for found in _YEAR.finditer(text, start, end):
        if outside is None or not outside.start <= found.start() < outside.end:
            last = found
    return None if last is None else Span(*last.span("year"))


def _year_in(text: str, start: int, end: int) -> Span | None:
    found = _YEAR.search(text, start, end)
    return None if found is None else Span(*found.span("year"))


def _reference(text: str, sheet: Sheet, fields: _Fields) -> Reference:
    numbers = fields.numbers
    spans: Mapping[Field, Span | None] = {
        "authors": Span(fields.authors.start, fields.authors.end) if fields.authors else None,
        "title": fields.title,
        "container": fields.container,
        "year": fields.year,
        "volume": numbers.volume if numbers else None,
        "issue": numbers.issue if numbers else None,
        "pages": numbers.pages if numbers else None,
        "publisher": fields.publisher,
        "edition": fields.edition,
    }
    said = {name: sheet.text[span.start : span.end].strip() for name, span in spans.items() if span}
    places: dict[Field, Span] = {name: sheet.place(*span) for name, span in spans.items() if span}
    if sheet.identifier_place is not None:
        places["identifier"] = sheet.identifier_place
    if sheet.url_place is not None:
        places["url"] = sheet.url_place
    title, container = said.get("title", ""), said.get("container", "")
    authors: tuple[Author, ...] = fields.authors.authors if fields.authors else ()
    return Reference(
        text,
        0,
        len(text),
        kind=kind_of(
            text,
            title=title,
            container=container,
            numbered=bool(said.get("volume") or said.get("pages")),
            publisher=said.get("publisher", ""),
            edition=said.get("edition", ""),
            chapter=fields.chapter,
            identifiers=sheet.identifiers,
            url=sheet.url,
        ),
        authors=authors,
        et_al=fields.authors.et_al if fields.authors else False,
        title=title,
        container=container,
        year=int(said["year"]) if said.get("year") else None,
        volume=said.get("volume", ""),
        issue=said.get("issue", ""),
        pages=said.get("pages", ""),
        publisher=said.get("publisher", ""),
        edition=said.get("edition", ""),
        identifiers=sheet.identifiers,
        url=sheet.url,
        places=places,
    )
