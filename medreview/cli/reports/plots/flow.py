"""A flow diagram: boxes below each other, what is left out beside them, and branches at the end."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from medreview.cli.reports.layout import table
from medreview.cli.reports.plots.canvas import INK, LINE, Drawing, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDE: Final = 190.0
_GAP: Final = 26.0
_LINE: Final = 13.0
_MARGIN: Final = 7.0
_LONGEST: Final = 36
_LONGEST_BOLD: Final = 30


@dataclass(frozen=True, slots=True)
class Step:
    """A box: what is in it, some ``lines`` below that, and what is ``aside``: left out here, in a box of its own."""

    head: str
    lines: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()


def flow(title: str, trunk: Sequence[Step], branches: Sequence[Sequence[Step]]) -> Drawing:
    """From one box to the next, then into branches that stand beside each other."""
    wide = max(_WIDE * (2 if any(step.aside for step in trunk) else 1) + _GAP, (_WIDE + _GAP) * len(branches))
    deep = sum(map(_height, trunk)) + max((sum(map(_height, branch)) for branch in branches), default=0.0)

    def paint(axes: "Axes") -> None:
        y = 0.0
        for place, step in enumerate(trunk):
            last = place == len(trunk) - 1
            _box(axes, 0, y, (step.head, *step.lines))
            if step.aside:
                middle = y + _size(step) / 2
                _box(axes, _WIDE + _GAP, y, step.aside, head=False)
                _arrow(axes, (_WIDE, middle), (_WIDE + _GAP, middle))
            if not last:
                _arrow(axes, (_WIDE / 2, y + _size(step)), (_WIDE / 2, y + _height(step)))
            y += _height(step)
        for column, branch in enumerate(branches):
            _branch(axes, column * (_WIDE + _GAP), y, branch)
        axes.set_xlim(0, wide)
        axes.set_ylim(deep, 0)
        axes.axis("off")

    every = (*trunk, *(step for branch in branches for step in branch))
    told = [(step.head, "; ".join(step.lines), "; ".join(step.aside)) for step in every]
    numbers = table(("", "of", "left out"), told, long=("left out",))
    return Drawing(title, "Boxes from top to bottom, and beside them what is left out.", (wide, deep), paint, numbers)


def _branch(axes: "Axes", x: float, y: float, branch: Sequence[Step]) -> None:
    _arrow(axes, (_WIDE / 2, y - _GAP), (x + _WIDE / 2, y))
    for place, step in enumerate(branch):
        _box(axes, x, y, (step.head, *step.lines))
        if place < len(branch) - 1:
            _arrow(axes, (x + _WIDE / 2, y + _size(step)), (x + _WIDE / 2, y + _height(step)))
        y += _height(step)


def _box(axes: "Axes", x: float, y: float, lines: Sequence[str], *, head: bool = True) -> None:
    from matplotlib.patches import Rectangle

    height = _LINE * len(lines) + 2 * _MARGIN
    axes.add_patch(Rectangle((x, y), _WIDE, height, fill=False, edgecolor=INK if head else LINE, linewidth=1))
    for place, words in enumerate(lines):
        bold = head and not place
        at, most = y + _MARGIN + _LINE * (place + 0.5), _LONGEST_BOLD if bold else _LONGEST
        axes.text(x + 7, at, short(words, most), va="center", fontsize=9, fontweight="bold" if bold else "normal")


def _arrow(axes: "Axes", start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "->", "color": INK, "linewidth": 1, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=end, xytext=start, arrowprops=style)


def _size(step: Step) -> float:
    return _LINE * (1 + len(step.lines)) + 2 * _MARGIN


def _height(step: Step) -> float:
    return max(_size(step), _LINE * len(step.aside) + 2 * _MARGIN) + _GAP
