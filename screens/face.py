"""Draws the unit on the review screen: the base of the face of statements and of that of all other kinds of unit."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from textual.geometry import Region, Size

from medreview.review.deciding import Deciding
from medreview.screens.judge_rows import spoken_height
from medreview.screens.key_rows import Hints
from medreview.screens.layout import Needs, PanePlan
from medreview.screens.panes import Panes, position_words
from medreview.screens.review_rows import Subject
from medreview.screens.widgets.document import DocumentView
from medreview.screens.widgets.painted import Row
from medreview.sources.reading.text_structure import SetApart
from medreview.units.kind import UnitView
from medreview.units.statement_view import StatementView
from medreview.visible import visible


class Face(ABC):
    """Draws the unit on the screen: its card, the bar above its text, what machines say, what I said."""

    def __init__(self, session: Deciding, source: DocumentView, response: DocumentView) -> None:
        self._session = session
        self._response = response
        self.panes = Panes(session, source, response, self._nothing, self._preface)

    @abstractmethod
    def subject(self) -> Subject | None:
        """What the header says of it; ``None`` in an empty queue."""

    @abstractmethod
    def needs(self, size: Size, card: Region | None) -> Needs:
        """How many rows its parts ask for; ``card``: where the card lies, ``None`` in one column."""

    @abstractmethod
    def card_rows(self, plan: PanePlan) -> list[Row]:
        """What is asked, for the region that the plan gives it."""

    @abstractmethod
    def hints(self, plan: PanePlan) -> Hints:
        """What the keys do with it, without which of them are refused."""

    @abstractmethod
    def bar_rows(self, columns: int, *, one: bool) -> list[Row]:
        """The bar above the text in the main pane: one row in one column, three where it has a pane of its own."""

    @abstractmethod
    def opinion_bar(self, columns: int) -> list[Row]:
        """What machines say, in one column: one or two rows."""

    @abstractmethod
    def opinion_panel(self, columns: int, most: int) -> list[Row]:
        """The same and what I said, as a list of at most so many rows."""

    @abstractmethod
    def _nothing(self) -> str:
        """Why there is no text to read."""

    @abstractmethod
    def _preface(self, session: Deciding, text: str, apart: Sequence[SetApart]) -> str:
        """Notices on the text that a session has, this one or the one ahead of it."""

    def _subject(self, name: str, item: StatementView | UnitView) -> Subject:
        """Its name; model, origin, record and the reasons for a flag where they may be seen."""
        if not self._session.shows_judges:
            return Subject(name, name)
        words = " ".join(filter(None, (name, item.model))) + (f" · {item.origin}" if item.origin else "")
        return Subject(name, words, item.record_id, self._session.badges)

    @abstractmethod
    def show_named(self, word: str) -> None:
        """Bring the text to the screen that the bar above it names by a word."""

    def _view_words(self, plan: PanePlan, brings: str) -> tuple[tuple[str, str], ...]:
        """What the key for the other text brings; side by side both are there."""
        return (("view", brings),) if plan.shape == "one" else ()

    def _opinion_height(self, columns: int) -> int:
        """Rows of what machines say, in one column."""
        if read := self._session.read_words:
            return spoken_height(read, columns)
        return 2 if self._session.shows_judges else 1

    def _beside_bar(self, words: str, name: str = "") -> Row:
        """The bar above the text that stands beside, where it is in the main text's place: what it is."""
        search = self.panes.search_words
        return [
            ("── ", "rule"),
            (words, "title"),
            (f"{name} ", ""),
            ("─", "rule fill"),
            *([(f" {visible(search)} ─", "search")] if search else []),
            (f" {position_words(self._response)} ─────", "rule"),
        ]
