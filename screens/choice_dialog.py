"""One label of a further axis, by its letter, in the last rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from medreview.labels import Label
from medreview.screens.key import Key
from medreview.screens.widgets.painted import Row, StyledText


@dataclass(eq=False, repr=False)
class ChoiceDialog:
    """What is asked, and the labels of which one is taken."""

    asked: str
    labels: Sequence[Label]
    take: Callable[[str], None]
    back: Callable[[], None]
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The question and the letters in one row."""
        row: list[StyledText] = [(f" {self.asked}", "key")]
        for label in self.labels:
            row += [("  ", ""), (label.key, "key"), (f" {label.name}", "")]
        return [[*row, ("   ", ""), ("Esc", "key"), (" leaves", "")]]

    def press(self, key: Key) -> bool:
        """A letter or Esc; every other key is none of this step's."""
        label = next((one for one in self.labels if one.key == key.said), None)
        if label is not None:
            self.take(label.level)
        elif key.said == "escape":
            self.back()
        else:
            return key.said.isdigit()
        return True
