"""A long text with highlights: the source pane and the response pane."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from medreview.review.highlight_index import HighlightIndex, Mark
from medreview.review.layout.cells import width
from medreview.review.layout.tables import TextRun
from medreview.review.layout.wrap import WrapTable, wrapped
from medreview.review.span_hints import WordHint, with_hints
from medreview.screens.widgets.painted import Painted, StyledText
from medreview.text import Span
from medreview.visible import visible

_TAB = str.maketrans("\t", " ")
_SIGNS: Final = {"hidden": "╳", "collapsed": "┊", "left_out": "╎"}
"""By kind of mark, the sign beside its rows: dim alone is not seen everywhere. The first that holds is drawn."""
_DOUBTFUL: Final = ("?", "caret badge")
"""Drawn over the blank before a doubtful word, which else only a slant and a colour tell."""


class DocumentView(Painted, ScrollView, can_focus=False):
    """A text of any length, wrapped to the width, with marks, one active highlight and notes under rows; the columns of
    its tables are aligned.

    All offsets are code points of the text as stored; what is drawn went through ``visible``. A highlight is scrolled
    to one third of the height. A resize keeps the position: the active highlight after ``activate``, else the first
    visible offset.
    """

    class Scrolled(Message):
        """The view was scrolled with the mouse."""

    def __init__(
        self,
        *,
        gutter: int = 3,
        ascii_only: bool = False,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(ascii_only=ascii_only, name=name, id=id, classes=classes)
        self._gutter = gutter
        self._text = ""
        self._visible = ""
        self._named = ""
        self._index = HighlightIndex()
        self._notes: list[tuple[int, str]] = []
        self._preface = ""
        self._preface_rows: list[str] = []
        self._anchor = 0
        self._anchor_at_third = False
        self._kept_offset: int | None = None
        self._wrap: WrapTable | None = None
        self._note_rows: list[int] = []
        self._note_lines: list[int] = []
        self._laid_out_for: Size | None = None

    # What is shown

    def show(
        self,
        text: str,
        marks: Iterable[Mark] = (),
        anchor: int = 0,
        notes: Mapping[int, str] | None = None,
        *,
        at_third: bool = False,
        preface: str = "",
        below: HighlightIndex | None = None,
    ) -> None:
        """Show a text with the row of the offset ``anchor`` at the top, or (``at_third``) at one third of the height.

        ``notes``: offset to carets and words that are drawn in an extra row under it (``^^ 50 in the statement``);
        where they do not fit, the words come before the carets. ``preface``: a notice above the text. ``below``: an
        index with marks of other kinds, prepared beforehand.
        """
        if text != self._text:
            self._text, self._visible, self._wrap = text, visible(text, self.ascii_only), None
            self._named = ""
        self._index = HighlightIndex(marks) if below is None else HighlightIndex(marks).over(below)
        self._notes = sorted((notes or {}).items())
        self._preface = self.shown(preface)
        self._move(anchor, at_third)

    def mark(self, kind: str, spans: Iterable[tuple[int, int]]) -> None:
        """Replace the marks of one kind (search hits, the span being edited), without scrolling."""
        self._index = self._index.replaced(kind, spans)
        self.repaint()

    def name_words(self, hints: tuple[WordHint, ...], typed: str = "") -> None:
        """Draw letters over words, those that are still to be typed; none takes them away."""
        self._named = with_hints(self._visible, hints, typed) if hints else ""
        self.mark("hint", [(hint.start, hint.start + len(hint.letters) - len(typed)) for hint in hints])

    def activate(self, span: tuple[int, int] | None) -> None:
        """Make a range the active highlight and scroll it to one third of the height; ``None`` for no highlight."""
        self._index = self._index.replaced("active", () if span is None else (span,))
        if span is None:
            self.repaint()
        else:
            self._move(span[0], at_third=True)

    @property
    def marks(self) -> HighlightIndex:
        """All marks, the active highlight included."""
        return self._index

    @property
    def active(self) -> Span | None:
        """The active highlight."""
        found = self._index.of_kind("active")
        return Span(found[0].start, found[0].end) if found else None

    # Where it is

    @property
    def position(self) -> int:
        """The share of the text above the bottom of the view, in per cent; 100 when the end is visible."""
        self._lay_out()
        bottom = self.scroll_offset.y + self.outer_size.height
        if self._wrap is None or bottom >= self._line_count:
            return 100
        return min(99, 100 * self._wrap.end_of(self._row_at(bottom - 1)) // max(1, len(self._text)))

    @property
    def first_offset(self) -> int:
        """The first visible offset, which a later ``show`` of the same text may take as its anchor."""
        self._lay_out()
        if self._wrap is None:
            return self._anchor
        return self._wrap.first_of(self._row_at(self.scroll_offset.y))

    @property
    def end_offset(self) -> int:
        """The end of the last visible row."""
        self._lay_out()
        bottom = min(self.scroll_offset.y + self.outer_size.height, self._line_count)
        return self._wrap.end_of(self._row_at(bottom - 1)) if self._wrap and bottom else 0

    @property
    def text(self) -> str:
        """What is shown."""
        return self._text

    @property
    def place(self) -> int:
        """The offset that the reader is at: the active highlight while it is visible, else the first visible offset."""
        active = self.active
        return active.start if active is not None and self._in_sight(active.start) else self.first_offset

    def scroll_rows(self, by: int) -> None:
        """Scroll by rows."""
        self._lay_out()
        self._scroll(self.scroll_offset.y + by)

    def page(self, by: int) -> None:
        """Scroll by pages, less one row that stays visible."""
        self.scroll_rows(by * max(1, self.outer_size.height - 1))

    def to_top(self) -> None:
        """Scroll to the beginning."""
        self._move(0)

    def to_end(self) -> None:
        """Scroll to the end."""
        self._move(len(self._text))

    def go_to(self, offset: int) -> None:
        """Scroll an offset to one third of the height; the active highlight is unchanged."""
        self._move(offset, at_third=True)

    def keep_in_sight(self, offset: int) -> None:
        """Scroll only if an offset is not visible; also later, when the view becomes smaller."""
        if not self._in_sight(offset):
            self._move(offset, at_third=True)
        self._kept_offset = offset

    def _in_sight(self, offset: int) -> bool:
        self._lay_out()
        if self._wrap is None:
            return True
        return 0 <= self._line_of(offset) - self.scroll_offset.y < self.outer_size.height

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down by mouse wheel, where the settings enable the mouse."""
        self._wheel(event, 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up by mouse wheel."""
        self._wheel(event, -3)

    def _wheel(self, event: events.MouseEvent, by: int) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_rows(by)
        self.post_message(self.Scrolled())

    def line(self, y: int) -> Strip:
        """One line of the view: a row of the preface or of the text, or a note."""
        self._lay_out()
        line = self.scroll_offset.y + y
        if self._wrap is None or line >= self._line_count:
            return self.paint_shown(())
        if line < len(self._preface_rows):
            return self.paint_shown(((" " * self._gutter, ""), (self._preface_rows[line], "badge")))
        note = bisect_left(self._note_lines, line)
        if note < len(self._note_lines) and self._note_lines[note] == line:
            return self._note_strip(*self._notes[note])
        return self._row_strip(self._wrap.runs(self._row_at(line)))

    # Lines and rows: a line of the view is a row of the preface, a row of the text or a note

    @property
    def _line_count(self) -> int:
        return len(self._preface_rows) + (len(self._wrap) if self._wrap else 0) + len(self._note_lines)

    @property
    def _text_width(self) -> int:
        return max(1, self.outer_size.width - self._gutter)

    def _row_at(self, line: int) -> int:
        """The row of the text at a line of the view: for a note the row above it, for the preface the first row."""
        above = bisect_left(self._note_lines, line)
        on_note = above < len(self._note_lines) and self._note_lines[above] == line
        return self._note_rows[above] if on_note else max(0, line - above - len(self._preface_rows))

    def _line_of(self, offset: int) -> int:
        assert self._wrap is not None
        row = self._wrap.row_of(offset)
        return len(self._preface_rows) + row + bisect_left(self._note_rows, row)

    # Layout and scrolling

    def _move(self, offset: int, at_third: bool = False) -> None:
        self._anchor, self._anchor_at_third, self._kept_offset, self._laid_out_for = offset, at_third, None, None
        self._lay_out()
        self.repaint()

    def _lay_out(self) -> None:
        """Wrap for the current size and scroll to the anchor, once for each size; nothing before a size is known.

        Called wherever the layout matters, also while drawing, so that the first frame after a resize is correct.
        """
        size = self.outer_size
        if self._laid_out_for == size or not size:
            return
        if self._wrap is None or self._wrap.width != self._text_width:
            self._wrap = wrapped(self._visible, self._text_width)
        words = WrapTable(self._preface, self._text_width)
        self._preface_rows = [self._preface[start:end].rstrip() for start, end in words.rows] if self._preface else []
        self._note_rows = [self._wrap.row_of(offset) for offset, _ in self._notes]
        self._note_lines = [len(self._preface_rows) + row + above + 1 for above, row in enumerate(self._note_rows)]
        # Set without a new layout of the screen: the view's own size does not depend on its text.
        self.set_reactive(DocumentView.virtual_size, Size(size.width, self._line_count))
        line = self._line_of(self._anchor) - (size.height // 3 if self._anchor_at_third else 0) if self._anchor else 0
        line = self._clamped(line)
        if self._kept_offset is not None and not line <= self._line_of(self._kept_offset) < line + size.height:
            line = self._clamped(self._line_of(self._kept_offset) - size.height // 3)
        self.set_scroll(None, line)
        self._laid_out_for = size

    def _scroll(self, line: int) -> None:
        """Scroll to a line; from now on the first visible offset is the anchor."""
        wanted = self._clamped(line)
        if self._wrap is None or wanted == self.scroll_offset.y:
            return
        self.set_scroll(None, wanted)
        self._anchor, self._anchor_at_third, self._kept_offset = self.first_offset, False, None
        self.repaint()

    def _clamped(self, line: int) -> int:
        return max(0, min(line, self._line_count - self.outer_size.height))

    # Drawing

    def _row_strip(self, runs: Sequence[TextRun]) -> Strip:
        pieces: list[StyledText] = []
        gutter: list[StyledText] = []
        column = 0
        kinds: set[str] = set()
        shown = self._named or self._visible
        for start, end, at in runs:
            text = self._visible[start:end].rstrip()
            pieces.append((" " * (at - column), ""))
            for piece in self._index.pieces(start, start + len(text)):
                if "doubtful" in piece.kinds and self._index.starts("doubtful", piece.start) and not _sign(pieces):
                    gutter = [_DOUBTFUL]
                kinds.update(piece.kinds)
                pieces.append((shown[piece.start : piece.end].translate(_TAB), " ".join(piece.kinds)))
            column = at + width(text)
        sign, style = self._gutter_text(runs, kinds)
        return self.paint_shown(((sign[: len(sign) - len(gutter)], style), *gutter, *pieces))

    def _gutter_text(self, runs: Iterable[TextRun], kinds: Collection[str]) -> StyledText:
        """A sign beside the row of the active highlight, and beside one with a text of :data:`_SIGNS`."""
        active = self.active
        if active is not None and any(active.overlap(Span(start, end)) for start, end, _ in runs):
            return ("|" if self.ascii_only else "▌").center(self._gutter)[: self._gutter], "gutter"
        for kind, sign in _SIGNS.items():
            if kind in kinds:
                return self.shown(sign).center(self._gutter)[: self._gutter], "rule"
        return " " * self._gutter, ""

    def _note_strip(self, offset: int, note: str) -> Strip:
        assert self._wrap is not None
        runs = self._wrap.runs(self._wrap.row_of(offset))
        start, _, column = max((run for run in runs if run.start <= offset), default=runs[0])
        text = self.shown(note)
        indent = column + width(self._visible[start:offset])
        if indent + width(text) > self._text_width:
            carets, _, words = text.partition(" ")
            if indent + width(carets) <= self._text_width and width(words) < indent:
                text, indent = f"{words} {carets}", indent - width(words) - 1
            else:
                indent = max(0, self._text_width - width(text))
        return self.paint_shown(((" " * (self._gutter + indent), ""), (text, "bad")))


def _sign(pieces: list[StyledText]) -> bool:
    """Draw the sign of a doubtful word over the last blank of a row that is drawn up to it; whether there is one."""
    for place in range(len(pieces) - 1, -1, -1):
        text, names = pieces[place]
        if (blank := text.rfind(" ")) >= 0:
            pieces[place : place + 1] = [(text[:blank], names), _DOUBTFUL, (text[blank + 1 :], names)]
            return True
    return False
