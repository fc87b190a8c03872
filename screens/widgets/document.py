"""A long text with highlights: the source pane and the response pane."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from medreview.review.highlight_index import HighlightIndex, Mark
from medreview.review.layout.cells import width
from medreview.review.layout.tables import TableRun
from medreview.review.layout.wrap import WrapTable
from medreview.screens.widgets.painted import Painted, StyledText
from medreview.text import Span
from medreview.visible import visible

_TAB = str.maketrans("\t", " ")


class DocumentView(Painted, ScrollView, can_focus=False):
    """A text of any length, wrapped to the width, with marks, one active highlight and notes under rows; the columns of
    its tables are lined up.

    All offsets are code points of the text as stored; what is drawn went through ``visible``. A highlight is placed at
    one third of the height. A resize keeps the place: the active highlight after ``activate``, else the first offset in
    sight.
    """

    class Scrolled(Message):
        """The mouse moved the view."""

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
        self._index = HighlightIndex()
        self._notes: list[tuple[int, str]] = []
        self._preface = ""
        self._preface_rows: list[str] = []
        self._anchor = 0
        self._anchor_at_third = False
        self._kept: int | None = None
        self._wrap: WrapTable | None = None
        self._note_rows: list[int] = []
        self._note_lines: list[int] = []
        self._placed: Size | None = None

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
        """Show a text with the row of ``anchor`` at the top, or ``at_third`` of the height.

        ``notes``: offset to carets and words that stand in a row of their own under it (``^^ 50 in the statement``);
        where there is no room, the words stand before the carets. ``preface``: words of ours above the text, in sight
        at its top. ``below``: further marks, of other kinds, that were put in order before.
        """
        if text != self._text:
            self._text, self._visible, self._wrap = text, visible(text, self.ascii_only), None
        self._index = HighlightIndex(marks) if below is None else HighlightIndex(marks).over(below)
        self._notes = sorted((notes or {}).items())
        self._preface = self.shown(preface)
        self._move(anchor, at_third)

    def mark(self, kind: str, spans: Iterable[tuple[int, int]]) -> None:
        """Replace the marks of one kind (search hits, the span being set); the place stays."""
        self._index = self._index.replaced(kind, spans)
        self.repaint()

    def activate(self, span: tuple[int, int] | None) -> None:
        """Make a range the active highlight and bring it to one third of the height; ``None`` for no highlight."""
        self._index = self._index.replaced("active", () if span is None else (span,))
        if span is None:
            self.repaint()
        else:
            self._move(span[0], at_third=True)

    @property
    def marks(self) -> HighlightIndex:
        """All marks, the active highlight among them."""
        return self._index

    @property
    def active(self) -> Span | None:
        """The active highlight."""
        found = self._index.of_kind("active")
        return Span(found[0].start, found[0].end) if found else None

    # Where it is

    @property
    def position(self) -> int:
        """How much of the text lies above the bottom of the view, in percent; 100 when the end is in sight."""
        self._place()
        bottom = self.scroll_offset.y + self.outer_size.height
        if self._wrap is None or bottom >= self._line_count:
            return 100
        return min(99, 100 * self._wrap.end_of(self._row_at(bottom - 1)) // max(1, len(self._text)))

    @property
    def first_offset(self) -> int:
        """The offset that a later ``show`` of the same text may take as its anchor: the place where the reader is."""
        self._place()
        if self._wrap is None:
            return self._anchor
        return self._wrap.first_of(self._row_at(self.scroll_offset.y))

    @property
    def place(self) -> int:
        """What the reader is at: the active highlight while it is in sight, else the first offset in sight."""
        active = self.active
        return active.start if active is not None and self._in_sight(active.start) else self.first_offset

    def scroll_rows(self, by: int) -> None:
        """Move the view by rows."""
        self._place()
        self._scroll(self.scroll_offset.y + by)

    def page(self, by: int) -> None:
        """Move the view by screenfuls, less one row that stays in sight."""
        self.scroll_rows(by * max(1, self.outer_size.height - 1))

    def to_top(self) -> None:
        """Show the beginning."""
        self._move(0)

    def to_end(self) -> None:
        """Show the end."""
        self._move(len(self._text))

    def go_to(self, offset: int) -> None:
        """Bring a place to one third of the height; the active highlight stays what it is."""
        self._move(offset, at_third=True)

    def keep_in_sight(self, offset: int) -> None:
        """Scroll only if the place is out of sight; also when the view becomes smaller afterwards."""
        if not self._in_sight(offset):
            self._move(offset, at_third=True)
        self._kept = offset

    def _in_sight(self, offset: int) -> bool:
        self._place()
        if self._wrap is None:
            return True
        return 0 <= self._line_of(offset) - self.scroll_offset.y < self.outer_size.height

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel, where the settings let the mouse in."""
        self._wheel(event, 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel, the other way."""
        self._wheel(event, -3)

    def _wheel(self, event: events.MouseEvent, by: int) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_rows(by)
        self.post_message(self.Scrolled())

    def line(self, y: int) -> Strip:
        """One row, or the note under one."""
        self._place()
        line = self.scroll_offset.y + y
        if self._wrap is None or line >= self._line_count:
            return self.paint_shown(())
        if line < len(self._preface_rows):
            return self.paint_shown(((" " * self._gutter, ""), (self._preface_rows[line], "badge")))
        note = bisect_left(self._note_lines, line)
        if note < len(self._note_lines) and self._note_lines[note] == line:
            return self._note_strip(*self._notes[note])
        return self._row_strip(self._wrap.runs(self._row_at(line)))

    # How lines and rows relate: a line of the view is a row of the preface, a row of the text or a note

    @property
    def _line_count(self) -> int:
        return len(self._preface_rows) + (len(self._wrap) if self._wrap else 0) + len(self._note_lines)

    @property
    def _text_width(self) -> int:
        return max(1, self.outer_size.width - self._gutter)

    def _row_at(self, line: int) -> int:
        """The row at a line, the one a note at that line belongs to, or the one that the preface stands before."""
        above = bisect_left(self._note_lines, line)
        on_note = above < len(self._note_lines) and self._note_lines[above] == line
        return self._note_rows[above] if on_note else max(0, line - above - len(self._preface_rows))

    def _line_of(self, offset: int) -> int:
        assert self._wrap is not None
        row = self._wrap.row_of(offset)
        return len(self._preface_rows) + row + bisect_left(self._note_rows, row)

    # Placing

    def _move(self, offset: int, at_third: bool = False) -> None:
        self._anchor, self._anchor_at_third, self._kept, self._placed = offset, at_third, None, None
        self._place()
        self.repaint()

    def _place(self) -> None:
        """Wrap for the present size and scroll to the anchor, once; nothing before the first size is known.

        Called wherever the place matters, first of all while drawing: the first frame after a resize is the right one.
        """
        size = self.outer_size
        if self._placed == size or not size:
            return
        if self._wrap is None or self._wrap.width != self._text_width:
            self._wrap = WrapTable(self._visible, self._text_width)
        words = WrapTable(self._preface, self._text_width)
        self._preface_rows = [self._preface[start:end].rstrip() for start, end in words.rows] if self._preface else []
        self._note_rows = [self._wrap.row_of(offset) for offset, _ in self._notes]
        self._note_lines = [len(self._preface_rows) + row + above + 1 for above, row in enumerate(self._note_rows)]
        # Set without a new layout: the view's place on the screen does not depend on its text.
        self.set_reactive(DocumentView.virtual_size, Size(size.width, self._line_count))
        line = self._line_of(self._anchor) - (size.height // 3 if self._anchor_at_third else 0) if self._anchor else 0
        line = self._clamped(line)
        if self._kept is not None and not line <= self._line_of(self._kept) < line + size.height:
            line = self._clamped(self._line_of(self._kept) - size.height // 3)
        self.set_scroll(None, line)
        self._placed = size

    def _scroll(self, line: int) -> None:
        """Scroll by hand: from now on the first offset in sight is the anchor."""
        wanted = self._clamped(line)
        if self._wrap is None or wanted == self.scroll_offset.y:
            return
        self.set_scroll(None, wanted)
        self._anchor, self._anchor_at_third, self._kept = self.first_offset, False, None
        self.repaint()

    def _clamped(self, line: int) -> int:
        return max(0, min(line, self._line_count - self.outer_size.height))

    # Drawing

    def _row_strip(self, runs: Sequence[TableRun]) -> Strip:
        pieces: list[StyledText] = [self._gutter_piece(runs)]
        column = 0
        for start, end, at in runs:
            text = self._visible[start:end].rstrip()
            pieces.append((" " * (at - column), ""))
            for piece in self._index.pieces(start, start + len(text)):
                pieces.append((self._visible[piece.start : piece.end].translate(_TAB), " ".join(piece.kinds)))
            column = at + width(text)
        return self.paint_shown(pieces)

    def _gutter_piece(self, runs: Iterable[TableRun]) -> StyledText:
        active = self.active
        if active is None or not any(active.overlap(Span(start, end)) for start, end, _ in runs):
            return " " * self._gutter, ""
        return ("|" if self.ascii_only else "▌").center(self._gutter)[: self._gutter], "gutter"

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
