"""Wrapping of texts into screen rows: long texts with aligned tables, prose, and plain Markdown.

For display only: the text itself is unchanged.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from medreview.review.cell_width import NOT_SINGLE_CELL, char_width, width
from medreview.text import lazy_pattern
from medreview.visible import visible

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


NARROWEST: Final = 6
"""Minimum width of a column with longer content; a table with less room is drawn as prose."""

_TABLE_LINES: Final = lazy_pattern(r"(?:\| [^\n]* \||\|[-:| ]+\|)(?:\n(?:\| [^\n]* \||\|[-:| ]+\|))+(?=\n|\Z)")
_ITEM_SIGN: Final = lazy_pattern(r"^[ \t]*(?:[-*+•–]|\(?\d{1,3}[.)])[ \t]+(?=\S)", re.MULTILINE)
_BAR: Final = " | "
_RULE: Final = lazy_pattern(r"[|: ]*-[-:| ]*")
_LEAST_WITH_HEAD: Final = 3
"""Lines of a table from which on its first one may be a head."""
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


class TableFrame(NamedTuple):
    """What is drawn between the cells of a row of a table: the columns of its ``bars``, as far as ``width``; a ``rule``
    instead of cells."""

    bars: tuple[int, ...]
    width: int
    rule: bool


class TextTable(NamedTuple):
    """Consecutive lines ``text[start:end]`` of at least two cells each, and the width of each column; ``head``: a rule
    is to be drawn below its first line."""

    start: int
    end: int
    columns: tuple[int, ...]
    head: bool = False

    def lay_out(self, text: str, start: int, end: int) -> list[list[TextRun]]:
        """The screen rows of one line: every code point of its cells, once and in order; none of a rule."""
        rows: list[list[TextRun]] = [[]]
        column = 0
        if start == end or _is_rule(text, start, end):
            return rows
        for cell, room in zip(_cells(text, start, end), self.columns, strict=False):
            for number, (left, right) in enumerate(_cell_rows(text[cell.start : cell.end], room)):
                if number == len(rows):
                    rows.append([])
                rows[number].append(TextRun(cell.start + left, cell.start + right, column))
            column += room + 3
        return rows

    def frame(self, *, rule: bool) -> TableFrame:
        """What is drawn between the cells of its rows, or of a rule."""
        bars = tuple(accumulate((room + 3 for room in self.columns), initial=-2))[1:-1]
        return TableFrame(bars, sum(self.columns) + 3 * len(self.columns) - 3, rule)

    def heights(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start and end offset of each line, and its number of screen rows."""
        for start, end in _lines(text, self.start, self.end):
            rows = 1
            for words, room in zip(_words(text[start:end]), self.columns, strict=False):
                if len(words) > room or not words.isascii():
                    rows = max(rows, sum(1 for _ in _cell_rows(words, room)))
            yield start, end, rows


def find_tables(text: str, cells: int) -> Iterator[TextTable]:
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


def _tables(text: str, start: int, end: int, cells: int) -> Iterator[TextTable]:
    """A sequence of lines as tables with common columns, separated by headings across the table, which have one."""
    longest: list[int] = []
    parts: list[tuple[int, int]] = []
    across: list[tuple[int, int]] = []
    most = cells // 4
    for line_start, line_end in _lines(text, start, end):
        line = text[line_start:line_end]
        words = _words(line)
        if len(words) > most:
            return
        if len(words) < 2:
            across.append((line_start, line_end))
            continue
        taken = map(len, words) if line.isascii() else map(width, words)
        longest += [0] * (len(words) - len(longest))
        longest[: len(words)] = map(max, longest, taken)
        if parts and parts[-1][1] + 1 == line_start:
            parts[-1] = (parts[-1][0], line_end)
        else:
            parts.append((line_start, line_end))
    columns = _columns(text, parts, longest, cells - 3 * len(longest) + 3)
    # A single line has nothing to align with.
    if columns is not None and "\n" in text[parts[0][0] : parts[-1][1]]:
        heads = [_has_head(text, *parts[0]), *([False] * len(parts))]
        found = [TextTable(*part, columns, head) for part, head in zip(parts, heads, strict=False)]
        yield from sorted([*found, *(TextTable(*line, (cells,)) for line in across)])


def _is_rule(text: str, start: int, end: int) -> bool:
    """Whether a line of a table is a rule by itself: ``|---|:--|``."""
    return _RULE.fullmatch(text, start, end) is not None


def _has_head(text: str, start: int, end: int) -> bool:
    """Whether the first line of a table names its columns, as far as one can see: no cell begins with a number. Below a
    head with a rule of its own no further one is drawn."""
    lines = list(_lines(text, start, end))
    if len(lines) < _LEAST_WITH_HEAD or _is_rule(text, *lines[1]):
        return False
    words = _words(text[slice(*lines[0])])
    return not any(cell[:1].isdigit() for cell in words) and sum(map(bool, words)) > 1


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


class WrapTable:
    """The rows of a text for a width in cells, as half-open ranges of code points.

    Prose breaks after white space, between wide characters, or inside a word that is longer than a row. Its rows cover
    every code point once, except line ends, which belong to no row. White space at a break stays at the end of its row
    and may exceed the width; nothing else does, unless a single character is wider than the row.

    The columns of tables are aligned (``medreview.review.wrapping``): each line takes as many rows as its longest
    cell. Where lists ``hang``, the further rows of an item begin below its words, not below its sign.

    Attributes:
        rows: ``(start, end)`` of each row, in order, at least one; the rows of a table's line have the line's range, a
            rule below its head is empty.
        width: the cells of a row.
    """

    def __init__(self, text: str, width: int, *, hang: bool = False) -> None:
        self.width = max(1, width)
        self.rows: list[tuple[int, int]] = []
        self._text = text
        self._indents: dict[int, int] = {}
        prose = self._hanging if hang else self._prose
        self._tables: list[TextTable] = []
        self._laid_out: tuple[tuple[int, int], list[list[TextRun]]] = ((0, 0), [])
        done = 0
        for table in find_tables(text, self.width):
            prose(done, table.start)
            for start, end, height in table.heights(text):
                self.rows += [(start, end)] * height
                if table.head and start == table.start:
                    self.rows.append((end, end))
            self._tables.append(table)
            done = table.end + 1
        prose(done, len(text))
        self.rows = self.rows or [(0, 0)]

    def _prose(self, start: int, end: int) -> None:
        self.rows += prose_rows(self._text, start, end, self.width)

    def _hanging(self, start: int, end: int) -> None:
        """A part of the text, with items that are longer than a row."""
        text = self._text
        for item in _ITEM_SIGN.finditer(text, start, end):
            indent, line_end = width(item[0]), min(_line_end(text, item.end()), end)
            if indent * 3 > self.width or width(text[item.start() : line_end]) <= self.width:
                continue
            self._prose(start, item.start())
            _, first_end = first = next(prose_rows(text, item.start(), line_end, self.width))
            rest = list(prose_rows(text, first_end, line_end, self.width - indent))
            self._indents.update((row_start, indent) for row_start, _ in rest)
            self.rows += first, *rest
            start = line_end + 1
        self._prose(start, end)

    def __len__(self) -> int:
        return len(self.rows)

    def row_of(self, offset: int) -> int:
        """The index of the row with a code point; line ends and blanks that are not drawn belong to the code point
        before them."""
        row = max(0, bisect_right(self.rows, (offset, len(self._text) + 1)) - 1)
        line = self.rows[row]
        if line[0] == line[1] and self._table_of(line) is not None:  # the rule below a head
            row, line = row - 1, self.rows[row - 1]
        lines = self._lines_of(line)
        if lines is None:
            return row
        drawn = [(run.start, number) for number, runs in enumerate(lines) for run in runs]
        bars = [(cell.bar, 0) for cell in _cells(self._text, *line)] if len(lines) > 1 else []
        _, number = max((found for found in (*drawn, *bars) if found[0] <= offset), default=(0, 0))
        return bisect_left(self.rows, line) + number

    def last_of(self, row: int) -> int:
        """The last row of the row of a table that a row is part of; of prose the row itself."""
        return bisect_right(self.rows, self.rows[row]) - 1

    def runs(self, row: int) -> list[TextRun]:
        """The text runs of a row, from left to right; gaps between them are blank."""
        line = self.rows[row]
        lines = self._lines_of(line)
        if lines is None:
            return [TextRun(*line, self._indents.get(line[0], 0))]
        return lines[row - bisect_left(self.rows, line)]

    def first_of(self, row: int) -> int:
        """The first offset in a row, by ``row_of``."""
        return min((run.start for run in self.runs(row)), default=self.rows[row][0])

    def frame(self, row: int) -> TableFrame | None:
        """What is drawn between the cells of a row of a table; ``None`` for prose."""
        line = self.rows[row]
        table = self._table_of(line)
        return None if table is None else table.frame(rule=line[0] == line[1] or _is_rule(self._text, *line))

    def line(self, row: int) -> tuple[int, int]:
        """The range of a row; of a row of a table, of its whole line."""
        return self.rows[row]

    def end_of(self, row: int) -> int:
        """The offset up to which a row reaches; the rows of one line of a table share the line evenly."""
        line = start, end = self.rows[row]
        first = bisect_left(self.rows, line)
        return start + (end - start) * (row - first + 1) // (bisect_right(self.rows, line) - first)

    def _table_of(self, line: tuple[int, int]) -> TextTable | None:
        if not self._tables:
            return None
        table = self._tables[max(0, bisect_right(self._tables, line[0], key=lambda found: found.start) - 1)]
        return table if table.start <= line[0] <= table.end else None

    def _lines_of(self, line: tuple[int, int]) -> list[list[TextRun]] | None:
        """The screen rows of a line of a table; ``None`` for prose."""
        table = self._table_of(line)
        if table is None:
            return None
        if self._laid_out[0] != line or not self._laid_out[1]:
            self._laid_out = (line, table.lay_out(self._text, *line))
        return self._laid_out[1]


@lru_cache(maxsize=4)
def wrapped(text: str, width: int) -> WrapTable:
    """The rows of a text, with lists that hang; those of the last few are kept, as neighbours often cite the same."""
    return WrapTable(text, width, hang=True)


_HEADING: Final = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM: Final = re.compile(r"(\s*)(?:[-*+]|(\d{1,3})[.)])\s+(.*)$")
_AS_IT_IS: Final = re.compile(r"\s*\||    |\t")
_FENCE: Final = re.compile(r"\s*(```|~~~)")
_LEAST: Final = 20


def readable_markdown(text: str, columns: int) -> str:
    """The text in rows of at most so many columns, made safe to show; tables and code keep their lines."""
    rows: list[str] = []
    for kind, lead, words in markdown_blocks(visible(text)):
        if kind == "as it is":
            rows.append(words)
            continue
        wrapped = _wrapped(words, max(_LEAST, columns - len(lead)))
        rows += [(lead if number == 0 else " " * len(lead)) + row for number, row in enumerate(wrapped)]
        if kind in "=-":
            rows.append(kind * min(columns, max(map(len, wrapped))))
    return "\n".join(rows).strip("\n")


def markdown_blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """Kind, what stands before its first row, and its words.

    ``text``; ``as it is``, a line of a table or of code; ``=`` and ``-``, headings by their underline.
    """
    open_: list[str] = []
    lead, fenced = "", False

    def closed() -> Iterator[tuple[str, str, str]]:
        if open_:
            yield "text", lead, " ".join(open_)
            open_.clear()

    for line in text.split("\n"):
        fence = _FENCE.match(line)
        item, heading = _ITEM.match(line), _HEADING.match(line)
        if fence or fenced or (_AS_IT_IS.match(line) and not open_ and not item):
            yield from closed()
            fenced = fenced != bool(fence)
            yield "as it is", "", line
        elif heading:
            yield from closed()
            yield "=" if len(heading[1]) == 1 else "-", "", heading[2]
        elif item:
            yield from closed()
            lead = f"{item[1]}{item[2] + '.' if item[2] else '-'} "
            open_.append(item[3])
        elif line.strip():
            lead = lead if open_ else ""
            open_.append(line.strip())
        else:
            yield from closed()
            yield "as it is", "", ""
    yield from closed()


def _wrapped(words: str, columns: int) -> list[str]:
    return [words[start:end].rstrip() for start, end in WrapTable(words, columns).rows]
