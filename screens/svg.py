"""Screens as SVG: text that can be searched, with the colours of the theme; nothing in it loads anything.

Several screens become one picture that shows each for a while, by style rules alone.
"""

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, NamedTuple

from rich.color_triplet import ColorTriplet
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.strip import Strip

from medreview.review.cell_width import width

_CELL: Final = 9.0
_LINE: Final = 18
_FONT: Final = 15
_BASELINE: Final = 14
_MARGIN: Final = 10
_FONTS: Final = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"
_PIECE: Final = re.compile(r"─+|│|[^─│]+")
_BLANKS: Final = re.compile(r" {2,}")
_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Screenshot(NamedTuple):
    """The rows of a screen, each as wide as the others, and the theme that gives names of colours their shade."""

    rows: Sequence[Strip]
    theme: TerminalTheme


class _Drawn(NamedTuple):
    """A piece of a row in one style: where it begins, in cells."""

    x: int
    text: str
    colour: str
    background: str
    bold: bool
    italic: bool
    underline: bool


def svg(shots: Sequence[Screenshot], seconds: float = 2.0) -> str:
    """The picture; of several screens of one size each is shown for so many seconds, again and again.

    A viewer that shows no movement shows the last one.
    """
    last = shots[-1]
    _, base = _colours(_first_style(last), last.theme)
    columns, lines = max(row.cell_length for row in last.rows), len(last.rows)
    across, down = round(columns * _CELL + 2 * _MARGIN), lines * _LINE + 2 * _MARGIN
    classes: dict[str, str] = {}
    groups = [_group(shot, base, classes) for shot in shots]
    styles = [f"text{{font:{_FONT}px {_FONTS};white-space:pre}}path{{stroke-width:1;fill:none}}"]
    styles += [f".{name}{{{rule}}}" for rule, name in classes.items()]
    if len(groups) > 1:
        styles += _moving(len(groups), seconds)
        groups = [f'<g class="s" id="s{number}">\n{group}\n</g>' for number, group in enumerate(groups)]
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" width="{across}" height="{down}">',
        f"<style>{''.join(styles)}</style>",
        f'<rect width="{across}" height="{down}" rx="6" fill="{base.hex}"/>',
        f'<g transform="translate({_MARGIN} {_MARGIN})" xml:space="preserve">',
        *groups,
        "</g>",
        "</svg>",
        "",
    ))  # fmt: skip


def _moving(count: int, seconds: float) -> Iterator[str]:
    """Each screen is seen in its share of the time; only the last where movement is not wanted, or not known."""
    share, whole = 100 / count, count * seconds
    yield f"@keyframes turn{{0%{{visibility:visible}}{share:.3f}%,100%{{visibility:hidden}}}}"
    yield f".s{{visibility:hidden;animation:turn {whole:g}s step-end infinite}}#s{count - 1}{{visibility:visible}}"
    yield from (f"#s{number}{{animation-delay:{number * seconds - whole:g}s}}" for number in range(count))
    yield "@media (prefers-reduced-motion:reduce){.s{animation:none}}"


def _first_style(shot: Screenshot) -> Style:
    return next((style for row in shot.rows for _, style, _ in row if style is not None), Style())


def _group(shot: Screenshot, base: ColorTriplet, classes: dict[str, str]) -> str:
    """One screen: what lies under the text where that is not of the colour of all, then the text."""
    below, above = [], []
    for y, row in enumerate(shot.rows):
        for piece in _pieces(row, base, shot.theme):
            cells = width(piece.text)
            left = f"{piece.x * _CELL:g}"
            if piece.background != base.hex:
                below.append(
                    f'<rect x="{left}" y="{y * _LINE}" width="{cells * _CELL:g}" height="{_LINE}" '
                    f'fill="{piece.background}"/>'
                )
            if piece.text.strip():
                above.append(_sign(piece, y, cells, classes))
    return "\n".join((*below, *above))


def _sign(piece: _Drawn, y: int, cells: int, classes: dict[str, str]) -> str:
    """Lines are drawn as lines, so that no font leaves gaps in them; all else is text of the width of its cells."""
    left, top = piece.x * _CELL, y * _LINE
    if piece.text[0] in "─│":
        name = _named(f"stroke:{piece.colour}", classes)
        place = f"M{left:g} {top + _LINE / 2:g}h{cells * _CELL:g}"
        if piece.text == "│":
            place = f"M{left + _CELL / 2:g} {top}v{_LINE}"
        return f'<path class="{name}" d="{place}"/>'
    rule = f"fill:{piece.colour}"
    rule += ";font-weight:bold" if piece.bold else ""
    rule += ";font-style:italic" if piece.italic else ""
    rule += ";text-decoration:underline" if piece.underline else ""
    text = escape(_NOT_XML.sub("\ufffd", piece.text), quote=False)
    return (
        f'<text class="{_named(rule, classes)}" x="{left:g}" y="{top + _BASELINE}" '
        f'textLength="{cells * _CELL:g}">{text}</text>'
    )


def _named(rule: str, classes: dict[str, str]) -> str:
    return classes.setdefault(rule, f"c{len(classes)}")


def _pieces(row: Strip, base: ColorTriplet, theme: TerminalTheme) -> Iterator[_Drawn]:
    """The row without blanks that show nothing, in pieces of one style."""
    x = 0
    for text, style, _control in row:
        made = style or Style()
        colour, background = _colours(made, theme)
        seen = background != base or made.underline
        for found in _PIECE.finditer(text):
            for part, apart in _split(found[0], whole=bool(seen)):
                yield _Drawn(
                    x + apart, part, colour.hex, background.hex, bool(made.bold), bool(made.italic),
                    bool(made.underline),
                )  # fmt: skip
            x += width(found[0])


def _split(text: str, *, whole: bool) -> Iterator[tuple[str, int]]:
    """The parts of a text between long blanks, and how many cells after its start; the ``whole`` where blanks are
    seen."""
    if whole:
        yield text, 0
        return
    start = 0
    for gap in (*_BLANKS.finditer(text), None):
        part = text[start : gap.start() if gap else len(text)]
        if part.strip():
            lead = len(part) - len(part.lstrip())
            yield part.strip(), width(text[:start]) + lead
        start = gap.end() if gap else start


def _colours(style: Style, theme: TerminalTheme) -> tuple[ColorTriplet, ColorTriplet]:
    """Foreground and background as they are seen."""
    colour = theme.foreground_color if style.color is None else style.color.get_truecolor(theme, foreground=True)
    background = (
        theme.background_color if style.bgcolor is None else style.bgcolor.get_truecolor(theme, foreground=False)
    )
    if style.reverse:
        colour, background = background, colour
    if style.dim:
        colour = _between(colour, background)
    return colour, background


def _between(colour: ColorTriplet, background: ColorTriplet) -> ColorTriplet:
    """Two thirds of the first."""
    return ColorTriplet(*((2 * one + other) // 3 for one, other in zip(colour, background, strict=True)))
