"""A long text with its marks and notes, laid out for a width: the source pane and the response pane."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from medreview.review.cell_width import width
from medreview.review.highlight_index import HighlightIndex, Mark
from medreview.review.span_editing import WordHint, with_hints
from medreview.review.wrapping import TextRun, WrapTable, wrapped
from medreview.screens.widgets.painted import Painted, Row, StyledText, displayed
from medreview.text import Span
from medreview.visible import visible

_TAB: Final = str.maketrans("\t", " ")
_BAR: Final = "▌"
"""The sign beside the rows of the active highlight."""
_SIGNS: Final = {"hidden": "╳", "collapsed": "┊", "left_out": "╎"}
"""By kind of mark, the sign beside its rows: dim alone is not seen everywhere. The first that holds is drawn."""
_DOUBTFUL: Final = ("?", "caret badge")
"""Drawn over the blank before a doubtful word, otherwise shown by slant and colour only."""


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
        return ((" " * (self._gutter + indent), ""), (text, "against"))


def _sign(pieces: list[StyledText]) -> bool:
    """Draw the sign of a doubtful word over the last blank of a row that is drawn up to it; whether there is one."""
    for place in range(len(pieces) - 1, -1, -1):
        text, names = pieces[place]
        if (blank := text.rfind(" ")) >= 0:
            pieces[place : place + 1] = [(text[:blank], names), _DOUBTFUL, (text[blank + 1 :], names)]
            return True
    return False


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
        self._page = self._made(Contents())
        self._ahead: DocumentPage | None = None
        self._painted: dict[tuple[int, Row], Strip] = {}
        self._anchor = 0
        self._anchor_at_third = False
        self._kept_offset: int | None = None
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
        beforehand: bool = False,
    ) -> None:
        """Show a text with the row of the offset ``anchor`` at the top, or (``at_third``) at one third of the height.

        ``notes``: offset to carets and words that are drawn in an extra row under it (``^^ 50 in the statement``);
        where they do not fit, the words come before the carets. ``preface``: a notice above the text. ``below``: an
        index with marks of other kinds, prepared beforehand. ``beforehand``: nothing is shown yet, only drawn, for when
        the same is asked for next.
        """
        contents = self._contents(text, marks, notes, preface, below)
        page, self._ahead = self._ahead, None
        if page is None or page.contents != contents:
            page = self._made(contents, self._page.shown if text == self.text else None)
        if beforehand:
            self._ahead = page
            self._draw_beforehand(page, anchor, at_third)
        else:
            self._page = page
            self._move(anchor, at_third)

    def _draw_beforehand(self, page: DocumentPage, anchor: int, at_third: bool) -> None:
        width, height = self.outer_size
        if width:
            page.lay_out(width)
            top = page.top_for(anchor, at_third, height)
            for line in range(top, top + height):
                self._strip(page, line)

    def mark(self, kind: str, spans: Iterable[tuple[int, int]]) -> None:
        """Replace the marks of one kind (search hits, the span being edited), without scrolling."""
        self._page.mark(kind, spans)
        self.repaint()

    def name_words(self, hints: tuple[WordHint, ...], typed: str = "") -> None:
        """Draw letters over words, those that are still to be typed; none takes them away."""
        self._page.name_words(hints, typed)
        self.repaint()

    def activate(self, span: tuple[int, int] | None) -> None:
        """Make a range the active highlight and scroll it to one third of the height; ``None`` for no highlight."""
        self._page.mark("active", () if span is None else (span,))
        if span is None:
            self.repaint()
        else:
            self._move(span[0], at_third=True)

    @property
    def marks(self) -> HighlightIndex:
        """All marks, the active highlight included."""
        return self._page.index

    @property
    def active(self) -> Span | None:
        """The active highlight."""
        return self._page.active

    # Where it is

    @property
    def position(self) -> int:
        """The share of the text above the bottom of the view, in per cent; 100 when the end is visible."""
        self._lay_out()
        bottom = self.scroll_offset.y + self.outer_size.height
        if bottom >= len(self._page):
            return 100
        return min(99, 100 * self._page.end_of(bottom - 1) // max(1, len(self.text)))

    @property
    def first_offset(self) -> int:
        """The first visible offset, which a later ``show`` of the same text may take as its anchor."""
        self._lay_out()
        return self._page.first_of(self.scroll_offset.y) if len(self._page) else self._anchor

    @property
    def end_offset(self) -> int:
        """The end of the last visible row."""
        self._lay_out()
        bottom = min(self.scroll_offset.y + self.outer_size.height, len(self._page))
        return self._page.end_of(bottom - 1) if bottom else 0

    @property
    def text(self) -> str:
        """What is shown."""
        return self._page.contents.text

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
        self._move(len(self.text))

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
        if not len(self._page):
            return True
        return 0 <= self._page.line_of(offset) - self.scroll_offset.y < self.outer_size.height

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
        page, (width, height) = self._page, size
        page.lay_out(width)
        # Set without a new layout of the screen: the view's own size does not depend on its text.
        self.set_reactive(DocumentView.virtual_size, Size(width, len(page)))
        top = page.top_for(self._anchor, self._anchor_at_third, height)
        if self._kept_offset is not None and not top <= page.line_of(self._kept_offset) < top + height:
            top = page.top_for(self._kept_offset, True, height)
        self.set_scroll(None, top)
        self._laid_out_for = size

    def _scroll(self, line: int) -> None:
        """Scroll to a line; from now on the first visible offset is the anchor."""
        wanted = self._page.clamped(line, self.outer_size.height)
        if not len(self._page) or wanted == self.scroll_offset.y:
            return
        self.set_scroll(None, wanted)
        self._anchor, self._anchor_at_third, self._kept_offset = self.first_offset, False, None
        self.repaint()

    # Drawing

    def notify_style_update(self) -> None:
        """Paint the lines again: the theme or a class has changed."""
        self._page.strips.clear()
        self._painted.clear()
        self._ahead = None
        super().notify_style_update()

    def drawn(self) -> Sequence[Strip]:
        """All lines of the view."""
        self._lay_out()
        top, page = self.scroll_offset.y, self._page
        return [self._strip(page, line) for line in range(top, top + self.outer_size.height)]

    def line(self, y: int) -> Strip:
        """One line of the view: a row of the preface or of the text, or a note."""
        self._lay_out()
        return self._strip(self._page, self.scroll_offset.y + y)

    def _strip(self, page: DocumentPage, line: int) -> Strip:
        strip = page.strips.get(line)
        if strip is None:
            if len(page.strips) > 4 * self.outer_size.height:
                page.strips.clear()
            strip = page.strips[line] = self._strip_of(page.row(line))
        return strip

    def _strip_of(self, row: Row) -> Strip:
        """A row as painted: the same object on another page, so that one comparison shows that nothing changed."""
        width, height = self.outer_size
        strip = self._painted.get((width, row))
        if strip is None:
            if len(self._painted) > 8 * height:
                self._painted.clear()
            strip = self._painted[width, row] = self.paint_shown(row)
        return strip

    def _contents(
        self,
        text: str,
        marks: Iterable[Mark],
        notes: Mapping[int, str] | None,
        preface: str,
        below: HighlightIndex | None,
    ) -> Contents:
        told = tuple((offset, self.shown(note)) for offset, note in sorted((notes or {}).items()))
        return Contents(text, tuple(marks), told, self.shown(preface), below)

    def _made(self, contents: Contents, shown: str | None = None) -> DocumentPage:
        return DocumentPage(contents, gutter=self._gutter, ascii_only=self.ascii_only, shown=shown)
