"""The base class of the line-drawing widgets: the palette, styled text as one screen line, lines as drawn last."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, Self

from rich.segment import Segment
from rich.style import Style
from textual._styles_cache import StylesCache
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from medreview.review.cell_width import fit, fit_words, fitting, width
from medreview.review.wrapping import prose_rows
from medreview.screens.terminal_output import OutputApp
from medreview.visible import visible


def runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as half-open ranges."""
    first = end = -1
    for number in numbers:
        if number > end or first < 0:
            if first >= 0:
                yield first, end
            first = number
        end = number + 1
    if first >= 0:
        yield first, end


class LineCache(StylesCache):
    """Keeps the lines of a widget that draws each of them whole.

    Takes the place of Textual's, which puts borders, padding, opacity and filters around the lines of any widget, and
    makes three strips of each on the way.
    """

    @property
    def lines(self) -> Mapping[int, Strip]:
        """The lines as they were drawn last, by row of the widget."""
        return self._cache

    def put(self, lines: Mapping[int, Strip]) -> None:
        """These lines are drawn already."""
        self._cache.update(lines)
        self._dirty_lines.difference_update(lines)

    def render_widget(self, widget: Widget, crop: Region) -> list[Strip]:
        """The lines of a region of the widget; only those are drawn that changed."""
        cache, dirty = self._cache, self._dirty_lines
        for y in crop.line_range:
            if y in dirty or y not in cache:
                cache[y] = widget.render_line(y)
        dirty.difference_update(crop.line_range)
        strips = [cache[y] for y in crop.line_range]
        width = widget.outer_size.width
        if crop.column_span != (0, width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips


StyledText = tuple[str, str]
"""Text and the names of its styles, separated by spaces: a role, mark kinds, or ``""`` for plain text."""

Row = Sequence[StyledText]

PALETTE: Final = {
    # A colour has one meaning (COLOURS). All else is told by weight and by words.
    "title": Style(bold=True),
    "dim": Style(color="bright_black"),
    "key": Style(color="blue", bold=True),
    "badge": Style(color="yellow", bold=True),
    "says": Style(color="green", bold=True),
    "against": Style(color="red", bold=True),
    "own": Style(color="magenta", bold=True),
    "receipt": Style(bold=True),
    "error": Style(color="yellow", bold=True, reverse=True),
    "rule": Style(color="bright_black"),
    "gutter": Style(color="blue", bold=True),
    "cursor": Style(bold=True),
    "bar": Style(color="blue", bold=True, reverse=True),
    "caret": Style(reverse=True),
    # The kinds of marks.
    "hint": Style(color="blue", bold=True, reverse=True),
    "active": Style(),
    "chosen": Style(bold=True),
    "search": Style(color="blue", reverse=True),
    "clash": Style(color="red", bold=True, reverse=True),
    "missing": Style(color="yellow", underline=True),
    "doubted": Style(color="yellow", bold=True),
    "partly": Style(bold=True),
    "quote": Style(bold=True),
    "span": Style(color="magenta", bold=True, underline=True),
    "evidence": Style(color="cyan", underline=True),
    "near": Style(color="cyan"),
    "lexical": Style(underline=True),
    "statement": Style(color="blue", underline=True),
    "doubtful": Style(color="yellow", italic=True),
    "hidden": Style(dim=True),
    "collapsed": Style(),
    "left_out": Style(dim=True),
    "strong": Style(bold=True),
    "emphasis": Style(italic=True),
    "link": Style(underline=True),
    "address": Style(color="bright_black"),
    "heading": Style(bold=True),
    "bullet": Style(),
    "syntax": Style(color="bright_black"),
}
"""Styles by name. Not a Textual style sheet, which would cost each start a twentieth of a second."""

COLOURS: Final = {
    "green": "the page says so",
    "red": "it says otherwise",
    "yellow": "take care: a quote, a number, a page or the mode is not what one expects",
    "cyan": "the nearest passage, no more",
    "magenta": "yours: your labels and your marks",
    "blue": "the workbench: its keys, and where you are",
    "bright_black": "in the background",
}
"""The one meaning of each colour of :data:`PALETTE`."""

LINK: Final = "link:"
"""Begins the name of a style that makes a text a link, with the address behind it; drawn where the settings say so."""

FILL: Final = "fill"
"""Style name of a text that is repeated (a space if empty) until the row is full; at most one in a row."""

_ONE_LINE: Final = str.maketrans("\t\n", "  ")
_ASCII_EQUIVALENTS: Final = str.maketrans(
    {"▌": "|", "│": "|", "─": "-", "┬": "+", "┴": "+", "✓": "v", "✗": "x", "○": "o", "▸": ">", "·": "-", "→": "->",
     "“": '"', "”": '"', "…": "...", "›": ">", "█": "#", "░": ".", "▒": ":", "▓": "+", "├": "|", "┤": "|", "●": "o",
     "←": "<-", "↑": "Up", "↓": "Down", "╳": "x", "┊": ":", "╎": ":",
     "━": "=", "┌": "+", "┐": "+", "└": "+", "┘": "+", "┼": "+", "≈": "=", "•": "*"}
)  # fmt: skip
"""ASCII fallbacks for the glyphs that the screens draw."""


def cells(row: Iterable[StyledText]) -> int:
    """The width of a row's pieces."""
    return sum(width(visible(text)) for text, _ in row)


def wrapped(text: str, columns: int, style: str, most: int = 99, lead: str = " ") -> list[Row]:
    """A text in at most so many rows, each behind ``lead``; the last ends in an ellipsis where there is more."""
    shown = visible(" ".join(text.split()))
    rows = prose_rows(shown, 0, len(shown), max(1, columns - len(lead) - 1))
    lines = [shown[start:end].rstrip() for start, end in rows]
    if len(lines) > most:
        lines = [*lines[: most - 1], fit_words(f"{lines[most - 1]} …", columns - len(lead) - 1)]
    return [[(lead, ""), (line, style)] for line in lines]


class Painted(Widget):
    """A widget that draws its lines itself and needs no new layout of the screen when they change.

    It has neither border nor padding, so that its outer size, which is cheap to read, is its size.
    """

    DEFAULT_CSS = """
    Painted {
        overflow: hidden hidden;
        scrollbar-size: 0 0;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._styles_of: dict[str, Style] = {}
        self._styles_cache = self._lines = LineCache()

    @cached_property
    def ascii_only(self) -> bool:
        """Whether glyphs and the symbols of invisible characters are replaced by ASCII."""
        return isinstance(self.app, OutputApp) and self.app.ascii_only

    def notify_style_update(self) -> None:
        """Clear the cache of styles: the theme or a class has changed."""
        self._styles_of.clear()
        super().notify_style_update()

    @abstractmethod
    def render_line(self, y: int) -> Strip:
        """The content of one row of the widget."""

    def drawn(self) -> Sequence[Strip]:
        """The content of all rows of the widget."""
        return [self.render_line(y) for y in range(self.outer_size.height)]

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """As in Textual, but changed rows alone notify the screen at once: Textual sends three messages for it, through
        a task of the widget's own.

        Where it is not on the screen, its lines are drawn when it comes back, without notifying the screen: Textual
        would then take the places of all widgets to be unknown, find out the new ones before it lays the screen out for
        a key, and so see nothing that moved.
        """
        if layout or recompose or not repaint or not self.is_attached:
            return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)
        if self not in self.screen._compositor.visible_widgets:
            self._lines.clear()
            return self
        if not regions:
            return super().refresh()
        self._set_dirty(*regions)
        self.screen._dirty_widgets.add(self)
        self.screen.check_idle()
        return self

    def repaint(self) -> None:
        """Draw the rows that differ from those on the screen: Textual itself would send all of them again."""
        width, before = self.outer_size.width, self._lines.lines
        now = ((y, before.get(y), strip) for y, strip in enumerate(self.drawn()))
        changed = {y: strip for y, old, strip in now if strip is not old and strip != old}
        if changed:
            self.refresh(*(Region(0, first, width, end - first) for first, end in runs(changed)))
            self._lines.put(changed)

    def style_of(self, names: str) -> Style:
        """The Rich style of space-separated names, by decreasing priority; the widget's own style for ``""``.

        Textual's filters, which take colours away or name them otherwise, have been asked.
        """
        found = self._styles_of.get(names)
        if found is None:
            found = self.rich_style
            for name in reversed(names.split()):
                found += self._link(name) if name.startswith(LINK) else PALETTE[name]
            piece, (_, background) = [Segment(" ", found)], self.background_colors
            for each in self.get_line_filters():
                piece = each.apply(piece, background)
            found = self._styles_of[names] = piece[0].style or found
        return found

    def _link(self, name: str) -> Style:
        links = isinstance(self.app, OutputApp) and self.app.links
        return Style(link=name.removeprefix(LINK)) if links else Style()

    def shown(self, text: str) -> str:
        """Any text as displayed (:func:`displayed`)."""
        return displayed(text, self.ascii_only)

    def paint(self, row: Row, under: str = "") -> Strip:
        """Styled texts as one line of the widget's width, cut off or padded; ``under``: styles of the whole line."""
        pieces = [(self.shown(text), names) for text, names in row]
        return self.paint_shown(_filled(pieces, self.outer_size.width), under)

    def paint_shown(self, pieces: Iterable[StyledText], under: str = "") -> Strip:
        """The same for texts that went through ``shown`` already, and without fill.

        Adjacent texts of one style become one segment: Textual sends some forty bytes of style with each.
        """
        room = self.outer_size.width
        segments: list[Segment] = []
        texts: list[str] = []
        style = self.style_of(under)
        for text, names in (*pieces, (" " * room, "")):
            if not text:
                continue
            cells = width(text)
            if cells > room:
                text = text[: fitting(text, room)]
                cells = width(text)
            room -= cells
            wanted = self.style_of(f"{names} {under}".strip())
            if wanted is not style:
                if texts:
                    segments.append(Segment("".join(texts), style))
                texts, style = [], wanted
            texts.append(text)
            if not room:
                break
        segments.append(Segment("".join(texts), style))
        return Strip(segments, self.outer_size.width)


def key_at(row: Row, x: int, columns: int, *, ascii_only: bool = False) -> str:
    """The name of the key, as it is shown, that a cell of a row is about: on the key, or on the words behind it."""
    at, key, named = 0, "", False
    for text, names in _filled([(displayed(text, ascii_only), names) for text, names in row], columns):
        begin, at = at, at + width(text)
        is_key = "key" in names.split()
        if is_key:
            key, words = text, text.split()
            named = True
        if begin <= x < at:
            if is_key:
                before = len(text[: x - begin + 1].split())
                return words[max(0, before - 1)] if words else ""
            return key.split()[0] if named and key.strip() and text.strip() else ""
        if not is_key and text:
            named = False
    return ""


def displayed(text: str, ascii_only: bool) -> str:
    """Any text as displayed: made visible, on one line, in ASCII where required."""
    if text.isascii() and text.isprintable():
        return text
    line = visible(text, ascii_only).translate(_ONE_LINE)
    return line.translate(_ASCII_EQUIVALENTS) if ascii_only else line


def _filled(pieces: list[StyledText], cells: int) -> list[StyledText]:
    """The styled texts, with the filling one repeated over the remaining cells."""
    if not any(FILL in names for _, names in pieces):
        return pieces
    room = cells - sum(width(text) for text, names in pieces if FILL not in names)
    return [
        (fit((text or " ") * max(0, room), room, ""), " ".join(name for name in names.split() if name != FILL))
        if FILL in names
        else (text, names)
        for text, names in pieces
    ]
