"""What differs between a quotation and the passage it stands for, and whether that changes what is said."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from medreview.evidence.alignment import Token
from medreview.evidence.lexicon import is_negation, negated_form, opposed
from medreview.text import Span

DifferenceKind = Literal["number", "unit", "negation", "direction", "words"]


class Difference(NamedTuple):
    """A stretch that differs: what kind, where in the quotation, where in the source (one may be empty)."""

    kind: DifferenceKind
    quote: Span
    source: Span


UNITS: Final = frozenset(
    {
        "%", "‰", "percent", "kg", "g", "mg", "mcg", "μg", "ug", "ng", "pg", "l", "dl", "ml", "μl", "mol", "mmol",
        "μmol", "nmol", "pmol", "meq", "iu", "units", "unit", "u", "mm", "cm", "m", "mmhg", "kpa", "gray", "gy",
        "kcal", "kj", "second", "seconds", "sec", "min", "minute", "minutes", "h", "hr", "hrs", "hour", "hours",
        "hourly", "day", "days", "daily", "week", "weeks", "weekly", "month", "months", "monthly", "year", "years",
        "yearly", "once", "twice", "thrice", "times", "fold", "gram", "grams", "milligram", "milligrams", "microgram",
        "micrograms", "litre", "litres", "liter", "liters", "millilitre", "millilitres", "tablet", "tablets", "dose",
        "doses",
    }
)  # fmt: skip
"""Folded words that, set in place of one another, make another amount."""

NUMBER_WORDS: Final = {
    word: value
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
     "thousand": 1000, "million": 1_000_000, "half": 0.5, "third": 1 / 3, "quarter": 0.25}  # fmt: skip
VAGUE_NUMBERS: Final = frozenset({"one", "half", "third", "quarter"})
_NUMERIC = re.compile(r"\.?\d")


def differences(
    quote: Sequence[Token],
    source: Sequence[Token],
    blocks: Sequence[tuple[tuple[int, int], tuple[int, int]]],
    text: str,
) -> list[Difference]:
    """One difference per block of token numbers that is not the same letters cut into other words.

    ``text`` is the source's text: a number in brackets that the quotation leaves out is no altered number.
    """
    found = []
    for (a, b), (c, d) in blocks:
        ours, theirs = quote[a:b], source[c:d]
        if _joined(ours) == _joined(theirs):
            continue
        kind = _kind(ours, theirs, text)
        found.append(Difference(kind, _span(quote, a, b), _span(source, c, d)))
    return found


def _joined(words: Sequence[Token]) -> str:
    """Letters run together, numbers kept apart."""
    return "".join(f" {word.key} " if word.key[-1].isdigit() else word.key for word in words)


def _span(words: Sequence[Token], start: int, end: int) -> Span:
    if end > start:
        return Span(words[start].start, words[end - 1].end)
    at = words[start].start if start < len(words) else (words[-1].end if words else 0)
    return Span(at, at)


def _kind(ours: Sequence[Token], theirs: Sequence[Token], text: str) -> DifferenceKind:
    digits = any(_NUMERIC.match(word.key) for word in (*ours, *theirs))
    mine, other = _amounts(ours, digits), _amounts(theirs, digits)
    if mine != other and (mine or not _bracketed(theirs, text)):
        return "number"
    left, right = {word.key for word in ours}, {word.key for word in theirs}
    if _denials(ours) != _denials(theirs) or any(negated_form(one, other) for one in left for other in right):
        return "negation"
    if any(opposed(one, other) for one in left - right for other in right - left):
        return "direction"
    lost, added = (left & UNITS) - right, (right & UNITS) - left
    if lost and added:
        return "unit"
    return "words"


def _amounts(words: Sequence[Token], digits: bool) -> Counter[str]:
    """Numbers by value, and the signs before them; ``one`` and fractions in words count only against digits."""
    found: Counter[str] = Counter()
    for word in words:
        if _NUMERIC.match(word.key):
            found[_value(word.key)] += 1
        elif word.key in NUMBER_WORDS and (digits or word.key not in VAGUE_NUMBERS):
            found[_value(str(NUMBER_WORDS[word.key]))] += 1
        elif word.key[:1] in "<>±":
            found[word.key] += 1
    return found


def _value(number: str) -> str:
    plain = re.sub(r",(?=\d{3}(?:\D|$))", "", number).replace(",", ".")
    whole, _, rest = plain.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")


def _denials(words: Sequence[Token]) -> int:
    return sum(is_negation(word.key) for word in words)


def _bracketed(words: Sequence[Token], text: str) -> bool:
    """Whether every number of these source words stands in brackets: a remark that was left out."""
    if not words:
        return False
    start, end = words[0].start, words[-1].end
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    inner = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", before + text[start:end] + after)
    return not re.search(r"\d", inner)
