"""How the terminal looks: its capabilities, from environment and settings, and the sixteen colours of both themes."""

import codecs
import os
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Final, NamedTuple

from rich.terminal_theme import TerminalTheme

from medreview.config import Config
from medreview.errors import UserError
from medreview.next_step import command
from medreview.review.cell_width import char_width

DARK: Final = TerminalTheme(
    (18, 18, 18),
    (224, 224, 224),
    [
        (18, 18, 18),
        (255, 107, 107),
        (126, 211, 100),
        (240, 184, 80),
        (110, 170, 255),
        (214, 140, 255),
        (90, 205, 220),
        (208, 208, 208),
    ],
    [(140, 140, 140), *[(255, 255, 255)] * 7],
)
LIGHT: Final = TerminalTheme(
    (240, 240, 240),
    (30, 30, 30),
    [
        (30, 30, 30),
        (190, 20, 30),
        (20, 110, 30),
        (140, 80, 0),
        (20, 70, 180),
        (130, 30, 150),
        (0, 100, 115),
        (70, 70, 70),
    ],
    [(100, 100, 100), *[(30, 30, 30)] * 7],
)


class Theme(NamedTuple):
    """A theme of ours: Textual's, whether it has the terminal's own colours, whether it has none at all."""

    name: str
    ansi: bool = False
    mono: bool = False


THEMES: Final = {
    "dark": Theme("textual-dark"),
    "light": Theme("textual-light"),
    "ansi-dark": Theme("ansi-dark", ansi=True),
    "ansi-light": Theme("ansi-light", ansi=True),
    "mono": Theme("ansi-dark", ansi=True, mono=True),
}
"""What one can choose; the setting knows ``ansi`` too, which was the name of ``ansi-dark``."""


class Look(NamedTuple):
    """How the workbench is drawn: Textual's theme, the terminal's own colours, ASCII glyphs only; whether the terminal
    erases in the background colour that is set; and whether there is no colour at all."""

    theme: str
    ansi_color: bool
    ascii_only: bool
    erases_in_colour: bool = False
    mono: bool = False


def look(config: Config, environ: MutableMapping[str, str] = os.environ, encoding: str | None = None) -> Look:
    """The look for these settings. An empty NO_COLOR is removed: by convention it has no effect.

    With NO_COLOR the terminal's own colours are selected, because only then Textual sends no colours at all.
    """
    if environ.get("NO_COLOR") == "":
        del environ["NO_COLOR"]
    encoding = (encoding or sys.stdout.encoding or "ascii").lower().replace("-", "").replace("_", "")
    theme = THEMES["mono"] if "NO_COLOR" in environ else theme_named(config.theme)
    return Look(
        theme.name,
        theme.ansi,
        config.ascii or encoding not in ("utf8", "utf8sig"),
        erases_in_colour(environ.get("TERM", "")),
        theme.mono,
    )


def theme_named(name: str) -> Theme:
    """The theme of a value of the setting."""
    return THEMES["ansi-dark" if name == "ansi" else name]


def erases_in_colour(term: str) -> bool:
    """Whether terminfo says that a terminal erases characters, and in the background colour that is set (``bce``)."""
    try:
        import curses
    except ImportError:  # Python can be built without
        return False
    try:
        curses.setupterm(term, 1)
    except curses.error:  # terminfo lacks this terminal here
        return False
    return curses.tigetflag("bce") > 0 and bool(curses.tigetstr("ech"))


def check_terminal(study: Path, environ: Mapping[str, str] = os.environ) -> None:
    """Raise :class:`UserError` unless standard input and output are a terminal, one that can be drawn on."""
    if environ.get("TERM", "dumb") == "dumb":
        plain = command("review", study, "--plain")
        raise UserError(f"This terminal cannot be drawn on (TERM is dumb or not set); `{plain}` works on any.")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        plain = command("review", study, "--plain")
        raise UserError(f"The workbench needs a terminal; with input or output redirected, use `{plain}`.")


def replace_unencodable() -> None:
    """Let a terminal without UTF-8 show question marks for characters that it cannot encode, one for each cell: with
    fewer, remains of the previous row would stay at its end."""
    codecs.register_error("medreview-cells", _question_marks)
    stream = sys.__stderr__  # what Textual writes to
    if stream is not None and (stream.encoding or "").lower().replace("-", "") != "utf8":
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="medreview-cells")


def _question_marks(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "?" * sum(map(char_width, error.object[error.start : error.end])), error.end
