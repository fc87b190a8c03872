"""A forest plot as wide as a phone: below each name its estimate with its interval, and the numbers beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from medreview.cli.reports.layout import Table, table
from medreview.cli.reports.plots.canvas import COLOURS, INK, LINE, PAPER, Drawing, short
from medreview.stats.formulas.estimate import Scale, number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH: Final = 126.0
"""Of the intervals; the numbers to the right of them take :data:`_BESIDE`. In points, as all lengths here."""
_BESIDE: Final = 128.0
_NAME: Final = 12.0
"""The height of a line of a name."""
_DRAWN: Final = 15.0
"""That of an interval below it."""
_LINE: Final = 40
"""Letters of a name in a line."""
_MOST_LINES: Final = 3
_SMALL: Final = 8.5
_FURTHEST: Final = {"share_difference": 1.0, "coefficient_difference": 2.0}
"""A difference is no larger: where an interval goes beyond it, an arrow stands at the edge."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A row: its name, a value with an interval (``None`` where there is none), and these as words, of ``n`` items.

    ``words`` are the value and its interval; without a value the first says so. A row without words is a heading.
    """

    name: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    words: tuple[str, str] | None = None
    n: int | None = None


def forest(title: str, axis: str, rows: Sequence[Interval], *, scale: Scale, between: str = "95% interval") -> Drawing:
    """``scale``: shares are shown in per cent from 0 to 100, coefficients up to 1, amounts as far as they go, and
    differences as far to one side as to the other, those of shares (in points of a hundred) 100 at most.

    ``between`` names what stands behind the values in the table of the same numbers.
    """
    ends = [end for row in rows for end in (row.low, row.value, row.high) if end is not None]
    start, stop = _range(ends, scale)
    lines = [wrap(short(row.name, _LINE * _MOST_LINES), _LINE) or [""] for row in rows]
    heights = [_NAME * len(name) + (_DRAWN if row.words else 4.0) for row, name in zip(rows, lines, strict=True)]
    tops = [0.0, *accumulate(heights)]

    def paint(axes: "Axes") -> None:
        for row, name, top in zip(rows, lines, tops, strict=False):
            _name(axes, row, name, top)
            if row.words:
                _row(axes, top + _NAME * len(name) + _DRAWN / 2 - 1, row, (start, stop))
        axes.set_ylim(tops[-1] + 2, 0)
        axes.set_yticks([])
        axes.set_xlim(start, stop)
        axes.set_axisbelow(True)
        axes.spines["left"].set_visible(False)
        if scale == "share":
            axes.set_xticks([0, 0.5, 1], [percent(tick, 0) for tick in (0, 0.5, 1)])
        elif scale == "share_difference":
            axes.set_xticks([start, 0, stop], [number(tick, scale, 0, signed=True) for tick in (start, 0, stop)])
        axes.tick_params(axis="x", labelsize=_SMALL)
        axes.set_xlabel(axis, fontsize=_SMALL, loc="left")

    return Drawing(title, f"A forest plot: {axis}.", (_WIDTH, tops[-1] + 2), paint, _numbers(rows, between))


def _numbers(rows: Sequence[Interval], between: str) -> Table:
    told = [
        (row.name, *(row.words or ("", "")), "" if row.n is None else f"{row.n:,}") for row in rows
    ]  # fmt: skip
    return table(("", "value", between, "n"), told)


def _name(axes: "Axes", row: Interval, name: Sequence[str], top: float) -> None:
    """Over the whole width; at the right of its last line the number of items."""
    left = axes.get_yaxis_transform()
    weight = "normal" if row.words else "bold"
    for place, line in enumerate(name):
        axes.text(0, top + _NAME * (place + 0.5), line, transform=left, va="center", fontsize=9, fontweight=weight)
    if row.n is not None:
        axes.text(_edge(), top + _NAME * (len(name) - 0.5), f"n {row.n:,}", transform=left, va="center", ha="right",
                  fontsize=_SMALL)  # fmt: skip


def _edge() -> float:
    """The right edge of the numbers, in widths of the intervals."""
    return 1 + _BESIDE / _WIDTH


def _row(axes: "Axes", place: float, row: Interval, ends: tuple[float, float]) -> None:
    value, interval = row.words or ("", "")
    known = row.low is not None and row.high is not None
    words = f"{value} ({interval})" if interval and row.value is not None else value
    axes.text(_edge(), place, words, transform=axes.get_yaxis_transform(), va="center", ha="right", fontsize=_SMALL)
    if row.value is None:
        return
    axes.axhline(place, color=LINE, linewidth=0.5, zorder=0)
    if ends[0] < 0:  # only where intervals are: a line through all rows would strike the names out
        axes.plot([0, 0], [place - _DRAWN / 2 + 1, place + _DRAWN / 2], color=INK, linewidth=0.8, zorder=1)
    if known:
        _bar(axes, place, (row.low or 0.0, row.high or 0.0), ends)
    axes.plot(min(max(row.value, ends[0]), ends[1]), place, "s", color=COLOURS[0], markersize=5.5, clip_on=False,
              markerfacecolor=COLOURS[0] if known else PAPER)  # fmt: skip


def _bar(axes: "Axes", place: float, interval: tuple[float, float], ends: tuple[float, float]) -> None:
    """The interval, with an arrow where it goes on beyond the axis."""
    low, high = max(interval[0], ends[0]), min(interval[1], ends[1])
    axes.plot([low, high], [place, place], color=COLOURS[0], linewidth=1.6)
    for at, beyond, form in ((low, interval[0] < ends[0], "<"), (high, interval[1] > ends[1], ">")):
        axes.plot(at, place, form if beyond else "|", color=COLOURS[0], markersize=6, clip_on=False)


def _range(ends: Sequence[float], scale: Scale) -> tuple[float, float]:
    furthest = max((abs(end) for end in ends), default=1.0) * 1.05 or 1.0
    match scale:
        case "amount" | "seconds" | "plain":
            return 0.0, furthest
        case "share_difference" | "coefficient_difference":
            rounded, most = -(-furthest * 10 // 1) / 10, _FURTHEST[scale]
            return -min(rounded, most), min(rounded, most)
        case "coefficient":
            return min(map(_tenth, ends), default=0.0) if any(end < 0 for end in ends) else 0.0, 1.0
    return 0.0, 1.0


def _tenth(value: float) -> float:
    return (value * 10 // 1) / 10
