"""What the review screen asks to have a unit drawn: one face for statements, one for all other kinds of unit."""

from typing import Protocol

from textual.geometry import Region, Size

from medreview.review.cell_width import width
from medreview.screens.last_rows import Hints
from medreview.screens.layout import Needs, PanePlan
from medreview.screens.panes import Panes, position_words
from medreview.screens.review_rows import Subject
from medreview.screens.widgets.document import DocumentView
from medreview.screens.widgets.painted import Row, StyledText
from medreview.visible import visible


class Face(Protocol):
    """Draws the unit on the screen: its card, the bar above its text, what machines say, what I said."""

    panes: Panes

    def subject(self) -> Subject | None:
        """What the header says of it; ``None`` in an empty queue."""

    def needs(self, size: Size, card: Region | None) -> Needs:
        """How many rows its parts ask for; ``card``: where the card lies, ``None`` in one column."""

    def card_rows(self, plan: PanePlan) -> list[Row]:
        """What is asked, for the region that the plan gives it."""

    def hints(self, plan: PanePlan) -> Hints:
        """What of the keys does something here, as the key rows say it."""

    def bar_rows(self, columns: int, *, one: bool) -> list[Row]:
        """The bar above the text in the main pane: one row in one column, three where it has a pane of its own."""

    def opinion_bar(self, columns: int) -> list[Row]:
        """What machines say, in one column: one or two rows."""

    def opinion_panel(self, columns: int, most: int) -> list[Row]:
        """The same and what I said, as a list of at most so many rows."""


def beside_bar(words: str, name: str, view: DocumentView, search: str) -> Row:
    """The bar above the text that stands beside, where it is in the main text's place: ``words`` say what it is.

    ``search``: what is searched in it, ``""`` for nothing.
    """
    return [
        ("── ", "rule"),
        (words, "title"),
        (f"{name} ", ""),
        ("─", "rule fill"),
        *([(f" {visible(search)} ─", "search")] if search else []),
        (f" {position_words(view)} ─────", "rule"),
    ]


def cells(pieces: list[StyledText]) -> int:
    """The width of a row's pieces."""
    return sum(width(visible(text)) for text, _ in pieces)
