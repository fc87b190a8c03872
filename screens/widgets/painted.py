"""What the line-drawing widgets share: the palette, and pieces of text made into one screen line.

The palette is the only home of the workbench's colours. They are the terminal's own sixteen, and marks that meet in one
pane differ in bold, underline or reverse as well, so that nothing is lost where the app drops colour; the active
highlight has its gutter.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from medreview.review.layout.cells import fit, fitting, width
from medreview.visible import visible

StyledText = tuple[str, str]
"""Text and the names of its styles, separated by spaces: a role, mark kinds, or ``""`` for plain text."""

Row = Sequence[StyledText]

PALETTE: Final = {
    # What is not a mark: names, lesser text, keys, reason badges, saved, errors, rules, the gutter of the active
    # highlight, the cursor's row, the cursor in a line that is typed.
    "title": Style(bold=True),
    "dim": Style(color="bright_black"),
    "key": Style(bold=True),
    "badge": Style(color="yellow", bold=True),
    "good": Style(color="green"),
    "bad": Style(color="red", bold=True),
    "rule": Style(color="bright_black"),
    "gutter": Style(color="yellow", bold=True),
    "cursor": Style(bold=True),
    "caret": Style(reverse=True),
    # The kinds of mark.
    "active": Style(bold=True),
    "search": Style(color="yellow", reverse=True),
    "clash": Style(color="red", bold=True, reverse=True),
    "quote": Style(color="green", bold=True),
    "span": Style(color="magenta", bold=True, underline=True),
    "evidence": Style(color="cyan", underline=True),
    "lexical": Style(underline=True),
    "statement": Style(color="blue", underline=True),
    "heading": Style(color="blue", bold=True),
}
"""Styles by name. A table and not a style sheet, which would cost each start a twentieth of a second."""

FILL: Final = "fill"
"""Style name of a piece that is repeated (a space if empty) until the row is full; one in a row."""

_ONE_LINE: Final = str.maketrans("\t\n", "  ")
_TWINS: Final = str.maketrans(
    {"▌": "|", "│": "|", "─": "-", "┬": "+", "┴": "+", "✓": "v", "✗": "x", "○": "o", "▸": ">", "·": "-", "→": "->",
     "“": '"', "”": '"', "…": "...", "›": ">", "█": "#", "↑": "Up", "↓": "Down"}
)  # fmt: skip
"""ASCII for the glyphs that the screens draw with."""


class Painted(Widget):
    """A widget that draws its lines itself, piece by piece, and never lays out again when they change.

    It has neither border nor padding, so its outer size is its size, and costs nothing to ask for.

    ``ascii_only``: glyphs and marks for hidden characters have their ASCII twins.
    """

    DEFAULT_CSS = """
    Painted {
        overflow: hidden hidden;
        scrollbar-size: 0 0;
    }
    """

    def __init__(
        self,
        *,
        ascii_only: bool = False,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.ascii_only = ascii_only
        self._styles_of: dict[str, Style] = {}
        self._drawn: dict[int, Strip] = {}
        self._ahead: tuple[Size, dict[int, Strip]] = (Size(0, 0), {})

    def notify_style_update(self) -> None:
        """Forget the styles: the theme or a class has changed."""
        self._styles_of.clear()
        super().notify_style_update()

    @abstractmethod
    def line(self, y: int) -> Strip:
        """What stands in one row of the widget."""

    def render_line(self, y: int) -> Strip:
        """One row as Textual asks for it."""
        size, ahead = self._ahead
        strip = ahead.pop(y, None) if size == self.outer_size else None
        self._drawn[y] = strip = self.line(y) if strip is None else strip
        return strip

    def repaint(self) -> None:
        """Draw the rows that differ from what was drawn: Textual itself would send all of them again."""
        if not self.size:  # not on the screen now: all of it is drawn when it comes back
            self.refresh()
            return
        now = {y: self.line(y) for y in range(self.outer_size.height)}
        changed = {y: strip for y, strip in now.items() if strip != self._drawn.get(y)}
        self._ahead = (self.outer_size, changed)
        if changed:
            self.refresh(*(Region(0, y, self.outer_size.width, 1) for y in changed))

    def style_of(self, names: str) -> Style:
        """The Rich style of space-separated names, the most telling first; the widget's own style for ``""``."""
        found = self._styles_of.get(names)
        if found is None:
            found = self.rich_style
            for name in reversed(names.split()):
                found += PALETTE[name]
            self._styles_of[names] = found
        return found

    def shown(self, text: str) -> str:
        """Any text as it may stand in one line."""
        line = visible(text, self.ascii_only).translate(_ONE_LINE)
        return line.translate(_TWINS) if self.ascii_only else line

    def paint(self, row: Row, under: str = "") -> Strip:
        """Any pieces as one line of the widget's width, cut or padded; ``under`` names styles of the whole line."""
        pieces = [(self.shown(text), names) for text, names in row]
        return self.paint_shown(_filled(pieces, self.outer_size.width), under)

    def paint_shown(self, pieces: Iterable[StyledText], under: str = "") -> Strip:
        """The same for pieces that went through ``shown`` already, and without fill.

        Neighbours of one style become one segment: Textual sends some forty bytes of style with each.
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


def _filled(pieces: list[StyledText], cells: int) -> list[StyledText]:
    """The pieces with the filling one repeated over the room that the others leave."""
    room = cells - sum(width(text) for text, names in pieces if FILL not in names.split())
    filled: list[StyledText] = []
    for text, names in pieces:
        rest = [name for name in names.split() if name != FILL]
        if len(rest) == len(names.split()):
            filled.append((text, names))
        else:
            filled.append((fit((text or " ") * max(0, room), room, ""), " ".join(rest)))
    return filled
