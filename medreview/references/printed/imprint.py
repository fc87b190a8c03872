"""Volume, issue, pages, year, edition, editors and publisher, as styles print them, and other notes.

Such notes say when a page was looked at, how it is kept, what was published ahead of print.
"""

import re
from typing import Final, NamedTuple

from medreview.references.model import Field
from medreview.references.printed.container import is_journal_word, segments, trimmed
from medreview.references.printed.names import read_authors
from medreview.references.printed.sheet import CUT
from medreview.text import Span

YEAR: Final = r"(?:1[89]|20)\d\d"
_MONTH: Final = (
    r"(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|février|mar(?:ch|s)?|märz|apr(?:il)?|avril|ma[iy]|june?|juni"
    r"|juin|july?|juli|juillet"
    r"|aug(?:ust)?|août|sept?(?:ember|embre)?|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|d[eé][cz](?:ember|embre)?"
    r"|spring|summer|fall|autumn|winter)\.?"
)
DATE: Final = rf"(?:[ ,]{{1,2}}{_MONTH}(?:[-–/ ]{_MONTH})?(?: \d{{1,2}}(?:st|nd|rd|th)?(?:[-–]\d{{1,2}})?)?)?"
DAY_FIRST: Final = rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.)?[ -])?(?:{_MONTH}[ -])?"
_DASH: Final = r"\s?(?:(?!\w)[-−]|[‐-—]){1,2}\s?"
_VOLUME: Final = r"(?:[A-Za-z]{1,2})?\d{1,4}[A-Za-z]?(?:[-–/]\d{1,4}[A-Za-z]?)?"
_PART: Final = r"(?:[ ,]{1,2}(?:suppl(?:ement)?|pt|part|spec(?:ial)?(?: no)?|sppl)\.?(?: ?(?:pt )?[\w-]{1,4}(?![\w]))?)"
_PAGE: Final = r"(?:[A-Za-z]{1,6}-?)?\d{1,8}(?:\.?[a-zA-Z]\d{0,3})?(?:\.pub\d{1,2})?|[ivxlc]{1,6}"
_PAGES: Final = (
    r"(?:pp?\.? ?|pages? |article (?:no\.? |number )?|art\. ?(?:no\. ?)?)?"
    rf"(?P<pages>(?:{_PAGE})(?![A-Za-z\d])(?:{_DASH}(?:{_PAGE})(?![A-Za-z\d]))?"
    rf"(?:, ?(?:discussion )?\d{{1,5}}{_DASH}\d{{1,5}}| passim)?)"
)
_ENDS: Final = r"(?!-[A-Za-z])(?= ?(?:[.;,:()\[\]\x1f–—-]|\Z|doi|pmid|epub))"
_ISSUE: Final = r"(?P<issue>[^()]{1,40}|[^()]{0,20}\([^()]{1,20}\)[^()]{0,20})"

_VANCOUVER: Final = (  # 2013 Mar 4;31(2 Suppl):36-44
    rf"(?<![\d/–-])(?P<year>{YEAR})[a-z]?{DATE} ?; ?(?:vol\.? ?)?"
    rf"(?P<volume>(?:{_VOLUME})?(?:{_PART})?) ?(?:\({_ISSUE}\))? ?(?:[:,] ?{_PAGES})?"
)
_WORDS: Final = (  # vol. 31, no. 2, Mar. 2013, pp. 36-44
    rf"\b(?:vol(?:ume)?\.?|bd\.?|band(?= ?\d{{1,4}} ?[,;:(])|t\.(?= ?\d)) ?(?P<volume>{_VOLUME})(?:{_PART})?"
    r"(?:,? ?\(?(?:no|nr|n°|n|number|issue|iss|heft|h)\.? ?(?P<issue>[\w /–-]{1,20}?)\)?(?=[,.:; (]|\Z))?"
    rf"(?:[,:]? ?\(?{DAY_FIRST}(?P<year>{YEAR})\)?)?(?:[,:;]? ?(?:pp?\.? ?|pages? |s\. ?|:)(?:{_PAGES}))?"
)
_PLAIN: Final = (  # 31(2):36-44 (2013); 31, no. 2 (2013): 36-44; 31 (2), 36-44, 2013
    rf"(?<![\w/:.(–-])(?P<volume>{_VOLUME}(?:{_PART})?)"
    rf"(?:,? ?(?:no|nr)\. ?(?P<number>[\w–/-]{{1,12}})|\.(?P<dotted>\d{{1,3}})(?= \()| ?\((?P<issue>(?!{YEAR}\)"
    rf")[^()]{{1,40}})\))?"
    rf"(?: ?\((?:{DAY_FIRST})(?P<year>{YEAR}){DATE}\))? ?(?:: ?|, |,(?(issue)|(?=[a-z]?\d{{1,6}}[-–]\d)))"
    rf"{_PAGES}{_ENDS}"
    rf"(?:(?:, ?| ?\()(?P<later>{YEAR})\)?(?!\d))?"
)
_AFTER_YEAR: Final = (  # 2019, 393:31-39; 2021, 21(3), 1234
    rf"(?<![\d(/–-])(?P<year>{YEAR}),? (?P<volume>\d{{1,4}})(?: ?\((?P<issue>[^()]{{1,20}})\))? ?[,:] ?{_PAGES}{_ENDS}"
)
_NO_PAGES: Final = (  # 31(2)
    r"(?<![\w/:.(–-])(?P<volume>\d{1,4}) ?"
    rf"\((?P<issue>\d{{1,3}}(?:[-–/]\d{{1,3}})?|(?:\d{{1,3}} )?suppl\.? ?\d{{0,3}})\){_ENDS}"
)
_ONLY_PAGES: Final = (
    rf"(?:(?P<year>{YEAR})\)?[,:;.] ?)?\b(?:pp?\.|pages|(?<![.\w])S\.(?= ?\d)) ?{_PAGES}"  # , 2013, pp. 36-44
)
_COCHRANE: Final = (  # 2020, Issue 8. Art. No.: CD011737
    rf"(?<![\d–-])(?P<year>{YEAR}),? ?(?:issue|no\.) ?(?P<issue>\d{{1,3}})\)?(?:[.,:;] ?(?:art(?:icle)?\.? ?no\."
    rf"?:? ?)?(?P<pages>CD\d{{6}}(?:\.pub\d)?))?"
)
_WAYS: Final = tuple(
    re.compile(way, re.IGNORECASE)
    for way in (_VANCOUVER, _WORDS, _COCHRANE, _AFTER_YEAR, _PLAIN, _NO_PAGES, _ONLY_PAGES)
)


class Numbers(NamedTuple):
    """Where a reference's numbers stand on its sheet: the whole of them, and each."""

    whole: Span
    year: Span | None = None
    volume: Span | None = None
    issue: Span | None = None
    pages: Span | None = None

    def placed(self) -> dict[Field, Span]:
        """Volume, issue and pages by the name of the field, where they are given."""
        return {name: place for name, place in self._all() if place is not None}

    def _all(self) -> tuple[tuple[Field, Span | None], ...]:
        return ("volume", self.volume), ("issue", self.issue), ("pages", self.pages)


def read_numbers(text: str, start: int = 0) -> Numbers | None:
    """The last place from ``start`` on that gives volume and pages in one of the ways; ``None`` when none does."""
    for way in _WAYS:
        last = None
        for found in way.finditer(text, start):
            if _holds(found):
                last = found
        if last is not None:
            return _numbers(last)
    return None


def named_before(numbers: Numbers | None, end: int, words: str) -> bool:
    """Whether a few words with capitals that end right before volume and pages name the journal: "Sci Rep 2016;6:1"."""
    if numbers is None or not (numbers.volume and numbers.pages) or not 0 <= numbers.whole.start - end < 4:
        return False
    named = words.split()
    return len(named) <= 7 and all(
        word.lstrip("(")[:1].isupper() or word in ("of", "the", "and", "in", "&") for word in named
    )


def is_abbreviated_before(numbers: Numbers | None, end: int, first: str, words: str) -> bool:
    """Whether what ends right before volume and pages is one name with full stops: "Patient Educ. Couns. 2011;85:8".

    ``first``: its words up to the last full stop but one, which begin and end as abbreviated names of journals do.
    """
    before = first.replace(".", " ").split()
    ends = before[:1] if before[:1] == ["J"] else [*before[:1], *before[-1:]]
    short = len(before) > 1 and all(len(word) == 1 or is_journal_word(word) for word in ends)
    return short and named_before(numbers, end, words) and len(words.split()) < 7


def _holds(found: re.Match[str]) -> bool:
    groups = found.groupdict()
    return any(groups.get(name) for name in ("volume", "pages", "issue"))


def _numbers(found: re.Match[str]) -> Numbers:
    names = found.re.groupindex

    def place(*tried: str) -> Span | None:
        for name in tried:
            if name in names and found[name]:
                return Span(*found.span(name))
        return None

    return Numbers(
        Span(*found.span()), place("year", "later"), place("volume"), place("issue", "number", "dotted"), place("pages")
    )


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


_LANGUAGE: Final = (
    r"(?:arabic|chinese|croatian|czech|danish|dutch|english|finnish|french|german|greek|hebrew|hungarian|italian|japanese"
    r"|korean|norwegian|persian|polish|portuguese|romanian|russian|serbian|slovak|spanish|swedish|thai|turkish|ukrainian)"
)

NOTICES: Final = re.compile(
    rf"""
      [(\[]?\b(?:last\s)?(?:accessed|retrieved|cited|viewed|zugriff|zuletzt\sabgerufen|abgerufen|abruf|consulté
          |consultado|aufgerufen)\b
        (?:\s(?:on|am|le|el))?:?,?\s?(?:{DAY_FIRST}{YEAR}(?:[-/.]\d\d[-/.]\d\d)?(?:\s[a-zé]{{3,9}}\.?(?:\s\d{{1,2}})?)?
        |[a-zé]{{3,9}}\.?\s\d{{1,2}},?\s{YEAR}|\d{{1,2}}[./-]\d{{1,2}}[./-]{YEAR}|today|date|n\.d\.)(?:,?\s(?:from|at))?[)\]]?
    | [(\[](?:last\s)?(?:updated?|reviewed|revised|modified)\b[^()\[\]]{{0,40}}[)\]]
    | \b(?:last\s)?updated:?\s(?:on\s)?(?:[a-z]{{3,9}}\.?\s\d{{1,2}},\s{YEAR}|{DAY_FIRST}{YEAR}{DATE})
    | \blast\s(?:updated?|reviewed|revised|modified)(?:\son)?:?\s[^.;\x1f]{{4,25}}
    | \[(?:internet|online|electronic(?:\sresource)?|website|web\spage|webpage|pdf|serial\son(?:line|\sthe\sinternet)
        |(?:article\s)?in\s[a-z]{{4,12}}|[a-z]{{4,12}}|free\s(?:pmc\s)?article|published\sonline[^\[\]]{{0,60}}
        |published\scorrection[^\[\]]{{0,120}})\]
    | \((?:(?:article|text)\s)?in\s{_LANGUAGE}(?:[,;]\s[^()]{{0,40}})?\) | (?<=,)\sin\s{_LANGUAGE}(?=\s?[).]{{0,2}}\Z)
    | \bepub(?:\sahead\sof\sprint)?\s?:?\s?(?:{YEAR}{DATE}|{DAY_FIRST}{YEAR})?
    | (?:\b(?:published|epub|online)\s(?:online\s)?|(?<=\.\s)|[(\[])
        (?:ahead\sof\sprint|online\sfirst|early\sview|in\spress)\b[)\]]?
    | \bpublished\sonline:?\s(?:{DAY_FIRST}|[a-z]{{3,9}}\s\d{{1,2}},\s)(?={YEAR})
    | \berratum\sin:?\s[^\x1f]{{0,200}}
    | \bno\sabstract\savailable\b | \bfree\s(?:pmc\s)?(?:article|full\stext)\b
    | \bfull\stext\b(?=[\s:.]*(?:\x1f|\Z)) | \bopen\saccess\b(?=[\s.)]*(?:\x1f|\Z))
    """,
    re.IGNORECASE | re.VERBOSE,
)  # fmt: skip
"""Notices outside the description; of "Published online August 31, 2021" the year is one."""
