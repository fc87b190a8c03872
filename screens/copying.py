"""Where a copied text goes: to the terminal, which seldom says whether it took it, and into a file."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output, write_new
from medreview.errors import UserError
from medreview.study.state_folder import made_state_folder, state_folder

_BY_PROGRAM: Final = {
    "WezTerm": "WezTerm",
    "ghostty": "Ghostty",
    "rio": "Rio",
    "vscode": "the terminal of VS Code",
}
_BY_TERM: Final = {"xterm-kitty": "kitty", "alacritty": "Alacritty", "foot": "foot", "foot-extra": "foot"}
_BY_VARIABLE: Final = {"KITTY_WINDOW_ID": "kitty", "WT_SESSION": "Windows Terminal", "ALACRITTY_WINDOW_ID": "Alacritty"}
_MULTIPLEXED: Final = {
    "tmux": "tmux passes it on only with `set -g set-clipboard on`",
    "screen": "screen does not pass it on",
}


def copy_file() -> Path:
    """The file that holds what was copied last."""
    return state_folder() / "copied.txt"


def takes_osc52(environ: Mapping[str, str]) -> str:
    """The terminal, if it is known to take text for the clipboard as it comes (OSC 52); else ``""``.

    Of one behind tmux, screen or SSH the environment tells nothing certain.
    """
    if multiplexer(environ):
        return ""
    known = _BY_PROGRAM.get(environ.get("TERM_PROGRAM", "")) or _BY_TERM.get(environ.get("TERM", ""))
    return known or next((name for variable, name in _BY_VARIABLE.items() if environ.get(variable)), "")


def multiplexer(environ: Mapping[str, str]) -> str:
    """``tmux`` or ``screen``, if the program runs in one; else ``""``."""
    if environ.get("TMUX"):
        return "tmux"
    return "screen" if environ.get("STY") else ""


def copied(text: str, how: str, send: Callable[[str], None], environ: Mapping[str, str] = os.environ) -> str:
    """Send a text to the terminal, or write it to the file, as the setting ``copy`` says; where it went, in words.

    Nobody says "copied": that a terminal took it is known to the reader alone. Raises :class:`UserError` where the file
    was wanted and cannot be written.
    """
    known = takes_osc52(environ)
    said = []
    if how != "file":
        send(text)
        within = multiplexer(environ)
        what = f"sent to {known}" if known else "sent to the terminal, which need not take it"
        said.append(f"{what} ({_MULTIPLEXED[within]})" if within else what)
    if how in ("file", "both") or (how == "auto" and not known):
        try:
            said.append(f"in {_written(text)}")
        except UserError as error:
            if how != "auto":
                raise
            said.append(f"not in a file: {error}")
    return "; ".join(said)


def _written(text: str) -> Path:
    """Write the file, in the place of what was copied before."""
    try:
        made_state_folder()
    except OSError as error:
        raise UserError(f"{state_folder()} cannot be made ({error.strerror or error}).") from error
    with atomic_output(copy_file(), b"") as partial:
        write_new(partial, text + "\n")
    return copy_file()
