"""Column alignment of tables in a text, for a width in cells; for display only, the text itself is unchanged.

A table is a sequence of lines ``| a | b |``, as ``medreview.sources.reading.full_text`` writes them; a line
``|---|---|`` between them belongs to it. A line with a single cell in such a sequence is a heading across the table and
stays prose. Without the outer bars, as in some PDFs, all lines must have the same number of bars: two bars in at least
two lines, or one in at least three.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from medreview.lazy_pattern import lazy_pattern
from medreview.review.layout.cells import width
from medreview.review.layout.prose import line_rows

NARROWEST: Final = 6
"""Minimum width of a column with longer content; a table with less room is drawn as prose."""

_TABLE_LINES: Final = lazy_pattern(r"(?:\| [^\n]* \||\|[-:| ]+\|)(?:\n(?:\| [^\n]* \||\|[-:| ]+\|))+(?=\n|\Z)")
_BAR: Final = " | "
_LONGEST_WORD: Final = 24
"""Maximum width that a column requests in order not to break its words."""
_BLANKS: Final = " \t"
_QUANTITY: Final = lazy_pattern(
    r"""(?<![^ \t(\[])
        (?:[<>=≤≥±~≈]+[ \t]+(?=[+−-]?\d))?
        [<>=≤≥±~≈+−-]?\d[\d.,·–−-]*
        [ \t]+(?:[^\W\d_]|[%‰°])[^ \t]*
      | (?<![^ \t(\[])[<>=≤≥±~≈]+[ \t]+[+−-]?\d[^ \t]*""",
    re.VERBOSE,
)
"""A number with its comparison sign and its unit, which must stay on one row: ``≤ 30 mL/kg``."""


class TextRun(NamedTuple):
    """A text run: the code points ``start`` to ``end`` (half-open) on one screen row, from a screen column on."""

    start: int
    end: int
    column: int


class _Cell(NamedTuple):
    """The range of one cell without surrounding blanks, and the offset of the bar after it (after the line if none)."""

    start: int
    end: int
    bar: int


class Table(NamedTuple):
    """Consecutive lines ``text[start:end]`` of at least two cells each, and the width of each column."""

    start: int
    end: int
    columns: tuple[int, ...]

    def lay_out(self, text: str, start: int, end: int) -> list[list[TextRun]]:
        """The screen rows of one line: every code point except the blanks around the bars, once and in order."""
        has_outer_bars = text[start] == "|"
        rows = [[TextRun(start, start + 1, 0)] if has_outer_bars else []]
        column = 2 if has_outer_bars else 0
        for cell, room in zip(_cells(text, start, end), self.columns, strict=False):
            for number, (left, right) in enumerate(_cell_rows(text[cell.start : cell.end], room)):
                if number == len(rows):
                    rows.append([])
                rows[number].append(TextRun(cell.start + left, cell.start + right, column))
            if cell.bar < end:
                rows[0].append(TextRun(cell.bar, cell.bar + 1, column + room + 1))
            column += room + 3
        return rows

    def heights(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start and end offset of each line, and its number of screen rows."""
        for start, end in _lines(text, self.start, self.end):
            rows = 1
            for words, room in zip(_words(text[start:end]), self.columns, strict=False):
                if len(words) > room or not words.isascii():
                    rows = max(rows, sum(1 for _ in _cell_rows(words, room)))
            yield start, end, rows


def find_tables(text: str, cells: int) -> Iterator[Table]:
    """The tables of a text that fit into so many cells, in order. ``text`` must have gone through ``visible``."""
    place = 0
    while (bar := text.find(_BAR, place)) >= 0:
        start = text.rfind("\n", place, bar) + 1 or place
        end, is_table = _table_lines(text, start)
        if is_table:
            yield from _tables(text, start, end, cells)
        place = end + 1


def _table_lines(text: str, start: int) -> tuple[int, bool]:
    """The end of the sequence of similar lines that begins at ``start``, and whether it may be a table."""
    if text[start] == "|":
        found = _TABLE_LINES.match(text, start)
        return (found.end(), True) if found else (_line_end(text, start), False)
    end = _line_end(text, start)
    bars, lines = text.count(_BAR, start, end), 1
    while end < len(text) and text[end + 1 : end + 2] != "|":
        following = _line_end(text, end + 1)
        if text.count(_BAR, end + 1, following) != bars:
            break
        end, lines = following, lines + 1
    return end, lines > 1 and bars + lines > 3


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _tables(text: str, start: int, end: int, cells: int) -> Iterator[Table]:
    """A sequence of lines as tables with common columns, separated by headings across the table."""
    longest: list[int] = []
    parts: list[tuple[int, int]] = []
    most = cells // 4
    for line_start, line_end in _lines(text, start, end):
        line = text[line_start:line_end]
        words = _words(line)
        if len(words) > most:
            return
        if len(words) < 2:
            continue
        taken = map(len, words) if line.isascii() else map(width, words)
        longest += [0] * (len(words) - len(longest))
        longest[: len(words)] = map(max, longest, taken)
        if parts and parts[-1][1] + 1 == line_start:
            parts[-1] = (parts[-1][0], line_end)
        else:
            parts.append((line_start, line_end))
    frame = 1 if text[start] == "|" else -3
    columns = _columns(text, parts, longest, cells - 3 * len(longest) - frame)
    # A single line has nothing to align with.
    if columns is not None and "\n" in text[parts[0][0] : parts[-1][1]]:
        yield from (Table(*part, columns) for part in parts)


def _columns(text: str, parts: Sequence[tuple[int, int]], longest: list[int], room: int) -> tuple[int, ...] | None:
    """The width of each column, ``None`` when they do not fit.

    If possible, each is as wide as its longest word; the rest is distributed evenly, so that short columns are not
    wrapped and long ones are.
    """
    least = [min(need, NARROWEST) for need in longest]
    if not longest or sum(least) > room:
        return None
    if sum(longest) <= room:
        return tuple(longest)
    unbroken = [0] * len(longest)
    for start, end in (line for part in parts for line in _lines(text, *part)):
        for number, words in enumerate(_words(text[start:end])):
            if len(words) > unbroken[number]:
                unbroken[number] = max(unbroken[number], min(_LONGEST_WORD, _longest_word(words)))
    whole = [min(need, max(low, word)) for need, low, word in zip(longest, least, unbroken, strict=True)]
    if sum(whole) > room:
        return tuple(_share(least, whole, room))
    return tuple(_share(whole, longest, room))


def _share(least: list[int], most: list[int], room: int) -> list[int]:
    """Sizes between ``least`` and ``most`` with the sum ``room``, as even as possible."""
    low, high = 0, max(most)
    while low < high:
        level = (low + high + 1) // 2
        if sum(_clamped(least, most, level)) <= room:
            low = level
        else:
            high = level - 1
    sizes = _clamped(least, most, low)
    rest = room - sum(sizes)
    for number, size in enumerate(sizes):
        if rest and size == low and size < most[number]:
            sizes[number] += 1
            rest -= 1
    return sizes


def _clamped(least: list[int], most: list[int], level: int) -> list[int]:
    return [max(low, min(high, level)) for low, high in zip(least, most, strict=True)]


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start <= end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield start, stop
        start = stop + 1


def _split_cells(line: str) -> tuple[list[str], int, int]:
    """The cells of a line, the offset of the first one, and the length of the separator in code points."""
    if not line.startswith("|"):
        return line.split(_BAR), 0, 3
    return (line[2:-2].split(_BAR), 2, 3) if line[1] == " " else (line[1:-1].split("|"), 1, 1)


def _words(line: str) -> list[str]:
    return [cell.strip(_BLANKS) for cell in _split_cells(line)[0]]


def _cells(text: str, start: int, end: int) -> Iterator[_Cell]:
    parts, place, between = _split_cells(text[start:end])
    place += start
    for part in parts:
        behind = place + len(part)
        left = place + len(part) - len(part.lstrip(_BLANKS))
        right = max(left, behind - len(part) + len(part.rstrip(_BLANKS)))
        yield _Cell(left, right, behind + between // 2)
        place = behind + between


def _cell_rows(words: str, room: int) -> Iterator[tuple[int, int]]:
    """The rows of one cell, wrapped like prose, but not between a number and its unit if both fit on one row."""
    if not words:
        return iter(())
    if len(words) <= room and words.isascii():
        return iter(((0, len(words)),))
    return line_rows(_with_unbreakable_quantities(words, room), 0, len(words), max(1, room))


def _with_unbreakable_quantities(words: str, room: int) -> str:
    """The words with the spaces inside quantities replaced by a character at which no row breaks."""
    return _QUANTITY.sub(lambda found: _unbreakable(found[0], room), words)


def _unbreakable(quantity: str, room: int) -> str:
    return re.sub(r"[ \t]", "_", quantity) if width(quantity) <= room else quantity


def _longest_word(words: str) -> int:
    """The width of the longest word or quantity."""
    return max(map(width, _with_unbreakable_quantities(words, _LONGEST_WORD).split()), default=0)
