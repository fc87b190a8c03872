"""Frequencies of doses in a text: ``twice daily``, ``every 12 hours``, ``b.i.d.``, in five languages."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from medreview.evidence.lexicon import NUMBER_WORDS


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
