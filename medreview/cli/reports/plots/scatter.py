"""Points with intervals over a logarithmic axis: what systems cost against what they say."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from medreview.cli.reports.layout import table
from medreview.cli.reports.plots.canvas import COLOURS, MARKERS, PAPER, Drawing, short
from medreview.stats.formulas.estimate import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE: Final = (380, 260)
_STEPS: Final = (1, 2, 5)
"""Times the powers of ten: where the axis has ticks."""
_MOST_TICKS: Final = 12
_APART: Final = 0.055
"""Of the height of the plot: how far apart two labels stand that would lie on each other."""
_BESIDE: Final = 0.45
"""Of its width: how far apart two labels are that cannot."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point with an interval: ``y`` is a share, ``x`` above 0. Points of one ``group`` have one colour and form, and
    are joined."""

    name: str
    group: str
    x: float
    y: float
    low: float | None
    high: float | None


def scatter(title: str, x_title: str, y_title: str, points: Sequence[Point]) -> Drawing:
    """Every point has its name beside it."""
    ticks = _ticks([point.x for point in points])

    def paint(axes: "Axes") -> None:
        for number, group in enumerate(dict.fromkeys(point.group for point in points)):
            colour, form = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            here = sorted((point for point in points if point.group == group), key=lambda point: point.x)
            axes.plot([point.x for point in here], [point.y for point in here], "--", color=colour, linewidth=1)
            for point in here:
                if point.low is not None and point.high is not None:
                    axes.plot([point.x, point.x], [point.low, point.high], color=colour, linewidth=1.4)
                axes.plot(point.x, point.y, form, color=colour, markersize=7, clip_on=False,
                          markerfacecolor=PAPER if number % 2 else colour)  # fmt: skip
        axes.set_xscale("log")
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xticks([], minor=True)
        axes.set_xlim(ticks[0], ticks[-1])
        axes.set_ylim(0, 1)
        axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1], [percent(tick / 5, 0) for tick in range(6)])
        axes.grid()
        axes.set_axisbelow(True)
        axes.set_xlabel(x_title)
        axes.set_ylabel(y_title)
        inside = axes.transData + axes.transAxes.inverted()
        spots = [(*inside.transform((point.x, point.y)), point.name) for point in points]
        for x, y, name in _apart(spots):
            axes.text(x + 0.022, y + 0.028, short(name), transform=axes.transAxes, va="center", fontsize=9)

    told = [(point.name, f"{point.x:g}", percent(point.y), _interval(point)) for point in points]
    numbers = table(("", x_title, y_title, "95% interval"), told)
    return Drawing(title, f"Points: {y_title} against {x_title}.", _SIZE, paint, numbers)


def _interval(point: Point) -> str:
    return "" if point.low is None or point.high is None else f"{percent(point.low)} to {percent(point.high)}"


def _ticks(values: Sequence[float]) -> list[float]:
    """Those around the values, with room on both sides, so that no point lies on the edge; few enough to be read."""
    first, last = math.floor(math.log10(min(values))) - 1, math.ceil(math.log10(max(values))) + 1
    every = [step * 10.0**power for power in range(first, last + 1) for step in _STEPS]
    below = max(place for place, tick in enumerate(every) if tick < min(values))
    above = min(place for place, tick in enumerate(every) if tick > max(values))
    found = every[below : above + 1]
    return found if len(found) <= _MOST_TICKS else [10.0**power for power in range(first, last + 1)]


def _apart(labels: Sequence[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    """Labels from top to bottom, each at its place or as little below it as keeps it off those before."""
    placed: list[tuple[float, float, str]] = []
    for x, wanted, name in sorted(labels, key=lambda label: (-label[1], label[0])):
        y = wanted
        for beside, other, _ in placed:
            if abs(y - other) < _APART and abs(x - beside) < _BESIDE:
                y = other - _APART
        placed.append((x, y, name))
    return placed
