"""The line of a search, with a choice of what is searched."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from medreview.review.line_edit import LineEdit
from medreview.screens.key import Key
from medreview.screens.line_input import LineInput
from medreview.screens.widgets.painted import Row


class Scope(NamedTuple):
    """What is searched, by what it is called; ``find`` takes the words and says what is wrong, or ``""``."""

    name: str
    find: Callable[[str], str]


@dataclass(eq=False, repr=False)
class SearchLine(LineInput):
    """Tab turns to the next scope; what was typed stays."""

    scopes: Sequence[Scope] = ()
    at: int = 0

    def rows(self, columns: int) -> list[Row]:
        """The line, and the other scopes beside the keys."""
        typed, keys, below = super().rows(columns)
        others = [scope.name for scope in (*self.scopes[self.at + 1 :], *self.scopes[: self.at])]
        return [typed, [*keys, ("   ", ""), ("Tab", "key"), (f" {', '.join(others)}", "")], below]

    def press(self, key: Key) -> bool:
        """Tab chooses; everything else is typed, or ends the line."""
        if key.name != "tab":
            return super().press(key)
        self.at = (self.at + 1) % len(self.scopes)
        scope = self.scopes[self.at]
        self.label, self.finish, self.wrong = f"search {scope.name}:", scope.find, ""
        return True


def search_line(scopes: Sequence[Scope], leave: Callable[[], None]) -> SearchLine:
    """The line, over the first of the scopes."""
    first = scopes[0]
    return SearchLine(f"search {first.name}:", LineEdit(), "finds", first.find, leave, scopes=scopes)
