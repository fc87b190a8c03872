"""ISBN in running text, of 10 and of 13 digits, by their check digit (ISO 2108)."""

import re
from collections.abc import Iterator
from typing import Final

from medreview.text import Span

_LABELLED: Final = re.compile(
    r"(?<![A-Za-z])e?-?ISBN(?:[-\s]?1[03])?(?:\s?\([a-z -]{1,20}\))?[\s:：]{0,4}(\d[\d\s–‐-]{8,17}[\dXx])(?![\d-])",
    re.IGNORECASE,
)
_SEPARATOR: Final = re.compile(r"[\s–‐-]")


def find_isbns(text: str) -> Iterator[tuple[str, Span]]:
    """The ISBN that stand after the word, in order: their digits (and ``X``) and the place of these."""
    for found in _LABELLED.finditer(text):
        digits = _SEPARATOR.sub("", found[1]).upper()
        if is_isbn(digits):
            yield digits, Span(found.start(1), found.end(1))


def is_isbn(digits: str) -> bool:
    """Whether ten or thirteen digits, the tenth perhaps ``X``, end with the check digit that the others ask for."""
    if re.fullmatch(r"\d{9}[\dX]", digits):
        values = [10 if digit == "X" else int(digit) for digit in digits]
        return sum(weight * value for weight, value in zip(range(10, 0, -1), values, strict=True)) % 11 == 0
    if re.fullmatch(r"97[89]\d{10}", digits):
        return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10 == 0
    return False


def isbn13(digits: str) -> str:
    """The thirteen digits of an ISBN, by which one of ten and one of thirteen are the same book's."""
    if len(digits) != 10:
        return digits
    body = "978" + digits[:9]
    return body + str(-sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(body)) % 10)
