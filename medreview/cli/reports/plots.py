"""Every plot of a report, drawn by matplotlib as SVG: intervals, points, bars, tables of counts, what becomes of items.

A plot has a title, and a description of what it shows for who does not see it; every number in it stands in a table or
a CSV file as well. No two things in it differ by colour alone. The same plot has the same bytes, and no markup from
outside.
"""

import logging
import math
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import accumulate
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from medreview.cli.reports.layout import ReportTable, cells, table
from medreview.stats.formulas.estimate import Estimate, Scale, number, percent
from medreview.visible import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes


INK: Final = "#1a1a1a"
LINE: Final = "#c8c8c8"
PAPER: Final = "#ffffff"
COLOURS: Final = ("#0b5394", "#a64d00", "#38761d", "#741b47", "#555555", "#00707a", "#7a5c00", "#4b2e83")
"""Of series and groups, on white. The page has others for a dark ground, by the same numbers."""
MARKERS: Final = ("o", "D", "^", "s")
"""Forms that differ without colour; every second one is hollow."""
HATCH: Final = "//////"

_VARIABLES: Final = {INK: "ink", LINE: "line", PAPER: "paper"} | {
    colour: f"plot-{number}" for number, colour in enumerate(COLOURS)
}
_SCALE: Final = 4 / 3
"""Pixels for a point."""
_LONGEST_NAME: Final = 34
_STYLE: Final[Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "medreview",
    "text.parse_math": False,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 1.2,
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "axes.unicode_minus": False,
}
_SVG: Final = "{http://www.w3.org/2000/svg}"
_LINKS: Final = re.compile(r"url\(#([^)]+)\)")
_COLOUR: Final = re.compile("|".join(_VARIABLES))
_UNNAMED: Final = re.compile(r"'DejaVu Sans'")
_FONTS: Final = "'DejaVu Sans', Verdana, sans-serif"
"""Verdana is as wide, so that what was laid out for the one fits with the other."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A plot, drawn when its SVG is asked for: its ``title``, and what it is ``about`` for those who cannot see it.

    ``paint`` draws on the one pair of axes it is given, of a ``size`` in points (1/72 inch); what does not fit widens
    the plot. ``numbers`` are all that it shows.
    """

    title: str
    about: str
    size: tuple[float, float]
    paint: "Callable[[Axes], None]"
    numbers: ReportTable

    def inline(self, name: str, where: str) -> str:
        """An ``svg`` element for a page: its colours are the page's variables, its ids begin with ``name``.

        ``where``: a sentence that says where its numbers stand.
        """
        about = f"{self.about} {where}"
        return _shaped(self, name, about, lambda colour: f"var(--{_VARIABLES[colour]}, {colour})", ground=False)

    def document(self) -> str:
        """A file of its own, on white; its description has all numbers."""
        rows = (f"{row[0]}: {', '.join(filter(None, row[1:]))}" for row in self.numbers.rows if any(row[1:]))
        return _shaped(self, "plot", f"{self.about} {'; '.join(rows)}", str, ground=True) + "\n"


def _svg(drawing: Drawing) -> bytes:
    """What matplotlib makes of it."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # before it says where its list of fonts is kept
    import matplotlib
    from matplotlib.figure import Figure

    written = BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that the font has not: the reader's font is another one
        matplotlib.rcdefaults()  # nothing from a person's own settings of it
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(drawing.size[0] / 72, drawing.size[1] / 72))
        drawing.paint(figure.add_axes((0, 0, 1, 1)))
        figure.savefig(
            written, format="svg", transparent=True, bbox_inches="tight", pad_inches=0.08,
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )  # fmt: skip
    return written.getvalue()


def short(name: str, longest: int = _LONGEST_NAME) -> str:
    """A name from outside as a label: one line, nothing that acts, no longer than there is room for."""
    line = visible(" ".join(name.split()))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _shaped(drawing: Drawing, name: str, about: str, colour: Callable[[str], str], *, ground: bool) -> str:
    """The SVG with a title, what it is ``about``, ids of its own and these colours."""
    from lxml import etree

    root = etree.fromstring(_svg(drawing))
    for dead in [*root.iter(f"{_SVG}metadata"), *root.iter(f"{_SVG}style")]:
        dead.getparent().remove(dead)
    for element in root.iter():
        if isinstance(element.tag, str):
            _rename(element, name)
            for attribute in ("style", "fill", "stroke"):
                if found := element.get(attribute):
                    element.set(attribute, _UNNAMED.sub(_FONTS, _COLOUR.sub(lambda hit: colour(hit[0]), found)))
    for place, (tag, words) in enumerate((("title", drawing.title), ("desc", about))):
        told = etree.Element(f"{_SVG}{tag}", id=f"{name}-{tag}")
        told.text = visible(words)
        root.insert(place, told)
    width, height = (f"{float(side) * _SCALE:.0f}" for side in root.get("viewBox").split()[2:])
    for key, value in (("role", "img"), ("aria-labelledby", f"{name}-title {name}-desc"), ("width", width)):
        root.set(key, value)
    for key, value in (("height", height), ("stroke-linejoin", "round"), ("stroke-linecap", "butt")):
        root.set(key, value)  # what matplotlib says in a style for the whole page that the plot stands in
    if ground:
        paper = etree.Element(f"{_SVG}rect", width="100%", height="100%", fill=PAPER)
        root.insert(2, paper)
    etree.cleanup_namespaces(root)
    return str(etree.tostring(root, encoding="unicode"))


def _rename(element: Any, name: str) -> None:
    for key, value in element.attrib.items():
        if key == "id":
            element.set(key, f"{name}-{value}")
        elif key.endswith("}href"):
            element.set("href", f"#{name}-{value[1:]}")
            del element.attrib[key]
        elif "url(#" in value:
            element.set(key, _LINKS.sub(rf"url(#{name}-\1)", value))


_BAR_ROW: Final = 15
_BARS_WIDTH: Final = 320


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
    return Drawing(title, about, (_BARS_WIDTH, _BAR_ROW * max(2, len(rows))), paint, numbers)


_FLOW_WIDE: Final = 190.0
_FLOW_GAP: Final = 26.0
_FLOW_LINE: Final = 13.0
_BOX_MARGIN: Final = 7.0
_LONGEST: Final = 36
_LONGEST_BOLD: Final = 30


@dataclass(frozen=True, slots=True)
class FlowBox:
    """A box: what is in it, some ``lines`` below that, and what is ``aside``: left out here, in a box of its own."""

    head: str
    lines: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()


def flow(title: str, trunk: Sequence[FlowBox], branches: Sequence[Sequence[FlowBox]]) -> Drawing:
    """From one box to the next, then into branches that stand beside each other."""
    wide = max(
        _FLOW_WIDE * (2 if any(step.aside for step in trunk) else 1) + _FLOW_GAP,
        (_FLOW_WIDE + _FLOW_GAP) * len(branches),
    )
    deep = sum(map(_height, trunk)) + max((sum(map(_height, branch)) for branch in branches), default=0.0)

    def paint(axes: "Axes") -> None:
        y = _column(axes, 0, 0.0, trunk)
        for place, branch in enumerate(branches):
            x = place * (_FLOW_WIDE + _FLOW_GAP)
            _arrow(axes, (_FLOW_WIDE / 2, y - _FLOW_GAP), (x + _FLOW_WIDE / 2, y))
            _column(axes, x, y, branch)
        axes.set_xlim(0, wide)
        axes.set_ylim(deep, 0)
        axes.axis("off")

    every = (*trunk, *(step for branch in branches for step in branch))
    told = [(step.head, "; ".join(step.lines), "; ".join(step.aside)) for step in every]
    numbers = table(("", "of", "left out"), told, long=("left out",))
    return Drawing(title, "Boxes from top to bottom, and beside them what is left out.", (wide, deep), paint, numbers)


def _column(axes: "Axes", x: float, y: float, steps: Sequence[FlowBox]) -> float:
    """Boxes below each other from ``y`` on, with what is left out beside them; where the last one ends."""
    for place, step in enumerate(steps):
        _box(axes, x, y, (step.head, *step.lines))
        if step.aside:
            middle, beside = y + _size(step) / 2, x + _FLOW_WIDE + _FLOW_GAP
            _box(axes, beside, y, step.aside, head=False)
            _arrow(axes, (x + _FLOW_WIDE, middle), (beside, middle))
        if place < len(steps) - 1:
            _arrow(axes, (x + _FLOW_WIDE / 2, y + _size(step)), (x + _FLOW_WIDE / 2, y + _height(step)))
        y += _height(step)
    return y


def _box(axes: "Axes", x: float, y: float, lines: Sequence[str], *, head: bool = True) -> None:
    from matplotlib.patches import Rectangle

    height = _FLOW_LINE * len(lines) + 2 * _BOX_MARGIN
    axes.add_patch(Rectangle((x, y), _FLOW_WIDE, height, fill=False, edgecolor=INK if head else LINE, linewidth=1))
    for place, words in enumerate(lines):
        bold = head and not place
        at, most = y + _BOX_MARGIN + _FLOW_LINE * (place + 0.5), _LONGEST_BOLD if bold else _LONGEST
        axes.text(x + 7, at, short(words, most), va="center", fontsize=9, fontweight="bold" if bold else "normal")


def _arrow(axes: "Axes", start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "->", "color": INK, "linewidth": 1, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=end, xytext=start, arrowprops=style)


def _size(step: FlowBox) -> float:
    return _FLOW_LINE * (1 + len(step.lines)) + 2 * _BOX_MARGIN


def _height(step: FlowBox) -> float:
    return max(_size(step), _FLOW_LINE * len(step.aside) + 2 * _BOX_MARGIN) + _FLOW_GAP


_FOREST_WIDTH: Final = 126.0
"""Of the intervals; the numbers to the right of them take :data:`_NUMBERS_WIDTH`. In points, as all lengths here."""
_NUMBERS_WIDTH: Final = 128.0
_EDGE: Final = 1 + _NUMBERS_WIDTH / _FOREST_WIDTH
"""The right edge of the numbers, in widths of the intervals."""
_NAME: Final = 12.0
"""The height of a line of a name."""
_DRAWN: Final = 15.0
"""That of an interval below it."""
_NAME_LINE: Final = 40
"""Letters of a name in a line."""
_MOST_LINES: Final = 3
_SMALL: Final = 8.5
_FURTHEST: Final = {"share_difference": 1.0, "coefficient_difference": 2.0}
"""A difference is no larger: where an interval goes beyond it, an arrow stands at the edge."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A row: its name, a value with an interval (``None`` if missing), and these as words, of ``n`` items.

    ``words`` are the value and its interval; without a value the first says so. A row without words is a heading.
    """

    name: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    words: tuple[str, str] | None = None
    n: int | None = None


def interval_row(name: str, figure: Estimate) -> Interval:
    """A figure as a row."""
    words = cells(figure, missing="no interval")
    return Interval(name, figure.value, figure.low, figure.high, words, None if figure.value is None else figure.n)


def forest(
    title: str, axis: str, rows: Sequence[Interval], *, scale: Scale, between: str = "95% interval",
    margin: float | None = None,
) -> Drawing:  # fmt: skip
    """``scale``: shares are shown in per cent from 0 to 100, coefficients up to 1, amounts as far as they go, and
    differences as far to one side as to the other, those of shares (in points of a hundred) 100 at most.

    ``between`` names what stands behind the values in the table of the same numbers. ``margin``: how far below 0 a
    difference may be, a dashed line.
    """
    ends = [end for row in rows for end in (row.low, row.value, row.high) if end is not None]
    ends += [] if margin is None else [-margin]
    start, stop = _range(ends, scale)
    lines = [wrap(short(row.name, _NAME_LINE * _MOST_LINES), _NAME_LINE) or [""] for row in rows]
    heights = [_NAME * len(name) + (_DRAWN if row.words else 4.0) for row, name in zip(rows, lines, strict=True)]
    tops = [0.0, *accumulate(heights)]

    def paint(axes: "Axes") -> None:
        for row, name, top in zip(rows, lines, tops, strict=False):
            _name(axes, row, name, top)
            if row.words:
                place = top + _NAME * len(name) + _DRAWN / 2 - 1
                _row(axes, place, row, (start, stop))
                if margin is not None and row.value is not None:
                    axes.plot([-margin] * 2, [place - _DRAWN / 2 + 1, place + _DRAWN / 2], "--", color=INK, linewidth=1)
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

    told = [(row.name, *(row.words or ("", "")), "" if row.n is None else f"{row.n:,}") for row in rows]
    numbers = table(("", "value", between, "n"), told)
    dashed = "" if margin is None else f" The dashed line stands at {number(-margin, scale, 2)}."
    return Drawing(title, f"A forest plot: {axis}.{dashed}", (_FOREST_WIDTH, tops[-1] + 2), paint, numbers)


def _name(axes: "Axes", row: Interval, name: Sequence[str], top: float) -> None:
    """Over the whole width; at the right of its last line the number of items."""
    left = axes.get_yaxis_transform()
    weight = "normal" if row.words else "bold"
    for place, line in enumerate(name):
        axes.text(0, top + _NAME * (place + 0.5), line, transform=left, va="center", fontsize=9, fontweight=weight)
    if row.n is not None:
        axes.text(_EDGE, top + _NAME * (len(name) - 0.5), f"n {row.n:,}", transform=left, va="center", ha="right",
                  fontsize=_SMALL)  # fmt: skip


def _row(axes: "Axes", place: float, row: Interval, ends: tuple[float, float]) -> None:
    value, interval = row.words or ("", "")
    known = row.low is not None and row.high is not None
    words = f"{value} ({interval})" if interval and row.value is not None else value
    axes.text(_EDGE, place, words, transform=axes.get_yaxis_transform(), va="center", ha="right", fontsize=_SMALL)
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
            lowest = min(ends, default=0.0)
            return (lowest * 10 // 1) / 10 if lowest < 0 else 0.0, 1.0
    return 0.0, 1.0


_INTERVALS_WIDTH: Final = 320
_INTERVALS_STEP: Final = 15


def intervals(title: str, series: Sequence[str], rows: Sequence[tuple[str, Sequence[Estimate | None]]]) -> Drawing:
    """``series`` names what each mark is of; up to as many as there are colours.

    ``rows``: a name, and for each series a share with its interval, ``None`` for none.
    """
    high = len(rows) * len(series)

    def paint(axes: "Axes") -> None:
        for index, name in enumerate(series):
            colour, form = COLOURS[index], MARKERS[index % len(MARKERS)]
            hollow = PAPER if index % 2 else colour
            axes.plot([], [], form, color=colour, markerfacecolor=hollow, label=short(name))
            for place, (_, shares) in enumerate(rows):
                share = shares[index]
                if share is None or share.value is None:
                    continue
                y = place + (index - (len(series) - 1) / 2) * 0.5 / max(1, len(series) - 1)
                if share.low is not None and share.high is not None:
                    axes.plot([share.low, share.high], [y, y], color=colour, linewidth=1.6, marker="|", markersize=6)
                axes.plot(share.value, y, form, color=colour, markerfacecolor=hollow, markersize=6, clip_on=False)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), [short(name) for name, _ in rows])
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1], [percent(tick / 5, 0) for tick in range(6)])
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(series), frameon=False, borderaxespad=0.2)

    told = [(name, *(cell for share in shares for cell in _cells(share))) for name, shares in rows]
    names = (heading for name in series for heading in (name, "95% interval"))
    about = f"Shares with their intervals: {', '.join(series)}."
    return Drawing(title, about, (_INTERVALS_WIDTH, _INTERVALS_STEP * high + 24), paint, table(("", *names), told))


def _cells(share: Estimate | None) -> tuple[str, str]:
    return ("", "") if share is None or share.value is None else cells(share, missing="")


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


_SCATTER_SIZE: Final = (200, 180)
"""So wide that a narrow phone shows all of it."""
_SCATTER_NAME: Final = 24
_HALF: Final = 0.5
_STEPS: Final = (1, 2, 5)
"""Times the powers of ten: where the axis has ticks."""
_MOST_TICKS: Final = 7
_APART: Final = 0.075
"""Of the height of the plot: how far apart two labels stand that would lie on each other."""
_NEAR: Final = 0.5
"""Of its width: how far apart two labels are that cannot."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point with an interval: ``y`` is a share or a coefficient, ``x`` above 0. Points of one ``group`` have one
    colour and form, and are joined."""

    name: str
    group: str
    x: float
    y: float
    low: float | None
    high: float | None


def scatter(
    title: str, x_title: str, y_title: str, points: Sequence[Point], *, scale: Scale = "share",
    band: tuple[str, float, float] | None = None,
) -> Drawing:  # fmt: skip
    """Every point has its name beside it. ``band``: a name, and between which values of ``y`` a grey ground lies."""
    ticks = _ticks([point.x for point in points])
    ends = [end for point in points for end in (point.low, point.y, point.high) if end is not None]
    bottom, top = _range([*ends, *(band[1:] if band else ())], scale)
    steps = [tick / 5 for tick in range(-5, 6) if bottom <= tick / 5 <= top]

    def paint(axes: "Axes") -> None:
        if band is not None:
            axes.axhspan(band[1], band[2], facecolor=LINE, alpha=0.35, linewidth=0)
            axes.text(0.98, max(band[1], bottom), short(band[0]), ha="right", va="bottom", fontsize=8,
                      transform=axes.get_yaxis_transform())  # fmt: skip
        for index, group in enumerate(dict.fromkeys(point.group for point in points)):
            colour, form = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
            here = sorted((point for point in points if point.group == group), key=lambda point: point.x)
            axes.plot([point.x for point in here], [point.y for point in here], "--", color=colour, linewidth=1)
            for point in here:
                if point.low is not None and point.high is not None:
                    axes.plot([point.x, point.x], [point.low, point.high], color=colour, linewidth=1.4)
                axes.plot(point.x, point.y, form, color=colour, markersize=7, clip_on=False,
                          markerfacecolor=PAPER if index % 2 else colour)  # fmt: skip
        axes.set_xscale("log")
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xticks([], minor=True)
        axes.set_xlim(ticks[0], ticks[-1])
        axes.set_ylim(bottom, top)
        axes.set_yticks(steps, [number(step, scale, 0 if scale == "share" else 1) for step in steps])
        axes.grid()
        axes.set_axisbelow(True)
        axes.tick_params(labelsize=_SMALL)
        axes.set_xlabel(x_title)
        axes.set_ylabel(y_title)
        inside = axes.transData + axes.transAxes.inverted()
        spots = [(*inside.transform((point.x, point.y)), point.name) for point in points]
        for x, y, name in _apart(spots):
            left = x > _HALF  # where the name would leave the plot on the other side
            axes.text(x - 0.035 if left else x + 0.035, y + 0.03, short(name, _SCATTER_NAME), va="center", fontsize=8.5,
                      ha="right" if left else "left", transform=axes.transAxes)  # fmt: skip

    told = [(point.name, f"{point.x:g}", number(point.y, scale), _interval(point, scale)) for point in points]
    told += [(band[0], "", "", f"{number(band[1], scale)} to {number(band[2], scale)}")] if band else []
    numbers = table(("", x_title, y_title, "95% interval"), told)
    ground = f" The grey ground is {band[0]}." if band else ""
    return Drawing(title, f"Points: {y_title} against {x_title}.{ground}", _SCATTER_SIZE, paint, numbers)


def _interval(point: Point, scale: Scale) -> str:
    ends = (point.low, point.high)
    return " to ".join(number(end, scale) for end in ends if end is not None) if None not in ends else ""


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
            if abs(y - other) < _APART and abs(x - beside) < _NEAR:
                y = other - _APART
        placed.append((x, y, name))
    return placed
