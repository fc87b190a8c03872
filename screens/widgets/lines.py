"""A fixed block of lines: header, statement, judge, keys, reason strip, receipt."""

from collections.abc import Callable, Sequence

from textual.geometry import Region
from textual.strip import Strip

from medreview.screens.widgets.painted import Painted, Row


class LinesView(Painted):
    """Rows of styled text, the first at the top; what does not fit is cut off. Only rows that change are repainted."""

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
    """Rows that are computed when they are drawn, because they depend on the size that other widgets have by then."""

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
        self._compute_rows = rows
        self._rows: Sequence[Row] = ()

    def update(self) -> None:
        """Compute the rows again with the next frame, which may lay out the screen before."""
        self.refresh(self.outer_size.region)

    def line(self, y: int) -> Strip:
        """One row, computed now."""
        if y == 0:
            self._rows = self._compute_rows()
        return self.paint(self._rows[y] if y < len(self._rows) else ())
