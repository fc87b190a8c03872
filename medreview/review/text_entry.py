"""Text that a reviewer types: a one-line editor, and a text written in the reviewer's own editor.

Of the latter: which editor, the private file, and what came back.
"""

import os
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from medreview.atomic_output import put_new, workplace, write_new
from medreview.bounded_reading import read_bounded
from medreview.errors import UserError
from medreview.review.cell_width import width
from medreview.storable import is_damaged
from medreview.study.state_folder import made_state_folder, state_folder
from medreview.text import normalise_newlines
from medreview.visible import visible

MOST: Final = 10_000
"""Characters that a line takes; what is typed or pasted beyond them is left out, and that is said."""

_CONTEXT: Final = 64
_ONE_LINE: Final = str.maketrans("\t\n\r", "   ")


def file_in(text: str) -> Path | None:
    """The file whose path stands in the place of a text; ``None`` for any other text."""
    return next((path for path in paths_in(text) if os.path.isfile(path)), None)


def paths_in(text: str) -> Iterator[Path]:
    """What a text may mean as a path: as it is typed, or as terminals give a file that is dropped on them, in quotes,
    with backslashes, or as ``file://``. None of them need exist."""
    typed = text.strip()
    if "\n" in typed or len(typed) > 1_000:
        return
    if typed.startswith("file://"):
        yield Path(unquote(urlsplit(typed).path))
    yield Path(os.path.expanduser(typed.strip("'\"")))
    with suppress(ValueError):  # a quote that is not closed
        words = shlex.split(typed)
        if len(words) == 1:
            yield Path(os.path.expanduser(words[0]))


@dataclass
class LineEdit:
    """A text and a cursor, counted in code points. Typed or pasted text goes through ``visible``, on one line."""

    text: str = ""
    cursor: int = 0

    @classmethod
    def of(cls, text: str) -> "LineEdit":
        """An editor with a text, the cursor at its end."""
        line = visible(text.translate(_ONE_LINE))
        return cls(line, len(line))

    def insert(self, text: str) -> bool:
        """Insert text at the cursor, as much as the line takes; whether that was all of it."""
        room = max(0, MOST - len(self.text))
        before = self.text[max(0, self.cursor - _CONTEXT) : self.cursor]  # what an accent that comes alone stands on
        line = visible(before + text[:room].translate(_ONE_LINE))[len(before) :]
        self.text = self.text[: self.cursor] + line + self.text[self.cursor :]
        self.cursor += len(line)
        return len(text) <= room

    def press(self, key: str, character: str | None) -> bool:
        """Handle a key (a subset of readline's); False for one without meaning, or a sign without room."""
        match key:
            case "left":
                self.cursor = max(0, self.cursor - 1)
            case "right":
                self.cursor = min(len(self.text), self.cursor + 1)
            case "home" | "ctrl+a":
                self.cursor = 0
            case "end" | "ctrl+e":
                self.cursor = len(self.text)
            case "backspace" | "ctrl+h":
                self._cut(max(0, self.cursor - 1), self.cursor)
            case "delete":
                self._cut(self.cursor, self.cursor + 1)
            case "ctrl+u":
                self._cut(0, self.cursor)
            case "ctrl+w":
                self._cut(len(self.text[: self.cursor].rstrip().rpartition(" ")[0]), self.cursor)
            case _:
                return character is not None and character.isprintable() and self.insert(character)
        return True

    def window(self, cells: int) -> tuple[str, str, str]:
        """The visible part in so many cells: the text before the cursor, the character under it, the text after it."""
        under = self.text[self.cursor : self.cursor + 1] or " "
        room = cells - width(under)
        start = self.cursor
        while start > 0 and width(self.text[start - 1 : self.cursor]) <= room:
            start -= 1
        before = self.text[start : self.cursor]
        after = self.text[self.cursor + 1 :]
        room -= width(before)
        stop = 0
        while stop < len(after) and width(after[: stop + 1]) <= room:
            stop += 1
        return before, under, after[:stop]

    def _cut(self, start: int, end: int) -> None:
        self.text = self.text[:start] + self.text[end:]
        self.cursor = start


_BYTES_EACH: Final = 4
"""Of a character in UTF-8, at the most."""


@dataclass(frozen=True, slots=True)
class EditorText:
    """What the editor left. ``fault``: how it failed, in half a sentence, or ``""``."""

    text: str
    fault: str = ""


def editor_command(environ: Mapping[str, str]) -> list[str]:
    """The words of the command in VISUAL, else EDITOR. Raises :class:`UserError` when neither is set or can be read."""
    for name in ("VISUAL", "EDITOR"):
        line = environ.get(name, "").strip()
        if line:
            try:
                return shlex.split(line)
            except ValueError:
                raise UserError(f"{name} has an open quotation mark: {line}") from None
    raise UserError("No editor is set: set VISUAL or EDITOR, as in `export EDITOR=nano`.")


def write_outside(
    text: str,
    name: str,
    most: int,
    environ: Mapping[str, str] = os.environ,
    run: Callable[[list[str]], int] = subprocess.call,
) -> EditorText:
    """Let the editor change a text of at most so many characters, in a private file that is gone afterwards.

    ``name`` is what the file is called, for its ending. ``run`` waits for the command and gives its exit code. The text
    comes back with ``\\n`` ends of line, without those at its end. Raises :class:`UserError` when the editor cannot be
    started, and when its text cannot be used: not UTF-8, damaged, too long.
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
                raise UserError(f"The text from the editor {wrong}. It was not taken, and is in {_kept(file)}.")
    except OSError as error:
        raise UserError(f"The text that the editor left cannot be read ({error.strerror or error}).") from error
    fault = "" if code == 0 else f"the editor was ended by signal {-code}" if code < 0 else f"the editor said {code}"
    return EditorText(back, fault)


def _kept(file: Path) -> Path:
    """The path where a text that could not be used is kept, beside earlier ones."""
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
