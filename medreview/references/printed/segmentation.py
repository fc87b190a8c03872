"""Segmentation: which part of a printed reference is which field, by how its title is printed, else by the places.

The rules that need the whole reading come last: year, edition, publisher, lone journal, a drug's maker, doubts.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from medreview.references.model import Author, Field
from medreview.references.printed.container import is_journal, journal_words, segments, title_and_container, trimmed
from medreview.references.printed.imprint import (
    DATE,
    DAY_FIRST,
    YEAR,
    Numbers,
    book_of_chapter,
    find_book,
    find_edition,
    find_publisher,
    is_abbreviated_before,
    named_before,
    read_numbers,
)
from medreview.references.printed.names import Authors, read_authors
from medreview.references.printed.sheet import CUT, PrintedSheet, PrintMark
from medreview.text import Span

A_YEAR: Final = re.compile(rf"(?<![\d/–.-])(?P<year>{YEAR})[a-z]?(?![\d/–-]|\.\d)")


@dataclass(slots=True)
class SheetReading:
    """Where each field stands on the sheet."""

    sheet: PrintedSheet
    end: int
    numbers: Numbers | None = None
    authors: Authors | None = None
    title: Span | None = None
    container: Span | None = None
    year: Span | None = None
    publisher: Span | None = None
    edition: Span | None = None
    chapter: bool = False
    unsure: set[Field] = field(default_factory=set)

    def text_of(self, place: Span | None) -> str:
        """What stands at a place."""
        return "" if place is None else self.sheet.text[place.start : place.end]


def last_year(text: str, start: int, end: int, outside: Span | None = None) -> Span | None:
    """The last year between two places; ``outside``: not within this one."""
    last = None
    for found in A_YEAR.finditer(text, start, end):
        if outside is None or not outside.start <= found.start() < outside.end:
            last = found
    return None if last is None else Span(*last.span("year"))


_LABEL_TITLE: Final = re.compile(
    r"prescribing information|package insert|product (?:monograph|label)|drug label|summary of product"
    r"|fachinformation",
    re.IGNORECASE,
)
_LONGEST_TITLE: Final = 60
_WITHIN: Final = re.compile(r"(?:and|or|but|that|which|the|a|an|of|in|to|is|are|was|because|while|for|with|than|as)\b")
"""How a text begins that goes on with a sentence: no title does, without a capital."""
_CITY: Final = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*, [A-Z]{2}")
_AFTER_YEAR: Final = re.compile(r"[ \x1f]*[).]?[ \x1f]*(?:[–—:|]|- ?) ?(?=[A-Z])")


def settle(reading: SheetReading, start: int) -> None:
    """Set what needs the whole reading: year, edition and publisher wherever they stand, a lone journal."""
    text, end, numbers = reading.sheet.text, reading.end, reading.numbers
    after = reading.title.end if reading.title else start
    reading.year = reading.year or (numbers.year if numbers else None) or last_year(text, after, end)
    if reading.year is None:
        reading.year = last_year(text, start, end, outside=reading.title)
    if reading.edition is None and (edition := find_edition(text, after, end)) is not None:
        reading.edition = edition.number
        if reading.container is not None and edition.whole.start <= reading.container.start + 1:
            reading.container = None
    if reading.publisher is None and (numbers is None or numbers.volume is None):
        publisher = find_publisher(text, after, end)
        reading.publisher = publisher.name if publisher else None
        if publisher and reading.container and reading.container.end > publisher.name.start and not reading.chapter:
            reading.container = (
                trimmed(text, reading.container.start, max(reading.container.start, publisher.whole.start)) or None
            )
    _lone_journal(reading)
    _own_words(reading)


def _lone_journal(reading: SheetReading) -> None:
    """ "Zinman B, et al. N Engl J Med 2015;373:2117-28": what stands for the title is the journal."""
    if reading.title is None or reading.chapter:
        return
    title = reading.text_of(reading.title)
    if reading.container is not None:
        whole = Span(reading.title.start, reading.container.end)
        if reading.authors is not None and is_abbreviated_before(
            reading.numbers, whole.end, title, reading.text_of(whole)
        ):
            reading.container, reading.title = whole, None
        return
    lead = title.partition(",")[0]
    named = reading.authors is not None and named_before(reading.numbers, reading.title.end, title)
    if named or (is_journal(title) and not is_journal(title.lower())):
        reading.container, reading.title = reading.title, None
        after = max(reading.container.end, reading.year.end if reading.year else 0)
        rest = _AFTER_YEAR.match(reading.sheet.text, after)
        if (
            rest is not None
            and reading.numbers is None
            and len(reading.sheet.text[rest.end() : reading.end].split()) > 3
        ):
            reading.title = trimmed(reading.sheet.text, rest.end(), reading.end)
    elif lead != title and is_journal(lead) and len(title) < 60:
        reading.container = Span(reading.title.start, reading.title.start + len(lead))
        reading.title = trimmed(reading.sheet.text, reading.container.end, reading.title.end)
        reading.unsure.add("title")


def _own_words(reading: SheetReading) -> None:
    """The maker before the label of a drug; doubts about fields found by place alone."""
    text = reading.sheet.text
    if reading.title is not None and reading.authors is None:
        parts = segments(text, *reading.title)
        if len(parts) == 2 and _LABEL_TITLE.search(text, *parts[1]) and len(text[slice(*parts[0])].split()) <= 5:
            maker = trimmed(text, *parts[0])
            reading.authors = Authors((Author(reading.text_of(maker), body=True),), False, *maker)
            reading.title = trimmed(text, *parts[1])
    title = reading.text_of(reading.title)
    if len(title.split()) > _LONGEST_TITLE or (reading.authors is None and _WITHIN.match(title)):
        reading.title = reading.container = None  # a passage of the page beside its address
    container = reading.text_of(reading.container)
    if _CITY.fullmatch(container):
        reading.container = None
    if container and not is_journal(container) and len(container.split()) > 6:
        reading.unsure |= {"container", "title"}
    if reading.title is None and len(text.split()) > 6:
        reading.unsure.add("title")


_YEAR_NEXT: Final = re.compile(
    rf"[.,:]?,? ?[(\[](?:{DAY_FIRST})(?P<year>{YEAR})[a-z]?(?:(?: \[[^\[\]]{{4,20}}\])|[,/;]? ?[^()\[\]]{{0,24}})?[)\]]"
    rf"|[ ,.:]{{0,3}}(?:{DAY_FIRST})(?P<bare>{YEAR})[a-z]?{DATE}(?=[.,:;] )"
    r"|[.,]? ?\((?:n\.d\.|in press|forthcoming|o\. ?J\.|s\.d\.)\)",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    rf"[(\[](?P<before>(?:[^()]|\(\d{{1,3}}\)){{0,150}}?)[,;.:]? ?\b(?P<year>{YEAR})(?P<after>(?:[^()]"
    rf"|\([\w ]{{1,12}}\)){{0,80}})[)\]]"
)
_BY_AUTHORS: Final = re.compile(r"[\s\x1f]*(?:[–—|•]|-(?=\s)|\bby\b|,|\()\s?|[\s\x1f]*[.:]?\s+")
_SURE_GAP: Final = ("–", "—", "by", "-", "|", "•")
_TITLE_BREAK: Final = re.compile(r"\.[\"”]? (?=\w)| [–—|-] (?=\w)|\? (?=\w)|: (?=\w)")
_ISSUED: Final = re.compile(rf" {YEAR} (?=[A-Z])")
_SET_APART: Final = re.compile(r" [–—|-] (?P<name>[^–—|]{2,80}?)[\s.\x1f]*\Z")
_FEWEST, _SHORT_TITLE = 2, 4
_GOES_ON: Final = re.compile(r" (?!(?:in|by|from|vol|no|pp?|doi|published|available|ed|eds)\b)[^\W\d_]+ ")
_JOURNAL_FIRST: Final = re.compile(
    rf"(?P<name>[^\d,;:(]{{2,60}}?)[., ]{{1,2}}\(?(?P<year>{YEAR})\)?[:.,–—-]{{1,2}} (?=[^\W\d_])"
)


def read(sheet: PrintedSheet, start: int) -> SheetReading:
    """The fields of a reference from a place on."""
    text = sheet.text
    reading = SheetReading(sheet, len(text.rstrip(CUT + " .,;")))
    reading.numbers = read_numbers(text, start)
    mark = _printed_title(sheet, start, reading.end)
    if mark is None and _journal_first(reading, start):
        return reading
    if mark is not None:
        _around_title(reading, start, mark)
    else:
        reading.authors = read_authors(text, start)
        if reading.authors is None:
            reading.authors = _inverted(reading, start)
        if reading.authors is None or reading.authors.end >= reading.end - 2:
            _title_first(reading, start)
        else:
            _after_authors(reading)
    settle(reading, start)
    return reading


def _printed_title(sheet: PrintedSheet, start: int, end: int) -> PrintMark | None:
    """The title, recognised by its print: in quotation marks, bold, or as the words of a link."""
    text = sheet.text
    for mark in sheet.marks:
        words = len(text[mark.start : mark.end].split())
        if mark.look == "italic" or mark.start < start or words < 2 or mark.end - mark.start < 12:
            continue
        if mark.look == "quoted":
            if _is_set_off(text, start, mark):
                return mark
        elif _is_part(text, mark, start, end) and not _are_authors(text, mark, words):
            return mark
    return None


def _is_set_off(text: str, start: int, mark: PrintMark) -> bool:
    """Whether a quotation is the title, rather than words within it."""
    after = text[mark.end + 1 : mark.end + 3].strip(" ")
    if after[:1].islower() and _GOES_ON.match(text, mark.end + 1):
        return False  # "Doctor, am I ill?" and other questions
    closes = text[mark.end - 1] in ".,?!" or not after or after[0] in ",.;:(–—-|" + CUT or after[0].isupper()
    before = text[max(0, mark.start - 3) : mark.start - 1].rstrip()
    opens = not before or before[-1] in ".,:;)–—-|" + CUT or mark.start - 2 <= start
    return closes and (opens or read_authors(text, start, certain=True) is not None)


def _are_authors(text: str, mark: PrintMark, words: int) -> bool:
    """Whether authors are set off rather than the title: "**Brunton LL, Knollmann BC (Eds.).** ..."."""
    authors = read_authors(text, mark.start)
    if authors is None or words < 8:
        return authors is not None
    return bool(authors.authors[0].given) and not text[authors.end : mark.end].strip(" .,;:()").removeprefix(
        "Ed"
    ).strip("s.")


def _is_part(text: str, mark: PrintMark, start: int, end: int) -> bool:
    """Whether a mark sets a part of the reference off, rather than all of it."""
    whole = mark.end - mark.start >= 0.9 * (end - start)
    return not whole or A_YEAR.search(text, mark.start, mark.end) is None


def _around_title(reading: SheetReading, start: int, mark: PrintMark) -> None:
    text = reading.sheet.text
    reading.title = trimmed(text, mark.start, mark.end)
    after = mark.end + (mark.look == "quoted")
    if mark.start - start > 3:
        reading.authors = read_authors(text, start, certain=True)
        if reading.authors is not None:
            year = A_YEAR.search(text, reading.authors.end, mark.start)
            reading.year = Span(*year.span("year")) if year else None
    else:
        gap = _BY_AUTHORS.match(text, after)
        if gap is not None:
            sign = gap[0].strip(" " + CUT)
            stop = next(
                (each.start for each in reading.sheet.marks if each.look == "italic" and each.start > gap.end()), None
            )
            authors = read_authors(text[:stop], gap.end(), certain=sign in _SURE_GAP)
            if authors is not None and not _is_container(text, authors):
                reading.authors, after = authors, authors.end
    _after_title(reading, after)


def _inverted(reading: SheetReading, start: int) -> Authors | None:
    """ "Mukherjee, Siddhartha. *The Emperor of All Maladies*": a whole name before a title in italics or a year."""
    text = reading.sheet.text
    authors = read_authors(text, start, certain=True)
    if authors is None or not authors.authors[0].given:
        return None
    after = re.compile(r"[.,]? ?\(?").match(text, authors.end)
    at = after.end() if after else authors.end
    italic = any(mark.look == "italic" and mark.start == at for mark in reading.sheet.marks)
    return authors if italic or re.compile(YEAR).match(text, at) else None


def _is_container(text: str, authors: Authors) -> bool:
    """Whether what reads as one author after a title is the journal or the site: "Lancet, 2019"."""
    first = authors.authors[0]
    return (
        not authors.et_al
        and len(authors.authors) == 1
        and not first.body
        and (not first.given or is_journal(text[authors.start : authors.end]))
        and (text[authors.start - 1 : authors.start] == "(" or is_journal(text[authors.start : authors.end]))
    )


def _after_authors(reading: SheetReading) -> None:
    assert reading.authors is not None
    text, numbers = reading.sheet.text, reading.numbers
    at = reading.authors.end
    if _ISSUED.match(text, at) and (text[reading.authors.start : at].isupper() or reading.authors.authors[-1].body):
        at, reading.authors = reading.authors.start, None  # "KDIGO 2024 Clinical Practice Guideline ..."
    year = _YEAR_NEXT.match(text, at)
    if year is not None and (numbers is None or numbers.whole.start >= year.end()):
        at = year.end()
        name = "year" if year["year"] else "bare" if year["bare"] else ""
        reading.year = Span(*year.span(name)) if name else None
    _split_rest(reading, at)


def _journal_first(reading: SheetReading, start: int) -> bool:
    """``NEJM 2015: Title. Authors``, ``Lancet 2019;393:31-39. Title. Authors``: the journal leads."""
    text, numbers = reading.sheet.text, reading.numbers
    lead = _JOURNAL_FIRST.match(text, start)
    if numbers is not None and numbers.year is not None and numbers.volume is not None:
        name, year, after = trimmed(text, start, numbers.whole.start), numbers.year, numbers.whole.end
    elif lead is not None and numbers is None:
        name, year, after = Span(*lead.span("name")), Span(*lead.span("year")), lead.end()
    else:
        return False
    if not is_journal(text[name.start : name.end]) or len(text[after : reading.end].split()) < 4:
        return False
    _title_first(reading, trimmed(text, after, reading.end).start, ends=True)
    reading.container, reading.year = name, year
    return reading.title is not None


def _surnames(reading: SheetReading, start: int) -> bool:
    """``Braunholtz, Edwards, Lilford. Title. Journal``: names without initials, where title and journal follow."""
    text = reading.sheet.text
    authors = read_authors(text, start, certain=True)
    if authors is None or len(authors.authors) < _FEWEST or text[authors.end : authors.end + 2] != ". ":
        return False
    if any(author.given or author.body or " " in author.family for author in authors.authors):
        return False
    parts = segments(text, authors.end + 2, reading.numbers.whole.start if reading.numbers else reading.end)
    if len(parts) < _FEWEST or len(text[slice(*parts[0])].split()) < _SHORT_TITLE:
        return False
    reading.authors = authors
    reading.unsure |= {"authors", "title"}
    _after_authors(reading)
    return True


def _title_first(reading: SheetReading, start: int, *, ends: bool = False) -> None:
    """``Title. Authors. Container``, ``Title - Authors (Container, 2006)``, ``Title (Container 2006)``, ``Title``."""
    text = reading.sheet.text
    reading.authors = None
    if not ends and _surnames(reading, start):
        return
    for found in _TITLE_BREAK.finditer(text, start, reading.end):
        authors = read_authors(text, found.end())
        set_apart = found[0][0] == " "
        named = authors is not None and (
            authors.et_al
            or authors.authors[0].given
            or ((set_apart or (ends and authors.end >= reading.end)) and authors.authors[0].body)
        )
        if found[0][0] == ":" and authors is not None:
            named = bool(authors.authors[0].given) and (authors.et_al or len(authors.authors) > 1)
        if (
            authors is None
            or not named
            or (authors.end >= reading.end and not ends)
            or text[authors.end : authors.end + 1] == ":"
        ):
            continue
        if len(authors.authors) == 1 and not authors.et_al and is_journal(text[authors.start : authors.end]):
            continue
        reading.title = trimmed(text, start, found.start() + (found[0][0] == "?"))
        reading.authors = authors
        _after_title(reading, authors.end)
        return
    reading.unsure.add("title")
    _split_rest(reading, start)


def _italic(reading: SheetReading, start: int, end: int) -> Span | None:
    for mark in reading.sheet.marks:
        if mark.look == "italic" and mark.start >= start and mark.end <= end + 1 and mark.end - mark.start > 1:
            return Span(mark.start, mark.end)
    return None


def _split_rest(reading: SheetReading, start: int) -> None:
    """Title and what follows it, between the authors and the end."""
    text, end, numbers = reading.sheet.text, reading.end, reading.numbers
    stop = numbers.whole.start if numbers is not None and numbers.whole.start >= start else end
    begin = trimmed(text, start, stop).start
    inside = find_book(text, begin, end)
    if inside is not None:
        reading.title = trimmed(text, begin, inside.start)
        _chapter(reading, inside.end)
        return
    italic = _italic(reading, begin, stop)
    if italic is not None and italic.start <= begin + 1 and (italic.end - italic.start > 25 or stop == end):
        reading.title = trimmed(text, *italic)
        _after_title(reading, italic.end)
        return
    if italic is not None and text[: italic.start].rstrip()[-1:] in ".,?!:–-)]" + CUT:
        reading.title = trimmed(text, begin, italic.start)
        reading.container = trimmed(text, *italic)
        return
    if _book(reading, begin) or _bracketed(reading, begin, stop):
        return
    year = last_year(text, begin, end) if stop == end and not reading.year else None
    stop = year.start if year else stop
    title, container = title_and_container(text, begin, stop)
    if not container:
        title, container = _comma_container(text, title)
    reading.title, reading.year = trimmed(text, *title), reading.year or year
    reading.container = trimmed(text, *container, also="(") if container else None


def _comma_container(text: str, title: Span) -> tuple[Span, Span]:
    """``Title, Container``, ``Title - Container``: after the last comma or dash, where a journal's name stands."""
    dash = _SET_APART.search(text, *title)
    if dash is not None and is_journal(dash["name"]):
        return Span(title.start, dash.start()), Span(*dash.span("name"))
    comma = text.rfind(", ", title.start, trimmed(text, *title).end)
    if comma > title.start:
        rest = trimmed(text, comma + 2, title.end)
        if is_journal(text[rest.start : rest.end]) or journal_words(text[rest.start : rest.end]) >= 0.6:
            return Span(title.start, comma), rest
    return title, Span(title.end, title.end)


def _bracketed(reading: SheetReading, start: int, stop: int) -> bool:
    """``Title (Container, 2006)`` at the end."""
    text, numbers = reading.sheet.text, reading.numbers
    last = None
    for found in _TAIL.finditer(text, start, reading.end + 1):
        last = found
    if last is None or text[last.end() : reading.end].strip(" .,;" + CUT) or not (last["before"] or "").strip(" ,"):
        return False
    if numbers is not None and not last.start() < numbers.whole.start:
        return False
    reading.title = trimmed(text, start, last.start())
    _after_title(reading, last.start())
    return True


def _book(reading: SheetReading, start: int) -> bool:
    """``Title. 3rd ed. City: Publisher; 2019``."""
    if reading.numbers is not None and (reading.numbers.volume is not None or reading.numbers.issue is not None):
        return False
    text = reading.sheet.text
    publisher = find_publisher(text, start, reading.end)
    if publisher is None or publisher.whole.start <= start:
        return False
    edition = find_edition(text, start, publisher.whole.start)
    reading.title = trimmed(text, start, edition.whole.start if edition else publisher.whole.start)
    reading.publisher, reading.year = publisher.name, reading.year or publisher.year
    reading.edition = edition.number if edition else None
    return True


def _chapter(reading: SheetReading, start: int) -> None:
    reading.chapter = True
    reading.container = book_of_chapter(reading.sheet.text, start, reading.end, _italic(reading, start, reading.end))


def _after_title(reading: SheetReading, start: int) -> None:
    """The container and the year between the title and the end; authors in brackets with them."""
    text, end, numbers = reading.sheet.text, reading.end, reading.numbers
    while start < end and text[start] in " ,.;–—-" + CUT:
        start += 1
    inside = re.compile(r"In:? (?=[A-Z*\"])").match(text, start)
    if inside is not None:
        _chapter(reading, inside.end())
        return
    tail = _TAIL.match(text, start)
    if tail is not None and not reading.year:
        reading.year = Span(*tail.span("year"))
        inner = trimmed(text, *tail.span("before"))
        if not inner:
            inner = trimmed(text, *tail.span("after"))
        names = read_authors(text, inner.start) if inner and reading.authors is None else None
        if names is not None and names.end <= inner.end and not _is_container(text, names):
            reading.authors = names
            inner = trimmed(text, names.end, inner.end)
            if not inner and (tail["after"] or "").strip(" ,;:"):
                inner = trimmed(text, *tail.span("after"))
        if (
            inner
            and (editors := read_authors(text, inner.start)) is not None
            and editors.end >= inner.end
            and editors.et_al
        ):
            reading.authors, inner = (
                editors,
                Span(inner.end, inner.end),
            )  # Cochrane Review: "Title" (Cooney et al., 2013)
        if numbers is not None and inner.start <= numbers.whole.start < inner.end:
            inner = trimmed(text, inner.start, numbers.whole.start)
        if inner:
            reading.container = inner
            return
        start = tail.end()
    italic = _italic(reading, start, end)
    if italic is not None:
        reading.container = trimmed(text, *italic)
        return
    if not (numbers and numbers.volume):
        publisher = find_publisher(text, start, end)
        if publisher is not None and publisher.whole.start - start < 40:
            reading.publisher, reading.year = publisher.name, reading.year or publisher.year
            return
    stop = numbers.whole.start if numbers is not None and numbers.whole.start >= start else end
    year = last_year(text, start, stop) if not reading.year else None
    stop = year.start if year else stop
    cut = text.find(CUT, start, stop)
    container = trimmed(text, start, stop if cut < 0 else cut, also="(")
    if text[container.start : container.start + 1] == "[":
        container = Span(start, start)
    reading.container, reading.year = container or None, reading.year or year
