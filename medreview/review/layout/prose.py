"""Wrapping of prose into screen rows."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import Final

from medreview.review.layout.cells import NOT_SINGLE_CELL, char_width

_BREAKING: Final = " \t\u3000"
_JOINTS: Final = "-/."
"""Behind these a word that is longer than a row is broken, unless that leaves more than half of the row empty."""


def prose_rows(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """The rows of a part of a text as half-open ranges of code points; their properties are those of ``WrapTable``.

    The part begins at the start of a line; it ends at the end of one or just after it. ``width`` is in cells.
    """
    pattern = _row_pattern(width)
    done = start
    while (found := NOT_SINGLE_CELL.search(text, done, end)) is not None:
        line_start = text.rfind("\n", done, found.start()) + 1 or done
        line_end = text.find("\n", found.start(), end)
        line_end = end if line_end < 0 else line_end
        yield from (match.span(1) for match in pattern.finditer(text, done, line_start))
        yield from line_rows(text, line_start, line_end, width)
        done = line_end + 1
    if done <= end:
        yield from (match.span(1) for match in pattern.finditer(text, done, end))


@lru_cache(maxsize=8)
def _row_pattern(width: int) -> re.Pattern[str]:
    """A pattern for one row of text in which every character is one cell wide; group 1 is the row without line end."""
    return re.compile(
        rf"([^\n]{{1,{width}}}(?:[ \t]+|(?<=[ \t])|(?=\n)|\Z)"  # ends at white space or at the end of the line
        rf"|[^\n]{{{_half(width)},{width}}}(?<=[{_JOINTS}])"  # a word longer than a row, at a joint of it
        rf"|[^\n]{{{width}}}"  # or at any place
        r"|(?=\n))\n?"  # an empty line
    )


def _half(width: int) -> int:
    return (width + 1) // 2


def line_rows(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """The rows of one line with characters of any width."""
    line = text[start:end]
    widths = list(map(char_width, line))
    used = list(accumulate(widths))
    row = 0
    while row < len(line):
        limit = (used[row - 1] if row else 0) + width
        stop = bisect_right(used, limit, row)
        if stop == row:  # one character wider than the row, and its combining characters
            stop = bisect_right(used, used[row], row)
        if stop < len(line):
            stop = _break(line, widths, row, stop, row + _half(width))
        yield start + row, start + stop
        row = stop


def _break(line: str, widths: list[int], row: int, stop: int, half: int) -> int:
    """The last break opportunity at or before ``stop``; in a word longer than a row a joint not before ``half``, or
    else ``stop`` itself."""
    for at in range(stop, row, -1):
        if line[at] in _BREAKING:
            while at < len(line) and line[at] in _BREAKING:
                at += 1
            return at
        if line[at - 1] in _BREAKING or (widths[at] and 2 in (widths[at - 1], widths[at])):
            return at
    return next((at for at in range(stop, half - 1, -1) if line[at - 1] in _JOINTS), stop)
