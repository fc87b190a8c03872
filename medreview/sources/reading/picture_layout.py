"""From the lines of a picture to a text: columns, table rows, paragraphs, as ``pdf_lines`` writes those of a PDF."""

import math
from collections.abc import Sequence
from functools import cached_property
from statistics import median
from typing import Final, NamedTuple

from medreview.sources.reading.picture_blanks import with_blanks

_CELL_GAP: Final = 0.4
"""Heights of white between two cells of a row, at least; the engine's lines reach over their letters."""
_ITEM_GAP: Final = 2.0
"""Heights between the number or bullet of a list item and its text, at most."""
_PARAGRAPH_GAP: Final = 0.9
"""Heights of white between two lines from which on a new paragraph begins."""
_COLUMN_LINES: Final = 4
"""Lines of a column, at least."""
_COLUMN_LENGTH: Final = 18
"""Characters of the median line of a column; cells of a table are shorter."""
_COLUMN_FILLED: Final = 0.6
"""Share of its column's width that the median line fills; cells of a table fill less."""
_MOST_LINES: Final = 1_500
"""Lines of a page above which they are taken from top to bottom: a normal page has fewer."""


class PictureLine:
    """One line of a picture: its corners (x, y in pixels, from the upper left one clockwise), its text, and the
    confidence of each of its characters, 0..1."""

    def __init__(self, corners: tuple[tuple[float, float], ...], text: str, confidences: tuple[float, ...]) -> None:
        self.corners = corners
        self.text = text
        self.confidences = confidences

    @cached_property
    def width(self) -> float:
        """Length of the upper edge in pixels."""
        return math.dist(self.corners[0], self.corners[1])

    @cached_property
    def height(self) -> float:
        """Length of the left edge in pixels."""
        return math.dist(self.corners[0], self.corners[3])

    @property
    def slope(self) -> float:
        """Angle of the upper edge in radians; 0 lies level."""
        (x, y), (right, right_y) = self.corners[0], self.corners[1]
        return math.atan2(right_y - y, right - x)

    @property
    def confidence(self) -> float:
        """Mean of its characters."""
        return sum(self.confidences) / max(1, len(self.confidences))


class _Placed(NamedTuple):
    """A line on the levelled page: its sides in pixels."""

    left: float
    top: float
    right: float
    bottom: float
    line: PictureLine

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def height(self) -> float:
        return self.bottom - self.top


class Written(NamedTuple):
    """A text, and the confidence of each of its characters; what was put between the lines has 1."""

    text: str
    confidences: tuple[float, ...]


def written(lines: Sequence[PictureLine]) -> Written:
    """The text of a page in reading order: a line of the page is a line of the text, a blank line parts paragraphs,
    and cells of a row stand as ``a | b``."""
    placed = _levelled(lines)
    text: list[str] = []
    confidences: list[float] = []

    def put(characters: str, sure: Sequence[float] | None = None) -> None:
        text.append(characters)
        confidences.extend(sure if sure is not None else [1.0] * len(characters))

    for block in _columns(placed) if len(placed) <= _MOST_LINES else [placed]:
        if text:
            put("\n\n")
        rows = _rows(block)
        for number, row in enumerate(rows):
            if number:
                put(_between(rows[number - 1], row))
            for place, cell in enumerate(row):
                if place:
                    put(_between_cells(row, place))
                line, sure = cell.line.text, cell.line.confidences
                start, end = len(line) - len(line.lstrip()), len(line.rstrip())
                put(*with_blanks(line[start:end], sure[start:end]))
    return Written("".join(text), tuple(confidences))


def _levelled(lines: Sequence[PictureLine]) -> list[_Placed]:
    """The lines where they would stand if the page lay straight."""
    long = [line.slope for line in lines if line.width > 3 * line.height]
    angle = -median(long) if long else 0.0
    cosine, sine = math.cos(angle), math.sin(angle)
    placed = []
    for line in lines:
        across = [x * cosine - y * sine for x, y in line.corners]
        down = [x * sine + y * cosine for x, y in line.corners]
        placed.append(_Placed(min(across), min(down), max(across), max(down), line))
    return placed


def _columns(lines: list[_Placed]) -> list[list[_Placed]]:
    """Blocks in reading order; within one, lines are read from top to bottom and from left to right.

    Where a white strip parts two columns of prose, lines over both part the page into what is above and below them.
    """
    gutter = _gutter(lines)
    if gutter is None:
        return [lines] if lines else []
    over = sorted((line for line in lines if line.left < gutter < line.right), key=lambda line: line.top)
    blocks: list[list[_Placed]] = []
    rest = [line for line in lines if not line.left < gutter < line.right]
    for number in range(len(over) + 1):
        upper = over[number].middle if number < len(over) else math.inf
        part = [line for line in rest if line.middle < upper]
        rest = [line for line in rest if line.middle >= upper]
        for side in ([one for one in part if one.right <= gutter], [one for one in part if one.left >= gutter]):
            blocks += _columns(side)
        if number < len(over):
            if blocks and not part and number and blocks[-1][-1] is over[number - 1]:
                blocks[-1].append(over[number])
            else:
                blocks.append([over[number]])
    return blocks


def _gutter(lines: list[_Placed]) -> float | None:
    """Where a white strip stands between columns of prose: that which most lines stand beside and fewest lie over."""
    if len(lines) < 2 * _COLUMN_LINES:
        return None
    best, place = 0, None
    for right in sorted({line.right for line in lines}):
        after = [line.left for line in lines if line.left >= right]
        if not after:
            break
        gutter = (right + min(after)) / 2
        left_side = [line for line in lines if line.right <= gutter]
        right_side = [line for line in lines if line.left >= gutter]
        over = len(lines) - len(left_side) - len(right_side)
        gain = min(len(left_side), len(right_side)) - over
        if gain > best and _is_prose(left_side) and _is_prose(right_side):
            best, place = gain, gutter
    return place


def _is_prose(lines: list[_Placed]) -> bool:
    """Whether lines fill a column, as those of a table do not."""
    if len(lines) < _COLUMN_LINES or median(len(line.line.text) for line in lines) < _COLUMN_LENGTH:
        return False
    width = max(line.right for line in lines) - min(line.left for line in lines)
    return median(line.right - line.left for line in lines) >= _COLUMN_FILLED * width


def _rows(lines: list[_Placed]) -> list[list[_Placed]]:
    """Lines that stand side by side, from left to right."""
    rows: list[list[_Placed]] = []
    for line in sorted(lines, key=lambda line: line.middle):
        row = rows[-1] if rows else []
        beside = row and line.middle - row[0].middle < 0.5 * min(line.height, row[0].height)
        if beside and all(line.left >= one.right or line.right <= one.left for one in _without_overlap(row, line)):
            row.append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _without_overlap(row: list[_Placed], line: _Placed) -> list[_Placed]:
    """The lines of a row that reach more than half a height into another one's width."""
    reach = 0.5 * line.height
    return [one for one in row if min(one.right, line.right) - max(one.left, line.left) > reach]


def _between(above: list[_Placed], below: list[_Placed]) -> str:
    white = min(one.top for one in below) - max(one.bottom for one in above)
    height = median(one.height for one in (*above, *below))
    return "\n\n" if white > _PARAGRAPH_GAP * height else "\n"


def _between_cells(row: list[_Placed], place: int) -> str:
    before, cell = row[place - 1], row[place]
    gap = (cell.left - before.right) / max(1.0, min(before.height, cell.height))
    is_item = place == 1 and len(before.line.text.strip(".)( ")) <= 2 and gap < _ITEM_GAP
    return " " if gap < _CELL_GAP or is_item else " | "
