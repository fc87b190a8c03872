"""Wrapping of a long text into screen rows."""

from bisect import bisect_left, bisect_right
from functools import lru_cache

from medreview.review.layout.prose import prose_rows
from medreview.review.layout.tables import Table, TextRun, find_tables


class WrapTable:
    """The rows of a text for a width in cells, as half-open ranges of code points.

    Prose breaks after white space, between wide characters, or inside a word that is longer than a row. Its rows cover
    every code point once, except line ends, which belong to no row. White space at a break stays at the end of its row
    and may exceed the width; nothing else does, unless a single character is wider than the row.

    The columns of tables are aligned (``medreview.review.layout.tables``): each line takes as many rows as its longest
    cell.

    Attributes:
        rows: ``(start, end)`` of each row, in order, at least one; the rows of a table's line have the line's range.
        width: the cells of a row.
    """

    def __init__(self, text: str, width: int) -> None:
        self.width = max(1, width)
        self.rows: list[tuple[int, int]] = []
        self._text = text
        self._tables: list[Table] = []
        self._laid_out: tuple[tuple[int, int], list[list[TextRun]]] = ((0, 0), [])
        done = 0
        for table in find_tables(text, self.width):
            self.rows += prose_rows(text, done, table.start, self.width)
            for start, end, height in table.heights(text):
                self.rows += [(start, end)] * height
            self._tables.append(table)
            done = table.end + 1
        self.rows += prose_rows(text, done, len(text), self.width)
        self.rows = self.rows or [(0, 0)]

    def __len__(self) -> int:
        return len(self.rows)

    def row_of(self, offset: int) -> int:
        """The index of the row with a code point; line ends and blanks that are not drawn belong to the code point
        before them."""
        row = max(0, bisect_right(self.rows, (offset, len(self._text) + 1)) - 1)
        line = self.rows[row]
        lines = self._lines_of(line)
        if lines is None:
            return row
        before = ((run.start, number) for number, runs in enumerate(lines) for run in runs if run.start <= offset)
        _, number = max(before, default=(0, 0))
        return bisect_left(self.rows, line) + number

    def runs(self, row: int) -> list[TextRun]:
        """The text runs of a row, from left to right; gaps between them are blank."""
        line = self.rows[row]
        lines = self._lines_of(line)
        if lines is None:
            return [TextRun(*line, 0)]
        return lines[row - bisect_left(self.rows, line)]

    def first_of(self, row: int) -> int:
        """The first offset in a row, by ``row_of``."""
        return min(run.start for run in self.runs(row))

    def end_of(self, row: int) -> int:
        """The offset up to which a row reaches; the rows of one line of a table share the line evenly."""
        line = start, end = self.rows[row]
        first = bisect_left(self.rows, line)
        return start + (end - start) * (row - first + 1) // (bisect_right(self.rows, line) - first)

    def _lines_of(self, line: tuple[int, int]) -> list[list[TextRun]] | None:
        """The screen rows of a line of a table; ``None`` for prose."""
        if not self._tables:
            return None
        table = self._tables[max(0, bisect_right(self._tables, line[0], key=lambda found: found.start) - 1)]
        if not table.start <= line[0] <= table.end:
            return None
        if self._laid_out[0] != line or not self._laid_out[1]:
            self._laid_out = (line, table.lay_out(self._text, *line))
        return self._laid_out[1]


@lru_cache(maxsize=4)
def wrapped(text: str, width: int) -> WrapTable:
    """The rows of a text; those of the last few texts are kept, as neighbours often cite the same ones."""
    return WrapTable(text, width)
