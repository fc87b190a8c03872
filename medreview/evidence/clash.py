"""A clash: a contradiction between a statement and a passage, with the span of each; and those of amounts.

Amounts: numbers, units, ranges and comparison signs that differ.
"""

import re
from collections.abc import Iterator
from math import isclose
from typing import Final, Literal, NamedTuple, Protocol

from medreview.evidence.quantities import MeasureUnit, Quantity, parse_unit
from medreview.evidence.sentence_analysis import (
    SentenceAnalysis,
    Word,
)
from medreview.text import Span

ClashKind = Literal[
    "number",
    "unit",
    "range",
    "comparison",
    "direction",
    "negation",
    "significance",
    "population",
    "opposite",
    "side",
    "route",
    "severity",
    "order",
    "quantifier",
]


class Clash(NamedTuple):
    """A contradiction; each span is a half-open range of code points of its own text."""

    kind: ClashKind
    statement_span: Span
    source_span: Span


class Family(Protocol):
    """A family of rules: the clashes between a statement and a passage that share enough of their content."""

    def __call__(self, claim: SentenceAnalysis, evidence: SentenceAnalysis, /) -> Iterator[Clash]: ...


WINDOW: Final = 5
"""Context window: words on each side of a span that tell what it is about."""
WIDE_WINDOW: Final = 8
"""The same for a negated word, whose subject may be further away."""


def span_of(item: Word | Quantity) -> Span:
    """The span of a word or a quantity."""
    return Span(item.start, item.end)


def shared_context(
    claim: SentenceAnalysis, one: Word | Quantity, evidence: SentenceAnalysis, other: Word | Quantity, width: int
) -> int:
    """The number of content terms within ``width`` words of both spans."""
    return len(claim.context(one.start, one.end, width) & evidence.context(other.start, other.end, width))


BOUNDS: Final = ("<", "<=", ">", ">=")
_ROUNDED: Final = ("%", "month")
"""Units of shares and ages, which texts round to whole numbers, unlike a dose or a temperature."""
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
    """An amount in the statement that the passage gives otherwise, or with another unit or sign."""
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
