"""Textual's compositor, without what only screens need whose widgets lie over each other.

Textual renders every widget and cuts each row at the edges of all of them, also for a few rows that changed. Where the
widgets lie side by side, a row of a widget can be taken as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.control import Control
from textual._compositor import Compositor, CompositorUpdate
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from medreview.screens.widgets.line_cache import runs


class Changed(NamedTuple):
    """A row of a widget, at its place on the screen."""

    y: int
    x: int
    strip: Strip


class RowsUpdate(CompositorUpdate):
    """Rows of widgets that changed, in any order; none lies over another."""

    def __init__(self, rows: Sequence[Changed]) -> None:
        self.rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for y, x, strip in self.rows:
            yield Control.move_to(x, y).segment
            yield from strip

    def render_segments(self, console: Console) -> str:
        """What a terminal is to be sent, where nothing is known of what stands on it."""
        return "".join(f"{Control.move_to(x, y).segment.text}{strip.render(console)}" for y, x, strip in self.rows)


class RowsCompositor(Compositor):
    """Renders only rows that changed, where the widgets of the screen lie side by side."""

    _placed: tuple[Mapping[Widget, tuple[Region, Region]], list[list[tuple[int, Region, Widget]]] | None] = ({}, None)

    def render_update(
        self, full: bool = False, screen_stack: list[Screen[Any]] | None = None, simplify: bool = False
    ) -> RenderableType | None:
        """The rows of widgets that changed; Textual's own update where all did or widgets lie over each other."""
        if not full and self.size.region not in self._dirty_regions:
            rows = self._side_by_side()
            changed = None if rows is None else self._changed(rows)
            if changed is not None:
                self._dirty_regions.clear()
                return RowsUpdate(changed) if changed else None
        return super().render_update(full, screen_stack, simplify)

    def _side_by_side(self) -> list[list[tuple[int, Region, Widget]]] | None:
        """By row of the screen the widgets in it, with where they begin; ``None`` where one lies over another."""
        visible = self.visible_widgets
        if self._placed[0] is not visible:
            self._placed = visible, self._rows_of(visible)
        return self._placed[1]

    def _rows_of(
        self, visible: Mapping[Widget, tuple[Region, Region]]
    ) -> list[list[tuple[int, Region, Widget]]] | None:
        rows: list[list[tuple[int, Region, Widget]]] = [[] for _ in range(self.size.height)]
        for widget, (region, clip) in visible.items():
            if widget is self.root:
                continue  # lies below all
            if not clip.contains_region(region):
                return None
            for y in region.line_range:
                if any(x < region.right and region.x < other.right for x, other, _ in rows[y]):
                    return None
                rows[y].append((region.x, region, widget))
        return rows

    def _changed(self, rows: list[list[tuple[int, Region, Widget]]]) -> list[Changed] | None:
        """The rows of widgets in the regions that changed; ``None`` where a part of one is no widget's."""
        wanted: dict[Widget, tuple[Region, list[int]]] = {}
        for y, left, right in self._regions_to_spans(self._dirty_regions):
            room = right - left
            for x, region, widget in rows[y]:
                if x < right and left < region.right:
                    room -= min(right, region.right) - max(left, x)
                    wanted.setdefault(widget, (region, []))[1].append(y)
            if room:
                return None
        changed: list[Changed] = []
        for widget, ((x, top, width, _), lines) in wanted.items():
            for first, last in runs(lines):
                strips = widget.render_lines(Region(0, first - top, width, last - first))
                changed += [Changed(y, x, strip) for y, strip in enumerate(strips, first)]
        return changed
