"""Half a minute of welcome: four cards in the last rows, over the real screen; and that the reviewer has seen them."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output, write_new
from medreview.errors import UserError
from medreview.screens.key_screen import Key
from medreview.screens.layout import FOOT_ROWS, Shape
from medreview.screens.widgets.painted import Row, wrapped
from medreview.study.state_folder import made_state_folder, state_folder

_ONE: Final = (
    "Top: one statement of an answer, and the question it answers. The header says why it is flagged.",
    "Middle: the page that it cites, open at the passage that matters. ✓ the page says so, ✗ it says otherwise.",
    "Below: what the judges say, each with its quote. They are language models, and are wrong at times.",
)
_LEFT: Final = "Left: the queue, the most doubtful first. Each row says why; the bar is where you are."
_HEADER: Final = "Top: where you are in the queue, and why this statement is flagged."
_PANES: Final = (
    "{0}: the answer, with the statement to decide on marked. Below it the judges: language models, wrong at times.",
    "Right: the page that it cites, open at the passage that matters. ✓ the page says so, ✗ it says otherwise.",
)
_QUESTION: Final = (
    "One question: does the page say it?  1 yes  2 partly  3 it says otherwise  4 nothing on it  5 cannot judge"
)


_NAMED: Final = 70
"""Columns from which the card says how to see it again."""


def cards(shape: Shape) -> tuple[str, ...]:
    """The cards for what is on the screen."""
    match shape:
        case "one":
            return *_ONE, _QUESTION
        case "two":
            return _HEADER, _PANES[0].format("Left"), _PANES[1], _QUESTION
        case "three":
            return _LEFT, _PANES[0].format("Middle"), _PANES[1], _QUESTION


@dataclass(eq=False, repr=False)
class Tour:
    """One card after the other: Enter goes on, Esc ends them; any other key ends them, too, and does what it does.

    ``shape``: what is on the screen now. ``close`` is told whether they need not be shown again.
    """

    shape: Callable[[], Shape]
    close: Callable[[bool], None]
    at: int = 0
    takes_all: bool = False

    def rows(self, columns: int) -> list[Row]:
        """The card, in two rows at most, and its keys."""
        every = cards(self.shape())
        last = self.at == len(every) - 1
        lines = wrapped(every[self.at], columns, "bar", FOOT_ROWS - 1)
        card: list[Row] = [[(" ", "bar"), *row[1:], ("", "bar fill")] for row in lines]
        keys: Row = [
            (f" {self.at + 1} of {len(every)}   ", "dim"),
            ("Enter", "key"),
            (" begin   " if last else " next   ", ""),
            ("Esc", "key"),
            (" never again", ""),
            ("   : tour shows it again" if columns >= _NAMED else "", "dim"),
        ]
        return [*card, keys]

    def press(self, key: Key) -> bool:
        """Enter and Esc are its own."""
        if key.name == "escape":
            self.close(True)
        elif key.name == "enter":
            self.at += 1
            if self.at == len(cards(self.shape())):
                self.close(True)
        else:
            return False
        return True


def _file() -> Path:
    return state_folder() / "tour-seen"


def is_seen() -> bool:
    """Whether the reviewer went through the cards on this machine, or wants none."""
    return _file().exists()


def note_seen() -> None:
    """Keep that. Where it cannot be kept, they come again."""
    with suppress(UserError, OSError):
        made_state_folder()
        with atomic_output(_file(), b"") as partial:
            write_new(partial, "the cards of the sample study were seen\n")
