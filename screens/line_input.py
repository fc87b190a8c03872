"""A line to type into, in the last rows: notes, searches, filters. Every key goes into it while it is open."""

from collections.abc import Callable
from dataclasses import dataclass

from medreview.review.layout.cells import width
from medreview.review.line_edit import MOST, LineEdit
from medreview.screens.key import Key
from medreview.screens.widgets.painted import Row


@dataclass(eq=False, repr=False)
class LineInput:
    """``finish`` takes the text at Enter and returns what is wrong with it, or ``""``; Esc leaves.

    ``typed`` is told of every change. Where there is ``discard``, Esc keeps what was typed and Ctrl+X does not.
    """

    label: str
    line: LineEdit
    hint: str
    finish: Callable[[str], str]
    leave: Callable[[], None]
    typed: Callable[[str], None] | None = None
    discard: Callable[[], None] | None = None
    wrong: str = ""
    takes_all: bool = True

    def rows(self, columns: int) -> list[Row]:
        """The label and the line with its cursor; the keys; what is wrong."""
        label = f" {self.label} "
        before, under, after = self.line.window(max(8, columns - width(label) - 1))
        typed: Row = [(label, "key"), (before, ""), (under, "caret"), (after, "")]
        below: Row = [(f" {self.wrong}", "bad")] if self.wrong else []
        keys: Row = [(" ", ""), ("Enter", "key"), (f" {self.hint}   ", ""), ("Esc", "key"), (" leave", "")]
        if self.discard is not None:
            keys = [*keys[:-1], (" keeps it as a draft   ", ""), ("Ctrl+X", "key"), (" discards it", "")]
        return [typed, keys, below]

    def press(self, key: Key) -> bool:
        """Type; Enter finishes, Esc leaves, Ctrl+X discards."""
        if key.name == "enter":
            self.wrong = self.finish(self.line.text)
        elif key.name == "escape":
            self.leave()
        elif key.name == "ctrl+x" and self.discard is not None:
            self.discard()
        else:
            before = self.line.text
            took = self.line.press(key.name, key.character)
            self._changed(before, took)
        return True

    def paste(self, text: str) -> None:
        """Text from the terminal's clipboard."""
        before = self.line.text
        self._changed(before, self.line.insert(text))

    def _changed(self, before: str, took: bool) -> None:
        full = not took and len(self.line.text) >= MOST
        self.wrong = f"A line holds {MOST:,} characters; what is beyond that was left out." if full else ""
        if self.typed is not None and self.line.text != before:
            self.typed(self.line.text)
