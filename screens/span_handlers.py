"""What the actions do with words of a text and queues: marking spans, search, filters, the palette, copying."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from medreview.errors import NotSaved, UserError
from medreview.review.actions import Action
from medreview.review.finding_acts import FindingActs, FindingSpan
from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.span_editing import SpanEdit, partner_for
from medreview.review.text_entry import LineEdit
from medreview.screens.dialogs import ChooseSpanDialog, Dialog, FindingDialog, SpanDialog
from medreview.screens.last_rows import LineInput, Scope, palette_dialog, search_line
from medreview.screens.panes import Panes
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.review.history import Listed
    from medreview.review.palette import PaletteEntry
    from medreview.screens.home_rows import Entrance


class StepHost(Protocol):
    """A screen with room for a step."""

    def open(self, step: Dialog | None) -> None:
        """Put a step into the last rows, or take it away."""


class SpanHandlers(ABC):
    """Carries out the acts on spans, in the steps that they ask for."""

    _session: FindingActs
    _reading: Panes
    _stage: StepHost

    def _close(self) -> None:
        self._stage.open(None)

    def _mark_span(
        self,
        level: str,
        target: str,
        edit: SpanEdit,
        *,
        after: Callable[[], None] | None = None,
        back: Callable[[], None] | None = None,
        more: Callable[[], None] | None = None,
    ) -> None:
        """Ask for the words that a level is about, in one of the unit's texts; ``after``, ``back``: what follows when a
        span was marked, and when none was. ``more``: what follows when another one is wanted after it; then a reason in
        words can be given with it, too."""

        def again(target: str, edit: SpanEdit) -> None:
            self._mark_span(level, target, edit, after=after, back=back, more=more)

        def turn() -> None:
            other = self._other_text(target)
            start = self._session.default_span(other)
            self._show_text(other)
            active = None if self._session.is_beside(other) else self._reading.chosen
            self._reading.draw_span(target, None)
            again(other, SpanEdit(start.text, *active) if active else start)

        def take(target: str, edit: SpanEdit, reason: str = "") -> None:
            self._session.add_span(target, edit, label=level, reason=reason)
            (after or self._close)()

        def take_and_go_on(target: str, edit: SpanEdit) -> None:
            self._session.add_span(target, edit, label=level)
            (more or self._close)()

        def with_reason(target: str, edit: SpanEdit) -> None:
            def finish(reason: str) -> str:
                try:
                    take(target, edit, reason.strip())
                except NotSaved as error:
                    return error.row
                return ""

            line = LineInput("why:", LineEdit(), "marks it with this reason", finish, partial(again, target, edit))
            self._stage.open(line)

        turned = self._other_text(target)
        step = SpanDialog(
            name=self._session.full_name,
            level=level,
            target=target,
            other=self._text_words(turned) if turned != target else "",
            edit=edit,
            take=take,
            turn=turn,
            draw=self._reading.draw_span,
            back=back or self._close,
            hints=self._reading.hints,
            why=with_reason if more else None,
            more=take_and_go_on if more else None,
            which=", the other place" if partner_for(level, self._session.own.spans) else "",
        )
        self._stage.open(step)
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
            self._session.full_name, mine.label, mine.target, "", edit, take, stay, self._reading.draw_span,
            self._close, self._reading.hints, mine,
        )  # fmt: skip
        self._stage.open(step)

    @abstractmethod
    def _show_span(self, mine: ReviewerSpan) -> None:
        """Bring the text of a span to the screen."""

    # What judges found in the response

    def _findings(self, after: FindingSpan | None = None, by: int = 1) -> None:
        """Go to the next or previous open finding, and ask what is to be made of it."""
        session = self._session
        span = session.open_finding(after, by)

        def handled(act: Callable[[FindingSpan], None]) -> None:
            act(span)
            if session.open_findings():
                self._findings(span)
            else:
                self._close()

        self._show_text("response")
        step = FindingDialog(
            span=span,
            edit=SpanEdit(session.response_text(), span.here[0].start, span.here[-1].end),
            left=session.open_findings(),
            take=partial(handled, session.take_finding),
            reject=partial(handled, session.reject_finding),
            walk=lambda step: self._findings(span, step),
            back=self._close,
        )
        self._stage.open(step)


_FOR_STEPS = frozenset({"palette", "filter"})
"""What the line of everything does not lead to: itself."""


class SearchHost(StepHost, Protocol):
    """What is asked of the screen."""

    @property
    def actions(self) -> Mapping[str, Action]:
        """What can be done here, by id, with its keys."""

    def tell(self, words: str) -> None:
        """Say something until the next key."""

    def visit(self, entrance: "Entrance") -> None:
        """Open another queue."""

    def history(self, listed: "Listed" = "decisions", query: str = "") -> None:
        """Show what I decided or noted."""

    def copy(self, text: str) -> str:
        """Give a text to the clipboard; where it went, in words."""

    def edit_note(self) -> None:
        """Write the note in the reviewer's editor."""


class SearchHandlers(SpanHandlers):
    """Searches, filters, finds and copies."""

    _stage: SearchHost

    @abstractmethod
    def perform(self, name: str) -> None:
        """Do an action by its name in the table."""

    # Search

    def _search(self) -> None:

        def here(text: str) -> str:
            wrong = self._reading.search(text)
            if not wrong:
                self._close()
            return wrong

        def past(listed: "Listed", text: str) -> str:
            self._close()
            self._stage.history(listed, text)
            return ""

        scopes = (
            Scope("here", here),
            Scope("my notes", partial(past, "notes")),
            Scope("my decisions", partial(past, "decisions")),
        )
        self._stage.open(search_line(scopes, self._close))

    # The line of everything, and filters

    def _palette(self, begun: str = "") -> None:
        from medreview.review.overview import queues_in_use
        from medreview.review.palette import Palette
        from medreview.review.queue import saved_filters
        from medreview.review.queue_filters import FilterWords

        session = self._session
        reader, queue = session.study.reader, session.queue
        palette = Palette(
            (action for action in self._stage.actions.values() if action.id not in _FOR_STEPS),
            queues_in_use(reader, session.reviewer),
            saved_filters(reader, session.reviewer),
            FilterWords(reader, queue.kind, queue.mode),
            current=queue.filter,
            noun=session.asks.noun,
        )
        self._stage.open(palette_dialog(palette, self._run, self._close, begun))

    def _filter(self) -> None:
        self._palette(f"filter {self._session.queue.filter}".rstrip() + " ")

    def _run(self, entry: "PaletteEntry") -> str:
        """Do what an entry of the line says; what is wrong with it, or ``""``."""
        from medreview.review.queue import delete_filter, save_filter, saved_filters
        from medreview.screens.home_rows import Entrance

        session, value = self._session, entry.value
        try:
            match entry.does:
                case "filter":
                    session.set_filter(value)
                    self._close()
                case "save":
                    saved = save_filter(session.study, session.reviewer, value, session.queue)
                    self._close()
                    self._stage.tell(f"The filter is saved as “{saved.name}”; the first screen lists it.")
                case "delete":
                    delete_filter(session.study, session.reviewer, value)
                    self._close()
                    self._stage.tell(f"The saved filter “{value}” is deleted.")
                case "saved":
                    every = saved_filters(session.study.reader, session.reviewer)
                    saved = next(one for one in every if one.name == value)
                    self._stage.visit(Entrance(saved.queue, saved.filter, saved.mode == "blind"))
                case "queue":
                    self._stage.visit(Entrance(value))
        except UserError as error:
            return str(error)
        if entry.does == "act":
            self._close()
            self.perform(value)
        return ""

    # Copying

    def _copy(self) -> None:
        parts = self._parts_to_copy()
        told = [name for name, text in parts.items() if text]
        if not told:
            raise UserError("There is nothing here to copy.")
        where = self._stage.copy("\n".join(visible(text) for text in parts.values() if text))
        self._stage.tell(f"{', '.join(told)}: {where}")

    @abstractmethod
    def _parts_to_copy(self) -> Mapping[str, str]:
        """What is copied, by what it is called."""
