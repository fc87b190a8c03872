"""Quantities in a text: numbers with unit, range, comparison sign, percentage or frequency, in base units."""

import re
from collections.abc import Iterator, Mapping
from math import isclose
from typing import Final, Literal, NamedTuple

from medreview.evidence.measurement_units import (
    BEGINNINGS,
    ENGLISH_WORDS,
    LOCAL_WORDS,
    UNIT_OPENINGS,
    UNIT_PATTERN,
    english_frequencies,
    local_frequencies,
    parse_unit,
)
from medreview.text import word_lists, word_set

Sign = Literal["=", "<", "<=", ">", ">=", "~"]


class Quantity(NamedTuple):
    """A quantity in a text; ``start`` and ``end`` are a half-open range of code points.

    ``low`` and ``high`` are in base units (``measurement_units``) and equal unless it is a range; ``unit`` is the base
    unit, ``"/day"`` for a frequency, ``"p"`` for a p value, ``"points"`` for percentage points, ``"type"`` and
    the like for a numbered category, ``""`` for a bare number, which then has the next word as ``noun``. ``written`` is
    the unit as in the text, without number, range and sign.
    """

    start: int
    end: int
    low: float
    high: float
    sign: Sign
    unit: str
    written: str
    noun: str

    @property
    def is_range(self) -> bool:
        """Whether the lower and the upper bound differ."""
        return self.low != self.high

    @property
    def number(self) -> float:
        """The lower bound in the unit as written, before conversion to base units."""
        unit = parse_unit(self.written) if self.written and self.unit != "/day" else None
        return float(f"{self.low / unit.factor:.9g}") if unit else self.low

    @property
    def form(self) -> tuple[float, str]:
        """Number and unit as written, to tell two notations apart; for a frequency its words."""
        return self.number, self.written.casefold()

    def restates(self, other: "Quantity") -> bool:
        """Whether this is the other amount, in another notation perhaps: 0.5 g, 500 mg; twice daily, every 12 hours.

        If one of them has no unit, both must be bounds of the same direction and number: below 30, < 30 mL/min.
        """
        if self.unit and other.unit:
            return self.equals(other)
        bounds = self.sign[0] == other.sign[0] and self.sign[0] in "<>"
        return bounds and not (self.is_range or other.is_range) and _same(self.number, other.number)

    def equals(self, other: "Quantity") -> bool:
        """Whether both are the same amount in the same base unit, regardless of comparison signs."""
        return self.unit == other.unit and _same(self.low, other.low) and _same(self.high, other.high)

    def includes(self, other: "Quantity") -> bool:
        """Whether the other amount is within this range or satisfies this bound, ends included (``~``: 10%)."""
        if self.unit != other.unit:
            return False
        if self.sign in ("<", "<="):
            return other.high <= self.high * (1 + 1e-9)
        if self.sign in (">", ">="):
            return other.low >= self.low * (1 - 1e-9)
        slack = 0.1 * abs(self.low) if self.sign == "~" else 1e-9 * abs(self.low)
        return self.low - slack <= other.low and other.high <= self.high + slack


def _same(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=1e-6, abs_tol=1e-12)


_ONES = {
    word: value
    for value, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
         "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"], 1
    )
}  # fmt: skip
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_SCALE = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}


_DIGITS: Final = (
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d{1,3}(?:[ \u202f\u2009\u00a0]\d{3})+(?![\d.,])|\d+(?:[.,·]\d+)?|[.·]\d+"
)
_WORDS: Final = (
    rf"(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(list(_ONES)[:9])}))?|"
    rf"{'|'.join(sorted(_ONES, key=len, reverse=True))}"
)
_NUMBER: Final = re.compile(
    rf"(?<![\w.,·/^])(?<![^\W\d_][-‐‑])(?:{_DIGITS}|(?:{_WORDS})\b)(?![\d^⁰¹²³⁴-⁹])(?:\s(?:{'|'.join(_SCALE)})\b)?",
    re.IGNORECASE,
)
_UNIT: Final = re.compile(rf"[\s\u00a0]?[-‐‑]?[\s\u00a0]?({UNIT_PATTERN})", re.IGNORECASE)
_UNIT_OPENS: Final = re.compile(r"[\s\u00a0]?[-‐‑]?[\s\u00a0]?(?:([A-Za-z]++)(?![^\x00-\x7f])|[%A-Za-z]|[^\x00-\x7f])")
"""What ``_UNIT`` begins with: a whole word of ASCII letters, or something else that may be one."""
_POINTS: Final = re.compile(r"[\s-]points?\b", re.IGNORECASE)
"""Behind a share what makes it a difference of shares: ``5 percentage points``."""
_TO: Final = re.compile(r"\s?(?:[-‐-―−]|\b(?:to|bis|à|a)\b)\s?", re.IGNORECASE)
_AND: Final = re.compile(r"\s?(?:and|und|et|y|e)\s", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\b(?:between|zwischen|entre)\s$", re.IGNORECASE)
_BEFORE: Final[tuple[tuple[Sign, re.Pattern[str]], ...]] = (
    ("<=", re.compile(r"(?:<\s?=|[≤⩽]|less than or equal to|at most|up to|(?:no|not) more than|not exceeding|"
                      r"maximum (?:of|dose of)|höchstens|bis zu|"
                      r"au plus|jusqu['’]à|como máximo|hasta|no máximo|até)\s*$", re.IGNORECASE)),
    (">=", re.compile(r"(?:>\s?=|[≥⩾]|greater than or equal to|at least|(?:no|not) less than|minimum (?:of|dose of)|"
                      r"mindestens|au moins|al menos|(?:pelo|ao) menos)\s*$", re.IGNORECASE)),
    ("<", re.compile(r"(?:<|\b(?:less|lower|fewer|younger|smaller|shorter) than|\bbelow|\bunder|\bunter|"
                     r"\bweniger als|\bmoins de|\bmenos de)\s*$",
                     re.IGNORECASE)),
    (">", re.compile(r"(?:>|\b(?:more|greater|higher|older|larger|longer) than|\babove|\bover|\bexceed(?:s|ing)?|"
                     r"\büber|\bmehr als|\bplus de|\bm(?:ás|as|ais) de)"
                     r"\s*$", re.IGNORECASE)),
    ("~", re.compile(r"(?:[~≈∼]|\b(?:about|approximately|approx\.?|around|roughly|nearly|almost|some|circa))\s*$",
                     re.IGNORECASE)),
)  # fmt: skip
_AFTER: Final[tuple[tuple[Sign, re.Pattern[str]], ...]] = (
    ("<=", re.compile(r"\s(?:of age\s|old\s)?(?:or|and) (?:less|fewer|younger|below|under|lower)\b", re.IGNORECASE)),
    (">=", re.compile(r"\s(?:of age\s|old\s)?(?:or|and) (?:more|older|above|over|higher|greater)\b", re.IGNORECASE)),
)
_NEGATED_BOUND: Final = re.compile(
    r"(?:\bnot?|n['’]t|\bnever)\s(?:to\s)?(?:\w+\s){0,2}?"
    r"(?:exceed|(?:more|less|higher|lower|fewer|greater|longer|shorter) than)\s*$",
    re.IGNORECASE,
)
"""``Do not take more than 4 g`` is an upper bound."""

_LABEL: Final = re.compile(
    r"(?:\b(?P<p>p)(?:[- ]?values?)?\s*(?:of|was|were|is)?\s*[=<>≤≥]?\s*"
    r"|\b(?P<kind>type|grade|stage|phase|class)\s"
    r"|\b(?P<place>table|tables|fig\.?|figs\.?|figure|figures|section|chapter|appendix|reference|refs?\.?|page|pp?\.|no\.|"
    r"version|item|question|step)\s?)$",
    re.IGNORECASE,
)
_SIGN_ENDS: Final[Mapping[Sign, tuple[str, ...]]] = {
    "<=": ("=", "≤", "⩽", "or equal to", "at most", "up to", "more than", "not exceeding", "maximum of",
           "maximum dose of", "höchstens", "bis zu", "au plus", "jusqu'à", "jusqu’à", "máximo", "hasta", "até"),
    ">=": ("=", "≥", "⩾", "or equal to", "at least", "less than", "minimum of", "minimum dose of", "mindestens",
           "au moins", "menos"),
    "<": ("<", " than", "below", "under", "unter", "weniger als", "moins de", "menos de"),
    ">": (">", " than", "above", "over", "exceed", "exceeds", "exceeding", "über", "mehr als", "plus de", "más de",
          "mas de", "mais de"),
    "~": ("~", "≈", "∼", "about", "approximately", "approx.", "approx", "around", "roughly", "nearly", "almost", "some",
          "circa"),
}  # fmt: skip
_LABEL_ENDS: Final = tuple(word_set(word_lists(__file__)["label_ends"]))
"""What stands before the white space before a number, if one of ``_BEFORE`` or ``_LABEL`` matches there: most numbers
have none of these before them, and the patterns, which look for their beginnings, are slow to say so."""
_SIGN_TAILS: Final = frozenset(end[-2:] for ends in _SIGN_ENDS.values() for end in ends)
_LABEL_TAILS: Final = frozenset(end[-2:] for end in _LABEL_ENDS)
"""The last two characters of these, which are looked up at once."""
_NOUN: Final = re.compile(
    r"\s(?!(?:or|and|to|of|in|at|for|with|from|by|on|as|the|a|an|is|was|were|are|had|vs)\b)([^\W\d_]{3,})"
)
_YEAR: Final = re.compile(r"(?:1[89]|20)\d\d")
_CONFIDENCE: Final = re.compile(r"\s?%\s?(?:CI|CrI|UI|confidence|credible|uncertainty)\b", re.IGNORECASE)

_FIGURE: Final = re.compile(r"[.·\d](?<![\w.,·/^].)")
"""Where a number in figures may begin."""
_ASCII_FIGURE: Final = re.compile(r"[.0-9](?<![A-Za-z0-9_.,/^].)")
"""The same in a text of ASCII characters, in a third of the time."""
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_IN_NUMBERS: Final = frozenset(_ONES) | frozenset(_TENS)
_CACHE_SIZE: Final = 100_000
_LONGEST_PIECE: Final = 40
_DIGIT: Final = 1
_NUMBER_WORD: Final = 2
_ENGLISH: Final = 4
_LOCAL: Final = 8
_BEGINS: Final = 16


class _PieceKinds(dict[str, int]):
    """What of quantities a piece of text between white space holds, as bits; emptied when it is full.

    A digit, a number in words, a word of a frequency in English and in other languages, the beginning of one. Most
    texts lack one or another by these bits, and are not searched for it.
    """

    def __missing__(self, piece: str) -> int:
        words = frozenset(_LETTERS.findall(piece.lower()))
        kinds = (
            any(map(str.isdecimal, piece)) * _DIGIT
            | (not _IN_NUMBERS.isdisjoint(words)) * _NUMBER_WORD
            | (not ENGLISH_WORDS.isdisjoint(words)) * _ENGLISH
            | (not LOCAL_WORDS.isdisjoint(words)) * _LOCAL
            | (not piece.isascii() or BEGINNINGS.search(piece.lower()) is not None) * _BEGINS
        )
        if len(piece) <= _LONGEST_PIECE:
            if len(self) >= _CACHE_SIZE:
                self.clear()
            self[piece] = kinds
        return kinds


_KINDS: Final = _PieceKinds()


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text in text order; numbers inside names (COVID-19) and dates are left out."""
    kinds = 0
    for one in frozenset(map(_KINDS.__getitem__, text.split())):
        kinds |= one
    if not kinds & ~_BEGINS:
        return []
    frequencies = [
        *(local_frequencies(text) if kinds & _LOCAL else ()),
        *(english_frequencies(text) if kinds & (_ENGLISH | _LOCAL) and kinds & _BEGINS else ()),
    ]
    found = [
        Quantity(one.start, one.end, one.low, one.high, "=", "/day", text[one.start : one.end], "")
        for one in frequencies
    ]
    taken = [(quantity.start, quantity.end) for quantity in found]
    at = 0
    for match in _numbers(text, in_words=bool(kinds & _NUMBER_WORD)) if kinds & (_DIGIT | _NUMBER_WORD) else ():
        if match.start() < at or any(start < match.end() and match.start() < end for start, end in taken):
            continue
        quantity = _read(text, match)
        if quantity is not None:
            found.append(quantity)
            at = quantity.end
    return sorted(found)


def _numbers(text: str, *, in_words: bool) -> Iterator[re.Match[str]]:
    """The numbers of a text in order; where none is in words, they are looked for only where figures begin."""
    if in_words:
        yield from _NUMBER.finditer(text)
        return
    at = 0
    for figure in (_ASCII_FIGURE if text.isascii() else _FIGURE).finditer(text):
        if figure.start() >= at and (match := _NUMBER.match(text, figure.start())):
            at = match.end()
            yield match


def _read(text: str, match: re.Match[str]) -> Quantity | None:
    start, end = match.span()
    before = text[max(0, start - 32) : start]
    ahead = before.rstrip().lower()
    may_be = (ahead[-2:] in _LABEL_TAILS or ahead[-1:] in _LABEL_TAILS) and ahead.endswith(_LABEL_ENDS)
    label = _LABEL.search(before) if may_be else None
    if (label and label["place"]) or _CONFIDENCE.match(text, end):
        return None
    low = high = _value(match[0])
    unit = _unit(text, end)
    stop = unit.end() if unit else end
    joined = _TO.match(text, stop) or _AND.match(text, stop)
    if joined and joined.re is _AND and not _BETWEEN.search(before):
        joined = None
    upper = _NUMBER.match(text, joined.end()) if joined else None
    ranged = False
    if upper:
        second = _unit(text, upper.end())
        # "5 mg to 2": without a second unit the number must not count another noun
        if second or not unit or not text[upper.end() : upper.end() + 2].strip()[:1].isalpha():
            ranged, high, end = True, _value(upper[0]), upper.end()
            if unit and second:
                low *= _factor(unit[1]) / _factor(second[1])
            unit = second or unit
            stop = second.end() if second else end
    written = unit[1] if unit else ""
    parsed = parse_unit(written) if written else None
    if parsed:
        low, high, end = low * parsed.factor, high * parsed.factor, max(stop, end)
    sign, start, end = _sign(text, before, start, end)
    points = _POINTS.match(text, stop) if parsed and parsed.base == "%" else None
    if points:
        return Quantity(start, max(end, points.end()), low, high, sign, "points", written + points[0], "")
    name = parsed.base if parsed else "p" if label and label["p"] else label["kind"].lower() if label else ""
    if not parsed and match[0][0].isalpha() and not name and not ranged and _value(match[0]) <= 1:
        return None
    noun = _NOUN.match(text, end) if not name and not _YEAR.fullmatch(match[0]) else None
    if ranged and high < low:
        low, high = high, low
    return Quantity(start, end, low, high, sign, name, written, noun[1].lower() if noun else "")


def _unit(text: str, at: int) -> re.Match[str] | None:
    """The unit at an offset; its beginning rules out most words before hundreds of units are tried."""
    opens = _UNIT_OPENS.match(text, at)
    if opens is None or (opens[1] and opens[1].lower() not in UNIT_OPENINGS):
        return None
    return _UNIT.match(text, at)


def _factor(unit: str) -> float:
    parsed = parse_unit(unit)
    return parsed.factor if parsed else 1.0


def _sign(text: str, before: str, start: int, end: int) -> tuple[Sign, int, int]:
    """The comparison sign or words beside a number, and the range extended to include them."""
    ahead = before.rstrip().lower()
    for sign, pattern in _BEFORE if ahead[-2:] in _SIGN_TAILS or ahead[-1:] in _SIGN_TAILS else ():
        match = pattern.search(before) if ahead.endswith(_SIGN_ENDS[sign]) else None
        if match:
            if sign in ("<", ">") and _NEGATED_BOUND.search(before, 0, match.end()):
                sign = "<=" if sign == ">" else ">="
            return sign, start - (len(before) - match.start()), end
    for sign, pattern in _AFTER:
        match = pattern.match(text, end)
        if match:
            return sign, start, match.end()
    return "=", start, end


def _value(written: str) -> float:
    """The value of a number as written: digits with a decimal point or comma, thousands, or English words."""
    if written.isdecimal():
        return float(written)
    word = written.casefold()
    factor = 1.0
    for scale, value in _SCALE.items():
        if word.endswith(scale):
            word, factor = word.removesuffix(scale).rstrip(), value
    if word[0].isalpha():
        parts = re.split(r"[- ]", word)
        return factor * sum(_TENS.get(part, _ONES.get(part, 0)) for part in parts)
    plain = re.sub(r"[ \u202f\u2009\u00a0]", "", word).replace("·", ".")
    if re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", plain):
        plain = plain.replace(",", "")
    return factor * float(plain.replace(",", "."))
