"""Quantities in a text: numbers with unit, range, comparison sign, percentage or frequency, in base units.

Units have their dimension and conversion to base units. Frequencies of doses are ``twice daily``, ``every 12 hours``,
``b.i.d.``, in five languages.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isclose
from typing import Final, Literal, NamedTuple

from medreview.evidence.lexicon import NUMBER_WORDS
from medreview.evidence.normalise import normalise_word
from medreview.text import word_lists, word_set


class MeasureUnit(NamedTuple):
    """A unit expression in base units (``mg/h/mg`` for ``mg/kg/day``), and the factor that converts to them."""

    base: str
    factor: float


# name -> (base unit, factor); base units: mg, mL, mm, h, month, mmol, unit
_ATOMS: Final[dict[str, tuple[str, float]]] = {}


def _add(base: str, factor: float, names: str) -> None:
    for name in names.split():
        _ATOMS[name] = (base, factor)


_add("mg", 1e6, "kg kgs kilogram kilograms kilo kilos kilogramm")
_add("mg", 1e3, "g gr gram grams gramm gramme grammes gramo gramos gm")
_add("mg", 1.0, "mg mgs milligram milligrams milligramm milligramme milligrammes miligramo miligramos")
_add("mg", 1e-3, "mcg μg ug microgram micrograms mikrogramm microgramme microgrammes microgramos")
_add("mg", 1e-6, "ng nanogram nanograms")
_add("mg", 1e-9, "pg picogram picograms")
_add("mL", 1e3, "l litre litres liter liters litro litros")
_add("mL", 100.0, "dl deciliter decilitre")
_add("mL", 1.0, "ml cc millilitre millilitres milliliter milliliters")
_add("mL", 1e-3, "μl ul microlitre microliter")
_add("mL", 1e-12, "fl")
_add("mm", 1e3, "metre metres meter meters")
_add("mm", 10.0, "cm centimetre centimetres centimeter centimeters")
_add("mm", 1.0, "mm millimetre millimetres millimeter millimeters")
_add("mm", 1e6, "km kilometre kilometres kilometer kilometers")
_add("mm", 25.4, "inch inches")
_add("h", 1 / 3600, "s sec secs second seconds sekunden")
_add("h", 1 / 60, "min mins minute minutes minuten minuto minutos")
_add("h", 1.0, "h hr hrs hour hours hourly std stunde stunden heure heures hora horas")
_add("h", 24.0, "d day days tag tage tagen jour jours día días dia dias")
_add("h", 168.0, "week weeks wk wks woche wochen semaine semaines semana semanas")
_add("month", 1.0, "month months mo monat monate monaten mois mes meses")
_add("month", 12.0, "year years yr yrs jahr jahre jahren ans année années año años ano anos")
_add("month", 120.0, "decade decades")
_add("mmol", 1e3, "mol mole moles")
_add("mmol", 1.0, "mmol mmols millimole millimoles")
_add("mmol", 1e-3, "μmol umol micromol micromole micromoles")
_add("mmol", 1e-6, "nmol nanomole nanomoles")
_add("mmol", 1e-9, "pmol")
_add("mEq", 1.0, "meq")
_add("unit", 1.0, "iu units unit u ie ui einheiten unités unidades")
_add("unit", 1e-3, "mu miu")
_add("%", 1.0, "% percent percentage pct prozent")
_add("mmHg", 1.0, "mmhg")
_add("mmHg", 7.5006, "kpa")
_add("°C", 1.0, "°c celsius")
_add("°F", 1.0, "°f fahrenheit")
_add("kcal", 1.0, "kcal calories")
_add("Gy", 1.0, "gy gray")
_add("m2", 1.0, "m2 m²")
_add("tablet", 1.0, "tablet tablets pill pills tablette tabletten comprimé comprimés comprimido comprimidos")
_add("dose", 1.0, "dose doses")
_add("puff", 1.0, "puff puffs")
_add("drop", 1.0, "drops tropfen gouttes gotas")
_add("fold", 1.0, "fold")
_add("beat", 1.0, "bpm")

_WRITTEN: Final = frozenset({*_ATOMS, "per cent", "µg", "µl", "µmol", "mm hg", "mg s"})
_NAMES: Final = "|".join(map(re.escape, sorted(_WRITTEN, key=lambda name: (-len(name), name))))
UNIT_OPENINGS: Final = frozenset(opening[0] for name in _WRITTEN if (opening := re.match("[a-z]+", name)))
"""The ASCII letters that units begin with, of each all of them."""
_END: Final = r"(?![^\W\d_]|['’][^\W\d_])"
UNIT_PATTERN: Final = (
    rf"(?:{_NAMES}){_END}(?:\s?(?:/|\b(?:per|a|pro|par|por|al|au|ao)\b)\s?(?:1[.,]73\s?)?(?:{_NAMES}){_END})*"
    rf"(?:\s?(?:kg|min|h|d|day|m2|mL|L)[-−]¹)?"
)
"""A unit or a quotient of units, as a regular expression for use with ``re.IGNORECASE``."""

_SPLIT: Final = re.compile(r"\s?(?:/|\b(?:per|a|pro|par|por|al|au|ao)\b)\s?(?:1[.,]73\s?)?", re.IGNORECASE)


@lru_cache(maxsize=20_000)
def parse_unit(text: str) -> MeasureUnit | None:
    """A unit expression in base units; ``None`` when a part is unknown."""
    found: list[tuple[str, float]] = []
    for part in _SPLIT.split(text.strip()):
        name = part.replace(" ", "").casefold().replace("µ", "μ")
        atom = _ATOMS.get(name) or _ATOMS.get(normalise_word(name)) or (("%", 1.0) if name == "percent" else None)
        if atom is None:
            return None
        found.append(atom)
    factor = found[0][1]
    for _, divisor in found[1:]:
        factor /= divisor
    # the order of the divisors does not matter: mg/kg/day is mg/day/kg
    return MeasureUnit("/".join([found[0][0], *sorted(base for base, _ in found[1:])]), factor)


class Frequency(NamedTuple):
    """A frequency: a half-open range of code points, and the least and the most times per day."""

    start: int
    end: int
    low: float
    high: float


_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0, "one time": 1.0, "two times": 2.0, "three times": 3.0,
          "four times": 4.0, "five times": 5.0, "six times": 6.0}  # fmt: skip
_PERIOD = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.4375, "year": 365.25, "daily": 1.0, "weekly": 7.0,
           "monthly": 30.4375, "yearly": 365.25, "annually": 365.25, "hours": 1 / 24, "days": 1.0, "weeks": 7.0,
           "months": 30.4375, "years": 365.25, "hourly": 1 / 24, "h": 1 / 24, "hrs": 1 / 24, "hr": 1 / 24, "d": 1.0,
           "nightly": 1.0, "night": 1.0, "morning": 1.0, "evening": 1.0}  # fmt: skip
_LOCAL_TIMES = {"einmal": 1.0, "zweimal": 2.0, "dreimal": 3.0, "viermal": 4.0, "une": 1.0, "deux": 2.0, "trois": 3.0,
                "quatre": 4.0, "una": 1.0, "dos": 2.0, "tres": 3.0, "cuatro": 4.0, "uma": 1.0, "duas": 2.0,
                "três": 3.0, "quatro": 4.0}  # fmt: skip
_LOCAL_PERIOD = {"täglich": 1.0, "tag": 1.0, "jour": 1.0, "día": 1.0, "dia": 1.0, "wöchentlich": 7.0, "woche": 7.0,
                 "semaine": 7.0, "semana": 7.0, "stunden": 1 / 24, "heures": 1 / 24, "horas": 1 / 24, "tage": 1.0,
                 "jours": 1.0, "días": 1.0, "dias": 1.0, "wochen": 7.0, "semaines": 7.0,
                 "semanas": 7.0}  # fmt: skip
_LATIN = {"bid": 2.0, "bd": 2.0, "tid": 3.0, "tds": 3.0, "qid": 4.0, "qds": 4.0, "qd": 1.0, "od": 1.0}
_FREQUENCY: Final = re.compile(
    r"\b(?:"
    r"(?P<times>once|twice|thrice|(?:one|two|three|four|five|six|\d{1,2})(?:\s?(?:times|x)|\stime))(?:\s|-)"
    r"(?:(?:a|per|every|each|in)\s)?(?P<period>hour|day|week|month|year|daily|weekly|monthly|yearly|night|morning|evening)"
    r"|(?:every|each|q\.?)\s?(?P<other>other\s)?(?P<every>\d{1,3}|one|two|three|four|six|eight|twelve)?"
    r"(?:\s?(?:to|[-–])\s?(?P<upper>\d{1,3}|four|six|eight|twelve))?[\s-]?"
    r"(?P<unit>hours?|hourly|hrs?|h|days?|d|weeks?|months?|years?|night|morning|evening)"
    r"|(?P<hourly>\d{1,2}|six|eight|twelve)[\s-]hourly"
    r"|(?P<alone>daily|nightly|weekly|monthly|yearly|annually)"
    r"|(?P<latin>b\.?i\.?d\.?|b\.d\.|t\.?i\.?d\.?|t\.?d\.?s\.?|q\.?i\.?d\.?|q\.?d\.?s\.?|q\.d\.|o\.d\.)"
    r")(?![\w])",
    re.IGNORECASE,
)


_LOCAL_FREQUENCY: Final = re.compile(
    r"\b(?:(?P<times>einmal|zweimal|dreimal|viermal|\d{1,2}(?=\s?(?:mal|fois|veces|vez|vezes)\b)|"
    r"(?:une|deux|trois|quatre|una|dos|tres|cuatro|uma|duas|três|quatro)(?=\s(?:fois|ve(?:z|ces|zes))\b))"
    r"(?:\s?(?:mal|fois|veces|vez|vezes))?\s(?:(?:am|pro|par|al|por|ao|a la|à|na)\s)?"
    r"(?P<period>täglich|tag|jour|día|dia|wöchentlich|woche|semaine|semana)"
    r"|(?:alle|tou(?:te)?s les|cada)\s(?P<every>\d{1,3})\s?"
    r"(?P<unit>stunden|heures|horas|tage|jours|días|dias|wochen|semaines|semanas))\b",
    re.IGNORECASE,
)
"""The same in German, French, Spanish and Portuguese: ``zweimal täglich``, ``toutes les 12 heures``."""


LOCAL_WORDS: Final = frozenset(_LOCAL_PERIOD)
"""One of these words is in every frequency of a language other than English."""
ENGLISH_WORDS: Final = frozenset(_PERIOD) | frozenset(word.replace(".", "") for word in _LATIN)
"""One of these is in every English one (``d`` in those with dots)."""
BEGINNINGS: Final = re.compile(
    r"once|twice|thrice|times?|x\b|\b(?:every|each|q)|hourly|daily|nightly|weekly|monthly|yearly|annually"
    r"|b\.?i\.?d|b\.d|t\.?i\.?d|t\.?d\.?s|o\.d"
)
"""Besides these words an English one has one of these, in lower case and without white space in it."""


def local_frequencies(text: str) -> Iterator[Frequency]:
    """The frequencies of a text in German, French, Spanish and Portuguese."""
    for match in _LOCAL_FREQUENCY.finditer(text):
        if match["every"]:
            rate = 1 / (int(match["every"]) * _LOCAL_PERIOD[match["unit"].casefold()]) if int(match["every"]) else 0.0
        else:
            times = match["times"].casefold()
            rate = (_LOCAL_TIMES.get(times) or float(times)) / _LOCAL_PERIOD[match["period"].casefold()]
        if rate:
            yield Frequency(*match.span(), rate, rate)


def english_frequencies(text: str) -> Iterator[Frequency]:
    """The frequencies of a text in English."""
    for match in _FREQUENCY.finditer(text):
        rates = _rates(match)
        if rates:
            yield Frequency(*match.span(), min(rates), max(rates))


def _rates(match: re.Match[str]) -> list[float]:
    if match["times"]:
        words = re.sub(r"\s*x$", " times", match["times"].casefold())
        count = _TIMES.get(words) or float(re.sub(r"\D", "", words) or 0)
        return [count / _PERIOD[match["period"].casefold()]] if count else []
    if match["unit"]:
        unit = _PERIOD[match["unit"].casefold()]
        if match["every"] is None and match["unit"].casefold() in ("hours", "hourly", "h", "d", "hr", "hrs"):
            return []
        spans = [_count(match["every"]) * (2 if match["other"] else 1)]
        spans += [_count(match["upper"])] if match["upper"] else []
        return [1 / (unit * span) for span in spans if span]
    if match["hourly"]:
        return [24 / _count(match["hourly"])] if _count(match["hourly"]) else []
    if match["alone"]:
        # capitalised in mid-sentence it is a name (the Football Weekly)
        return [] if match["alone"][0].isupper() and match.start() else [1 / _PERIOD[match["alone"].casefold()]]
    return [_LATIN[match["latin"].casefold().replace(".", "")]]


def _count(written: str | None) -> float:
    if written is None:
        return 1.0
    return float(written) if written.isdecimal() else float(NUMBER_WORDS.get(written.casefold(), 0))


Sign = Literal["=", "<", "<=", ">", ">=", "~"]


class Quantity(NamedTuple):
    """A quantity in a text; ``start`` and ``end`` are a half-open range of code points.

    ``low`` and ``high`` are in base units and equal unless it is a range; ``unit`` is the base
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
