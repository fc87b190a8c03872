"""A table of counts as a picture: the darker, the larger the share of its row."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from medreview.cli.reports.layout import table
from medreview.cli.reports.plots.canvas import COLOURS, LINE, Drawing, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CELL: Final = 46
_DARKEST: Final = 0.5
"""Of the colour: numbers are read on it."""


def matrix(title: str, rows: str, columns: str, labels: Sequence[str], counts: Sequence[Sequence[int]]) -> Drawing:
    """``rows`` and ``columns`` name who gave the labels; ``counts`` stand in the order of ``labels``."""

    def paint(axes: "Axes") -> None:
        from matplotlib.patches import Rectangle

        for y, row in enumerate(counts):
            for x, count in enumerate(row):
                shade = _DARKEST * count / sum(row) if count else 0.0
                axes.add_patch(Rectangle((x, y), 1, 1, facecolor=COLOURS[0], alpha=shade, linewidth=0))
                axes.add_patch(Rectangle((x, y), 1, 1, fill=False, edgecolor=LINE, linewidth=0.8))
                axes.text(x + 0.5, y + 0.5, f"{count:,}", ha="center", va="center", fontsize=11,
                          fontweight="bold" if x == y else "normal")  # fmt: skip
        middle = [place + 0.5 for place in range(len(labels))]
        axes.set_xlim(0, len(labels))
        axes.set_ylim(len(labels), 0)
        axes.set_xticks(middle, [_broken(label) for label in labels], fontsize=8.5)
        axes.set_yticks(middle, [_broken(label) for label in labels], fontsize=8.5)
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
        axes.tick_params(length=0)
        axes.set_xlabel(short(columns))
        axes.set_ylabel(short(rows))
        for spine in axes.spines.values():
            spine.set_visible(False)

    told = [(label, *(f"{count:,}" for count in row)) for label, row in zip(labels, counts, strict=True)]
    numbers = table((f"{rows} (rows), {columns} (columns)", *labels), told)
    side = _CELL * len(labels)
    return Drawing(
        title, f"Counts of both labels. Rows: {rows}; columns: {columns}.", (side * 1.4, side), paint, numbers
    )


def _broken(label: str) -> str:
    return label.replace(" ", "\n")
