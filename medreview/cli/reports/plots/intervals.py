"""Shares with their intervals: a row for each name, a mark for each series."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from medreview.cli.reports.layout import cells, table
from medreview.cli.reports.plots.canvas import COLOURS, MARKERS, PAPER, Drawing, short
from medreview.stats.formulas.estimate import Estimate, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH: Final = 320
_STEP: Final = 15


@dataclass(frozen=True, slots=True)
class Marked:
    """A row of a plot of intervals: its name, and for each series a share with its interval, ``None`` for none."""

    name: str
    values: tuple[Estimate | None, ...]


def intervals(title: str, series: Sequence[str], rows: Sequence[Marked]) -> Drawing:
    """``series`` names what each mark is of; up to as many as there are colours."""
    high = len(rows) * len(series)

    def paint(axes: "Axes") -> None:
        for number, name in enumerate(series):
            colour, form = COLOURS[number], MARKERS[number % len(MARKERS)]
            hollow = PAPER if number % 2 else colour
            axes.plot([], [], form, color=colour, markerfacecolor=hollow, label=short(name))
            for place, row in enumerate(rows):
                share = row.values[number]
                if share is None or share.value is None:
                    continue
                y = place + (number - (len(series) - 1) / 2) * 0.5 / max(1, len(series) - 1)
                if share.low is not None and share.high is not None:
                    axes.plot([share.low, share.high], [y, y], color=colour, linewidth=1.6, marker="|", markersize=6)
                axes.plot(share.value, y, form, color=colour, markerfacecolor=hollow, markersize=6, clip_on=False)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), [short(row.name) for row in rows])
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1], [percent(tick / 5, 0) for tick in range(6)])
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(series), frameon=False, borderaxespad=0.2)

    told = [
        (row.name, *(cell for value in row.values for cell in _cells(value))) for row in rows
    ]  # fmt: skip
    names = (heading for name in series for heading in (name, "95% interval"))
    about = f"Shares with their intervals: {', '.join(series)}."
    return Drawing(title, about, (_WIDTH, _STEP * high + 24), paint, table(("", *names), told))


def _cells(share: Estimate | None) -> tuple[str, str]:
    return ("", "") if share is None or share.value is None else cells(share, "")
