"""A fixed block of lines: header, statement, judge, keys, reason strip, receipt."""

from collections.abc import Callable, Sequence

from textual.geometry import Region
from textual.strip import Strip

from medreview.screens.widgets.painted import Painted, Row


class LinesView(Painted):
    """Rows of pieces, the first at the top; what does not fit is cut. A change repaints the rows that differ."""

    def __init__(
        self,
        rows: Sequence[Row] = (),
        *,
        ascii_only: bool = False,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(ascii_only=ascii_only, name=name, id=id, classes=classes)
        self._rows = [list(row) for row in rows]

    def show(self, rows: Sequence[Row]) -> None:
        """Replace all rows."""
        old, self._rows = self._rows, [list(row) for row in rows]
        longer = max(len(old), len(self._rows))
        changed = [y for y in range(longer) if old[y : y + 1] != self._rows[y : y + 1]]
        if changed:
            self.refresh(*(Region(0, y, self.outer_size.width, 1) for y in changed))

    def line(self, y: int) -> Strip:
        """One row of the block."""
        return self.paint(self._rows[y] if y < len(self._rows) else ())


class LiveLines(Painted):
    """Rows that are asked for when they are drawn: what they say depends on how large other widgets have become."""

    def __init__(
        self,
        rows: Callable[[], Sequence[Row]],
        *,
        ascii_only: bool = False,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(ascii_only=ascii_only, name=name, id=id, classes=classes)
        self._ask = rows
        self._rows: Sequence[Row] = ()

    def update(self) -> None:
        """Draw the rows that have changed."""
        self.repaint()

    def line(self, y: int) -> Strip:
        """One row as it is now."""
        if y == 0:
            self._rows = self._ask()
        return self.paint(self._rows[y] if y < len(self._rows) else ())
