"""The differences between a quotation and the aligned passage, classified by whether they change the meaning."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from medreview.evidence.alignment import Token
from medreview.evidence.lexicon import is_negation, negated_form, opposed
from medreview.text import Span

DifferenceKind = Literal["number", "unit", "negation", "direction", "words"]


class Difference(NamedTuple):
    """A difference: its kind, and its spans in the quotation and in the source; one of them may be empty."""

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
"""Normalised words; one in place of another changes the amount."""

NUMBER_WORDS: Final = {
    word: value
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
     "thousand": 1000, "million": 1_000_000, "half": 0.5, "third": 1 / 3, "quarter": 0.25}  # fmt: skip
AMBIGUOUS_NUMBERS: Final = frozenset({"one", "half", "third", "quarter"})
_NUMERIC = re.compile(r"\.?\d")


def differences(
    quote: Sequence[Token],
    source: Sequence[Token],
    blocks: Sequence[tuple[tuple[int, int], tuple[int, int]]],
    text: str,
) -> list[Difference]:
    """One difference for each block, except for those that only split the same letters into other words.

    ``blocks`` are pairs of half-open ranges of indices in ``quote`` and in ``source``. ``text`` is the source's text: a
    number in brackets that the quotation omits is not an altered number.
    """
    found = []
    for (a, b), (c, d) in blocks:
        quoted, original = quote[a:b], source[c:d]
        if _joined(quoted) == _joined(original):
            continue
        kind = _kind(quoted, original, text)
        found.append(Difference(kind, _span(quote, a, b), _span(source, c, d)))
    return found


def _joined(words: Sequence[Token]) -> str:
    """The letters without word boundaries, numbers kept separate."""
    return "".join(f" {word.key} " if word.key[-1].isdigit() else word.key for word in words)


def _span(words: Sequence[Token], start: int, end: int) -> Span:
    if end > start:
        return Span(words[start].start, words[end - 1].end)
    at = words[start].start if start < len(words) else (words[-1].end if words else 0)
    return Span(at, at)


def _kind(quoted: Sequence[Token], original: Sequence[Token], text: str) -> DifferenceKind:
    digits = any(_NUMERIC.match(word.key) for word in (*quoted, *original))
    quoted_amounts, original_amounts = _amounts(quoted, digits), _amounts(original, digits)
    if quoted_amounts != original_amounts and (quoted_amounts or not _bracketed(original, text)):
        return "number"
    left, right = {word.key for word in quoted}, {word.key for word in original}
    if _negations(quoted) != _negations(original) or any(negated_form(one, other) for one in left for other in right):
        return "negation"
    if any(opposed(one, other) for one in left - right for other in right - left):
        return "direction"
    removed, added = (left & UNITS) - right, (right & UNITS) - left
    if removed and added:
        return "unit"
    return "words"


def _amounts(words: Sequence[Token], digits: bool) -> Counter[str]:
    """Numbers by value, and comparison signs; ``one`` and fractions in words count only with ``digits``."""
    found: Counter[str] = Counter()
    for word in words:
        if _NUMERIC.match(word.key):
            found[_value(word.key)] += 1
        elif word.key in NUMBER_WORDS and (digits or word.key not in AMBIGUOUS_NUMBERS):
            found[_value(str(NUMBER_WORDS[word.key]))] += 1
        elif word.key[:1] in "<>±":
            found[word.key] += 1
    return found


def _value(number: str) -> str:
    plain = re.sub(r",(?=\d{3}(?:\D|$))", "", number).replace(",", ".")
    whole, _, rest = plain.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")


def _negations(words: Sequence[Token]) -> int:
    return sum(is_negation(word.key) for word in words)


def _bracketed(words: Sequence[Token], text: str) -> bool:
    """Whether every number of these source words is in brackets: a parenthesis that was omitted."""
    if not words:
        return False
    start, end = words[0].start, words[-1].end
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    inner = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", before + text[start:end] + after)
    return not re.search(r"\d", inner)
