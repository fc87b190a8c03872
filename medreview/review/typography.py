"""How a text is set: the signs of Markdown are not drawn, what they mean is; no place in the text changes.

Offsets everywhere are code points of the text as stored. Only the wrapping works on a shorter one, without the signs.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final

from medreview.review.highlight_index import HighlightIndex, Mark
from medreview.review.wrapping import TableFrame, TextRun, WrapTable, prose_rows, wrapped
from medreview.text import lazy_pattern

_SIGNS: Final = "*_`#[\\+-"
_ESCAPED: Final = lazy_pattern(r"\\(?=[\\`*_{}\[\]()#+.!|>~-])(.)")
_FENCE: Final = lazy_pattern(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_HEADING: Final = lazy_pattern(r"^(#{1,6}[ \t]+)([^\n]*)$", re.MULTILINE)
_BULLET: Final = lazy_pattern(r"^[ \t]*([-*+])[ \t]+(?=\S)", re.MULTILINE)
_CODE: Final = lazy_pattern(r"(`{1,3})([^`\n]+)(\1)")
_LINK: Final = lazy_pattern(r"(!?\[)([^\[\]\n]+)(\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \t]+\"[^\"\n]*\")?\))")
_ADDRESS: Final = lazy_pattern(r"https?://[^\s<>()\x00]+")
_STRONG: Final = lazy_pattern(r"(\*\*|(?<!\w)__)(?=\S)([^\n]{1,1000}?)(?<=\S)(\*\*|__(?!\w))")
_EMPHASIS: Final = lazy_pattern(r"((?<![\w*])\*|(?<!\w)_)(?=[^\s*_])([^\n*_]+?)(?<=[^\s*_])(\*(?![\w*])|_(?!\w))")
_BLANKS: Final = " \t"
_DONE: Final = "\x00"
"""Stands for what has been read."""


@lru_cache(maxsize=32)
def typography(text: str) -> HighlightIndex:
    """The marks of a Markdown text: what is strong, a link, a heading, a bullet; and signs, which are not drawn."""
    if not any(sign in text for sign in (*_SIGNS, "://")):
        return _PLAIN
    return HighlightIndex(_marks(text))


_PLAIN: Final = HighlightIndex()


def _marks(text: str) -> list[Mark]:
    signs: list[tuple[int, int]] = []
    marks: list[Mark] = []
    left = text

    def blanked(spans: Sequence[tuple[int, int]]) -> str:
        """What is left to be read: what was read means nothing further."""
        pieces, at = [], 0
        for start, end in spans:
            pieces += [left[at:start], _DONE * (end - start)]
            at = end
        return "".join((*pieces, left[at:]))

    fences = [found.span() for found in _FENCE.finditer(left)]
    signs += fences
    last = len(text)
    left = blanked([(one[0], other[1]) for one, other in zip(fences[::2], [*fences[1::2], (last, last)], strict=False)])
    codes = list(_CODE.finditer(left))
    signs += [found.span(number) for found in codes for number in (1, 3)]
    marks += [Mark(*found.span(2), "strong") for found in codes]
    left = blanked([found.span() for found in codes])
    escaped = [found.start() for found in _ESCAPED.finditer(left)]
    signs += [(at, at + 1) for at in escaped]
    left = blanked([(at, at + 2) for at in escaped])
    headings = list(_HEADING.finditer(left))
    for found in headings:
        words = found[2].rstrip(_BLANKS)
        closed = words.rstrip("#")
        words = closed.rstrip(_BLANKS) if closed[-1:] in _BLANKS else words
        end = found.start(2) + len(words)
        marks.append(Mark(found.start(2), end, "heading"))
        signs += [found.span(1), (end, found.end())]
    left = blanked([found.span(1) for found in headings])
    bullets = [found.span(1) for found in _BULLET.finditer(left)]
    marks += [Mark(*bullet, "bullet") for bullet in bullets]
    left = blanked(bullets)
    links = list(_LINK.finditer(left))
    before = len(signs)
    for found in links:
        marks.append(Mark(*found.span(2), "link"))
        # The brackets of a number are kept: [1] is how a text cites.
        cites = found[2].strip().isdigit()
        signs += [(found.end(2) + 1, found.end())] if cites else [found.span(1), found.span(3)]
    left = blanked(signs[before:])
    addresses = [found.span() for found in _ADDRESS.finditer(left)]
    marks += [Mark(*address, "address") for address in addresses]
    left = blanked(addresses)
    for pattern, kind in ((_STRONG, "strong"), (_EMPHASIS, "emphasis")):
        paired = [found for found in pattern.finditer(left) if found[1] == found[3]]
        marks += [Mark(*found.span(2), kind) for found in paired]
        its = [found.span(number) for found in paired for number in (1, 3)]
        signs += its
        left = blanked(its)
    return [*marks, *(Mark(*sign, "syntax") for sign in signs)]


class SetRows:
    """The rows of a text without what is not drawn of it, as :class:`WrapTable` has them: all offsets are its own."""

    def __init__(self, text: str, unseen: Sequence[tuple[int, int]], width: int) -> None:
        """``unseen``: disjoint ranges, in order."""
        self._gaps = _Gaps(unseen)
        self._rows = wrapped(self._gaps.without(text), width)
        self.width = self._rows.width

    def __len__(self) -> int:
        return len(self._rows)

    def row_of(self, offset: int) -> int:
        """As there."""
        return self._rows.row_of(self._gaps.inside(offset))

    def last_of(self, row: int) -> int:
        """As there."""
        return self._rows.last_of(row)

    def runs(self, row: int) -> list[TextRun]:
        """As there; what is not drawn may stand in them."""
        back = self._gaps.back
        return [TextRun(back(start), back(end), column) for start, end, column in self._rows.runs(row)]

    def first_of(self, row: int) -> int:
        """As there."""
        return self._gaps.back(self._rows.first_of(row))

    def end_of(self, row: int) -> int:
        """As there."""
        return self._gaps.back(self._rows.end_of(row))

    def frame(self, row: int) -> TableFrame | None:
        """As there."""
        return self._rows.frame(row)

    def line(self, row: int) -> tuple[int, int]:
        """As there."""
        start, end = self._rows.line(row)
        return self._gaps.back(start), self._gaps.back(end)


AnyRows = WrapTable | SetRows


class _Gaps:
    """Offsets in a text, and in the same without some ranges."""

    def __init__(self, unseen: Sequence[tuple[int, int]]) -> None:
        self._unseen = unseen
        self._starts = [start for start, _ in unseen]
        self._before = [0, *accumulate(end - start for start, end in unseen)]
        self._inside = [start - gone for (start, _), gone in zip(unseen, self._before, strict=False)]

    def without(self, text: str) -> str:
        """The text without the ranges."""
        ends = [0, *(end for _, end in self._unseen)]
        return "".join(text[end:start] for end, start in zip(ends, [*self._starts, len(text)], strict=True))

    def inside(self, offset: int) -> int:
        """An offset of the text in the shorter one."""
        count = bisect_right(self._starts, offset)
        if count and offset < self._unseen[count - 1][1]:
            return self._inside[count - 1]
        return offset - self._before[count]

    def back(self, offset: int) -> int:
        """An offset of the shorter text in the text: before what is not drawn there."""
        return offset + self._before[bisect_left(self._inside, offset)]


def unseen_in(index: HighlightIndex) -> list[tuple[int, int]]:
    """The ranges that are not drawn, disjoint, in order."""
    found: list[tuple[int, int]] = []
    for start, end, _ in index.of_kind("syntax"):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def set_prose(text: str, width: int, marks: Sequence[Mark] = ()) -> list[list[tuple[str, str]]]:
    """The rows of a short text of Markdown as prose, each as pieces with the names of their styles.

    ``text`` must have gone through ``visible``; ``marks`` are further ones in it. At least one row.
    """
    index = typography(text)
    gaps = _Gaps(unseen_in(index))
    short = gaps.without(text)
    every = HighlightIndex(marks).over(index) if marks else index
    rows = []
    for start, end in list(prose_rows(short, 0, len(short), max(1, width))) or [(0, 0)]:
        pieces = every.pieces(gaps.back(start), gaps.back(end))
        rows.append([(text[one.start : one.end], " ".join(one.kinds)) for one in pieces if "syntax" not in one.kinds])
    return rows
