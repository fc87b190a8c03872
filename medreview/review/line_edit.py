"""A one-line text editor, for notes, searches and filters."""

from dataclasses import dataclass
from typing import Final

from medreview.review.layout.cells import width
from medreview.visible import visible

MOST: Final = 10_000
"""Characters that a line takes; what is typed or pasted beyond them is left out, and that is said."""

_CONTEXT: Final = 64
_ONE_LINE: Final = str.maketrans("\t\n\r", "   ")


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
