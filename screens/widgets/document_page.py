"""A text with its marks and notes, laid out for a width: the lines that a document view scrolls through."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from textual.strip import Strip

from medreview.review.highlight_index import HighlightIndex, Mark
from medreview.review.layout.cells import width
from medreview.review.layout.tables import TextRun
from medreview.review.layout.wrap import WrapTable, wrapped
from medreview.review.span_hints import WordHint, with_hints
from medreview.screens.widgets.painted import Row, StyledText, displayed
from medreview.text import Span
from medreview.visible import visible

_TAB: Final = str.maketrans("\t", " ")
_BAR: Final = "▌"
"""The sign beside the rows of the active highlight."""
_SIGNS: Final = {"hidden": "╳", "collapsed": "┊", "left_out": "╎"}
"""By kind of mark, the sign beside its rows: dim alone is not seen everywhere. The first that holds is drawn."""
_DOUBTFUL: Final = ("?", "caret badge")
"""Drawn over the blank before a doubtful word, which else only a slant and a colour tell."""


class Contents(NamedTuple):
    """What a document view shows.

    ``text`` as stored; ``notes``: offset and the words of an extra row under it (``^^ 50 in the statement``), by
    offset; ``preface``: a notice above the text, displayed as it is; ``below``: an index with marks of other kinds.
    """

    text: str = ""
    marks: tuple[Mark, ...] = ()
    notes: tuple[tuple[int, str], ...] = ()
    preface: str = ""
    below: HighlightIndex | None = None


class DocumentPage:
    """The contents of a view as lines, each a row of the preface, a row of the text or a note.

    All offsets are code points of the text as stored. ``strips`` are lines as they were painted, by number; they go
    when the marks change.
    """

    def __init__(self, contents: Contents, *, gutter: int, ascii_only: bool, shown: str | None = None) -> None:
        """``shown``: the text as displayed, if that is known."""
        self.contents = contents
        self.shown = visible(contents.text, ascii_only) if shown is None else shown
        marks, below = HighlightIndex(contents.marks), contents.below
        self.index = marks if below is None else marks.over(below)
        self.strips: dict[int, Strip] = {}
        self._gutter = gutter
        self._bar = displayed(_BAR, ascii_only)
        self._signs = {kind: displayed(sign, ascii_only) for kind, sign in _SIGNS.items()}
        self._named = ""
        self._wrap: WrapTable | None = None
        self._columns = 0
        self._preface_rows: list[str] = []
        self._note_rows: list[int] = []
        self._note_lines: list[int] = []

    # Marks

    def mark(self, kind: str, spans: Iterable[tuple[int, int]]) -> None:
        """Replace the marks of one kind."""
        self.index = self.index.replaced(kind, spans)
        self.strips.clear()

    def name_words(self, hints: tuple[WordHint, ...], typed: str) -> None:
        """Draw letters over words, those that are still to be typed; none takes them away."""
        self._named = with_hints(self.shown, hints, typed) if hints else ""
        self.mark("hint", [(hint.start, hint.start + len(hint.letters) - len(typed)) for hint in hints])

    @property
    def active(self) -> Span | None:
        """The active highlight."""
        found = self.index.of_kind("active")
        return Span(found[0].start, found[0].end) if found else None

    # Lines

    def lay_out(self, columns: int) -> None:
        """Wrap for a width in cells, the gutter included."""
        if columns == self._columns:
            return
        self._columns, room = columns, max(1, columns - self._gutter)
        self.strips.clear()
        self._wrap = wrapped(self.shown, room)
        preface = self.contents.preface
        words = WrapTable(preface, room).rows if preface else ()
        self._preface_rows = [preface[start:end].rstrip() for start, end in words]
        self._note_rows = [self._wrap.row_of(offset) for offset, _ in self.contents.notes]
        self._note_lines = [len(self._preface_rows) + row + above + 1 for above, row in enumerate(self._note_rows)]

    def __len__(self) -> int:
        """The number of lines; none before the page is laid out."""
        return len(self._preface_rows) + (len(self._wrap) if self._wrap else 0) + len(self._note_lines)

    def line_of(self, offset: int) -> int:
        """The line with an offset; the page is laid out."""
        assert self._wrap is not None
        row = self._wrap.row_of(offset)
        return len(self._preface_rows) + row + bisect_left(self._note_rows, row)

    def first_of(self, line: int) -> int:
        """The first offset in a line."""
        return self._wrap.first_of(self._row_at(line)) if self._wrap else 0

    def end_of(self, line: int) -> int:
        """The offset up to which a line reaches."""
        return self._wrap.end_of(self._row_at(line)) if self._wrap else 0

    def top_for(self, offset: int, at_third: bool, height: int) -> int:
        """The line at the top of a view of so many rows that shows an offset there, or at one third of its height."""
        return self.clamped(self.line_of(offset) - (height // 3 if at_third else 0) if offset else 0, height)

    def clamped(self, line: int, height: int) -> int:
        """The line at the top that is nearest to one, with the last line not above the bottom."""
        return max(0, min(line, len(self) - height))

    def _row_at(self, line: int) -> int:
        """The row of the text at a line: for a note the row above it, for the preface the first row."""
        above = bisect_left(self._note_lines, line)
        on_note = above < len(self._note_lines) and self._note_lines[above] == line
        return self._note_rows[above] if on_note else max(0, line - above - len(self._preface_rows))

    # Drawing

    def row(self, line: int) -> Row:
        """A line as displayed, its gutter included."""
        if self._wrap is None or line >= len(self):
            return ()
        if line < len(self._preface_rows):
            return ((" " * self._gutter, ""), (self._preface_rows[line], "badge"))
        note = bisect_left(self._note_lines, line)
        if note < len(self._note_lines) and self._note_lines[note] == line:
            return self._note(*self.contents.notes[note])
        return self._text_row(self._wrap.runs(self._row_at(line)))

    def _text_row(self, runs: Sequence[TextRun]) -> Row:
        pieces: list[StyledText] = []
        gutter: list[StyledText] = []
        column = 0
        kinds: set[str] = set()
        shown = self._named or self.shown
        for start, end, at in runs:
            text = self.shown[start:end].rstrip()
            if at > column:
                pieces.append((" " * (at - column), ""))
            for piece in self.index.pieces(start, start + len(text)):
                if "doubtful" in piece.kinds and self.index.starts("doubtful", piece.start) and not _sign(pieces):
                    gutter = [_DOUBTFUL]
                kinds.update(piece.kinds)
                pieces.append((shown[piece.start : piece.end].translate(_TAB), " ".join(piece.kinds)))
            column = at + width(text)
        sign, style = self._gutter_text(runs, kinds)
        return ((sign[: len(sign) - len(gutter)], style), *gutter, *pieces)

    def _gutter_text(self, runs: Iterable[TextRun], kinds: Collection[str]) -> StyledText:
        """A sign beside the row of the active highlight, and beside one with a text of :data:`_SIGNS`."""
        active = self.active
        if active is not None and any(active.overlap(Span(start, end)) for start, end, _ in runs):
            return self._bar.center(self._gutter)[: self._gutter], "gutter"
        for kind, sign in self._signs.items() if kinds else ():
            if kind in kinds:
                return sign.center(self._gutter)[: self._gutter], "rule"
        return " " * self._gutter, ""

    def _note(self, offset: int, text: str) -> Row:
        assert self._wrap is not None
        runs = self._wrap.runs(self._wrap.row_of(offset))
        start, _, column = max((run for run in runs if run.start <= offset), default=runs[0])
        indent, room = column + width(self.shown[start:offset]), self._wrap.width
        if indent + width(text) > room:
            carets, _, words = text.partition(" ")
            if indent + width(carets) <= room and width(words) < indent:
                text, indent = f"{words} {carets}", indent - width(words) - 1
            else:
                indent = max(0, room - width(text))
        return ((" " * (self._gutter + indent), ""), (text, "bad"))


def _sign(pieces: list[StyledText]) -> bool:
    """Draw the sign of a doubtful word over the last blank of a row that is drawn up to it; whether there is one."""
    for place in range(len(pieces) - 1, -1, -1):
        text, names = pieces[place]
        if (blank := text.rfind(" ")) >= 0:
            pieces[place : place + 1] = [(text[:blank], names), _DOUBTFUL, (text[blank + 1 :], names)]
            return True
    return False
