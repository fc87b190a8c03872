"""What the acts on spans do for every kind of unit: marking words, and moving or deleting what is marked."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from medreview.review.deciding import Deciding
from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.span_editing import SpanEdit
from medreview.screens.dialogs import ChooseSpanDialog, Dialog, SpanDialog
from medreview.screens.panes import Panes


class StepHost(Protocol):
    """A screen with room for a step."""

    def open(self, step: Dialog | None) -> None:
        """Put a step into the last rows, or take it away."""


class SpanHandlers(ABC):
    """Carries out the acts on spans, in the steps that they ask for."""

    _session: Deciding
    _reading: Panes
    _stage: StepHost

    def _close(self) -> None:
        self._stage.open(None)

    def _mark_span(self, level: str, target: str, edit: SpanEdit, *, after: Callable[[], None] | None = None) -> None:
        """Ask for the words that a level is about, in one of the unit's texts; ``after``: what follows."""

        def turn() -> None:
            other = self._other_text(target)
            start = self._session.default_span(other)
            self._show_text(other)
            active = None if self._session.is_beside(other) else self._reading.chosen
            self._reading.draw_span(target, None)
            self._mark_span(level, other, SpanEdit(start.text, *active) if active else start, after=after)

        def take(target: str, edit: SpanEdit) -> None:
            self._session.add_span(target, edit)
            (after or self._close)()

        other = self._text_words(self._other_text(target))
        draw, back = self._reading.draw_span, after or self._close
        self._stage.open(SpanDialog(level, target, other, edit, take, turn, draw, back, self._reading.hints))
        self._reading.draw_span(target, edit)

    @abstractmethod
    def _other_text(self, target: str) -> str:
        """The target of the text that spans can be marked in beside one."""

    @abstractmethod
    def _text_words(self, target: str) -> str:
        """What a text is called."""

    @abstractmethod
    def _show_text(self, target: str) -> None:
        """Bring a text to the screen in which a span is to be marked."""

    def _delete_span(self) -> None:
        spans = self._session.spans_to_delete()
        if len(spans) == 1:
            self._session.delete_span(spans[0])
        else:
            self._choose_span(spans, 0, self._session.delete_span, "delete")

    def _resize_span(self) -> None:
        spans = self._session.spans_to_delete()
        if len(spans) == 1:
            self._move_ends(spans[0])
        else:
            self._choose_span(spans, 0, self._move_ends, "resize")

    def _choose_span(
        self, spans: Sequence[ReviewerSpan], place: int, act: Callable[[ReviewerSpan], None], verb: str
    ) -> None:
        mine = spans[place]

        def walk(by: int) -> None:
            self._reading.draw_span(mine.target, None)
            self._choose_span(spans, (place + by) % len(spans), act, verb)

        def chosen() -> None:
            self._close()
            act(mine)

        self._show_span(mine)
        words = self._text_words(mine.target)
        resize = partial(self._move_ends, mine) if verb != "resize" else None
        step = ChooseSpanDialog(mine, words, place, len(spans), chosen, walk, self._close, verb, resize)
        self._stage.open(step)

    def _move_ends(self, mine: ReviewerSpan) -> None:
        """Move the ends of a span that stands."""
        self._show_span(mine)
        edit = self._session.span_to_resize(mine)

        def take(_target: str, moved: SpanEdit) -> None:
            if moved.span != mine.span:
                self._session.resize_span(mine, moved)
            self._close()

        def stay() -> None:
            """Its text stays the same."""

        step = SpanDialog(
            mine.label, mine.target, "", edit, take, stay, self._reading.draw_span, self._close,
            self._reading.hints, mine,
        )  # fmt: skip
        self._stage.open(step)

    @abstractmethod
    def _show_span(self, mine: ReviewerSpan) -> None:
        """Bring the text of a span to the screen."""
