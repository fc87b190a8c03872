"""A text that is written in the reviewer's own editor: which one, the private file, what came back."""

import os
import shlex
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.atomic_output import put_new, workplace, write_new
from medreview.bounded_file import read_bounded
from medreview.errors import UserError
from medreview.storable import is_damaged
from medreview.study.state_folder import made_state_folder, state_folder
from medreview.text import normalise_newlines

_BYTES_EACH: Final = 4
"""Of a character in UTF-8, at the most."""


@dataclass(frozen=True, slots=True)
class Written:
    """What the editor left. ``fault``: how it ended otherwise than in order, in half a sentence, or ``""``."""

    text: str
    fault: str = ""


def editor_command(environ: Mapping[str, str]) -> list[str]:
    """The words of the command in VISUAL, else EDITOR. Raises :class:`UserError` when neither is set or can be read."""
    for name in ("VISUAL", "EDITOR"):
        told = environ.get(name, "").strip()
        if told:
            try:
                return shlex.split(told)
            except ValueError:
                raise UserError(f"{name} has an open quotation mark: {told}") from None
    raise UserError("No editor is set: set VISUAL or EDITOR, as in `export EDITOR=nano`.")


def write_outside(
    text: str,
    name: str,
    most: int,
    environ: Mapping[str, str] = os.environ,
    run: Callable[[list[str]], int] = subprocess.call,
) -> Written:
    """Let the editor change a text of at most so many characters, in a private file that is gone afterwards.

    ``name`` is what the file is called, for its ending. ``run`` waits for the command and gives its exit code. The text
    comes back with ``\\n`` ends of line, without those at its end. Raises :class:`UserError` when the editor cannot be
    started, and for what it left when that cannot be read: no UTF-8, damaged, too long.
    """
    command = editor_command(environ)
    try:
        made_state_folder()
        with workplace(state_folder() / name) as place:
            file = place / name
            write_new(file, text + "\n" if text else "")
            try:
                code = run([*command, str(file)])
            except OSError as error:
                raise UserError(f"The editor {command[0]!r} cannot be started ({error.strerror or error}).") from error
            back, wrong = _read(file, most)
            if wrong:
                raise UserError(f"What the editor saved {wrong}; nothing was taken from it, it is in {_kept(file)}.")
    except OSError as error:
        raise UserError(f"The text that the editor left cannot be read ({error.strerror or error}).") from error
    fault = "" if code == 0 else f"the editor was ended by signal {-code}" if code < 0 else f"the editor said {code}"
    return Written(back, fault)


def _kept(file: Path) -> Path:
    """Where a text stays that could not be taken: beside the others of which that is true."""
    number = 1
    while True:
        place = state_folder() / f"not-taken-{number}-{file.name}"
        try:
            put_new(file, place)
        except FileExistsError:
            number += 1
        else:
            return place


def _read(file: Path, most: int) -> tuple[str, str]:
    """The text, and what is wrong with it."""
    longer = f"is longer than {most:,} characters"
    try:
        text = normalise_newlines(read_bounded(file, most * _BYTES_EACH + 2)[0].decode("utf-8")).rstrip()
    except UnicodeDecodeError:
        return "", "is not UTF-8"
    except ValueError:
        return "", longer
    if is_damaged(text):
        return "", "is damaged (a NUL in it, or half a character)"
    return text, longer if len(text) > most else ""
