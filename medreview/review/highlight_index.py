"""An index of the highlights of a text, which cuts a screen row into segments at their edges."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

LIT: Final = ("doubted", "against", "says", "partly", "quote", "evidence")
"""Kinds of highlights by what a passage means for what is decided about. ``says`` and ``against``: a quote, or the
rules' passage, that supports or contradicts it; ``partly``: that supports a part; ``doubted``: that is not what stands
there, is off topic, or is read both ways; ``quote``: of which the judge says something else; ``evidence``: the nearest
passage, of which the rules are not sure.
"""

TYPOGRAPHY: Final = ("strong", "emphasis", "link", "address", "heading", "bullet", "syntax")
"""Kinds of marks for how a text is set: ``heading`` also of a source, by its own markup; ``syntax`` is not drawn."""

KINDS: Final = (
    *("hint", "active", "chosen", "search", "clash", "missing", *LIT[:-1], "span", "evidence", "lexical", "statement"),
    *("doubtful", "hidden", "collapsed", "left_out", *TYPOGRAPHY),
)
"""Kinds of marks, by decreasing priority.

``hint`` the letters that name a word; ``active`` the highlight that the reviewer is at; ``chosen`` what a step is
about; ``search`` a search hit; ``clash`` a number or dose that differs; ``missing`` words of the
statement that a judge does not find on the page; those of :data:`LIT`; ``span`` a hallucination
span, set or being edited; ``lexical`` shared words (all that blind mode shows); ``statement`` the current statement
inside the response; ``doubtful`` a word that OCR may have read wrong; ``hidden`` and ``collapsed`` source text that no
reader of the page sees, or only in an opened panel; ``left_out`` response text outside statements; those of
:data:`TYPOGRAPHY`.
"""


class Mark(NamedTuple):
    """A highlighted range of code points; ``kind`` is one of ``KINDS``."""

    start: int
    end: int
    kind: str


class RowSegment(NamedTuple):
    """A part of a row with the same kinds of highlights throughout, by decreasing priority."""

    start: int
    end: int
    kinds: tuple[str, ...]


class _MarkLayer:
    """The marks of one kind by start, with the maximum end up to each, so that overlaps are found by bisection."""

    def __init__(self, marks: list[Mark]) -> None:
        self.marks = sorted(marks)
        self.starts = [mark.start for mark in self.marks]
        self.max_ends = list(accumulate((mark.end for mark in self.marks), max))

    def overlapping(self, start: int, end: int) -> list[Mark]:
        """The marks that overlap a range."""
        if self.max_ends[-1] <= start or self.starts[0] >= end:  # of most rows, and cheap to see
            return []
        first = bisect_right(self.max_ends, start)
        last = bisect_left(self.starts, end)
        return [mark for mark in self.marks[first:last] if mark.end > start]


class HighlightIndex:
    """The marks (highlights) of one text by kind; they may overlap. Empty marks are dropped. Immutable.

    Raises ``ValueError`` for a kind that is not one of ``KINDS``.
    """

    def __init__(self, marks: Iterable[Mark] = ()) -> None:
        by_kind: dict[str, list[Mark]] = {kind: [] for kind in KINDS}
        for mark in marks:
            if mark.kind not in by_kind:
                raise ValueError(f"{mark.kind!r} is not a kind of mark")
            if mark.end > mark.start:
                by_kind[mark.kind].append(mark)
        self._layers = {kind: _MarkLayer(found) for kind, found in by_kind.items() if found}

    def replaced(self, kind: str, spans: Iterable[tuple[int, int]]) -> "HighlightIndex":
        """A copy with other marks of one kind; the other kinds are shared, not rebuilt."""
        copy = HighlightIndex(Mark(start, end, kind) for start, end in spans)
        for other, layer in self._layers.items():
            if other != kind:
                copy._layers[other] = layer
        return copy

    def over(self, below: "HighlightIndex") -> "HighlightIndex":
        """A copy that also has the kinds which only the other index has; they are shared, not rebuilt."""
        copy = HighlightIndex()
        copy._layers = {**below._layers, **self._layers}
        return copy

    def only(self, *kinds: str) -> "HighlightIndex":
        """A copy with these kinds only, shared."""
        copy = HighlightIndex()
        copy._layers = {kind: layer for kind, layer in self._layers.items() if kind in kinds}
        return copy

    def of_kind(self, kind: str) -> list[Mark]:
        """The marks of one kind by start."""
        return list(self._layers[kind].marks) if kind in self._layers else []

    def overlapping(self, kind: str, start: int, end: int) -> list[Mark]:
        """The marks of one kind that overlap a range, by start."""
        return self._layers[kind].overlapping(start, end) if kind in self._layers else []

    def starts(self, kind: str, offset: int) -> bool:
        """Whether a mark of a kind starts at an offset."""
        layer = self._layers.get(kind)
        at = bisect_left(layer.starts, offset) if layer else 0
        return layer is not None and at < len(layer.starts) and layer.starts[at] == offset

    def pieces(self, start: int, end: int) -> list[RowSegment]:
        """A range as consecutive segments, cut at every edge of a mark."""
        found = {kind: marks for kind, layer in self._layers.items() if (marks := layer.overlapping(start, end))}
        if not found:
            return [RowSegment(start, end, ())] if start < end else []
        by_priority = [(kind, found[kind]) for kind in KINDS if kind in found]
        edges = {edge for marks in found.values() for mark in marks for edge in mark[:2] if start < edge < end}
        cuts = [start, *sorted(edges), end]
        return [
            RowSegment(left, right, tuple(kind for kind, marks in by_priority if _covers(marks, left)))
            for left, right in pairwise(cuts)
            if left < right
        ]

    def next(self, offset: int, kinds: Collection[str] = KINDS) -> Mark | None:
        """The first mark of these kinds that starts after an offset."""
        found: list[Mark] = []
        for kind in kinds:
            if (layer := self._layers.get(kind)) is not None:
                index = bisect_right(layer.starts, offset)
                found += layer.marks[index : index + 1]
        return min(found, default=None)

    def previous(self, offset: int, kinds: Collection[str] = KINDS) -> Mark | None:
        """The last mark of these kinds that starts before an offset."""
        found: list[Mark] = []
        for kind in kinds:
            if (layer := self._layers.get(kind)) is not None:
                index = bisect_left(layer.starts, offset)
                found += layer.marks[max(0, index - 1) : index]
        return max(found, default=None)


def _covers(marks: Iterable[Mark], offset: int) -> bool:
    return any(mark.start <= offset < mark.end for mark in marks)
