"""Amounts that differ: numbers, units, ranges and comparison signs; proportions; amounts of two groups exchanged.

Proportions are a percentage against so many of so many, and the reverse. Exchanged are 15% with the drug, 10% with
placebo, against the reverse.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from math import isclose
from typing import Final, NamedTuple

from medreview.evidence.clashes.clash import (
    MOST_COMPARED,
    WIDE_WINDOW,
    WINDOW,
    Clash,
    ClashKind,
    shared_context,
    span_of,
)
from medreview.evidence.measurement_units import MeasureUnit, parse_unit
from medreview.evidence.quantities import Quantity
from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.text import Span

BOUNDS: Final = ("<", "<=", ">", ">=")
_ROUNDED: Final = ("%", "month")
"""Units of shares and ages, which are told rounded to whole numbers; a dose or a temperature is not."""
_LOST: Final = 0.01
"""Of a number, at most, may be lost by that."""
_DIVIDED: Final = re.compile(r"\bdivided doses\b", re.IGNORECASE)
_PER: Final = re.compile(r"/|\s+(?:per|a|an|each|every)\b", re.IGNORECASE)


def comparable(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities measure the same: the same unit, or the same thing counted."""
    if one.unit != other.unit or one.unit == "p":
        return False
    return bool(one.unit) or (bool(one.noun) and one.noun.rstrip("s") == other.noun.rstrip("s"))


def agrees(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities are compatible.

    Equal ones are, also rounded (54.3 years, 54 years); one inside the other's range is; an age or a time that
    satisfies the other's bound is. Two bounds of the same direction are not, nor a dose that satisfies a bound
    (50 mL/kg, at least 30 mL/kg): the reviewer must see these.
    """
    if one.equals(other) or _rounded(one, other):
        return True
    bounds = (one.sign in BOUNDS) + (other.sign in BOUNDS)
    if bounds == 2 or (bounds == 1 and one.unit not in ("h", "month", "")):
        return False
    return one.includes(other) or other.includes(one)


def _rounded(one: Quantity, other: Quantity) -> bool:
    """Whether one share or age is the other without its decimals."""
    if one.unit not in _ROUNDED or one.is_range or other.is_range or one.sign[0] in "<>" or other.sign[0] in "<>":
        return False
    if one.written.casefold() != other.written.casefold():
        return False
    exact, whole = sorted((one.number, other.number), key=float.is_integer)
    return round(exact) == whole and isclose(exact, whole, rel_tol=_LOST)


def amounts(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    if not claim.quantities:
        return
    divided = _same_in_divided_doses(claim, evidence)
    equal_in_claim = [q for q in evidence.quantities if any(comparable(q, s) and s.equals(q) for s in claim.quantities)]
    for claimed in claim.quantities:
        if divided and claimed.unit in divided:
            continue
        same = [q for q in evidence.quantities if comparable(claimed, q)]
        equal = [q for q in same if agrees(claimed, q)]
        if equal:
            opposite = [q for q in equal if _opposite(claimed, q)]
            if opposite and len(opposite) == len(equal):
                yield Clash("comparison", span_of(claimed), span_of(opposite[0]))
            continue
        scale_error = next((q for q in evidence.quantities if _differs_in_scale(claimed, q)), None)
        if scale_error is not None:
            yield Clash("unit", span_of(claimed), span_of(scale_error))
            continue
        candidates = [q for q in same if q not in equal_in_claim]
        other = _closest(claim, claimed, evidence, candidates)
        if other is not None:
            yield Clash(_kind(claimed, other), span_of(claimed), span_of(other))
        elif not same and claimed.written:
            yield from _other_unit(claim, claimed, evidence)


def _same_in_divided_doses(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> frozenset[str]:
    """The units of a dose and of its frequency where one of both gives the day's whole; none where the wholes differ.

    ``1 g twice daily`` is ``2 g a day in divided doses``.
    """
    texts = (claim, evidence)
    if sum(_DIVIDED.search(text.text) is not None for text in texts) != 1:
        return frozenset()
    wholes = []
    for text in texts:
        rates = [q for q in text.quantities if q.unit == "/day"]
        doses = [q for q in text.quantities if q.written and q.unit != "/day" and not q.is_range]
        if len(rates) != 1 or len(doses) != 1:
            return frozenset()
        wholes.append((doses[0].low * rates[0].low, doses[0].unit))
    same = wholes[0][1] == wholes[1][1] and isclose(wholes[0][0], wholes[1][0], rel_tol=1e-6)
    return frozenset({"/day", wholes[0][1]}) if same else frozenset()


def _differs_in_scale(one: Quantity, other: Quantity) -> bool:
    """Whether the same number has a smaller or larger unit of the same dimension: 500 mg, 500 micrograms.

    Anywhere in the passage this is hardly ever a coincidence, and otherwise a thousandfold error.
    """
    if "/day" in (one.unit, other.unit) or not isclose(one.number, other.number):
        return False
    first, second = _amount_unit(one), _amount_unit(other)
    return first is not None and second is not None and first.base == second.base and first.factor != second.factor


def _amount_unit(quantity: Quantity) -> MeasureUnit | None:
    """The unit before the first divisor: mg of "mg per kilogram a day"."""
    return parse_unit(_PER.split(quantity.written, maxsplit=1)[0]) if quantity.written else None


def _opposite(one: Quantity, other: Quantity) -> bool:
    signs = {one.sign[0], other.sign[0]}
    return signs == {"<", ">"} and one.equals(other)


def _kind(claimed: Quantity, other: Quantity) -> ClashKind:
    if claimed.unit in ("type", "grade", "stage", "class", "phase"):
        return "population"
    if claimed.written and claimed.number == other.number and claimed.written.casefold() != other.written.casefold():
        return "unit"
    return "range" if claimed.is_range and other.is_range else "number"


def _closest(
    claim: SentenceAnalysis, claimed: Quantity, evidence: SentenceAnalysis, candidates: list[Quantity]
) -> Quantity | None:
    """The candidate in the context with most shared words; ``None`` when that is ambiguous."""
    if not candidates:
        return None
    counted = [(shared_context(claim, claimed, evidence, q, WINDOW), q) for q in candidates]
    counted.sort(key=lambda pair: -pair[0])
    best, quantity = counted[0]
    if best == 0 or (len(counted) > 1 and counted[1][0] == best):
        return None
    return quantity


def _other_unit(claim: SentenceAnalysis, claimed: Quantity, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """The same number with a unit of another dimension: 5 mg, 5 mL."""
    for other in evidence.quantities:
        if not other.written or other.unit == "/day" or claimed.unit == "/day" or other.unit == claimed.unit:
            continue
        # mg against mg/kg may be the same dose in two notations
        if other.unit.split("/")[0] == claimed.unit.split("/")[0] or not isclose(claimed.number, other.number):
            continue
        if shared_context(claim, claimed, evidence, other, WINDOW) >= 2:
            yield Clash("unit", span_of(claimed), span_of(other))
            return


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


_Side = Callable[[SentenceAnalysis, Quantity], frozenset[str]]


def exchanged_amounts(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """The same two amounts in both, each beside the words that stand beside the other one there."""
    pair, others = _pair(claim), _pair(evidence)
    if pair is None or others is None:
        return
    if not pair[0].equals(others[0]):
        others = others[1], others[0]
    if not (pair[0].equals(others[0]) and pair[1].equals(others[1])):
        return
    for side in (_after, _before):
        (one, two), (first, second) = _own(claim, pair, side), _own(evidence, others, side)
        both_sided, others_sided = bool(one and two), bool(first and second)
        if both_sided != others_sided:
            return  # the one names its groups behind the amounts, the other before them
        if both_sided:
            if one & second and two & first and not (one & first or two & second):
                yield Clash("roles", _over(pair), _over(others))
            return


def _pair(sentence: SentenceAnalysis) -> tuple[Quantity, Quantity] | None:
    """The only two amounts of a sentence, if they are two of one unit that differ."""
    if len(sentence.quantities) != 2:
        return None
    one, other = sentence.quantities
    return (one, other) if one.unit == other.unit and one.unit and not one.equals(other) else None


def _after(sentence: SentenceAnalysis, amount: Quantity) -> frozenset[str]:
    """The content terms behind an amount, up to the other one or to the sentence's end."""
    end = min((other.start for other in sentence.quantities if other.start > amount.start), default=len(sentence.text))
    return frozenset(w.term for w in sentence.words if w.is_content and amount.end <= w.start < end)


def _before(sentence: SentenceAnalysis, amount: Quantity) -> frozenset[str]:
    """The content terms before an amount, from the other one or from the sentence's beginning on."""
    start = max((other.end for other in sentence.quantities if other.start < amount.start), default=0)
    return frozenset(w.term for w in sentence.words if w.is_content and start <= w.start < amount.start)


def _own(
    sentence: SentenceAnalysis, pair: tuple[Quantity, Quantity], side: _Side
) -> tuple[frozenset[str], frozenset[str]]:
    """The terms beside each of two amounts that are not beside the other."""
    one, other = (side(sentence, amount) for amount in pair)
    return one - other, other - one


def _over(pair: tuple[Quantity, Quantity]) -> Span:
    one, other = sorted(map(span_of, pair))
    return Span(one.start, other.end)
