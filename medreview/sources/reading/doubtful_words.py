"""Which words of a text that was read from a picture may be wrong in a way that matters: numbers above all."""

import re
from typing import Final

from medreview.sources.reading.picture_layout import Written

SURE: Final = 0.95
"""Confidence of the least sure character of a word with a number, below which it is in doubt."""
SURE_LINE: Final = 0.96
"""Mean confidence of a line below which all its numbers are in doubt, and all that could be another word."""
FLAWLESS_LINE: Final = 0.985
"""Mean confidence of a line below which a number of thousands is in doubt: 3,919 is read as 3.919 there.

All three from tests.bench.ocr_pages: five of six wrong numbers are marked, nearly all of them on pages that are hardly
legible, and one right number of a hundred on pages that are scanned well."""

_WORD: Final = re.compile(r"\S+")
_DIGIT: Final = re.compile(r"\d")
_LOST_POINT: Final = re.compile(r"(?<![\d.,:/])0\d+(?![\d:/])|\d[.,][A-Za-z]")
"""A number as no one writes it, such as 05: it may have lost its decimal point, or a digit after it."""
_LOST_POWER: Final = re.compile(r"(?:[×x*] ?10\d{1,2}(?!\d)|\b10\d{1,2}/[A-Za-zµμ])")
"""A power whose exponent may have come down to the line: 109/L, x 106."""
_THOUSANDS: Final = re.compile(r"(?<!\d)\d{1,3}[.,]\d{3}(?!\d)")
_LOOK_ALIKE: Final = re.compile(r"(?=.*\d)(?=.*[A-Za-z])|[OQIlSZB|]\d|\d[OQIlSZB|]|\b[OIlSZB]{2,}\b|rn|vv|cl")
"""Digits among letters, and letters that stand for others or for digits: 0 and O, 1 and l and I, 5 and S, rn and m."""


def doubtful_words(read: Written) -> list[tuple[int, int, float]]:
    """Start, end (code points) and confidence of every doubtful word; the confidence is that of its least sure
    character."""
    found = []
    at = 0
    for line in read.text.split("\n"):
        sure = read.confidences[at : at + len(line)]
        mean = sum(sure) / len(sure) if sure else 1.0
        for word in _WORD.finditer(line):
            least = min(sure[word.start() : word.end()])
            text = word.group()
            if _DIGIT.search(text):
                is_doubtful = (
                    mean < SURE_LINE
                    or least < SURE
                    or _LOST_POINT.search(text) is not None
                    or _LOST_POWER.search(line, max(0, word.start() - 2), word.end()) is not None
                    or (mean < FLAWLESS_LINE and _THOUSANDS.search(text) is not None)
                )
            else:
                is_doubtful = mean < SURE_LINE and _LOOK_ALIKE.search(text) is not None
            if is_doubtful:
                found.append((at + word.start(), at + word.end(), round(least, 3)))
        at += len(line) + 1
    return found
