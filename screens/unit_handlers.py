"""What the actions do with units other than statements: the label, and what its kind asks after it."""

from collections.abc import Mapping

from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.unit_session import UnitSession
from medreview.screens.action_handlers import ActionHandlers, ReviewHost
from medreview.screens.panes import Panes


class UnitHandlers(ActionHandlers):
    """Carries out actions on units of one kind."""

    def __init__(self, session: UnitSession, reading: Panes, stage: ReviewHost) -> None:
        self._units = session
        super().__init__(session, reading, stage)

    def _their_words(self) -> str:
        return self._units.judges_words

    def _other_text(self, target: str) -> str:
        keys = self._units.text_keys()
        return keys[(keys.index(target) + 1) % len(keys)] if target in keys else keys[0]

    def _text_words(self, target: str) -> str:
        view = self._units.view
        document = view.document(target) if view else None
        return document.title if document else target

    def _show_text(self, target: str) -> None:
        self._reading.shows_response = self._units.is_beside(target)
        self._units.show_document(target)

    def _show_span(self, mine: ReviewerSpan) -> None:
        self._show_text(mine.target)

    def _parts_to_copy(self) -> Mapping[str, str]:
        view, document = self._units.view, self._units.document
        if view is None:
            return {}
        return {self._units.asks.noun: view.text, "title of the text": document.title if document else ""}
