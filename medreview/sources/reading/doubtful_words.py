"""Which words of a text that was read from a picture may be wrong in a way that matters: numbers above all."""

import re
from typing import Final

from medreview.sources.reading.picture_layout import Written

SURE: Final = 0.9
"""Confidence of a number's least sure character below which the number is doubtful."""
SURE_LINE: Final = 0.9
"""Mean confidence of a line below which all its numbers are doubtful, and all that could be another word."""

_WORD: Final = re.compile(r"\S+")
_DIGIT: Final = re.compile(r"\d")
_LOST_POINT: Final = re.compile(r"(?<![\d.,:/])0\d+(?![\d:/])|\d[.,][A-Za-z]")
"""A number as no one writes it, such as 05: it may have lost its decimal point, or a digit after it."""
_LOOK_ALIKE: Final = re.compile(r"(?=.*\d)(?=.*[A-Za-z])|[OQIlSZB|]\d|\d[OQIlSZB|]|\b[OIlSZB]{2,}\b|rn|vv|cl")
"""Digits among letters, and letters that stand for others or for digits: 0 and O, 1 and l and I, 5 and S, rn and m."""


def doubtful_words(read: Written) -> list[tuple[int, int, float]]:
    """Start, end (code points) and confidence of every doubtful word; the confidence is that of its least sure
    character."""
    found = []
    at = 0
    for line in read.text.split("\n"):
        sure = read.confidences[at : at + len(line)]
        low = bool(sure) and sum(sure) / len(sure) < SURE_LINE
        for word in _WORD.finditer(line):
            least = min(sure[word.start() : word.end()])
            text = word.group()
            if _DIGIT.search(text):
                is_doubtful = low or least < SURE or _LOST_POINT.search(text) is not None
            else:
                is_doubtful = low and _LOOK_ALIKE.search(text) is not None
            if is_doubtful:
                found.append((at + word.start(), at + word.end(), round(least, 3)))
        at += len(line) + 1
    return found
