"""A long text with its marks and notes, laid out for a width: the source pane and the response pane."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from medreview.review.cell_width import width
from medreview.review.highlight_index import KINDS, LIT, HighlightIndex, Mark
from medreview.review.span_editing import WordHint, with_hints
from medreview.review.typography import AnyRows, SetRows, unseen_in
from medreview.review.wrapping import TableFrame, WrapTable, wrapped
from medreview.screens.widgets.painted import Painted, Row, StyledText, displayed
from medreview.text import Span
from medreview.visible import visible

_TAB: Final = str.maketrans("\t", " ")
_BAR: Final = "▌"
"""The sign beside the rows of the active highlight."""
_LIT: Final = {
    "doubted": ("!", "doubted"), "against": ("✗", "against"), "says": ("✓", "says"), "partly": ("~", "partly"),
    "quote": ("“", "quote"), "evidence": ("≈", "near"),
}  # fmt: skip
"""By kind of passage, the sign beside its rows, before a line, and its style; the first that holds is drawn."""
_BESIDE: Final = "│"
"""The line beside the rows of a passage, where it is not the active one."""
_HANGS: Final = "└"
"""The sign beside a note that says what the passage above it is."""
_SIGNS: Final = {"hidden": "╳", "collapsed": "┊", "left_out": "╎"}
"""By kind of mark, the sign beside its rows: dim alone is not seen everywhere. The first that holds is drawn."""
_CLOSED: Final = "in a closed panel"
"""At the end of one of the first rows of such a text that has room."""
_NEAR: Final = 300
"""Characters between two such texts under which the second one does not say it again."""
_FIRST_ROWS: Final = 3
_WHOLE_GUTTER: Final = 3
"""Columns of a gutter with room for all its signs."""
_DOUBTFUL: Final = ("?", "caret badge")
"""Drawn over the blank before a doubtful word, otherwise shown by slant and colour only."""
_BULLET: Final = "•"


class Note(NamedTuple):
    """An extra row under the one that holds an offset: carets and words (``^^ 50 in the statement``) under their place;
    ``hangs``: words under a passage, which say what it is."""

    offset: int
    words: str
    hangs: bool = False


class Contents(NamedTuple):
    """What a document view shows.

    ``text`` as stored; ``notes`` by offset; ``preface``: a notice above the text, displayed as it is; ``below``: an
    index with marks of other kinds; ``told``: by the start of a mark that is left out, words at the end of its row.
    """

    text: str = ""
    marks: tuple[Mark, ...] = ()
    notes: tuple[Note, ...] = ()
    preface: str = ""
    below: HighlightIndex | None = None
    told: tuple[tuple[int, str], ...] = ()


class DocumentPage:
    """The contents of a view as lines, each a row of the preface, a row of the text or a note.

    All offsets are code points of the text as stored. ``strips`` are lines as they were painted, by number; they go
    when the marks change.
    """

    def __init__(self, contents: Contents, *, gutter: int, ascii_only: bool, shown: str | None = None) -> None:
        """``shown``: the text as displayed, if that is known."""
        self.contents = contents
        marks, below = HighlightIndex(contents.marks), contents.below
        self.index = marks if below is None else marks.over(below)
        self.shown = self._made_visible(contents.text, ascii_only) if shown is None else shown
        self.strips: dict[int, Strip] = {}
        self._gutter = gutter
        self._bar, self._hangs = (displayed(sign, ascii_only) for sign in (_BAR, _HANGS))
        self._line = "." if ascii_only else _BESIDE  # the bar has the ASCII sign of lines
        self._rule, self._joint, self._between = (displayed(sign, ascii_only) for sign in "─┼│")
        self._lit = {kind: (displayed(sign, ascii_only), style) for kind, (sign, style) in _LIT.items()}
        self._signs = {kind: displayed(sign, ascii_only) for kind, sign in _SIGNS.items()}
        self._told = {at: displayed(words, ascii_only) for at, words in contents.told}
        self._spelled = False
        self._named = ""
        self._wrap: AnyRows | None = None
        self._columns = 0
        self._preface_rows: list[str] = []
        self._notes: list[tuple[int, Note]] = []
        self._note_rows: list[int] = []
        self._note_lines: list[int] = []

    def _made_visible(self, text: str, ascii_only: bool) -> str:
        shown = visible(text, ascii_only)
        bullets = self.index.of_kind("bullet")
        ends = [0, *(mark.end for mark in bullets)]
        starts = [*(mark.start for mark in bullets), len(shown)]
        return displayed(_BULLET, ascii_only).join(shown[end:start] for end, start in zip(ends, starts, strict=True))

    # Marks

    def mark(self, kind: str, spans: Iterable[tuple[int, int]]) -> None:
        """Replace the marks of one kind."""
        self.index = self.index.replaced(kind, spans)
        self.strips.clear()

    def name_words(self, hints: tuple[WordHint, ...], typed: str) -> None:
        """Draw letters over words, those that are still to be typed; none takes them away."""
        self._named = with_hints(self.shown, hints, typed) if hints else ""
        self.mark("hint", [(hint.start, hint.start + len(hint.letters) - len(typed)) for hint in hints])

    def spell_out(self, spelled: bool) -> bool:
        """Draw signs of Markdown, or do not; whether the page has to be laid out anew."""
        changes = spelled != self._spelled and bool(self.index.of_kind("syntax"))
        self._spelled = spelled
        if changes:
            self._columns = 0
        return changes

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
        unseen = () if self._spelled else unseen_in(self.index)
        self._wrap = SetRows(self.shown, unseen, room) if unseen else wrapped(self.shown, room)
        preface = self.contents.preface
        words = WrapTable(preface, room).rows if preface else ()
        self._preface_rows = [preface[start:end].rstrip() for start, end in words]
        self._notes = sorted(((self._row_above(note), note) for note in self.contents.notes), key=itemgetter(0))
        self._note_rows = [row for row, _ in self._notes]
        self._note_lines = [len(self._preface_rows) + row + above + 1 for above, row in enumerate(self._note_rows)]

    def _row_above(self, note: Note) -> int:
        """The row under which a note stands: that of its place, or the end of the passage that it names."""
        assert self._wrap is not None
        row = self._wrap.row_of(note.offset)
        return self._wrap.last_of(row) if note.hangs else row

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
            return self._note(self._notes[note][1])
        return self._text_row(self._row_at(line))

    def _text_row(self, row: int) -> Row:
        assert self._wrap is not None
        frame, line = self._wrap.frame(row), Span(*self._wrap.line(row))
        if frame is not None and frame.rule:
            return ((" " * self._gutter, ""), (self._framed(frame, 0, frame.width, self._rule), "rule"))
        # A row of a table is lit as a whole.
        lit = {mark for mark in LIT if self.index.overlapping(mark, *line)} if frame is not None else set[str]()
        pieces: list[StyledText] = []
        column, kinds, doubtful = 0, set(lit), False
        shown = self._named or self.shown
        for start, end, at in self._wrap.runs(row):
            text = self.shown[start:end].rstrip()
            if at > column:
                pieces.append((self._framed(frame, column, at, " "), "rule" if frame else ""))
                column = at
            for piece in self.index.pieces(start, start + len(text)):
                if "syntax" in piece.kinds and not self._spelled:
                    continue
                if "doubtful" in piece.kinds and self.index.starts("doubtful", piece.start) and not _sign(pieces):
                    doubtful = True
                kinds.update(piece.kinds)
                names = [kind for kind in KINDS if kind in piece.kinds or kind in lit] if lit else piece.kinds
                words = shown[piece.start : piece.end].translate(_TAB)
                pieces.append((words, " ".join(names)))
                column += width(words)
        if frame is not None and frame.bars and column <= frame.bars[-1]:
            pieces.append((self._framed(frame, column, frame.bars[-1] + 1, " "), "rule"))
            column = frame.bars[-1] + 1
        if kinds and (words := self._told_at(row, line, kinds, column)):
            pieces += [(" " * (self._wrap.width - column - width(words)), ""), (words, "dim")]
        gutter = self._beside(line, kinds)
        if doubtful:
            last, style = gutter[-1]
            gutter[-1:] = [(last[:-1], style), _DOUBTFUL]
        return (*gutter, *pieces)

    def _framed(self, frame: TableFrame | None, start: int, end: int, blank: str) -> str:
        """What stands between the cells of a table, from one column to another."""
        if frame is None:
            return blank * (end - start)
        bar = self._joint if frame.rule else self._between
        return "".join(bar if at in frame.bars else blank for at in range(start, end))

    def _beside(self, line: Span, kinds: Collection[str]) -> list[StyledText]:
        """The gutter: what the passage in the row means, whether it is the active one, what sort of text it is."""
        here = (self.active or Span(0, 0)).overlap(line) > 0 or "chosen" in kinds
        lit = next((kind for kind in self._lit if kind in kinds), "") if kinds else ""
        sort = next((sign for kind, sign in self._signs.items() if kind in kinds), "") if kinds else ""
        bar: StyledText = (self._bar, "gutter") if here else (self._line, "rule") if lit else (sort, "rule")
        if self._gutter < _WHOLE_GUTTER:
            one = bar if here or not lit else self._lit[lit]
            return [(one[0].center(self._gutter)[: self._gutter], one[1])]
        if not (here or lit or sort):
            return [(" " * self._gutter, "")]
        last = (sort, "rule") if sort and (lit or here) else (" ", "")
        return [self._lit[lit] if lit else (" ", ""), bar, last]

    def _told_at(self, row: int, line: Span, kinds: Collection[str], column: int) -> str:
        """What sort of text it is that has a sign beside it, at the first of its first rows with room for the words."""
        assert self._wrap is not None
        kind = next((kind for kind in self._signs if kind in kinds), "")
        marks = self.index.overlapping(kind, *line) if kind else []
        for mark in marks[:1]:
            words = self._told.get(mark.start, "") if kind == "left_out" else self._closed(mark)
            first = self._wrap.row_of(mark.start)
            if not words or row - first >= _FIRST_ROWS:
                continue
            room = self._wrap.width - width(words) - 2
            if column <= room and all(self._width(before) > room for before in range(first, row)):
                return words
        return ""

    def _closed(self, mark: Mark) -> str:
        """That a text stands in a closed panel, of the first of several that are near each other."""
        before = self.index.previous(mark.start, (mark.kind,))
        near = before is not None and mark.start - before.end < _NEAR
        return _CLOSED if mark.kind == "collapsed" and not near else ""

    def _width(self, row: int) -> int:
        """The columns that a row of prose takes."""
        assert self._wrap is not None
        start, end = self._wrap.line(row)
        pieces = self.index.pieces(start, start + len(self.shown[start:end].rstrip()))
        drawn = (one for one in pieces if self._spelled or "syntax" not in one.kinds)
        return self._wrap.runs(row)[0].column + sum(width(self.shown[one.start : one.end]) for one in drawn)

    def _note(self, note: Note) -> Row:
        assert self._wrap is not None
        offset, text, hangs = note
        if hangs:
            return ((self._hangs.center(self._gutter)[: self._gutter], "rule"), (text, "dim"))
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

    def __init__(self, *, gutter: int = 3, id: str | None = None) -> None:
        super().__init__(id=id)
        self._gutter = gutter
        self._page = DocumentPage(Contents(), gutter=gutter, ascii_only=False)
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
        notes: Iterable[Note] = (),
        *,
        at_third: bool = False,
        preface: str = "",
        below: HighlightIndex | None = None,
        told: Iterable[tuple[int, str]] = (),
        beforehand: bool = False,
    ) -> None:
        """Show a text with the row of the offset ``anchor`` at the top, or (``at_third``) at one third of the height.

        Where the carets and words of a note do not fit under their place, the words come before the carets.
        ``preface``: a notice above the text. ``below``: an index with marks of other kinds, prepared beforehand, and
        how the text is set. ``told``: by the start of what is left out, the words that say so. ``beforehand``: nothing
        is shown yet, only drawn, for when the same is asked for next.
        """
        shown_notes = (Note(note.offset, self.shown(note.words), note.hangs) for note in notes)
        ordered = tuple(sorted(shown_notes, key=lambda note: note.offset))
        contents = Contents(text, tuple(marks), ordered, self.shown(preface), below, tuple(told))
        page, self._ahead = self._ahead, None
        if page is None or page.contents != contents:
            bullets = below.of_kind("bullet") if below else []
            same = text == self.text and bullets == self._page.index.of_kind("bullet")
            page = self._made(contents, self._page.shown if same else None)
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

    def spell_out(self, spelled: bool) -> None:
        """Draw signs of Markdown too, while places in the text as it is stored are chosen."""
        if self._page.spell_out(spelled):
            self._move(self.first_offset)

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

    def render_line(self, y: int) -> Strip:
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

    def _made(self, contents: Contents, shown: str | None = None) -> DocumentPage:
        return DocumentPage(contents, gutter=self._gutter, ascii_only=self.ascii_only, shown=shown)
