"""The paragraphs of a text, with their places in it."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from medreview.evidence.segment import WRAP_LENGTH, is_item, is_row, is_wrapped
from medreview.text import Span

_LINE: Final = re.compile(r"[^\n\f]*[^\s][^\n\f]*")
_BREAK: Final = re.compile(r"\n[^\S\n]*\n|\f")


def paragraphs(text: str) -> Iterator[Span]:
    """The paragraphs in order, disjoint, without white space at their ends; all that is not white space is in one.

    A blank line and a heading of Markdown part two. Without a blank line between them, lines are one paragraph where
    the text is hard-wrapped and the line before is a full one, or the line goes on in lower case; rows of a table stay
    together, and so do the items of a list with what introduces them.
    """
    wrapped = is_wrapped(text)
    lines = [_bare(text, match.start(), match.end()) for match in _LINE.finditer(text)]
    start = 0
    for at, (before, line) in enumerate(pairwise(lines), 1):
        if _BREAK.search(text, before.end, line.start) or not _continues(text, before, line, wrapped):
            yield Span(lines[start].start, before.end)
            start = at
    if lines:
        yield Span(lines[start].start, lines[-1].end)


def _bare(text: str, start: int, end: int) -> Span:
    line = text[start:end]
    return Span(start + len(line) - len(line.lstrip()), start + len(line.rstrip()))


def _continues(text: str, before: Span, line: Span, wrapped: bool) -> bool:
    first, then = text[slice(*before)], text[slice(*line)]
    if first[0] == "#" or then[0] == "#":
        return False
    if is_row(first) != is_row(then):
        # A short line beside rows is what is left of a cell.
        return len(first if is_row(then) else then) < WRAP_LENGTH
    if is_row(then) or is_item(then) or then[0].islower():
        return True
    return wrapped and (len(first) >= WRAP_LENGTH or first[-1] in ",-(")
