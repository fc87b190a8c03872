"""Proportions: a percentage against so many of so many, and the reverse."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.context import WIDE_WINDOW
from medreview.evidence.clashes.frames import MOST_COMPARED
from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.text import Span

_MAY_COUNT: Final = re.compile(r"\d\s?/\s?\d|\bof\b[^.]{0,80}?\d", re.IGNORECASE)
_COUNT = r"\d{1,3}(?:,\d{3})+|\d+"
_NOT_MORE = r"(?![\d/%]|[.,]\d|\s?(?:%|mm|mg|mL|kg|h\b))"
_COUNTED: Final = re.compile(
    rf"(?<![\d.,/])(?P<some>{_COUNT})(?:\s(?:out\s)?of\s(?:the\s|a\stotal\sof\s)?|\s?/\s?)(?P<all>{_COUNT}){_NOT_MORE}"
    rf"|\bof\s(?:the\s|a\stotal\sof\s)?(?P<total>{_COUNT})\s[a-z]+(?:\s[a-z]+)?,\s(?P<part>{_COUNT}){_NOT_MORE}",
    re.IGNORECASE,
)
"""``12 of 48``, ``12/48``, ``of 48 patients, 12``."""
_FRACTION: Final = re.compile(
    r"\b(?:(?P<times>two|three|four)[\s-])?(?P<part>half|thirds?|quarters?|fifths?|tenth)\sof\b", re.IGNORECASE
)
_PARTS: Final = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_TIMES: Final = {"two": 2, "three": 3, "four": 4}
LEAST: Final = 10
"""Of fewer in all ``3/4`` is rather a score than a share of people."""
SLACK: Final = 1.5
"""Percentage points by which a share may be rounded."""
ROUGHLY: Final = 5.0
"""The same for a fraction in words."""


class Proportion(NamedTuple):
    """A share in per cent, what it may be off by, its span, and whether it is written as a percentage."""

    percent: float
    slack: float
    span: Span
    as_percentage: bool


def proportions(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """A share in the statement that none of the passage equals, where one of the two is no percentage."""
    said, written = _shares(claim), _shares(evidence)
    for one in said[:MOST_COMPARED]:
        if any(abs(one.percent - other.percent) <= one.slack + other.slack for other in written):
            continue
        others = [other for other in written if not (one.as_percentage and other.as_percentage)]
        if len({round(other.percent) for other in written}) != 1 or not others:
            continue
        if _shared(claim, one.span, evidence, others[0].span) >= 2:
            yield Clash("number", one.span, others[0].span)


def _shared(claim: SentenceAnalysis, one: Span, evidence: SentenceAnalysis, other: Span) -> int:
    return len(claim.context(*one, WIDE_WINDOW) & evidence.context(*other, WIDE_WINDOW))


def _shares(sentence: SentenceAnalysis) -> tuple[Proportion, ...]:
    """The shares in a sentence: counts, fractions, percentages."""
    counted = _counted(sentence.text)
    percentages = [
        Proportion(amount.low, SLACK if amount.sign == "=" else ROUGHLY, Span(amount.start, amount.end), True)
        for amount in sentence.quantities
        if amount.unit == "%" and not amount.is_range and amount.sign in ("=", "~")
    ]
    return (*counted, *percentages)


@lru_cache(maxsize=2_000)
def _counted(text: str) -> tuple[Proportion, ...]:
    found = []
    for match in _COUNTED.finditer(text) if _MAY_COUNT.search(text) else ():
        some, total = (
            float((match[name] or match[other]).replace(",", ""))
            for name, other in (("some", "part"), ("all", "total"))
        )
        is_date = "/" in match[0] and some <= 31 and 1900 <= total <= 2100
        if total >= LEAST and some <= total and not is_date:
            found.append(Proportion(100 * some / total, SLACK, Span(*match.span()), False))
    for match in _FRACTION.finditer(text):
        share = _TIMES.get((match["times"] or "").lower(), 1) / _PARTS[match["part"].lower().rstrip("s")]
        found.append(Proportion(100 * share, ROUGHLY, Span(*match.span()), False))
    return tuple(found)


def _number(written: str) -> float:
    return float(written.replace(",", ""))
