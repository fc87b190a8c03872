"""Blanks that the engine loses where a picture is blurred: put back where no word or number goes on without one."""

import re
from collections.abc import Sequence
from typing import Final

_GREEK: Final = "alpha|beta|gamma|delta|kappa|lambda|omega|sigma|theta"
_SMALL: Final = "and|are|at|by|for|from|in|is|of|or|over|per|than|the|to|vs|was|with"
_LOST: Final = re.compile(
    r"^\d{1,2}(?=[A-Z][a-z]{2})"  # the number of a list item: 1Call
    rf"|\b(?!(?:{_GREEK})\d)[a-z]{{4,}}(?=\d)|\b(?:{_SMALL})(?=\d)"  # take7.5, to15; not beta2
    rf"|\d[%)]?(?=(?:{_SMALL})\b)|\d%(?=[a-z]{{2}})"  # 30and, 82%per
    r"|[a-z]{2}[.,;:](?=\d)|[a-z)]{2}\.(?=[A-Z][a-z])"  # weeks.7, weeks.Reduce
)


def with_blanks(text: str, confidences: Sequence[float]) -> tuple[str, tuple[float, ...]]:
    """A line with the blanks that it has lost, which have the confidence 1; nothing else is changed."""
    parts: list[str] = []
    sure: list[float] = []
    at = 0
    for lost in _LOST.finditer(text):
        parts += (text[at : lost.end()], " ")
        sure += (*confidences[at : lost.end()], 1.0)
        at = lost.end()
    return "".join((*parts, text[at:])), (*sure, *confidences[at:])
