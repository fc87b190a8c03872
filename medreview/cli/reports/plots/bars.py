"""Stacked bars, a row for each name: full, and striped."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from medreview.cli.reports.layout import table
from medreview.cli.reports.plots.canvas import COLOURS, HATCH, PAPER, Drawing, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW: Final = 15
_WIDTH: Final = 320


def stacked_bars(title: str, parts: tuple[str, str], rows: Sequence[tuple[str, float, float, str]]) -> Drawing:
    """``rows``: a name, the lengths of the two parts, and the words behind them. ``parts`` says what the two are."""

    def paint(axes: "Axes") -> None:
        places = range(len(rows))
        first, second = [row[1] for row in rows], [row[2] for row in rows]
        axes.barh(places, first, height=0.72, color=COLOURS[0], label=short(parts[0], 60))
        axes.barh(places, second, left=first, height=0.72, color=PAPER, edgecolor=COLOURS[1], hatch=HATCH,
                  label=short(parts[1], 60))  # fmt: skip
        for place, (_, one, other, words) in enumerate(rows):
            axes.annotate(short(words, 60), (one + other, place), (4, 0), textcoords="offset points", va="center",
                          fontsize=9)  # fmt: skip
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(places, [short(row[0]) for row in rows])
        axes.set_xlim(0, max((one + other for _, one, other, _ in rows), default=1) or 1)
        axes.tick_params(axis="y", length=0)
        axes.spines["bottom"].set_visible(False)
        axes.spines["left"].set_visible(False)
        axes.set_xticks([])
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, borderaxespad=0.2)

    about = f"Stacked bars, a row each. Full: {parts[0]}. Striped: {parts[1]}."
    numbers = table(("", *parts), [(row[0], f"{row[1]:,g}", f"{row[2]:,g}") for row in rows])
    return Drawing(title, about, (_WIDTH, _ROW * max(2, len(rows))), paint, numbers)
