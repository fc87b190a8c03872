"""Words of a text that are named by a letter or two drawn over them: the first and the last of a span."""

from typing import NamedTuple, Protocol

from medreview.review.span_hints import WordHint, hints_left
from medreview.screens.widgets.painted import Row
from medreview.text import Span


class Naming(NamedTuple):
    """Words are being named: the hints in sight, the first word once it is named, the letters typed of this one."""

    hints: tuple[WordHint, ...]
    first: WordHint | None = None
    typed: str = ""

    def press(self, letter: str) -> "Naming | Span | None":
        """What follows a letter: the same with one more, the span when its last word is named, ``None`` at Esc and at a
        letter that begins no hint."""
        typed = self.typed + letter
        left = hints_left(self.hints, typed) if len(letter) == 1 else ()
        if not left:
            return None
        if left[0].letters != typed:
            return self._replace(typed=typed)
        if self.first is None:
            return self._replace(first=left[0], typed="")
        return Span(min(self.first.start, left[0].start), max(self.first.end, left[0].end))

    def rows(self) -> list[Row]:
        """What to press."""
        which = "first" if self.first is None else "last"
        typed = f" {self.typed}…" if self.typed else ""
        return [
            [(f" Press the letters at the {which} word of the span.{typed}", "key")],
            [(" ", ""), ("Esc", "key"), (" back to moving the ends", "")],
        ]


class HintsInSight(Protocol):
    """The hints of a text on the screen."""

    def show(self, target: str) -> tuple[WordHint, ...]:
        """Draw hints for the words in sight; they."""

    def draw(self, target: str, naming: Naming | None) -> None:
        """Draw what is still to be typed of them; ``None`` takes them away."""
