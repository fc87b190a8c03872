"""A fixed block of lines, and a virtual list of any length, which requests only the visible rows."""

from collections.abc import Callable, Sequence

from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from medreview.screens.widgets.painted import Painted, Row, StyledText

_WHEEL_ROWS = 3


class LinesView(Painted):
    """Rows of styled text, the first at the top; what does not fit is cut off. Only rows that change are repainted."""

    def __init__(self, rows: Sequence[Row] = (), *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows = [list(row) for row in rows]

    def show(self, rows: Sequence[Row]) -> None:
        """Replace all rows."""
        old, self._rows = self._rows, [list(row) for row in rows]
        longer = max(len(old), len(self._rows))
        changed = [y for y in range(longer) if old[y : y + 1] != self._rows[y : y + 1]]
        if changed:
            self.refresh(*(Region(0, y, self.outer_size.width, 1) for y in changed))

    def row_at(self, y: int) -> Row:
        """One row as it was given."""
        return self._rows[y] if y < len(self._rows) else ()

    def render_line(self, y: int) -> Strip:
        """One row of the block."""
        return self.paint(self._rows[y] if y < len(self._rows) else ())


class LiveLines(Painted):
    """Rows that are computed when they are drawn, because they depend on the size that other widgets have by then."""

    def __init__(self, rows: Callable[[], Sequence[Row]], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._compute_rows = rows
        self._rows: Sequence[Row] = ()

    def update(self) -> None:
        """Compute the rows again with the next frame, which may lay out the screen before."""
        self.refresh(self.outer_size.region)

    def row_at(self, y: int) -> Row:
        """One row as it was computed last."""
        return self._rows[y] if y < len(self._rows) else ()

    def render_line(self, y: int) -> Strip:
        """One row, computed now."""
        if y == 0:
            self._rows = self._compute_rows()
        return self.paint(self._rows[y] if y < len(self._rows) else ())


def top_row(cursor: int, count: int, height: int, top: int = 0) -> int:
    """The first row in sight of a list of ``count`` rows once its cursor is, where ``top`` was the first before."""
    if cursor < top:
        top = cursor - (height // 3 if top - cursor < height else height // 2)
    elif cursor >= top + height:
        top = cursor - (height - 1 - height // 3 if cursor - top < 2 * height else height // 2)
    return max(0, min(top, count - height))


class RowsView(Painted, ScrollView, can_focus=False):
    """``count`` rows, requested as ``row(index)`` when they become visible, and a cursor on one of them.

    The cursor's row has a pointer in the first two columns; so has its parent row (the response of a statement), if the
    screen provides it. With ``bar`` the cursor's row is a bar over the whole width, in one style.
    """

    def __init__(self, *, bar: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self._bar = bar
        self._count = 0
        self._row: Callable[[int], Row] = lambda _index: ()
        self._cursor = 0
        self._parent_of: Callable[[int], int | None] = lambda _index: None
        self._height = 0
        self._cached_rows: dict[int, list[StyledText]] = {}
        self._as_of: object = None

    @property
    def count(self) -> int:
        """Number of rows."""
        return self._count

    @property
    def cursor(self) -> int | None:
        """The index of the cursor's row; ``None`` in an empty list."""
        return self._cursor if self._count else None

    def show(
        self,
        count: int,
        row: Callable[[int], Row],
        cursor: int = 0,
        parent_of: Callable[[int], int | None] = lambda _index: None,
    ) -> None:
        """Show other rows; only visible ones are requested.

        ``parent_of``: from the index of a row to the index of its parent row, or ``None``.
        """
        self._count, self._row, self._parent_of = count, row, parent_of
        self._cached_rows.clear()
        self._cursor = self._clamped(cursor)
        # Set without a new layout of the screen: the list's own size does not depend on its length.
        self.set_reactive(RowsView.virtual_size, Size(self.outer_size.width, count))
        self._scroll_to_cursor()
        self.refresh()

    def move_to(self, index: int) -> None:
        """Move the cursor to a row, or to the nearest one that exists."""
        old = self._cursor
        self._cursor = self._clamped(index)
        if self._scroll_to_cursor():
            self.refresh()
        elif self._cursor != old:
            self._repaint({old, self._cursor, self._parent_of(old), self._parent_of(self._cursor)})

    def move(self, by: int) -> None:
        """Move the cursor by rows."""
        self.move_to(self._cursor + by)

    def page(self, by: int) -> None:
        """Move the cursor by pages, less one row that stays visible."""
        self.move(by * max(1, self.outer_size.height - 1))

    def index_at(self, y: int) -> int | None:
        """The index of the row that is drawn in a row of the widget; ``None`` below the last."""
        index = self.scroll_offset.y + y
        return index if index < self._count else None

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, _WHEEL_ROWS)

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, -_WHEEL_ROWS)

    def _wheel(self, event: events.MouseEvent, by: int) -> None:
        """Scroll the list; the cursor stays where it is, and the next key brings it back into sight."""
        event.stop()
        event.prevent_default()
        wanted = max(0, min(self.scroll_offset.y + by, self._count - self.outer_size.height))
        if wanted != self.scroll_offset.y:
            self.set_scroll(None, wanted)
            self.refresh()

    def refresh_changed(self, as_of: object) -> None:
        """Request the visible rows again and draw those that changed; nothing if they are of this state already."""
        if as_of == self._as_of:
            return
        self._as_of = as_of
        top = self.scroll_offset.y
        visible_rows = range(top, min(top + self.outer_size.height, self._count))
        self._repaint({index for index in visible_rows if self._cached_rows.get(index) != list(self._row(index))})

    def render_line(self, y: int) -> Strip:
        """One row of the list."""
        if (
            self._height != self.outer_size.height
        ):  # first drawn, or resized: Textual repaints all rows then in any case
            self._scroll_to_cursor()
        index = self.scroll_offset.y + y
        if index >= self._count:
            return self.paint(())
        under = "cursor" if index == self._cursor else ""
        pointer = ">" if self.ascii_only else "▸"
        pointed = index in (self._cursor, self._parent_of(self._cursor))
        row = list(self._row(index))
        if len(self._cached_rows) > 4 * self.outer_size.height:
            self._cached_rows.clear()
        self._cached_rows[index] = row
        if under and self._bar:
            return self.paint(
                ((f" {pointer}", ""), *((text, "fill" if names == "fill" else "") for text, names in row)), "bar"
            )
        return self.paint((((f" {pointer}" if pointed else "  "), ""), *row), under)

    def _clamped(self, index: int) -> int:
        return max(0, min(index, self._count - 1))

    def _scroll_to_cursor(self) -> bool:
        """Scroll so that the cursor is visible; whether anything scrolled.

        At an edge it scrolls by a third of the height: a key held down mostly repaints two lines, not the whole list.
        """
        self._height = height = self.outer_size.height
        if not height:
            return False
        top = self.scroll_offset.y
        wanted = top_row(self._cursor, self._count, height, top)
        if wanted != top:
            self.set_scroll(None, wanted)
        return wanted != top

    def _repaint(self, indices: set[int | None]) -> None:
        top = self.scroll_offset.y
        lines = [index - top for index in indices if index is not None and top <= index < top + self.outer_size.height]
        if lines:
            self.refresh(*(Region(0, line, self.outer_size.width, 1) for line in lines))
