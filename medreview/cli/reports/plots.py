"""Two plots as SVG: points with intervals over an axis, and intervals below each other.

They are drawn here because they are a few lines and marks, while a plotting library would be a dependency of tens of
megabytes and of seconds to import. A plot has a title, and a description of what it shows, for who does not see it;
every number in it stands in a table or a CSV file as well.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Final

_INK: Final = "#1a1a1a"
_LINE: Final = "#c8c8c8"
_PAPER: Final = "#ffffff"
_COLOURS: Final = ("#0b5394", "#a64d00", "#38761d", "#741b47", "#555555", "#00707a", "#7a5c00", "#4b2e83")
_SHAPES: Final = 4
_FONT: Final = "font-family=\"system-ui, 'DejaVu Sans', sans-serif\""
_WIDTH: Final = 760
_HEIGHT: Final = 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 190, 50, 60
_LABEL: Final = 13
"""Height of a label; two closer than that are moved apart."""
_LETTER: Final = 7
"""Width of one of its letters, at most."""
_LONGEST: Final = 30
_STEPS: Final = (1, 2, 5)
_DASHED: Final = 'stroke-dasharray="5 3"'


@dataclass(frozen=True, slots=True)
class Point:
    """A point with an interval: ``y`` is a share. Points of one ``group`` have one colour and are joined."""

    name: str
    group: str
    x: float
    y: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Marked:
    """A row of a plot of intervals: its name, and for each series a share with its interval, ``None`` for none."""

    name: str
    values: tuple[tuple[float, float | None, float | None] | None, ...]


def scatter(title: str, x_title: str, y_title: str, points: Sequence[Point]) -> str:
    """Points over a logarithmic axis; ``x`` is above 0. A whole SVG document."""
    ticks = _ticks([point.x for point in points])
    low, high = math.log10(ticks[0]), math.log10(ticks[-1])

    def across(x: float) -> float:
        return _LEFT + (math.log10(x) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    def down(y: float) -> float:
        return _TOP + (1 - y) * (_HEIGHT - _TOP - _BOTTOM)

    def body() -> Iterator[str]:
        right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
        for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
            y = down(share)
            yield _line(_LEFT, y, right, y, _LINE)
            yield _text(_LEFT - 8, y + 4, f"{share:.0%}", "end")
        for tick in ticks:
            yield _line(across(tick), _TOP, across(tick), bottom, _LINE)
            yield _text(across(tick), bottom + 18, f"{tick:g}", "middle")
        yield _text((_LEFT + right) / 2, bottom + 42, x_title, "middle")
        yield f'<g transform="rotate(-90)">{_text(-(_TOP + bottom) / 2, 18, y_title, "middle")}</g>'
        groups = list(dict.fromkeys(point.group for point in points))
        for number, group in enumerate(groups):
            colour = _COLOURS[number % len(_COLOURS)]
            here = sorted((point for point in points if point.group == group), key=lambda point: point.x)
            for one, other in pairwise(here):
                yield _line(across(one.x), down(one.y), across(other.x), down(other.y), colour, _DASHED)
            for point in here:
                if point.low is not None and point.high is not None:
                    yield _line(across(point.x), down(point.low), across(point.x), down(point.high), colour)
                yield _marker(across(point.x), down(point.y), number % _SHAPES, colour)
        placed = _apart([(across(point.x), down(point.y), point.name) for point in points])
        for x, y, name in placed:
            yield _text(x + 10, y + 4, name)

    described = "; ".join(f"{point.name}: {point.x:g}, {point.y:.1%}" for point in points)
    return _document(_WIDTH, _HEIGHT, title, f"{y_title} against {x_title}. {described}", body())


def intervals(title: str, series: Sequence[str], rows: Sequence[Marked]) -> str:
    """Shares with their intervals, a row for each name, a mark for each series. A whole SVG document."""
    step, top, left, right = 20 * len(series) + 14, 74, 210, 60
    height = top + step * len(rows) + 40

    def across(share: float) -> float:
        return left + share * (_WIDTH - left - right)

    def body() -> Iterator[str]:
        bottom = top + step * len(rows)
        for number, name in enumerate(series):
            yield _marker(left + 160 * number, 46, number, _COLOURS[number])
            yield _text(left + 160 * number + 12, 50, name)
        for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
            yield _line(across(share), top - 8, across(share), bottom, _LINE)
            yield _text(across(share), bottom + 18, f"{share:.0%}", "middle")
        for place, row in enumerate(rows):
            y = top + step * place
            yield _text(left - 12, y + step / 2 - 3, row.name, "end")
            for number, value in enumerate(row.values):
                if value is None:
                    continue
                middle, (share, low, high) = y + 10 + 20 * number, value
                if low is not None and high is not None:
                    yield _line(across(low), middle, across(high), middle, _COLOURS[number], 'stroke-width="2"')
                yield _marker(across(share), middle, number, _COLOURS[number])

    described = "; ".join(
        f"{row.name}: "
        + ", ".join(f"{name} {value[0]:.1%}" for name, value in zip(series, row.values, strict=True) if value)
        for row in rows
    )
    return _document(_WIDTH, height, title, described, body())


def _document(width: int, height: int, title: str, about: str, body: Iterator[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" {_FONT} font-size="12">\n<title>{escape(title)}</title>\n<desc>{escape(about)}</desc>\n'
        f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>\n'
        f"{_text(20, 24, title, size=15)}\n" + "\n".join(body) + "\n</svg>\n"
    )


def _text(x: float, y: float, words: str, anchor: str = "start", size: int = 12) -> str:
    shown = words if len(words) <= _LONGEST or anchor == "middle" or size > 12 else words[: _LONGEST - 1] + "…"
    # In the attribute, since a page may have a style for text of its own; the rim keeps lines off the letters.
    style = f'style="fill: {_INK}; font-size: {size}px; paint-order: stroke; stroke: {_PAPER}; stroke-width: 3px"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {style}>{escape(shown)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, more: str = "") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {more}/>'


def _marker(x: float, y: float, shape: int, colour: str) -> str:
    """One of four forms, which differ without colour."""
    if shape == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
    if shape == 1:
        points = f"{x:.1f},{y - 6:.1f} {x + 6:.1f},{y:.1f} {x:.1f},{y + 6:.1f} {x - 6:.1f},{y:.1f}"
    elif shape == 2:
        points = f"{x:.1f},{y - 6:.1f} {x + 6:.1f},{y + 5:.1f} {x - 6:.1f},{y + 5:.1f}"
    else:
        points = f"{x - 5:.1f},{y - 5:.1f} {x + 5:.1f},{y - 5:.1f} {x + 5:.1f},{y + 5:.1f} {x - 5:.1f},{y + 5:.1f}"
    return f'<polygon points="{points}" fill="{_PAPER}" stroke="{colour}" stroke-width="2"/>'


def _ticks(values: Sequence[float]) -> list[float]:
    """1, 2, 5 times the powers of ten around the values, with room on both sides."""
    first, last = math.floor(math.log10(min(values))) - 1, math.ceil(math.log10(max(values))) + 1
    every = [step * 10.0**power for power in range(first, last + 1) for step in _STEPS]
    below = max(place for place, tick in enumerate(every) if tick < min(values))
    above = min(place for place, tick in enumerate(every) if tick > max(values))
    return every[below : above + 1]


def _apart(labels: Sequence[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    """Labels from top to bottom, each at its place or as little below it as keeps it off those before."""
    placed: list[tuple[float, float, str]] = []
    for x, wanted, name in sorted(labels, key=lambda label: (label[1], label[0])):
        y = wanted
        for beside, other, words in placed:
            wide = _LETTER * min(_LONGEST, max(len(words), len(name)))
            if abs(y - other) < _LABEL and abs(x - beside) < wide:
                y = other + _LABEL
        placed.append((x, y, name))
    return placed
