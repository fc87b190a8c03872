"""Draws the unit on the review screen: the base of the face of statements and of that of all other kinds of unit."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from textual.geometry import Region, Size

from medreview.review.session import ReviewSession
from medreview.review.why_flagged import short
from medreview.screens.judge_rows import judge_bar, panel_rows, spoken_height
from medreview.screens.key_rows import Hints
from medreview.screens.layout import Needs, PanePlan
from medreview.screens.panes import Panes, position_words
from medreview.screens.review_rows import Subject
from medreview.screens.strip_rows import strip_rows
from medreview.screens.widgets.document import DocumentView
from medreview.screens.widgets.painted import Row
from medreview.sources.reading.text_structure import SetApart
from medreview.units.kind import UnitView
from medreview.units.statement_view import StatementView
from medreview.visible import visible

_FOCUS: Final = "▸"

_HIDDEN_ROWS: Final = 6


class Face(ABC):
    """Draws the unit on the screen: its card, the bar above its text, what machines say, what I said."""

    def __init__(self, session: ReviewSession, source: DocumentView, response: DocumentView) -> None:
        self._session = session
        self._response = response
        self._tall = False
        """Rows are not scarce."""
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

    def opinion_bar(self, columns: int) -> list[Row]:
        """What judges say, in one column: one or two rows."""
        return judge_bar(self._session, columns, self._hidden(one=True))

    def opinion_panel(self, columns: int, most: int) -> list[Row]:
        """The same and what I said, as a list of at most so many rows."""
        return panel_rows(self._session, columns, most, self._hidden(one=False))

    def _panel_rows(self, otherwise: int) -> int:
        """Side by side, rows of what judges say and of what I said. In a blind block the text keeps the rest."""
        session = self._session
        in_block = session.block is not None and not session.shows_judges
        return _HIDDEN_ROWS + (2 if session.own.note else 0) if in_block else otherwise

    @abstractmethod
    def _hidden(self, *, one: bool) -> str:
        """What stands in the place of the judges while they are hidden."""

    @abstractmethod
    def _nothing(self) -> str:
        """Why there is no text to read."""

    @abstractmethod
    def _preface(self, session: ReviewSession, text: str, apart: Sequence[SetApart]) -> str:
        """Notices on the text that a session has, this one or the one ahead of it."""

    def _subject(self, name: str, item: StatementView | UnitView) -> Subject:
        """Its name; model, origin, record and the reasons for a flag where they may be seen."""
        if not self._session.shows_judges:
            return Subject(name, name)
        words = " ".join(filter(None, (name, item.model))) + (f" · {item.origin}" if item.origin else "")
        return Subject(name, words, item.record_id, short(self._session.badges))

    def _view_words(self, plan: PanePlan, brings: str) -> tuple[tuple[str, str], ...]:
        """What the key for the other text brings; side by side both are there."""
        return (("view", brings),) if plan.shape == "one" else ()

    def _opinion_height(self, columns: int) -> int:
        """Rows of what machines say, in one column."""
        if read := self._session.read_words:
            return spoken_height(read, columns)
        return 2 if self._session.shows_judges else 1

    def _strip(self, columns: int, *, one: bool) -> list[Row]:
        """What stands above the text in the main pane: quotes that are not in it, sources in conflict."""
        session = self._session
        return strip_rows(session.above_page, session.text_key, columns, one=one, tall=self._tall)

    def _focused(self, title: Row, *, beside: bool) -> Row:
        """A pane's title; the one of the pane that paging moves has a sign in its first cell."""
        if (self.panes.moved_view is self._response) != beside:
            return title
        (first, style), *others = title
        return [(_FOCUS, "gutter"), (first[1:], style), *others]

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
