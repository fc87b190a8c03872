"""The main text of a page: the lines that trafilatura chooses, and what stands among them that it drops.

trafilatura is asked which part of the page is the text. It drops boxes, closed panels, captions, notes and headings
that stand in that part. So each line of the page (``lines``) carries a mark of characters that no health page uses into
its input. The lines whose marks come back are the text, and those between them are added, but for what stands in a
menu, a footer or another frame (``areas``) and for lists of links. The words themselves are never trafilatura's.
"""

import logging
import re
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.reading.elements import BESIDE, CONTENT, FRAME, LIKELY_FRAME
from medreview.sources.reading.lines import Area, Line, Walk
from medreview.sources.reading.text_structure import SetApart

MOST_BLOCKS_FOR_FALLBACK: Final = 5_000
"""Blocks above which trafilatura's own result stands: its fallback, justext, takes quadratic time in short blocks."""

_BLOCKS: Final = ("p", "div", "li", "tr", "td", "th", "dt", "dd", "option", "blockquote", "pre")
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_LOGGERS: Final = ("trafilatura", "htmldate", "courlan", "justext")
_FIRST_DIGIT: Final = 0x13300  # Egyptian hieroglyphs: printable, and unchanged by Unicode normalisation
_DIGITS: Final = 32
_PLACES: Final = 4
_MARK: Final = re.compile(f"[{chr(_FIRST_DIGIT)}-{chr(_FIRST_DIGIT + _DIGITS - 1)}]{{{_PLACES}}}")
_MOST_LINKED: Final = 0.6
"""The part of a line's characters from which on it is a link to another page, and no text of this one."""
_MOST: Final = 0.5
"""The part of the chosen text from which on an area that holds it is not a frame, whatever its name."""
_NEARLY_ALL: Final = 0.9


def main_lines(root: HtmlElement, walk: Walk) -> list[Line]:
    """The lines of the main text, in the order of the page; none when none was found."""
    lines = walk.lines
    if len(lines) >= _DIGITS**_PLACES or any(_MARK.search(line.text) for line in lines):
        return []
    chosen = _chosen(root, lines)
    if not any(chosen):
        return []
    return [line for line, taken in zip(lines, _filled(lines, walk.areas, chosen), strict=True) if taken]


def mark_boilerplate(walk: Walk) -> list[Line]:
    """All lines of a page, those in its menus, footers and other frames set apart."""
    frames = frames_of(walk, [not is_list_of_links(line) for line in walk.lines])
    for line in walk.lines:
        if line.area >= 0 and frames[line.area] and not line.apart:
            line.apart = (SetApart(line.words, len(line.text), "boilerplate"),)
    return walk.lines


def _chosen(root: HtmlElement, lines: list[Line]) -> list[bool]:
    """Whether trafilatura takes each line for a part of the main text."""
    for number, line in enumerate(lines):
        if line.slot is not None:
            node, is_tail = line.slot
            if is_tail:
                node.tail = f"{_mark(number)} {node.tail}"
            else:
                node.text = f"{_mark(number)} {node.text}"
    back = {_number(found[0]) for found in _MARK.finditer(_extracted(root))}
    chosen: list[bool] = []
    for number, line in enumerate(lines):
        chosen.append(number in back if line.slot is not None else bool(chosen) and chosen[-1])
    return chosen


def _extracted(root: HtmlElement) -> str:
    import trafilatura

    for name in _LOGGERS:
        # Its warnings about malformed pages would otherwise be printed into the middle of a progress bar.
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
    blocks = sum(1 for _ in islice(root.iter(*_BLOCKS, *_HEADINGS), MOST_BLOCKS_FOR_FALLBACK + 1))
    try:
        return (
            trafilatura.extract(
                etree.tostring(root, encoding="utf-8", method="html"),
                favor_recall=True,
                include_comments=False,
                include_tables=True,
                fast=blocks > MOST_BLOCKS_FOR_FALLBACK,
            )
            or ""
        )
    except MemoryError:
        raise
    except Exception:
        # A page on which trafilatura fails still has its full text.
        return ""


def _filled(lines: list[Line], areas: list[Area], chosen: list[bool]) -> list[bool]:
    """Which lines are the main text: those chosen but for frames, and what stands among them."""
    weights, total = _weights(lines, areas, chosen)
    frames = frames_of(Walk(lines, areas), chosen)
    beside = areas_within(areas, (BESIDE,), _holding_most(weights, total))
    within = _within(areas, weights, total)
    taken = [
        is_chosen and not (line.area >= 0 and frames[line.area]) for line, is_chosen in zip(lines, chosen, strict=True)
    ]
    places = [number for number, is_taken in enumerate(taken) if is_taken]
    if not places:
        return taken
    first, last = _start(lines, frames, places[0]), places[-1]
    for number, line in enumerate(lines):
        area = line.area
        among = first <= number <= last
        if taken[number] or line.level or not (among or (area >= 0 and within[area])):
            continue
        if area >= 0 and (frames[area] or (beside[area] and not among)):
            continue
        taken[number] = not is_list_of_links(line)
    return _with_headings(lines, taken, frames, first)


def _start(lines: list[Line], frames: list[bool], first: int) -> int:
    """Where the text begins: at the title of the page above the first chosen line, else at the headings just above."""
    for number in range(first, -1, -1):
        if lines[number].level == 1 and not (lines[number].area >= 0 and frames[lines[number].area]):
            return number
    while first and lines[first - 1].level:
        first -= 1
    return first


def _within(areas: list[Area], weights: list[int], total: int) -> list[bool]:
    """For each area whether it stands in the innermost main part that holds nearly all of the chosen text."""
    main = -1
    for number, area in enumerate(areas):
        if area.kind == CONTENT and weights[number] >= _NEARLY_ALL * total:
            main = number
    found: list[bool] = []
    for number, area in enumerate(areas):
        found.append(number == main >= 0 or (area.outer >= 0 and found[area.outer]))
    return found


def frames_of(walk: Walk, text: Sequence[bool]) -> list[bool]:
    """For each area whether it is a frame of the page or stands in one. ``text`` says of each line whether it is taken
    for text: an area that is only named like a frame and holds most of it is not one."""
    weights, total = _weights(walk.lines, walk.areas, text)
    holds_most = _holding_most(weights, total)
    excepted = [most and area.kind != FRAME for most, area in zip(holds_most, walk.areas, strict=True)]
    return areas_within(walk.areas, (FRAME, LIKELY_FRAME), excepted)


def _weights(lines: Sequence[Line], areas: Sequence[Area], counted: Sequence[bool]) -> tuple[list[int], int]:
    """The characters of the counted lines in each area, and of all of them."""
    weights = [0] * len(areas)
    total = 0
    for line, counts in zip(lines, counted, strict=True):
        if counts:
            total += len(line.text)
            if line.area >= 0:
                weights[line.area] += len(line.text)
    for number in range(len(areas) - 1, -1, -1):
        if areas[number].outer >= 0:
            weights[areas[number].outer] += weights[number]
    return weights, total


def _holding_most(weights: Sequence[int], total: int) -> list[bool]:
    return [weight >= _MOST * total > 0 for weight in weights]


def areas_within(areas: Sequence[Area], kinds: Collection[str], excepted: Sequence[bool] = ()) -> list[bool]:
    """For each area whether it is of one of these kinds, or stands in such a one; those ``excepted`` are not."""
    found: list[bool] = []
    for number, area in enumerate(areas):
        is_one = area.kind in kinds and not (excepted and excepted[number])
        found.append(is_one or (area.outer >= 0 and found[area.outer]))
    return found


def is_list_of_links(line: Line) -> bool:
    """Whether most of a line leads to another page."""
    return line.links >= _MOST_LINKED * max(1, len(line.text) - line.words)


def _with_headings(lines: list[Line], taken: list[bool], frames: list[bool], first: int) -> list[bool]:
    """The headings from the beginning of the text on that have something taken below them, too."""
    met = [False] * 8  # by level: something taken stands below, and no heading of that level or a higher one before it
    for number in range(len(lines) - 1, first - 1, -1):
        line = lines[number]
        if not line.level:
            if taken[number]:
                met = [True] * 8
            continue
        in_frame = line.area >= 0 and frames[line.area]
        taken[number] = taken[number] or (met[line.level] and not in_frame)
        for level in range(line.level, 8):
            met[level] = False
    return taken


def _mark(number: int) -> str:
    digits = []
    for _ in range(_PLACES):
        number, digit = divmod(number, _DIGITS)
        digits.append(chr(_FIRST_DIGIT + digit))
    return "".join(digits)


def _number(mark: str) -> int:
    return sum((ord(digit) - _FIRST_DIGIT) * _DIGITS**place for place, digit in enumerate(mark))
