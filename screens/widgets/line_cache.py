"""The lines of a widget as they were drawn last."""

from collections.abc import Iterable, Iterator, Mapping

from textual._styles_cache import StylesCache
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


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
