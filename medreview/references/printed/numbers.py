"""Where a reference says in which volume, issue, pages and year its work stands, in the ways that styles print it."""

import re
from typing import Final, NamedTuple

from medreview.references.model import Field
from medreview.references.printed.parts import is_journal_word
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
