"""A line to type into, in the last rows: notes, searches, filters. Every key goes into it while it is open."""

from collections.abc import Callable
from dataclasses import dataclass

from medreview.review.layout.cells import width
from medreview.review.line_edit import LineEdit
from medreview.screens.dialogs import Key
from medreview.screens.widgets.painted import Row


@dataclass
class LineInput:
    """``finish`` takes the text at Enter and returns what is wrong with it, or ``""``; ``leave`` takes it at Esc."""

    label: str
    line: LineEdit
    hint: str
    finish: Callable[[str], str]
    leave: Callable[[str], None]
    wrong: str = ""
    takes_all: bool = True

    def rows(self, columns: int) -> list[Row]:
        """The label and the line with its cursor; the keys; what is wrong."""
        label = f" {self.label} "
        before, under, after = self.line.window(max(8, columns - width(label) - 1))
        typed: Row = [(label, "key"), (before, ""), (under, "caret"), (after, "")]
        below: Row = [(f" {self.wrong}", "bad")] if self.wrong else []
        return [typed, [(" ", ""), ("Enter", "key"), (f" {self.hint}   ", ""), ("Esc", "key"), (" leave", "")], below]

    def press(self, key: Key) -> bool:
        """Type; Enter finishes, Esc leaves."""
        if key.name == "enter":
            self.wrong = self.finish(self.line.text)
        elif key.name == "escape":
            self.leave(self.line.text)
        else:
            self.wrong = ""
            self.line.press(key.name, key.character)
        return True

    def paste(self, text: str) -> None:
        """Text from the terminal's clipboard."""
        self.line.insert(text)
