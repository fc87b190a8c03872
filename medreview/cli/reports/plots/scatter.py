"""Points with intervals over a logarithmic axis: what systems cost against what they say."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from medreview.cli.reports.plots.canvas import COLOURS, MARKERS, PAPER, Drawing, short
from medreview.stats.formulas.estimate import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE: Final = (380, 260)
_ROOM: Final = 1.6
"""Times the least and the most, so that no point lies on the edge."""
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
    least, most = min(point.x for point in points) / _ROOM, max(point.x for point in points) * _ROOM

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
        axes.set_xlim(least, most)
        axes.set_ylim(0, 1)
        axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1], [percent(tick / 5, 0) for tick in range(6)])
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.grid()
        axes.set_axisbelow(True)
        axes.set_xlabel(x_title)
        axes.set_ylabel(y_title)
        inside = axes.transData + axes.transAxes.inverted()
        spots = [(*inside.transform((point.x, point.y)), point.name) for point in points]
        for x, y, name in _apart(spots):
            axes.text(x + 0.022, y, short(name), transform=axes.transAxes, va="center", fontsize=9)

    described = "; ".join(f"{point.name}: {point.x:g}, {percent(point.y)}" for point in points)
    return Drawing(title, f"{y_title} against {x_title}. {described}", _SIZE, paint)


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
