"""A forest plot: estimates with their intervals below each other, their numbers beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from medreview.cli.reports.plots.canvas import COLOURS, INK, LINE, PAPER, Drawing, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW: Final = 17
_WIDTH: Final = 250


Unit = Literal["%", "coefficient", "s", "points"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A row: its name, a value with an interval (``None`` where there is none), and the same ``words`` beside it.

    Without ``words`` it is a heading.
    """

    name: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    words: str = ""


def forest(title: str, axis: str, rows: Sequence[Interval], *, unit: Unit) -> Drawing:
    """``unit``: fractions are shown in per cent from 0 to 100, coefficients up to 1, seconds as far as they go, and
    points of a difference as far to one side as to the other."""
    ends = [end for row in rows for end in (row.low, row.value, row.high) if end is not None]
    start, stop = _range(ends, unit)

    def paint(axes: "Axes") -> None:
        for place, row in enumerate(rows):
            if row.words:
                _row(axes, place, row)
                beside = axes.get_yaxis_transform()
                axes.text(1.03, place, short(row.words, 80), transform=beside, va="center", fontsize=9)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), [short(row.name, 44) for row in rows], fontsize=9.5)
        for row, label in zip(rows, axes.get_yticklabels(), strict=True):
            label.set_fontweight("normal" if row.words else "bold")
        axes.set_xlim(start, stop)
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        if unit == "%":
            axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
        elif start < 0:
            axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_xlabel(axis, fontsize=9.5)

    told = "; ".join(f"{row.name}: {row.words}" for row in rows if row.words)
    return Drawing(title, f"{axis}, a row each. {told}", (_WIDTH, _ROW * (len(rows) + 1)), paint)


def _row(axes: "Axes", place: int, row: Interval) -> None:
    if row.value is None:
        axes.plot([], [])
        return
    known = row.low is not None and row.high is not None
    if known:
        axes.plot([row.low or 0.0, row.high or 0.0], [place, place], color=COLOURS[0], linewidth=1.6,
                  marker="|", markersize=7)  # fmt: skip
    axes.plot(row.value, place, "s", color=COLOURS[0], markersize=5.5, clip_on=False,
              markerfacecolor=COLOURS[0] if known else PAPER)  # fmt: skip
    axes.axhline(place, color=LINE, linewidth=0.3, zorder=0)


def _range(ends: Sequence[float], unit: Unit) -> tuple[float, float]:
    furthest = max((abs(end) for end in ends), default=1.0) * 1.05 or 1.0
    match unit:
        case "s":
            return 0.0, furthest
        case "points":
            return -furthest, furthest
        case "coefficient":
            return min(map(_tenth, ends), default=0.0) if any(end < 0 for end in ends) else 0.0, 1.0
    return 0.0, 1.0


def _tenth(value: float) -> float:
    return (value * 10 // 1) / 10
