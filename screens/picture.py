"""The workbench without a terminal, drawn as a picture: what a reviewer would see after some keys.

It works on a copy of the study, so that no decision, no look and no place in a queue is kept. The picture is SVG: text
that can be searched, with the colours of the theme; nothing in it loads anything. Several screens become one picture
that shows each for a while, by style rules alone.
"""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Final, Literal, NamedTuple

from rich.color_triplet import ColorTriplet
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.pilot import Pilot
from textual.strip import Strip

from medreview.config import Config
from medreview.errors import UserError
from medreview.review.actions import KeyRepeat, named_key, shown_key
from medreview.review.cell_width import width
from medreview.review.queue import Queue
from medreview.review.session import ReviewSession
from medreview.screens.app import Workbench
from medreview.screens.environment import DARK, LIGHT, look
from medreview.study import Study
from medreview.study.backup import backup_to

Theme = Literal["dark", "light", "mono"]
THEMES: Final[tuple[Theme, ...]] = ("dark", "light", "mono")
LEAST: Final = (40, 10)
MOST: Final = (400, 150)
"""Columns and rows of a picture."""
_STILL: Final = 0.1
"""Seconds in which nothing may move any more: figures of large studies are counted beside the first frame."""
_WAITS: Final = 50
"""So often that is waited for."""


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


class _Workbench(Workbench):
    """Nothing leaves it: no other program is started, nothing is copied."""

    CSS_PATH = str(Path(__file__).with_name("app.tcss"))

    def edit_note(self, session: ReviewSession) -> str:
        """Refuse."""
        raise UserError("No editor is opened for a picture.")

    def copy_text(self, text: str) -> str:
        """Refuse."""
        raise UserError("Nothing is copied for a picture.")


def size_of(told: str) -> tuple[int, int]:
    """``160x50`` as columns and rows; raises :class:`UserError` for anything else."""
    columns, _, rows = told.lower().partition("x")
    if not (columns.isdecimal() and rows.isdecimal()):
        raise UserError(f"The size {told!r} is not columns x rows, such as 160x50.")
    size = int(columns), int(rows)
    if not all(low <= given <= high for low, given, high in zip(LEAST, size, MOST, strict=True)):
        raise UserError(
            f"A picture has {LEAST[0]}x{LEAST[1]} to {MOST[0]}x{MOST[1]} columns and rows; {told} is outside of that."
        )
    return size


def as_theme(told: str) -> Theme:
    """A theme by its name; raises :class:`UserError` for another word."""
    for theme in THEMES:
        if theme == told:
            return theme
    raise UserError(f"There is no theme {told!r}; there are {', '.join(THEMES)}.")


def keys_of(told: str) -> list[str]:
    """Keys separated by blanks, as ``?`` shows them (``j``, ``Enter``, ``Space``), by Textual's names."""
    keys = []
    for name in told.split():
        key = named_key(name)
        if key is None:
            raise UserError(f"No terminal sends the key {name!r}; give a character, or a name such as Enter or Space.")
        keys.append(key)
    return keys


@contextmanager
def copied(study: Path, folder: Path) -> Iterator[Study]:
    """A copy of a study in a folder to be deleted, open under the same name: what is done in it is kept nowhere.

    The folder of the process is that of the copy meanwhile, so that commands on the screen name it as a user would.
    """
    Study.open(study, read_only=True).close()  # says what is wrong with it
    source, place = study.absolute(), folder.absolute() / "copy"
    place.mkdir(mode=0o700)
    backup_to(source, place / source.name)
    with chdir(place), Study.open(Path(source.name)) as opened:
        yield opened


def picture(
    study: Study, config: Config, queue: Queue | None, *, size: tuple[int, int], theme: Theme, keys: Sequence[str]
) -> str:
    """The screen of a queue (the first screen without one) after some keys, as SVG.

    Raises :class:`UserError` for keys that leave the workbench.
    """

    async def last() -> Screenshot:
        shots = [shot async for shot in screenshots(study, config, queue, size=size, theme=theme, keys=keys)]
        return shots[-1]

    return svg([asyncio.run(last())])


async def screenshots(
    study: Study, config: Config, queue: Queue | None, *, size: tuple[int, int], theme: Theme, keys: Sequence[str]
) -> AsyncIterator[Screenshot]:
    """The screen at first, then after each key; as :func:`picture`."""
    app = _workbench(study, config, queue, theme)
    async with app.run_test(size=size) as pilot:
        yield await _at_rest(app, pilot)
        for key in keys:
            app.held = KeyRepeat()  # each is pressed by itself
            await pilot.press(key)
            if app._exit:
                raise UserError(f"The key {shown_key(key)!r} leaves the workbench, so there is nothing to draw.")
            yield await _at_rest(app, pilot)


def _workbench(study: Study, config: Config, queue: Queue | None, theme: Theme) -> _Workbench:
    """The workbench in a theme, whatever the environment says of colours."""
    before = os.environ.pop("NO_COLOR", None)
    if theme == "mono":
        os.environ["NO_COLOR"] = "1"
    try:
        chosen = replace(config, theme="light" if theme == "light" else "dark")
        return _Workbench(study, chosen, look(chosen, encoding="utf-8"), queue=queue)
    finally:
        os.environ.pop("NO_COLOR", None)
        if before is not None:
            os.environ["NO_COLOR"] = before


async def _at_rest(app: Workbench, pilot: Pilot[None]) -> Screenshot:
    """The screen, once nothing moves any more."""
    await pilot.pause()
    rows = _rows(app)
    for _ in range(_WAITS):
        await pilot.pause(_STILL)
        before, rows = rows, _rows(app)
        if before == rows and not list(app.workers):
            break
    return Screenshot(rows, LIGHT if app.theme == "textual-light" else DARK)


def _rows(app: Workbench) -> list[Strip]:
    return app.screen._compositor.render_strips()


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
        for x, text, style, colour, background in _pieces(row, base, shot.theme):
            left, top, wide = x * _CELL, y * _LINE, width(text) * _CELL
            if background != base:
                below.append(
                    f'<rect x="{left:g}" y="{top}" width="{wide:g}" height="{_LINE}" fill="{background.hex}"/>'
                )
            if text[0] in "─│":  # lines are drawn as lines, so that no font leaves gaps in them
                name = _named(f"stroke:{colour.hex}", classes)
                across = f"M{left:g} {top + _LINE / 2:g}h{wide:g}"
                place = f"M{left + _CELL / 2:g} {top}v{_LINE}" if text == "│" else across
                above.append(f'<path class="{name}" d="{place}"/>')
            elif text.strip():  # all else is text of the width of its cells
                rule = f"fill:{colour.hex}"
                rule += ";font-weight:bold" if style.bold else ""
                rule += ";font-style:italic" if style.italic else ""
                rule += ";text-decoration:underline" if style.underline else ""
                above.append(
                    f'<text class="{_named(rule, classes)}" x="{left:g}" y="{top + _BASELINE}" '
                    f'textLength="{wide:g}">{_escaped(text)}</text>'
                )
    return "\n".join((*below, *above))


def _escaped(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text), quote=False)


def _named(rule: str, classes: dict[str, str]) -> str:
    return classes.setdefault(rule, f"c{len(classes)}")


def _pieces(
    row: Strip, base: ColorTriplet, theme: TerminalTheme
) -> Iterator[tuple[int, str, Style, ColorTriplet, ColorTriplet]]:
    """The row without blanks that show nothing, in pieces of one style: where each begins, in cells, its text, style,
    colour and background."""
    x = 0
    for text, style, _control in row:
        made = style or Style()
        colour, background = _colours(made, theme)
        seen = background != base or bool(made.underline)
        for found in _PIECE.finditer(text):
            for part, apart in _split(found[0], whole=seen):
                yield x + apart, part, made, colour, background
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
