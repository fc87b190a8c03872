"""What each action of the table does: acts of the session, and the steps that follow from them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from medreview.errors import NotSaved, UserError
from medreview.labels import FLAGS, Label
from medreview.review.line_edit import LineEdit
from medreview.review.reviewer_state import ReviewerSpan
from medreview.review.session import ReviewSession
from medreview.review.span_editing import SpanEdit
from medreview.review.verdict_flow import FollowUp, judges_words
from medreview.screens.dialogs import (
    BlockEndDialog,
    DeleteSpanDialog,
    Dialog,
    HallucinationDialog,
    LeftOutDialog,
    ReasonDialog,
    RevealDialog,
    SpanDialog,
)
from medreview.screens.glyphs import VERDICT
from medreview.screens.judge_rows import lead
from medreview.screens.line_input import LineInput
from medreview.screens.panes import Panes
from medreview.statements.left_out import LeftOut
from medreview.visible import visible


class ReviewHost(Protocol):
    """What the acts ask of the screen."""

    def open(self, step: Dialog | None) -> None:
        """Put a step into the last rows, or take it away."""

    def tell(self, words: str) -> None:
        """Say something until the next key."""

    def queue_changed(self) -> None:
        """Another filter: the queue pane has other rows."""

    def promote(self, part: LeftOut) -> None:
        """Make a statement of what was left out, and know of it."""

    def copy(self, text: str) -> None:
        """Send a text to the terminal's clipboard."""

    def leave(self) -> None:
        """Go back to the first screen."""

    def help(self) -> None:
        """Show the keys."""

    def figures(self) -> None:
        """Show the figures."""

    @property
    def held(self) -> str:
        """What to say of a key that is held down; else empty."""

    @property
    def panes(self) -> bool:
        """Whether response and source stand side by side."""


class ActionHandlers:
    """Carries out actions by their name in the table. Raises what the session raises; the screen words it."""

    def __init__(self, session: ReviewSession, reading: Panes, stage: ReviewHost) -> None:
        self._session = session
        self._reading = reading
        self._stage = stage
        self._by_name: dict[str, Callable[[], None]] = {
            "accept": lambda: self._follow(session.accept()),
            "hallucination": self._hallucination,
            "delete_span": self._delete_span,
            "note": self._note,
            "left_out": self._left_out,
            "defer": self._defer,
            **{flag.level: partial(session.flag, flag.level) for flag in FLAGS},
            "undo": session.undo,
            "redo": session.redo,
            "reveal": lambda: self._follow(session.look_again()),
            "next": lambda: self._go(session.next(), "This is the last statement of the queue."),
            "previous": lambda: self._go(session.previous(), "This is the first statement of the queue."),
            "next_open": lambda: self._go(session.next_open(), "Nothing in this queue is open."),
            "source_next": lambda: self._turn_source(1),
            "source_previous": lambda: self._turn_source(-1),
            "mark_next": lambda: self._step_mark(1),
            "mark_previous": lambda: self._step_mark(-1),
            "page_down": lambda: reading.moved_view.page(1),
            "page_up": lambda: reading.moved_view.page(-1),
            "top": lambda: reading.moved_view.to_top(),
            "end": lambda: reading.moved_view.to_end(),
            "view": self._view,
            "whole_page": self._whole_page,
            "pane": self._pane,
            "search": self._search,
            "hit_next": lambda: stage.tell(reading.step_hit(1)),
            "hit_previous": lambda: stage.tell(reading.step_hit(-1)),
            "filter": self._filter,
            "copy": self._copy,
            "figures": stage.figures,
            "help": stage.help,
            "leave": stage.leave,
        }

    def perform(self, name: str) -> None:
        """Do an action; raises ``KeyError`` for a name that the table does not have."""
        if name.startswith("decide_"):
            self._follow(self._session.decide(name.removeprefix("decide_")))
        else:
            self._by_name[name]()

    def answer_again(self, step: ReasonDialog | RevealDialog, name: str) -> bool:
        """Another verdict while a step asks about the one just given, by a key of the table; ``True``."""
        if name == "accept":
            self._follow(self._session.accept(instead=True))
        else:
            step.give(name.removeprefix("decide_"))
        return True

    # Verdicts

    def _follow(self, step: FollowUp) -> None:
        """Ask what the session says is asked next."""
        match step:
            case FollowUp.KEEP_OR_CHANGE:
                self._ask_keep_or_change()
            case FollowUp.REASON:
                self._ask_reason()
            case FollowUp.BLOCK_END:
                self._ask_show_judges()
            case FollowUp.ADVANCE:
                self._advance()

    def _advance(self) -> None:
        session = self._session
        self._stage.open(None)
        if session.next():
            return
        left = sum(map(session.awaits, session.queue.units))
        rest = f"{left} still open, t goes there" if left else "nothing in it is open"
        self._stage.tell(f"{session.receipt}   end of the queue · {rest}")

    def _ask_keep_or_change(self) -> None:
        session = self._session
        glyph = VERDICT.get(session.judges_say or "", "")
        self._stage.open(
            RevealDialog(
                mine=session.own.label or "",
                theirs=f"{glyph} {self._their_words().upper()}".strip(),
                saved=self._saved,
                give=lambda label: self._follow(session.keep_or_change(label)),
                back=self._close,
            )
        )

    def _ask_reason(self) -> None:
        self._stage.open(
            ReasonDialog(
                mine=self._session.own.label or "",
                theirs=self._their_words(),
                saved=self._saved,
                answer=lambda code: self._follow(self._session.reason(code)),
                give=lambda label: self._follow(self._session.decide(label, instead=True)),
                words=lambda: self._note(lambda: self._follow(self._session.reason(None))),
                back=self._close,
            )
        )

    def _ask_show_judges(self) -> None:
        session, block = self._session, self._session.block
        self._stage.open(
            BlockEndDialog(
                decided=len(block.hidden) if block else 0,
                show=lambda: self._follow(session.show_judges()),
                go_on=self._advance,
                back=self._close,
            )
        )

    def _saved(self) -> str:
        number = next((word for word in self._session.receipt.split() if word.startswith("#")), "")
        return self._stage.held or (f"saved {number} ✓" if self._session.elsewhere is None else "NOT SAVED HERE")

    def _their_words(self) -> str:
        return judges_words(self._session.item) if self._session.item else ""

    def _close(self) -> None:
        self._stage.open(None)

    # Hallucination and span

    def _hallucination(self) -> None:
        self._stage.open(HallucinationDialog(self._name_hallucination, self._close))

    def _name_hallucination(self, label: Label) -> None:
        self._session.hallucination(label.level)
        if label.level == "none":
            self._close()
        else:
            self._mark_span(label.level, "response", self._session.default_span("response"))

    def _mark_span(self, level: str, target: str, edit: SpanEdit) -> None:
        def turn() -> None:
            other = "source" if target == "response" else "response"
            start = self._session.default_span(other)
            active = self._reading.chosen if other == "source" else None
            self._reading.draw_span(target, None)
            self._mark_span(level, other, SpanEdit(start.text, *active) if active else start)

        self._stage.open(SpanDialog(level, target, edit, self._take_span, turn, self._reading.draw_span, self._close))
        self._reading.draw_span(target, edit)

    def _take_span(self, target: str, edit: SpanEdit) -> None:
        self._session.add_span(target, edit)
        self._close()

    def _delete_span(self) -> None:
        spans = self._session.spans_to_delete()
        if len(spans) == 1:
            self._session.delete_span(spans[0])
        else:
            self._choose_span(spans, 0)

    def _choose_span(self, spans: Sequence[ReviewerSpan], place: int) -> None:
        mine = spans[place]

        def walk(by: int) -> None:
            self._reading.draw_span(mine.target, None)
            self._choose_span(spans, (place + by) % len(spans))

        def delete() -> None:
            self._session.delete_span(mine)
            self._close()

        if mine.target == "source":
            self._session.show_source_of(mine.snapshot_id)
        self._stage.open(DeleteSpanDialog(mine, place, len(spans), delete, walk, self._close))

    def _left_out(self) -> None:
        item = self._session.item
        parts = item.left_out if item else ()
        if not parts:
            raise UserError("Everything in this response is a statement.")

        def promote(part: LeftOut) -> None:
            self._stage.promote(part)
            self._close()

        self._stage.open(LeftOutDialog(parts, promote, self._close))

    # Notes and putting off

    def _note(self, after: Callable[[], None] | None = None) -> None:
        session, item = self._session, self._session.item
        if item is None:
            raise UserError("There is no statement here to write a note on.")

        def finish(text: str) -> str:
            try:
                if text != session.own.note:
                    session.note(text)
                elif session.draft is not None:
                    session.discard_draft()
            except NotSaved as error:
                return error.row
            (after or self._close)()
            return ""

        def leave() -> None:
            self._close()
            if session.draft is not None:
                self._stage.tell("Not saved: kept as a draft; n goes on writing it.")

        def discard() -> None:
            self._close()
            session.discard_draft()
            self._stage.tell("The draft is discarded.")

        draft = session.draft
        line = LineEdit.of(draft.text if draft else session.own.note)
        label = f"note S{item.ordinal}:"
        self._stage.open(LineInput(label, line, "saves", finish, leave, session.note_typed, discard))
        if draft:
            self._stage.tell(f"draft of {draft.time}, not saved yet; Ctrl+X discards it")

    def _defer(self) -> None:
        self._follow(self._session.defer())

    # Moving and reading

    def _go(self, went: bool, otherwise: str) -> None:
        if not went:
            self._stage.tell(otherwise)

    def _turn_source(self, by: int) -> None:
        self._reading.shows_response = False
        if not self._session.turn_source(by):
            self._stage.tell("The response cites no other source.")

    def _step_mark(self, by: int) -> None:
        self._reading.shows_response = False
        self._stage.tell(self._reading.step(by))

    def _view(self) -> None:
        if self._stage.panes:
            self._reading.whole_question = not self._reading.whole_question
        else:
            self._reading.shows_response = not self._reading.shows_response

    def _whole_page(self) -> None:
        self._reading.shows_response = False
        self._stage.tell(self._reading.toggle_whole())

    def _pane(self) -> None:
        if not self._stage.panes:
            self._view()
            return
        self._reading.on_response = not self._reading.on_response
        name = "response" if self._reading.on_response else "source"
        self._stage.tell(f"Paging now moves the {name}.")

    def _search(self) -> None:
        self._reading.shows_response = False

        def finish(text: str) -> str:
            wrong = self._reading.search(text)
            if not wrong:
                self._close()
            return wrong

        self._stage.open(LineInput("search:", LineEdit(), "finds; then n N or . , go on", finish, self._close))

    def _filter(self) -> None:
        def finish(text: str) -> str:
            try:
                self._session.set_filter(text)
            except UserError as error:
                return str(error)
            self._close()
            self._stage.queue_changed()
            return ""

        line = LineEdit.of(self._session.queue.filter)
        self._stage.open(LineInput("filter:", line, "filters; empty shows all", finish, self._close))

    def _copy(self) -> None:
        item, source = self._session.item, self._session.source
        if item is None:
            raise UserError("There is nothing here to copy.")
        judgement = lead(self._session) if self._session.shows_judges else None
        parts = {
            "statement": item.text,
            "quote": judgement.quote if judgement else "",
            "address": source.url if source else "",
        }
        told = [name for name, text in parts.items() if text]
        self._stage.copy("\n".join(visible(text) for text in parts.values() if text))
        self._stage.tell(f"{', '.join(told)}: sent to the terminal")
