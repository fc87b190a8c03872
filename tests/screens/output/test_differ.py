"""The cells that a terminal shows after the difference are those that it shows after everything."""

import random
from collections.abc import Sequence

import pyte
import pytest
from pyte.screens import Char
from rich.cells import get_character_cell_size
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from medreview.screens.terminal_output import Cells, Differ

WIDTH, HEIGHT = 40, 9
STYLES = [
    Style.parse(it)
    for it in ("none", "bold", "italic #ff0000", "on #101010", "bold #c0ffee on #101010", "underline", "reverse",
               "dim on default", "strike default on red", "not bold", "color(200) on color(17)")
]  # fmt: skip
WORDS = ("dose", "50 mg", "ä", "…", "│", "─" * 9, "", " ", " " * 12, " " * 30, "漢字", "ａ", "e\u0301", "日本e\u0301")

Drawn = list[list[Char]]


class Shown:
    """A terminal that does not wrap, as Textual sets it."""

    def __init__(self) -> None:
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self._stream = pyte.Stream(self.screen)
        self.write("\x1b[?7l")

    def write(self, text: str) -> None:
        self._stream.feed(text)

    @property
    def cells(self) -> Drawn:
        return [[self.screen.buffer[y][x] for x in range(WIDTH)] for y in range(HEIGHT)]


def line(luck: random.Random, width: int) -> Strip:
    segments = [Segment(luck.choice(WORDS), luck.choice([*STYLES, None])) for _ in range(luck.randrange(1, 6))]
    return Strip(segments).adjust_cell_length(width, luck.choice(STYLES))


def whole(strips: Sequence[Strip]) -> list[list[Strip]]:
    return [[strip] for strip in strips]


def in_full(strips: Sequence[Strip]) -> Drawn:
    """What stands on a terminal on which nothing stood before, row by row, as Textual would write it."""
    shown = Shown()
    for y, strip in enumerate(strips):
        texts = [Strip.render_style(style or Style(), text, ColorSystem.TRUECOLOR) for text, style, _ in strip]
        shown.write(f"\x1b[{y + 1}H{''.join(texts)}")
    return shown.cells


@pytest.mark.parametrize("erases_in_colour", [True, False])
def test_after_any_change_the_terminal_shows_what_it_would_after_everything(erases_in_colour: bool) -> None:
    luck = random.Random(11)
    shown, cells, differ = Shown(), Cells(WIDTH, HEIGHT, ColorSystem.TRUECOLOR), Differ(erases_in_colour)
    strips = [line(luck, WIDTH) for _ in range(HEIGHT)]
    for turn in range(400):
        for _ in range(luck.choice((0, 1, 1, 3, HEIGHT))):
            strips[luck.randrange(HEIGHT)] = line(luck, WIDTH)
        if luck.random() < 0.3:  # rows go up or down
            by = luck.choice((-3, -1, 1, 2))
            strips = strips[by:] + strips[:by]
        cells.show(whole(strips))
        if turn % 40 == 0:
            differ.forget()
        shown.write(differ.difference(cells.rows))
        differ.sent(cells.rows)
        assert shown.cells == in_full(strips), f"turn {turn}"
        assert differ.difference(cells.rows) == ""


def after(old: str, new: str, erases_in_colour: bool = True, style: Style | None = None) -> str:
    """What is written when one row takes the place of another."""
    cells, differ = Cells(WIDTH, 1, ColorSystem.TRUECOLOR), Differ(erases_in_colour)
    written = ""
    for text in (old, new):
        strip = Strip([Segment(text, style)]).adjust_cell_length(WIDTH, style)
        cells.show([[strip]])
        written = differ.difference(cells.rows)
        differ.sent(cells.rows)
    return written


GREY = Style.parse("on #202020")


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ("decided 11 of 60", "decided 12 of 60", "\x1b[1;10H2"),
        ("a b d", "x b y", "\x1b[1Hx b y"),
        ("a" + "." * 20 + "b", "x" + "." * 20 + "y", "\x1b[1Hx\x1b[22Gy"),
        ("a long receipt", "a", "\x1b[1;3H\x1b[12X"),
        ("receipt", "a", "\x1b[1Ha" + " " * 6),
        ("same", "same", ""),
        ("x 漢字 y", "x 漢字 z", "\x1b[1Hx 漢字 z" + " " * 32),
    ],
)
def test_no_more_is_written_than_what_changed(old: str, new: str, written: str) -> None:
    assert after(old, new) == written


def test_blanks_are_erased_only_where_a_terminal_erases_in_their_colour() -> None:
    assert after("a long receipt", "a", True, GREY) == "\x1b[1;3H\x1b[48;2;32;32;32m\x1b[12X\x1b[m"
    assert "\x1b[12X" not in after("a long receipt", "a", False, GREY)


def test_a_sign_that_terminals_count_otherwise_is_never_moved_behind() -> None:
    """Behind the wide sign the cursor may stand elsewhere than Textual thinks: the row is written on to its end."""
    written = after("👩 dose 50 mg", "👩 dose 80 mg")
    assert "👩 dose 80 mg" in written


def test_what_would_act_on_the_terminal_is_left_out() -> None:
    assert "\x1b[2J" not in after("", "a\x1b[2Jb\nc\x9b1m")


def test_the_characters_that_are_trusted_have_one_cell_in_textual_too() -> None:
    cells = Cells(1, 1, ColorSystem.TRUECOLOR)
    trusted = [char for char in map(chr, range(0x20, 0x10000)) if cells._row([Strip([Segment(char)])]).doubtful]
    assert len(trusted) > 2000
    assert [char for char in trusted if get_character_cell_size(char) != 1] == []
