"""The steps that an act on spans asks for: a hallucination and its words, which span, its ends, what a judge found."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from medreview.errors import UserError
from medreview.labels import Label
from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.session import ReviewSession
from medreview.review.span_editing import SpanEdit, partner_for
from medreview.review.spans_and_findings import FindingSpan
from medreview.review.text_entry import LineEdit
from medreview.screens.dialogs import ChooseSpanDialog, FindingDialog, HallucinationDialog, SpanDialog
from medreview.screens.last_rows import LineInput
from medreview.screens.panes import Panes
from medreview.screens.source_rows import of_statements
from medreview.units.kind import RESPONSE

if TYPE_CHECKING:
    from medreview.screens.review import ReviewScreen

Act = Callable[[], None]


class SpanSteps:
    """Asks for spans step by step."""

    def __init__(self, session: ReviewSession, reading: Panes, stage: "ReviewScreen") -> None:
        self._session = session
        self._reading = reading
        self._stage = stage

    def _close(self) -> None:
        self._stage.open(None)

    def _show_text(self, target: str) -> None:
        """Bring a text to the screen in which a span is to be marked."""
        self._reading.shows_response = self._session.is_beside(target)
        self._session.show_text(target)

    def _show_span(self, mine: ReviewerSpan) -> None:
        """Bring the text of a span to the screen; the response of a statement comes with the step."""
        if not of_statements(self._session):
            self._show_text(mine.target)
        elif mine.target == "source":
            self._session.show_source_of(mine.snapshot_id)

    def ask_type(
        self,
        back_to: int | None = None,
        then: Act | None = None,
        other: tuple[str, Act] | None = None,
        back: Act | None = None,
    ) -> None:
        """Ask for the hallucination of the statement on the screen, then go back to a place of the queue. ``then``:
        what follows a label, ``back``: what comes without one."""
        session = self._session

        def done() -> None:
            self._close()
            if back_to is not None:
                session.go(back_to)
            if then is not None:
                then()

        def chosen(label: Label) -> None:
            session.decide_also("hallucination", label.level)
            if label.level == "none" or session.settles:
                done()
            else:
                edit = session.default_span(RESPONSE, label.level)
                self.mark(label.level, RESPONSE, edit, after=done, back=done)

        self._stage.open(HallucinationDialog(session.full_name, chosen, back or done, other=other))

    def mark_places(self, level: str, done: Act, wants_more: bool = False) -> None:
        """Ask for a span in the answer, of a context-conflict for both; ``done``: what comes then, or another span. Of
        what has numbers, ask for these."""
        if level in self._session.asks.numbered:
            self._by_number(level, done)
            return

        def marked(more: bool) -> None:
            if partner_for(level, self._session.own.spans):
                self.mark_places(level, done, more)
            elif more:
                self.another(done)
            else:
                done()

        self._show_text(RESPONSE)
        edit = self._session.default_span(RESPONSE)
        after, more = partial(marked, wants_more), partial(marked, True)
        self.mark(level, RESPONSE, edit, after=after, back=done, more=more)

    def _by_number(self, level: str, done: Act) -> None:
        """Ask for the numbers of what is wrong in the list on the screen."""

        def finish(typed: str) -> str:
            self._session.mark_numbered(level, typed)
            done()
            return ""

        self._show_text(self._session.asks.numbered[level])
        asked = f"{self._session.asks.level_named(level).name}, number:"
        self._stage.open(LineInput(asked, LineEdit(), "marks these, as in: 3 5", finish, done))

    def another(self, done: Act) -> None:
        """Ask for the type of a further span, then for its words."""
        session = self._session
        if session.own.label in (None, "none"):
            raise UserError(f"Say first what is wrong with the {session.asks.noun}: {session.asks.faults}.")
        levels = [level for level in session.asks.levels if level.level != "none"]
        self._stage.open(
            HallucinationDialog(
                session.full_name,
                lambda label: self.mark_places(label.level, done),
                done,
                levels,
                axis=session.asks.axis,
            )
        )

    def mark(
        self,
        level: str,
        target: str,
        edit: SpanEdit,
        *,
        after: Act | None = None,
        back: Act | None = None,
        more: Act | None = None,
    ) -> None:
        """Ask for the words that a level is about, in one of the unit's texts; ``after``, ``back``: what follows when a
        span was marked, and when none was. ``more``: what follows when another one is wanted after it; then a reason in
        words can be given with it, too."""

        def again(target: str, edit: SpanEdit) -> None:
            self.mark(level, target, edit, after=after, back=back, more=more)

        def turn() -> None:
            other = self._session.other_text(target)
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
                take(target, edit, reason.strip())
                return ""

            line = LineInput("why:", LineEdit(), "marks it with this reason", finish, partial(again, target, edit))
            self._stage.open(line)

        turned = self._session.other_text(target)
        step = SpanDialog(
            name=self._session.full_name,
            level=level,
            target=target,
            other=self._session.text_words(turned) if turned != target else "",
            edit=edit,
            take=take,
            turn=turn,
            draw=self._reading.draw_span,
            back=back or self._close,
            hints=self._reading.hints,
            why=with_reason if more else None,
            more=take_and_go_on if more else None,
            which=", the other place" if partner_for(level, self._session.own.spans) else "",
            axis=self._session.span_axis,
        )
        self._stage.open(step)
        self._reading.draw_span(target, edit)

    def delete(self) -> None:
        """Take away a span of one's own; of several, the one that is chosen."""
        spans = self._session.spans_to_delete()
        if len(spans) == 1:
            self._session.delete_span(spans[0])
        else:
            self._choose_span(spans, 0, self._session.delete_span, "delete")

    def resize(self) -> None:
        """Move the ends of a span of one's own; of several, of the one that is chosen."""
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
        words = self._session.text_words(mine.target)
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
            self._close, self._reading.hints, mine, axis=self._session.span_axis,
        )  # fmt: skip
        self._stage.open(step)

    def findings(self, after: FindingSpan | None = None, by: int = 1) -> None:
        """Go to the next or previous open finding, and ask what is to be made of it."""
        session = self._session
        span = session.open_finding(after, by)

        def handled(act: Callable[[FindingSpan], None]) -> None:
            act(span)
            if session.open_findings():
                self.findings(span)
            else:
                self._close()

        self._show_text(RESPONSE)
        step = FindingDialog(
            span=span,
            edit=SpanEdit(session.response_text(), span.here[0].start, span.here[-1].end),
            left=session.open_findings(),
            take=partial(handled, session.take_finding),
            reject=partial(handled, session.reject_finding),
            walk=lambda step: self.findings(span, step),
            back=self._close,
        )
        self._stage.open(step)
