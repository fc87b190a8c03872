"""Where a long text breaks into screen rows."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import Final

from medreview.review.cells import ODD, char_width

_BREAKING: Final = " \t\u3000"


class WrapTable:
    """Rows of a text for a width in cells, as half-open ranges of code points.

    Rows break after white space, between wide characters, or inside a word that is longer than a row. Together they
    cover every code point once, apart from line ends, which belong to no row. White space at a break stays at the end
    of its row and may hang over the width; nothing else does, unless a single character is wider than the row.

    Attributes:
        rows: ``(start, end)`` of each row, in order, at least one.
        width: the cells of a row.
    """

    def __init__(self, text: str, width: int) -> None:
        self.width = max(1, width)
        self.length = len(text)
        self.rows: list[tuple[int, int]] = list(_rows(text, self.width)) or [(0, 0)]

    def __len__(self) -> int:
        return len(self.rows)

    def row_of(self, offset: int) -> int:
        """Number of the row that holds a code point; a line end counts to the row before it."""
        return max(0, bisect_right(self.rows, (offset, self.length + 1)) - 1)


@lru_cache(maxsize=8)
def _row_pattern(width: int) -> re.Pattern[str]:
    """One row of text in which every character takes one cell, in group 1, and the line end after it."""
    return re.compile(
        rf"([^\n]{{1,{width}}}(?:[ \t]+|(?<=[ \t])|(?=\n)|\Z)"  # ends at white space or at the end of the line
        rf"|[^\n]{{{width}}}"  # a word longer than a row
        r"|(?=\n))\n?"  # an empty line
    )


def _rows(text: str, width: int) -> Iterator[tuple[int, int]]:
    pattern = _row_pattern(width)
    done = 0
    while (odd := ODD.search(text, done)) is not None:
        line_start = text.rfind("\n", done, odd.start()) + 1 or done
        line_end = text.find("\n", odd.start())
        line_end = len(text) if line_end < 0 else line_end
        yield from (match.span(1) for match in pattern.finditer(text, done, line_start))
        yield from _odd_rows(text, line_start, line_end, width)
        done = line_end + 1
    yield from (match.span(1) for match in pattern.finditer(text, done))


def _odd_rows(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """Rows of one line that holds wide or combining characters."""
    line = text[start:end]
    widths = list(map(char_width, line))
    used = list(accumulate(widths))
    row = 0
    while row < len(line):
        limit = (used[row - 1] if row else 0) + width
        stop = bisect_right(used, limit, row)
        if stop == row:  # one character wider than the row, and the marks on it
            stop = bisect_right(used, used[row], row)
        if stop < len(line):
            stop = _break(line, widths, row, stop)
        yield start + row, start + stop
        row = stop


def _break(line: str, widths: list[int], row: int, stop: int) -> int:
    """The last place at or before ``stop`` where the row may end, or ``stop`` itself inside a long word."""
    for place in range(stop, row, -1):
        if line[place] in _BREAKING:
            while place < len(line) and line[place] in _BREAKING:
                place += 1
            return place
        if line[place - 1] in _BREAKING or (widths[place] and 2 in (widths[place - 1], widths[place])):
            return place
    return stop
