"""Units of measurement, with their dimension and conversion to base units, and frequencies of doses in five languages.

Frequencies are ``twice daily``, ``every 12 hours``, ``b.i.d.``.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from medreview.evidence.lexicon import NUMBER_WORDS
from medreview.evidence.normalise import normalise_word


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
